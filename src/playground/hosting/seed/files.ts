import type { FileNode } from '../resources.ts';

type Sketch = { readonly [name: string]: Sketch | null };

const plugins: Sketch = {
  'contact-desk': { 'contact-desk.php': null, 'readme.txt': null },
  'quick-cart': {
    'quick-cart.php': null,
    includes: { 'class-cart.php': null, 'class-order.php': null },
    'readme.txt': null,
  },
  'seo-lantern': { 'seo-lantern.php': null, assets: { 'admin.css': null, 'admin.js': null } },
};

const uploads: Sketch = Object.fromEntries(
  ['2024', '2025'].map((year) => [
    year,
    { '03': { 'hero.jpg': null, 'logo.svg': null }, '09': { 'catalogue.pdf': null, 'team photo.jpg': null } },
  ]),
);

/** The files of an environment with those themes; `release` names a file that differs between releases. */
export function filesWith(themes: readonly string[], release: string): FileNode[] {
  const themeFiles: Sketch = {
    'style.css': null,
    'functions.php': null,
    templates: { 'index.html': null, 'single.html': null },
  };
  return nodes({
    [`${release}.txt`]: null,
    'index.php': null,
    'robots.txt': null,
    'wp-config.php': null,
    'wp-admin': { 'admin.php': null, css: { 'common.css': null }, 'index.php': null },
    'wp-content': {
      'index.php': null,
      plugins,
      themes: Object.fromEntries(themes.map((name) => [name, themeFiles])),
      uploads,
    },
    'wp-includes': { 'functions.php': null, 'version.php': null, js: { 'api.js': null } },
  });
}

function nodes(sketch: Sketch, above = ''): FileNode[] {
  return Object.entries(sketch).map(([name, inside]) => {
    const path = `${above}${name}`;
    return inside === null ? { name, path } : { name, path, children: nodes(inside, `${path}/`) };
  });
}

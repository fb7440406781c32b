import type { Environment, Product } from '../hosting/resources.ts';

/** A page of a site before it is sent. */
export type SitePage = { readonly status: number; readonly html: string };

/** A page of a site that works; undefined if there is none at this path. */
export function pageAt(site: string, environment: Environment, path: string): SitePage | undefined {
  const { products } = environment;
  const body = bodyAt(path, products);
  if (body === undefined) return undefined;
  const heading = path === '/checkout/' ? `Checkout – ${site}` : site;
  return { status: 200, html: whole(heading, [header(site, environment), body, footer(environment)].join('\n')) };
}

/** Paths that belong to one visitor, so that the cache never keeps them. */
export const isPersonal = (path: string): boolean => path === '/checkout/';

function bodyAt(path: string, products: readonly Product[]): string | undefined {
  if (path === '/' || path === '/shop/') return shop(products);
  if (path === '/careers/') return '<main><h2>Careers</h2><p>We are looking for a lamp maker.</p></main>';
  if (path === '/checkout/') return checkout(products);
  return undefined;
}

/** What is served instead of the page at `path` while PHP, the database or the theme is broken. */
export const brokenPages = {
  error: {
    status: 500,
    html: whole('Error', '<p>There has been a critical error on this website.</p>'),
  },
  // Many sites have an error page of their own here, which comes with 200.
  database: { status: 200, html: whole('Database Error', '<h1>Error establishing a database connection</h1>') },
  empty: { status: 200, html: '' },
} as const satisfies Record<string, SitePage>;

/** A page that the site does not have. */
export const notFound = (site: string): SitePage => ({
  status: 404,
  html: whole(`Page not found – ${site}`, '<h1>Page not found</h1>'),
});

/** The answer for a name that leads to no site here. */
export const noSite = (domain: string): SitePage => ({
  status: 404,
  html: whole('No site here', `<h1>There is no site at ${escaped(domain)}</h1>`),
});

const shop = (products: readonly Product[]): string =>
  `<main><h2>Our products</h2><ul class="products">
${products.map((one) => `<li><span>${escaped(one.name)}</span> <b>${price(one)}</b> <button>Add to cart</button></li>`).join('\n')}
</ul></main>`;

const checkout = (products: readonly Product[]): string =>
  `<main><h2>Your cart</h2><ol>
${products
  .slice(0, 2)
  .map((one) => `<li>${escaped(one.name)}: ${price(one)}</li>`)
  .join('\n')}
</ol><form method="post"><label>E-mail <input name="email"></label> <button>Place order</button></form></main>`;

const header = (site: string, { themes }: Environment): string => {
  const active = themes.find(({ status }) => status === 'active');
  const style = active && `/wp-content/themes/${active.name}/style.css?ver=${active.version}`;
  const link = style === undefined ? '' : `<link rel="stylesheet" href="${escaped(style)}">\n`;
  return `${link}<header><h1>${escaped(site)}</h1><nav><a href="/shop/">Shop</a> <a href="/checkout/">Checkout</a></nav></header>`;
};

const footer = ({ files }: Environment): string => {
  const release = files.find(({ name }) => /^release-\d+\.txt$/.test(name))?.name.replace('.txt', '') ?? 'no release';
  return `<footer>${escaped(release)}</footer>`;
};

const price = ({ price: cents }: Product): string => `€ ${(cents / 100).toFixed(2)}`;

function whole(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>\n<body>\n${body}\n</body></html>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

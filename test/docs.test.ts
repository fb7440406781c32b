import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mostRequests, mostStreams } from '../src/api/request-limits.ts';
import { catalogue } from '../src/commands/index.ts';
import { parse } from '../src/language/parse.ts';
import { compilerSays } from './compiled.ts';
import { commandsPage, derivedIn, envExample, policyPage, settingsPage } from './derived.ts';

/** The documentation is part of the product, so it is checked against the code. */

const root = path.resolve(import.meta.dirname, '..');
const text = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md', { cwd: root }),
];

/** A page without its code blocks, which contain no links or headings. */
const prose = (file: string): string => text(file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** GitHub's anchors of a page's headings. */
function anchorsOf(file: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = [...prose(file).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
  return new Set(anchors);
}

/** The targets of a page's links and pictures within the project. */
const linksOf = (file: string): readonly string[] =>
  [...prose(file).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)]
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((link) => !/^[a-z]+:/.test(link));

function isBroken(file: string, link: string): boolean {
  const [to = '', anchor] = link.split('#');
  const target = to === '' ? file : path.posix.join(path.posix.dirname(file), to);
  if (!existsSync(path.join(root, target))) return true;
  return anchor !== undefined && !anchorsOf(target).has(anchor);
}

it.each(['README.md', 'docs/operations.md'])('%s is short', (page) => {
  expect(Buffer.byteLength(text(page))).toBeLessThanOrEqual(9_216);
});

const everyFile = new Set(globSync('{src,test,deploy}/**/*.ts', { cwd: root }).map((file) => path.basename(file)));

describe('the README', () => {
  it('shows eight commands that can be typed as printed', () => {
    const lines = [...text('README.md').matchAll(/^\| `\/site ([^`]+)` \|/gm)].map((match) => match[1] ?? '');
    expect(lines).toHaveLength(8);
    for (const line of lines) expect(parse(line, catalogue)).toBeDefined();
  });

  it('leads to every page by links', () => {
    const reached = new Set(['README.md']);
    for (const file of reached) {
      for (const link of linksOf(file)) {
        const [to = ''] = link.split('#');
        if (to.endsWith('.md')) reached.add(path.posix.join(path.posix.dirname(file), to));
      }
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe('the documentation', () => {
  it('says how many requests and streams of programs can be under way', () => {
    const says = (of: 'all' | 'each', last: string): string =>
      `${mostRequests[of]}${last} ${mostStreams[of].toLocaleString('en')}`;
    expect(text('docs/limits.md')).toContain(`| ${says('all', ', and')}; ${says('each', ' and')} of one caller.`);
  });
  it.each([
    ['every command with its words', commandsPage],
    ['what each shows of others', policyPage],
    ['every setting with its default', settingsPage],
    ['every setting to fill in', envExample],
  ])('lists %s', (_, page) => {
    const { actual, wanted } = derivedIn(page);
    expect(actual, 'npm run fix writes it').toBe(wanted);
  });

  it('has an example of adding a command that compiles', () => {
    const [, file = '', example = ''] =
      /<!-- example: (\S+) -->\n```ts\n([\s\S]*?)```/.exec(text('CONTRIBUTING.md')) ?? [];
    expect(example).not.toBe('');
    expect(existsSync(path.join(root, file)), `${file} is there now: show another example`).toBe(false);
    const from = path.dirname(file);
    const moved = example.replaceAll(
      /from '(\.[^']*)'/g,
      (_, target: string) => `from '../../${path.posix.join(from, target)}'`,
    );
    expect(compilerSays(moved)).toBe('');
  });

  it('guides a reader through one command in at most ten files and 1,100 lines', () => {
    const guide = text('docs/architecture.md').split('<!-- guide -->')[1]?.split('<!-- /guide -->')[0] ?? '';
    const files = [...guide.matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map((match) => match[1] ?? '');
    const lines = files.map((file) => text(file).split('\n').length - 1);
    expect(files.length).toBeGreaterThan(5);
    expect(files.length).toBeLessThanOrEqual(10);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(1_100);
  });

  it('names every room', () => {
    const rooms = globSync('src/*/', { cwd: root }).map((room) => room.replace(/\/$/, ''));
    expect(rooms.length).toBeGreaterThan(10);
    const architecture = text('docs/architecture.md');
    expect(rooms.filter((room) => !architecture.includes(`| [\`${room.slice(4)}/\`](../${room}) |`))).toEqual([]);
  });

  it('names exactly the dependencies, with a reason and the licence', () => {
    const names = z.record(z.string(), z.string()).default({});
    const declared = z
      .object({ dependencies: names, devDependencies: names, optionalDependencies: names })
      .parse(JSON.parse(text('package.json')));
    const { packages } = z
      .object({ packages: z.record(z.string(), z.looseObject({ license: z.string().optional() })) })
      .parse(JSON.parse(text('package-lock.json')));
    const rows = [...text('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
    const wanted = Object.values(declared)
      .flatMap((kind) => Object.keys(kind))
      .map((name) => `${name}: ${packages[`node_modules/${name}`]?.license}`);
    expect(rows.map(([, name, , licence]) => `${name}: ${licence}`).toSorted()).toEqual(wanted.toSorted());
    expect(rows.filter(([, , reason = '']) => reason.trim() === '')).toEqual([]);
  });

  it.each(pages)('%s links to existing files and headings', (page) => {
    expect(linksOf(page).filter((link) => isBroken(page, link))).toEqual([]);
  });

  it.each(pages.filter((page) => !/^docs\/(?:decisions\/|architecture)/.test(page)))(
    '%s has no list item of more than three rendered lines',
    (page) => {
      const items = [...prose(page).matchAll(/^ *(?:\*|\d+\.) (.+)$/gm)].map(([, item = '']) =>
        item.replaceAll(/\[([^\]]*)\]\([^)]*\)|[*`]/g, '$1'),
      );
      expect(items.filter((item) => item.length > 300)).toEqual([]);
    },
  );

  it.each(pages)('%s names existing files', (page) => {
    const own = /<!-- example: (\S+) -->/.exec(text(page))?.[1];
    const named = [...text(page).matchAll(/(?<![\w/.-])(?:src|test|docs)\/[\w./-]*\w/g)].map(([file]) => file);
    expect(named.filter((file) => file !== own && !existsSync(path.join(root, file)))).toEqual([]);
    const bare = [...text(page).matchAll(/`([\w-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(bare.filter((file) => !everyFile.has(file))).toEqual([]);
  });

  it('has a glossary of one screen, each word with its file', () => {
    const lines = text('docs/glossary.md').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    const words = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(words.filter((line) => !/^\* \*\*[^*]+\*\*: .+\. \[`[^`]+`\]\(\.\.\/src\/[^)]+\)$/.test(line))).toEqual([]);
  });

  it('has context, decision, consequences and rejected options for each decision', () => {
    const decisions = pages.filter((page) => /^docs\/decisions\/(?!README)/.test(page));
    expect(decisions.length).toBeGreaterThanOrEqual(8);
    const parts = ['context', 'decision', 'consequences', 'rejected'];
    const lacking = decisions.flatMap((page) =>
      parts.filter((part) => !anchorsOf(page).has(part)).map((part) => `${page}: ${part}`),
    );
    expect(lacking).toEqual([]);
  });
});

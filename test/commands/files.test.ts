import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { files } from '../../src/commands/files.ts';
import { backupsNext } from '../../src/commands/backups/next.ts';
import { catalogue } from '../../src/commands/index.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import type { ReportContext } from '../../src/commands/kit/report.ts';
import { countIn, drawTree, pathsOf } from '../../src/commands/files/paths.ts';
import type { Refusal } from '../../src/base/errors.ts';
import type { FileNode } from '../../src/hosting/contract/environment.ts';
import { parseArgs } from '../../src/language/parse.ts';
import { canonicalArgs, resolve } from '../../src/language/resolve.ts';
import { plain } from '../../src/words/text.ts';
import { company, hostile, live, names, noCertificate, refusalOf, refusalText, reportDefaults } from '../fixtures.ts';

type Sketch = { readonly [name: string]: Sketch | null };
const nodes = (sketch: Sketch, above = ''): readonly FileNode[] =>
  Object.entries(sketch).map(([name, inside]) => {
    const path = `${above}${name}`;
    return inside === null ? { name, path } : { name, path, children: nodes(inside, `${path}/`) };
  });

const site = nodes({
  'index.php': null,
  'wp-content': {
    'index.php': null,
    plugins: { 'quick-cart': { 'cart.php': null, includes: { 'a.php': null, 'b.php': null } } },
    uploads: { '2025': { '10.jpg': null, '9.jpg': null }, '\u00e4.txt': null },
    cache: {},
  },
});

const around = (body: object): ReportContext => ({
  read: async (call) => call.reply.parse(body),
  company,
  certificate: noCertificate,
  ...reportDefaults,
});
const show = (list: readonly unknown[], path?: string, depth?: number): Promise<Page> =>
  files.show({ input: { env: live, path, depth }, ...around({ environment: { file_list: list } }) });
const codeIn = ({ parts }: Page): string => parts.map((part) => (part.kind === 'code' ? part.text : '')).join('');
const textIn = ({ parts }: Page): string =>
  parts.map((part) => (part.kind === 'text' ? plain(part.text) : '')).join('');
const refused = async (page: Promise<Page>): Promise<Refusal> => {
  const thrown: unknown = await page.catch((error: unknown) => error);
  return refusalOf(() => {
    throw thrown;
  });
};

describe('files', () => {
  test('whose names contain credentials are drawn with those masked', async () => {
    const page = await show(nodes({ 'dump-AKIAIOSFODNN7EXAMPLE.sql': null, 'main.3f9c01ab.chunk.js': null }));
    expect(codeIn(page)).toBe('├─ dump-***.sql\n└─ main.3f9c01ab.chunk.js');
  });

  test('are a tree, folders first, two levels deep', async () => {
    const page = await show(site);
    expect(codeIn(page).split('\n')).toEqual([
      '├─ wp-content/',
      '│  ├─ cache/ (empty)',
      '│  ├─ plugins/ (5 entries inside)',
      '│  ├─ uploads/ (4 entries inside)',
      '│  └─ index.php',
      '└─ index.php',
    ]);
    expect(plain(page.title)).toBe('acme-shop/live · files · 8 files, 7 folders');
    expect(page.offers).toEqual([{ label: 'One level deeper', args: ['files', live.id, '--depth=3'] }]);
  });

  test('below a path, as deep as requested, with numbers in numeric order', async () => {
    const page = await show(site, 'wp-content/uploads', 10);
    expect(codeIn(page).split('\n')).toEqual(['├─ 2025/', '│  ├─ 9.jpg', '│  └─ 10.jpg', '└─ ä.txt']);
    expect(plain(page.title)).toContain('files in wp-content/uploads');
    expect(page.offers).toEqual([]);
    expect(codeIn(await show(site, 'wp-content', 1))).toBe(
      '├─ cache/ (empty)\n├─ plugins/ (5 entries inside)\n├─ uploads/ (4 entries inside)\n└─ index.php',
    );
  });

  test('a file, an empty folder and an empty site have no entries', async () => {
    expect(textIn(await show(site, 'wp-content/index.php'))).toBe('wp-content/index.php is a file.');
    expect(textIn(await show(site, 'wp-content/cache'))).toBe('There are no files there.');
    expect(textIn(await show([]))).toBe('There are no files there.');
    expect(textIn(await show(site, 'wp-content/uploads/a\u0308.txt'))).toContain('is a file.');
  });

  test.each([
    ['nearly right', 'wp-contnet/plugins', 'Did you mean wp-content/plugins'],
    ['the end of a path', 'quick-cart', 'wp-content/plugins/quick-cart'],
    ['no similar path', 'zzzzzzzzzzzzzzzz', 'I show the root of the site'],
  ])('a missing path is reported: %s', async (_, path, hint) => {
    const refusal = await refused(show(site, path));
    expect(refusalText(refusal)).toMatch(/^There is no .* on acme-shop\/live\. Nothing was done\./);
    expect(refusalText(refusal)).toContain(hint);
    for (const { args } of refusal.offers) {
      expect(canonicalArgs(resolve(parseArgs(args, catalogue), names))).toEqual(args);
    }
  });

  test('that can not be read are counted, and make nothing empty or missing', async () => {
    await expect(
      files.show({ input: { env: live, path: undefined, depth: undefined }, ...around({ environment: {} }) }),
    ).rejects.toThrow('file_list');
    const says = "The host lists 1 file or folder that I can't read.";
    expect(textIn(await show([null]))).toBe(says);
    const page = await show([{ name: 'a', children: 'none' }, { name: 'b', children: null }, { name: 'c' }]);
    expect(textIn(page)).toBe(says);
    expect(codeIn(page).split('\n')).toEqual(['├─ a/ (1 entry inside)', '├─ b', '└─ c']);
    expect(textIn(await show([{ name: 'a', children: 'none' }], 'a'))).toBe(says);
    expect(refusalText(await refused(show([{ name: 'a', children: [null] }], 'b')))).toContain(
      "I can't find b on acme-shop/live, but the host lists files or folders there that I can't read. Nothing was done.",
    );
  });

  test.each(['/etc', '..', 'a/../b', '%2e%2e', 'C:\\x', '*.php', 'a,b', '.'])('%s is refused as a path', (path) => {
    expect(refusalText(refusalOf(() => files.fields.path.read([path])))).toMatch(/Nothing was (?:done|read)\./);
  });

  test('with hostile names have one line each and hide nothing', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 8 }), (named) => {
        const { lines } = drawTree(
          named.map((name) => ({ name, path: name })),
          2,
        );
        expect(lines).toHaveLength(named.length);
        for (const line of lines)
          expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\u200B\uFEFF]/u);
      }),
    );
  });

  test('in their thousands are all listed', async () => {
    const folder: Sketch = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`file-${at}.php`, null] as const),
    );
    const many: Sketch = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`folder-${at}`, folder] as const));
    const page = await show(nodes(many));
    expect(codeIn(page).split('\n')).toHaveLength(5_050);
    expect(plain(page.title)).toContain('5,000 files, 50 folders');
    expect(refusalText(await refused(show(nodes(many), 'folder-7/file-777.php')))).toContain('folder-7/file-77.php');
  });

  test('nested deeper than the call stack are counted too', () => {
    let node: FileNode = { name: 'deepest' };
    for (let depth = 0; depth < 20_000; depth += 1) node = { name: 'd', children: [node] };
    expect(countIn([node])).toEqual({ files: 1, folders: 20_000 });
    expect(drawTree([node], 2).lines).toEqual(['└─ d/', '   └─ d/ (19,999 entries inside)']);
  });

  test('beyond the limit are counted at the end', () => {
    const many = Array.from({ length: 20_010 }, (_, at) => ({ name: `f${at}` }));
    const { lines } = drawTree(many, 1);
    expect(lines).toHaveLength(20_001);
    expect(lines.at(-1)).toBe('… and 10 more lines: name a folder to see less');
  });

  test('are found by every shown path', () => {
    const tree = fc.letrec<{ node: FileNode }>((tie) => ({
      node: fc.record({
        name: fc.constantFrom('a', 'b', 'c', '__proto__'),
        children: fc.option(fc.array(tie('node'), { maxLength: 3 }), {
          nil: undefined,
          maxDepth: 4,
          depthSize: 'small',
        } as const),
      }),
    })).node;
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), (list) => {
        const { files, folders } = countIn(list);
        expect(pathsOf(list).size).toBeLessThanOrEqual(files + folders);
        for (const node of list) expect(pathsOf(list).has(node.name ?? '')).toBe(true);
        const { lines, cut } = drawTree(list, 10);
        if (!cut) expect(lines).toHaveLength(files + folders);
      }),
    );
  });
});

describe('the next downloadable backup', () => {
  const next = (body: object): Promise<Page> => backupsNext.show({ input: { env: live }, ...around(body) });
  test.each([
    [
      'is there',
      { is_backup_available: true, reset_at: 'Sat, 07 Mar 2026 09:00:00 GMT' },
      'A backup can be downloaded now.',
    ],
    ...[
      'Sat, 07 Mar 2026 09:00:00 GMT',
      '2026-03-07T09:00:00Z',
      '2026-03-07T09:00:00',
      '2026-03-07 09:00',
      '2026-03-07T11:00:00+02:00',
      'March 7, 2026 09:00 UTC',
      'March 7, 2026, 9:00 AM',
    ].map((reset_at): [string, object, string] => [
      `comes at ${reset_at}`,
      { is_backup_available: false, reset_at },
      'No backup can be downloaded now. The next one is from 2026-03-07 09:00 UTC.',
    ]),
    ...['in 5 days', 'tomorrow', '7', 'March 7', '9999-03-07 09:00'].map((reset_at): [string, object, string] => [
      `comes “${reset_at}”`,
      { is_backup_available: false, reset_at },
      `The next one is from ${reset_at} (in the host's own words, UTC).`,
    ]),
    [
      'comes at a time that names its zone and cannot be read',
      { is_backup_available: false, reset_at: 'on Saturday at 09:00 GMT' },
      "The next one is from on Saturday at 09:00 GMT (in the host's own words).",
    ],
    ['is not told of', {}, 'The host does not say whether one can be downloaded now. The host does not say when'],
  ])('%s', async (_, body, words) => {
    expect(textIn(await next(body))).toContain(words);
  });
});

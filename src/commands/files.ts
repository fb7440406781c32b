import { Refusal, type Offer } from '../base/errors.ts';
import { listFiles, type FileNode } from '../hosting/contract/environment.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { bold, code, say, type Text } from '../words/text.ts';
import { count, environment, option, optional, wordField, withHint } from './kit/fields.ts';
import { counted, listOr, paragraph, readAt, unreadText } from './kit/page.ts';
import { isOnePath, readPaths, countIn, drawTree, onOneLine, pathsOf, unreadIn } from './files/paths.ts';
import { report } from './kit/report.ts';
import { didYouMean, near } from '../words/similar-names.ts';

const defaultDepth = 2;
const deepest = 10;
/** How many names are compared with what was typed. */
const maxCompared = 20_000;

/** One file or folder below the root of a site. */
const onePath = wordField<string>('Path', {
  takes: 'a path',
  hint: 'A folder below the root of the site; left out, the root.',
  read: (words) => {
    const [path, another] = readPaths(words);
    if (path !== undefined && another === undefined) return path;
    throw new Refusal('This shows one folder at a time. Nothing was done.', { hint: 'Name one path.' });
  },
});

export const files = report({
  summary: 'Show the files of an environment as a tree',
  button: 'Show files',
  also: `
    ls, ls <path>, list file, show file, what file, which file, file in, tree, file tree, folder, show folder, list
    folder, browse file`,
  examples: ['acme-shop/live wp-content --depth 2'],
  fields: {
    env: environment(),
    path: optional(onePath),
    depth: withHint('How many folders deep; left out, 2.', option(count('Depth', 1, deepest))),
  },
  target: 'env',
  show: async ({ input: { env, path, depth = defaultDepth }, read, now }) => {
    const all = await read(listFiles({ env_id: env.id }));
    const root = { children: all.entries, unread: all.unread };
    const { at, node } = path === undefined ? { at: '', node: root } : nodeAt(root, env, path);
    const { children } = node;
    const source = readAt(now);
    const title = say`**${env.name} · files**${at && say` in ${code(at)}`}`;
    if (children === undefined) return { title, parts: [paragraph(say`${code(at)} is a file.`)], source };
    const unread = unreadText({ unread: unreadIn(node) }, 'file or folder', 'files or folders');
    if (children.length === 0) return { title, parts: listOr('There are no files there.', [], unread), source };
    const { lines, cut } = drawTree(children, depth);
    const { files, folders } = countIn(children);
    const deeper = ['files', env.id, ...(at ? [at] : []), `--depth=${depth + 1}`];
    return {
      title: say`${title} · ${counted(files, 'file')}, ${counted(folders, 'folder')}`,
      parts: [...(unread ? [paragraph(unread)] : []), { kind: 'code', text: lines.join('\n') }],
      source: say`${source}, ${counted(depth, 'level')} deep`,
      offers: cut && depth < deepest && !at.startsWith('--') ? [{ label: 'One level deeper', args: deeper }] : [],
    };
  },
});

/** The node at the path; other Unicode forms of the same path match too. */
function nodeAt(root: FileNode, env: Environment, wanted: string): { readonly at: string; readonly node: FileNode } {
  const paths = pathsOf(root.children ?? []);
  const exact = paths.get(wanted);
  if (exact) return { at: wanted, node: exact };
  const [one, another] = [...paths].filter(([path]) => path.normalize() === wanted.normalize());
  if (one && another === undefined) return { at: one[0], node: one[1] };
  const isCertain = unreadIn(root) === 0;
  const says = isCertain
    ? say`There is no ${code(wanted)} on ${env.name}.`
    : say`I can't find ${code(wanted)} on ${env.name}, but the host lists files or folders there that I can't read.`;
  throw unknown(says, env, wanted, [...paths.keys()].slice(0, maxCompared));
}

function unknown(says: Text, env: Environment, wanted: string, paths: readonly string[]): Refusal {
  const last = wanted.split('/').at(-1) ?? wanted;
  const named = paths.filter((path) => path === last || path.endsWith(`/${last}`)).slice(0, 3);
  const meant = [...new Set([...near(wanted, paths), ...named])].filter(canBeTyped).slice(0, 3);
  const names = meant.map((path) => bold(onOneLine(path)));
  return new Refusal(say`${says} Nothing was done.`, {
    field: 'path',
    hint: names.length > 0 ? didYouMean(names) : 'Without a path, I show the root of the site.',
    offers: meant.map((path): Offer => ({ label: path, args: ['files', env.id, path] })),
  });
}

/** Whether the path can be typed as a single word of this command. */
const canBeTyped = (path: string): boolean => !path.startsWith('--') && isOnePath(path);

import { Refusal, type Offer } from '../errors.ts';
import { listFiles, type FileNode } from '../hosting/contract/files.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { bold, code, inline, joined, say, type Text } from '../text.ts';
import { count, environment, option, optional, plainField, type PlainField } from './kit/fields.ts';
import { counted, type Page, readAt, paragraph } from './kit/page.ts';
import { readPaths } from './kit/values/paths.ts';
import { report } from './kit/report.ts';
import { countIn, drawTree, onOneLine, pathsOf } from './files/draw-tree.ts';
import { near } from './kit/nearest-words.ts';

const defaultDepth = 2;
const deepest = 10;
/** How many names are compared with what was typed. */
const maxCompared = 20_000;

/** One file or folder below the root of a site. */
const onePath = (label: string): PlainField<string, false> =>
  plainField(label, {
    read: (words) => {
      const [path, another] = readPaths(words);
      if (path !== undefined && another === undefined) return path;
      throw new Refusal('This shows one folder at a time. Nothing was done.', { hint: 'Name one path.' });
    },
    show: (value) => [value],
  });

export const files = report({
  summary: 'Show the files of an environment as a tree',
  button: 'Show files',
  examples: ['acme-shop/live wp-content --depth 2'],
  fields: { env: environment(), path: optional(onePath('Path')), depth: option(count('Depth', 1, deepest)) },
  target: 'env',
  show: async ({ input: { env, path, depth = defaultDepth }, read, now }) => {
    const all = await read(listFiles({ env_id: env.id }));
    const found = path === undefined ? { path: '', children: all } : folderAt(all, env, path);
    const source = readAt(now);
    const title = say`**${env.name} · files**${found.path && say` in ${code(found.path)}`}`;
    if (found.children === undefined) return { title, parts: [paragraph(say`${code(found.path)} is a file.`)], source };
    if (found.children.length === 0) return { title, parts: [paragraph('There are no files there.')], source };
    const page = treePage(title, env, { path: found.path, children: found.children }, depth);
    return { ...page, source: say`${source}, ${counted(depth, 'level')} deep` };
  },
});

type Found = { readonly path: string; readonly children: readonly FileNode[] | undefined };

function treePage(
  title: Text,
  env: Environment,
  { path, children }: { readonly path: string; readonly children: readonly FileNode[] },
  depth: number,
): Page {
  const { lines, cut } = drawTree(children, depth);
  const { files, folders } = countIn(children);
  const deeper = ['files', env.id, ...(path ? [path] : []), `--depth=${depth + 1}`];
  return {
    title: say`${title} · ${counted(files, 'file')}, ${counted(folders, 'folder')}`,
    parts: [{ kind: 'code', text: lines.join('\n') }],
    offers: cut && depth < deepest && !path.startsWith('--') ? [{ label: 'One level deeper', args: deeper }] : [],
  };
}

/** The node at the path; other Unicode forms of the same path match too. */
function folderAt(all: readonly FileNode[], env: Environment, wanted: string): Found {
  const paths = pathsOf(all);
  const exact = paths.get(wanted);
  if (exact) return { path: wanted, children: exact.children };
  const same = [...paths].filter(([path]) => path.normalize() === wanted.normalize());
  const [one, another] = same;
  if (one && another === undefined) return { path: one[0], children: one[1].children };
  throw unknown(env, wanted, [...paths.keys()].slice(0, maxCompared));
}

function unknown(env: Environment, wanted: string, paths: readonly string[]): Refusal {
  const last = wanted.split('/').at(-1) ?? wanted;
  const named = paths.filter((path) => path === last || path.endsWith(`/${last}`)).slice(0, 3);
  const meant = [...new Set([...near(wanted, paths), ...named])].filter(isSayable).slice(0, 3);
  return new Refusal(say`There is no ${code(wanted)} on ${env.name}. Nothing was done.`, {
    field: 'path',
    hint:
      meant.length > 0
        ? say`Did you mean ${joined(
            meant.map((path) => bold(onOneLine(path))),
            ' or ',
          )}?`
        : inline('Without a path, I show the root of the site.'),
    offers: meant.map((path): Offer => ({ label: path.slice(0, 75), args: ['files', env.id, path] })),
  });
}

/** Whether the path can be typed as one word of this command. */
function isSayable(path: string): boolean {
  try {
    return !path.startsWith('--') && readPaths([path]).join('\n') === path;
  } catch {
    return false;
  }
}

import { Refusal } from '../../base/errors.ts';
import { codeOf, unseen } from '../../words/text.ts';
import type { FileNode } from '../../hosting/contract/environment.ts';
import { scrub } from '../../base/secret.ts';
import { counted } from '../kit/page.ts';

/** Paths below a site's root: as people type them, and drawn as a tree. */

const maxPaths = 5_000;
const maxPathLength = 500;

/**
 * Paths below a site's root, without duplicates, in the order given; commas and line breaks separate them. Accepts only
 * plain relative paths inside the site, without patterns; otherwise throws `Refusal`.
 */
export function readPaths(words: readonly string[]): readonly string[] {
  const paths = words.flatMap((word) => word.split(/[,\r\n]/)).map((path) => path.trim().replace(/(?<=[^/])\/+$/, ''));
  const given = [...new Set(paths.filter((path) => path !== ''))];
  if (given.length === 0)
    throw new Refusal('No path was given. Nothing was done.', { hint: 'For all files, leave --only out.' });
  if (given.length > maxPaths) {
    throw new Refusal(`These are ${given.length} paths; at most ${maxPaths} can be named at once. Nothing was done.`);
  }
  for (const path of given) {
    const wrong = wrongWith(path);
    if (wrong) throw new Refusal(`“${path.slice(0, 80)}” ${wrong}. Nothing was done.`, { hint });
  }
  return given;
}

/** Whether a path would be read unchanged: a path with a comma would become two. */
export const isOnePath = (path: string): boolean => !/[,\r\n]/.test(path) && path.trim() === path && !wrongWith(path);

const hint = 'Name files and folders below the root of the site: wp-content/uploads.';

function wrongWith(path: string): string | undefined {
  const [hidden] = unseen.exec(path) ?? /\p{Cc}/u.exec(path) ?? [];
  if (hidden !== undefined) return `has a character in it that cannot be seen (${codeOf(hidden)})`;
  if (path.length > maxPathLength) return `is longer than ${maxPathLength} characters`;
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'starts at the root of a machine, not of the site';
  if (path.includes('\\')) return 'has a backslash in it';
  if (path.split('/').some((part) => part === '..' || part === '.' || part === '' || part !== part.trim()))
    return 'is not a plain path';
  if (/%2e|%2f|%5c/i.test(path)) return 'is not a plain path';
  if (/[*?[\]{}]/.test(path)) return 'looks like a pattern, and patterns are not read';
  return undefined;
}

/** The most lines drawn: more than anybody would read. */
const maxLines = 20_000;
const maxNameLength = 200;

/** Draws the contents of a folder as lines, folders first, up to `depth` levels. `cut`: there are deeper levels. */
export function drawTree(nodes: readonly FileNode[], depth: number) {
  const lines: string[] = [];
  let cut = false;
  const draw = (nodes: readonly FileNode[], left: number, before: string): void => {
    const entries = sorted(nodes);
    for (const [at, { name, node }] of entries.entries()) {
      const isLast = at === entries.length - 1;
      const branch = `${before}${isLast ? '└─ ' : '├─ '}${onOneLine(name)}`;
      const { children } = node;
      if (children === undefined) lines.push(branch);
      else if (children.length === 0)
        lines.push(`${branch}/ (${node.unread === undefined ? 'empty' : insideOf(node)})`);
      else if (left > 1) {
        lines.push(`${branch}/`);
        draw(children, left - 1, `${before}${isLast ? '   ' : '│  '}`);
      } else {
        cut = true;
        lines.push(`${branch}/ (${insideOf(node)})`);
      }
    }
  };
  draw(nodes, depth, '');
  if (lines.length <= maxLines) return { lines, cut };
  const more = `… and ${counted(lines.length - maxLines, 'more line')}: name a folder to see less`;
  return { lines: [...lines.slice(0, maxLines), more], cut };
}

/** Every path of the tree with its node, folders before their contents. */
export function pathsOf(nodes: readonly FileNode[]): ReadonlyMap<string, FileNode> {
  const found = new Map<string, FileNode>();
  walk(nodes, (path, node) => {
    if (!found.has(path)) found.set(path, node);
  });
  return found;
}

/** How many files and folders there are on all levels. */
export function countIn(nodes: readonly FileNode[]): { readonly files: number; readonly folders: number } {
  let files = 0;
  let folders = 0;
  walk(nodes, (_, { children }) => {
    if (children === undefined) files += 1;
    else folders += 1;
  });
  return { files, folders };
}

/** A name without line breaks, invisible characters or credentials. */
export function onOneLine(name: string): string {
  const shown = scrub(name.slice(0, 4 * maxNameLength)).replaceAll(hidden, (character) => `⟨${codeOf(character)}⟩`);
  return shown.length > maxNameLength ? `${shown.slice(0, maxNameLength - 1)}…` : shown;
}

const hidden = new RegExp(`${unseen.source}|[\\t\\n\\r]`, 'gv');

function insideOf(node: FileNode): string {
  const { files, folders } = countIn(node.children ?? []);
  return `${counted(files + folders + unreadIn(node), 'entry', 'entries')} inside`;
}

/** How many entries of a folder, on all levels, can't be read. */
export function unreadIn({ children = [], unread: own = 0 }: FileNode): number {
  let all = own;
  walk(children, (_, { unread = 0 }) => (all += unread));
  return all;
}

/** No recursion: the host's tree may be deeper than the call stack. */
function walk(nodes: readonly FileNode[], visit: (path: string, node: FileNode) => void): void {
  const left = nodes.map((node) => ({ path: nameOf(node), node })).toReversed();
  for (let next = left.pop(); next; next = left.pop()) {
    const { path, node } = next;
    visit(path, node);
    for (const child of (node.children ?? []).toReversed())
      left.push({ path: `${path}/${nameOf(child)}`, node: child });
  }
}

/** The node's name; if it has none, the end of its path. */
const nameOf = ({ name, path }: FileNode): string => name || path?.replace(/\/+$/, '').split('/').at(-1) || '(unnamed)';

function sorted(nodes: readonly FileNode[]) {
  return nodes
    .map((node) => ({ name: nameOf(node), node }))
    .sort(
      (one, other) =>
        Number(one.node.children === undefined) - Number(other.node.children === undefined) ||
        byName.compare(one.name, other.name),
    );
}

const byName = new Intl.Collator('en', { numeric: true });

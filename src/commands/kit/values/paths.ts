import { Refusal } from '../../../errors.ts';
import { codeOf, unseen } from '../../../text.ts';

const maxPaths = 5_000;
const maxPathLength = 500;

/**
 * Paths below a site's root, each once, in the order said; commas and line breaks separate them. Throws `Refusal` for
 * whatever is not a plain relative path: nothing is read as a pattern, and nothing leads out of the site.
 */
export function readPaths(words: readonly string[]): readonly string[] {
  const paths = words.flatMap((word) => word.split(/[,\r\n]/)).map((path) => path.trim().replace(/(?<=[^/])\/+$/, ''));
  const said = [...new Set(paths.filter((path) => path !== ''))];
  if (said.length === 0)
    throw new Refusal('No path was said. Nothing was done.', { hint: 'For all files leave --only out.' });
  if (said.length > maxPaths) {
    throw new Refusal(`These are ${said.length} paths; at most ${maxPaths} can be named at once. Nothing was done.`);
  }
  for (const path of said) {
    const wrong = wrongWith(path);
    if (wrong) throw new Refusal(`“${path.slice(0, 80)}” ${wrong}. Nothing was done.`, { hint });
  }
  return said;
}

/** Whether a path would be read as it is: one with a comma in it would be two. */
export const isOnePath = (path: string): boolean => !/[,\r\n]/.test(path) && path.trim() === path && !wrongWith(path);

const hint = 'Name files and folders below the root of the site: wp-content/uploads.';

function wrongWith(path: string): string | undefined {
  const [hidden] = unseen.exec(path) ?? [];
  if (hidden !== undefined) return `has a character in it that cannot be seen (${codeOf(hidden)})`;
  if (path.length > maxPathLength) return `is longer than ${maxPathLength} characters`;
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'begins at the root of a machine, not of the site';
  if (path.includes('\\')) return 'has a backslash in it';
  if (path.split('/').some((part) => part === '..' || part === '.' || part === '' || part !== part.trim()))
    return 'is not a plain path';
  if (/%2e|%2f|%5c/i.test(path)) return 'is not a plain path';
  if (/[*?[\]{}]/.test(path)) return 'looks like a pattern, and patterns are not read';
  return undefined;
}

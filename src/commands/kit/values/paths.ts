import { Refusal } from '../../../base/errors.ts';
import { codeOf, unseen } from '../../../words/text.ts';

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

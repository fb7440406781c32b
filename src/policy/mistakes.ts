import { near } from '../words/nearest-words.ts';
import { codeOf, either, plain, unseen } from '../words/text.ts';

/** A mistake in the policy file. Lines and columns count from 1. */
export type Mistake = { readonly line: number; readonly column: number; readonly says: string };

/** Thrown for a policy file that cannot be used. `message` has a line for every mistake. */
export class PolicyMistakes extends Error {
  readonly mistakes: readonly Mistake[];

  constructor(path: string, mistakes: readonly Mistake[]) {
    super([`${path} cannot be used:`, ...mistakes.map((mistake) => `  ${mistakeLine(mistake)}`)].join('\n'));
    this.name = 'PolicyMistakes';
    this.mistakes = mistakes;
  }
}

/** A mistake as a sentence: `line 14: unknown group "leadz"; did you mean "leads"?`. */
export function mistakeLine({ line, says }: Mistake): string {
  return `line ${line}: ${says}`;
}

/** Text of the file for use in a sentence: quoted, on one line, shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text).toWellFormed();
}

/** Characters that cannot be seen, and spaces that only look like one. */
const hidden = new RegExp(`${unseen.source}|[\\s--\\x20]`, 'gv');
/** Replaces hidden characters in the sentence with their codes. */
export const withVisibleSpaces = (says: string): string =>
  says.replace(hidden, (character) => `⟨${codeOf(character)}⟩`);

/** Says that a name is unknown and suggests the nearest known ones. */
export function unknownAmong(what: string, name: string, known: readonly string[]): string {
  const offered = nearest(name, known).map((one) => `"${one}"`);
  const offer = offered.length > 0 ? `; did you mean ${plain(either(offered))}?` : '';
  return `unknown ${what} ${quoted(name)}${offer}`;
}

const maxOffered = 4;

function nearest(name: string, known: readonly string[]): readonly string[] {
  const wanted = name.slice(0, 100).toLowerCase();
  const longer = known.filter((one) => one.startsWith(`${wanted} `));
  if (longer.length > 0) return longer.slice(0, maxOffered);
  return near(wanted, known).slice(0, 1);
}

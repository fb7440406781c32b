import { catalogue, commandAt, type Command } from '../commands/index.ts';
import { cannotDo, type CannotDo } from '../commands/cannot.ts';
import { createLexicon } from './lexicon.ts';
import { keyOf, type Spoken } from './spoken.ts';
import { actionOptions, nearestOption, optionNames, takesRest } from './usage.ts';

/** What commands are called, each in its own file. */

/** A command, or what comes nearest to what no command does, and what to say of that. */
export type Meant = { readonly path: string; readonly command: Command; readonly says?: CannotDo['says'] };

export const commandLexicon = createLexicon<Meant>([
  ...[...catalogue].map(([path, command]) => ({
    of: { path, command },
    phrases: [takesRest(command) ? '' : path, command.also ?? ''].join(),
  })),
  ...cannotDo.map(({ also, says, instead }) => ({
    of: { path: instead, command: commandAt(instead), says },
    phrases: also,
  })),
]);

/** The command that these words call best, by the words alone. */
export const bestCalled = (words: readonly Spoken[]): Meant | undefined =>
  commandLexicon
    .matches(words, () => true, new Map())
    .filter(({ of }) => of.says === undefined)
    .toSorted((one, other) => other.score - one.score)[0]?.of;

/** The words of the commands themselves. No site or environment is found in them unless it is named in full. */
export const pathWords = new Set([...catalogue.keys()].flatMap((path) => path.split(' ').map(keyOf)));

const optionsKnown = [...catalogue.values()].flatMap(({ fields }) =>
  Object.entries(fields).flatMap((one) => optionNames(...one)),
);
const optionsOfAll = [...new Set([...optionsKnown, ...actionOptions])];
export const known = {
  isWord: commandLexicon.has,
  isOption: (name: string) => nearestOption(name.toLowerCase(), optionsOfAll) !== undefined,
};

import { near } from '../commands/nearest.ts';
import { Refusal, type Offer, type Words } from '../errors.ts';
import { code, joined, say, type Text } from '../text.ts';
import type { Word } from './words.ts';

/** What somebody may have meant by words that nothing is called. */

/** Says what it can be, with the nearest as a button that keeps the rest of the words. */
export function unknownCommand(words: readonly Word[], paths: Words): Refusal {
  const [first = '', second] = words.map((word) => word.text.toLowerCase());
  if (first.trim() === '')
    return unknown(say`The first word is empty.`, say`${code('help')} shows what you may run.`, []);
  const below = paths.filter((path) => path.startsWith(`${first} `));
  if (below.length > 0) {
    const says =
      second === undefined
        ? say`${code(first)} needs a second word.`
        : say`I know no ${code(`${first} ${second.slice(0, 60)}`)}.`;
    const meant = near(`${first} ${second ?? ''}`, below);
    const offers = meant.flatMap((path) => running(path, words.slice(2)));
    return unknown(says, say`It can be ${joined(below.map(code), ', ')}.`, offers);
  }
  const two = `${first} ${second ?? ''}`.trim();
  const [whole] = near(two, paths);
  const [one] = near(first, [...new Set(paths.map(firstWordOf))]);
  const meant = whole ?? paths.find((path) => firstWordOf(path) === one) ?? near(first, paths)[0];
  const says = say`I know no ${code(first.slice(0, 60))}.`;
  if (meant === undefined) return unknown(says, say`${code('help')} shows what you may run.`, []);
  // `res ume` is one word in two; of `cahce clear` both are meant.
  const isOfTwo = meant === whole && near(meant, [two, first])[0] === two;
  return unknown(says, say`Did you mean ${code(meant)}?`, running(meant, words.slice(isOfTwo ? 2 : 1)));
}

const firstWordOf = (path: string): string => path.replace(/ .*/, '');

const unknown = (says: Text, hint: Text, offers: readonly Offer[]): Refusal =>
  new Refusal(say`${says} Nothing was done.`, { hint, offers });

/** A button for these words; none where a quoted word would be read as an option. */
const running = (path: string, rest: readonly Word[]): readonly Offer[] =>
  rest.some((word) => word.quoted && word.text.startsWith('--'))
    ? []
    : [{ label: `Run ${path}`.slice(0, 75), words: [...path.split(' '), ...rest.map((word) => word.text)] }];

/** An option that the command does not have, with the nearest that it has. */
export function unknownOption(name: string, path: string, known: readonly string[]): Refusal {
  const [nearest] = near(name, known);
  return new Refusal(say`${code(path)} has no option ${code(`--${name.slice(0, 40)}`)}. Nothing was done.`, {
    hint: nearest
      ? say`Did you mean ${code(`--${nearest}`)}?`
      : known.length > 0
        ? say`It has ${joined(
            known.map((one) => code(`--${one}`)),
            ', ',
          )}.`
        : 'It has no options.',
  });
}

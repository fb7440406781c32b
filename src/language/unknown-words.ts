import { Refusal } from '../base/errors.ts';
import { code, say, joined, sample, typed, type Inline, type Text } from '../words/text.ts';
import type { Word } from './tokenize.ts';
import { nearestOption } from './usage.ts';
import { wordAlone } from '../commands/cannot.ts';
import type { Command } from '../commands/index.ts';
import { didYouMean, near } from '../words/similar-names.ts';

/** Refusals of words that a command doesn't have. */

/** Refuses words that are no command. */
export function unknownCommand([first, second]: readonly Word[], commands: ReadonlyMap<string, Command>): Refusal {
  const [word = '', next = ''] = [first, second].map((one) => one?.text.toLowerCase().slice(0, 60));
  if (word.trim() === '') return unknown('The first word is empty.');
  const says = second === undefined ? wordAlone(word) : undefined;
  if (says) return new Refusal(say`${says} Nothing was done.`);
  const group = [...commands.keys()].filter((path) => path.startsWith(`${word} `));
  if (group.length === 0) return unknown(say`I don't know ${code(word)}.`);
  const which =
    next === '' || next.includes('/')
      ? say`${code(word)} needs a second word.`
      : say`I don't know ${code(`${word} ${next}`)}.`;
  return unknown(which, say`Type ${group.length === 1 ? '' : 'one of '}${joined(group.map(typed), ', ')}.`);
}

const unknown = (says: Inline, hint: Text = say`${typed('help')} shows what you may run.`): Refusal =>
  new Refusal(say`${says} Nothing was done.`, { hint });

const oneHyphen = /^-(\p{L}[^=]*)/u;

/** Refuses `-dry-run` and `-force`: as an ordinary word, such a word could become part of a name or a reason. */
export function refuseOneHyphen({ text, quoted }: Word, known: readonly string[], syntax: string): void {
  const name = quoted ? undefined : oneHyphen.exec(text)?.[1]?.toLowerCase();
  if (name === undefined) return;
  const [closest] = near(name, known);
  throw new Refusal(say`${code(`-${name.slice(0, 60)}`)} begins with one hyphen. Nothing was done.`, {
    hint: say`${closest === undefined ? say`Usage: ${sample(syntax)}` : say`Options begin with two: ${code(`--${closest}`)}`}. If it belongs to a value, put the whole value in quotes.`,
  });
}

/** Refuses an unknown option, and names the nearest one. */
export function unknownOption(path: string, name: string, known: readonly string[]): Refusal {
  const closest = nearestOption(name, known) ?? near(name, known)[0];
  const options = known.map((one) => code(`--${one}`));
  return new Refusal(say`${code(path)} has no option ${code(`--${name.slice(0, 40)}`)}. Nothing was done.`, {
    hint: closest
      ? didYouMean([code(`--${closest}`)])
      : options.length > 0
        ? say`It has ${joined(options, ', ')}.`
        : 'It has no options.',
  });
}

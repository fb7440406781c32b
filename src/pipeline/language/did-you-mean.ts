import type { Field } from '../../commands/kit/fields.ts';
import type { Command } from '../../commands/index.ts';
import { away, commandsIn, near, nearest } from '../../commands/kit/nearest-words.ts';
import { Refusal, type Offer, type Words } from '../../errors.ts';
import { code, joined, say, type Text } from '../../text.ts';
import { usage } from './usage.ts';
import type { Word } from './tokenize.ts';

/** What somebody may have meant by words that nothing is called. */

/**
 * Says what it can be: the nearest as a button that keeps the rest of the words, or the command that a sentence has in
 * it, as an example to type, for what else the sentence says is anybody's guess.
 */
export function unknownCommand(words: readonly Word[], commands: ReadonlyMap<string, Command>): Refusal {
  const paths = [...commands.keys()];
  const [first = '', second] = words.map((word) => word.text.toLowerCase());
  if (first.trim() === '')
    return unknown(say`The first word is empty.`, say`${code('help')} shows what you may run.`, []);
  const below = paths.filter((path) => path.startsWith(`${first} `));
  const says =
    below.length === 0
      ? say`I know no ${code(first.slice(0, 60))}.`
      : second === undefined
        ? say`${code(first)} needs a second word.`
        : say`I know no ${code(`${first} ${second.slice(0, 60)}`)}.`;
  const sentences = inSentence(words, commands);
  const asExample = (): Refusal => unknown(says, exampleOf(sentences, commands), []);
  if (sentences[0]?.slips === 0) return asExample();
  if (below.length > 0) {
    const { text, count } = spanOf(words, below);
    const offers = near(text, below).flatMap((path) => running(path, words.slice(count)));
    if (offers.length === 0 && sentences.length > 0) return asExample();
    return unknown(says, say`It can be ${joined(below.map(code), ', ')}.`, offers);
  }
  if (first === 'stop' && commands.has('pause'))
    return unknown(
      says,
      say`A single change is stopped by the button on its card; ${code('pause')} stops all sending.`,
      running('pause', []),
    );
  const other = otherNames.get(first);
  if (other === 'its card')
    return unknown(says, say`Its card has the button; ${code('changes --mine')} lists yours.`, []);
  if (other !== undefined && commands.has(other))
    return unknown(says, didYouMean([other]), running(other, words.slice(1)));
  const { text: span, count } = spanOf(words, paths);
  const whole = nearest(span, paths);
  const begun = nearest(first, [...new Set(paths.map(firstWordOf))]);
  const begins = begun.flatMap((one) => paths.find((path) => firstWordOf(path) === one) ?? []);
  const meant = [whole, begins, nearest(first, paths)].find((some) => some.length > 0) ?? [];
  if (meant.length === 0 && sentences.length > 0) return asExample();
  if (meant.length === 0) return unknown(says, say`${code('help')} shows what you may run.`, []);
  const offers = meant.slice(0, 3).flatMap((path) => {
    // `res ume` is one word in two; of `cahce clear` both are meant.
    const isSpan = meant === whole && near(path, [span, first])[0] === span;
    return running(path, words.slice(isSpan ? count : 1));
  });
  return unknown(says, didYouMean(meant.slice(0, 3)), offers);
}

/** What else commands are called elsewhere: by spelling, `unpause` would be nearest to its opposite. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ...['unpause', 'unfreeze', 'continue'].map((word) => [word, 'resume'] as const),
  ...['halt', 'freeze'].map((word) => [word, 'pause'] as const),
  ...['purge', 'flush'].map((word) => [word, 'cache clear'] as const),
  ...['approve', 'decline', 'cancel', 'abort', 'undo'].map((word) => [word, 'its card'] as const),
]);

const didYouMean = (paths: Words): Text => say`Did you mean ${joined(paths.map(code), ' or ')}?`;

type Sentences = ReturnType<typeof commandsIn>;

/** A single word stands in many a sentence: it counts where it is spelled so, and changes no site. */
function inSentence(words: readonly Word[], commands: ReadonlyMap<string, Command>): Sentences {
  const found = commandsIn(
    words.map(({ text }) => text),
    [...commands.keys()],
  );
  return found.filter(
    ({ path, slips }) =>
      path.includes(' ') || (path.length > 3 && slips === 0 && commands.get(path)?.shape !== 'action'),
  );
}

/** With the one environment that was named, where it takes one; else with what has to be said. */
function exampleOf(sentences: Sentences, commands: ReadonlyMap<string, Command>): Text {
  const [best] = sentences;
  const command = best && commands.get(best.path);
  if (!command) return [];
  const [named, ...others] = best.rest.filter((text) => /^[\w.-]{1,80}\/[\w.-]{1,80}$/.test(text));
  const needed = Object.values<Field>(command.fields).filter(({ place, optional }) => place === 'word' && !optional);
  const isAll = others.length === 0 && needed.map(({ kind }) => kind).join(' ') === 'environment';
  const example = named !== undefined && isAll ? `${best.path} ${named}` : usage(best.path, command);
  return joined([
    didYouMean(sentences.map(({ path }) => path)),
    say`Type it like this: ${code(example.slice(0, 200))}.`,
  ]);
}

/** The first two words or three, whichever are nearer to a path: a slip may have put a space into one of them. */
function spanOf(words: readonly Word[], paths: Words): { readonly text: string; readonly count: number } {
  const typed = words.map(({ text }) => text.toLowerCase());
  const [two, three] = [typed.slice(0, 2).join(' '), typed.slice(0, 3).join(' ')];
  return away(three, paths) < away(two, paths) ? { text: three, count: 3 } : { text: two, count: 2 };
}

const firstWordOf = (path: string): string => path.replace(/ .*/, '');

const unknown = (says: Text, hint: Text, offers: readonly Offer[]): Refusal =>
  new Refusal(say`${says} Nothing was done.`, { hint, offers });

/** A button for these words; none where a quoted word would be read as an option. */
const running = (path: string, rest: readonly Word[]): readonly Offer[] =>
  rest.some((word) => word.quoted && word.text.startsWith('--'))
    ? []
    : [
        {
          label: ['Run', path, ...rest.map((word) => word.text)].join(' ').slice(0, 75),
          words: [...path.split(' '), ...rest.map((word) => word.text)],
        },
      ];

/** An option that the command does not have, with the nearest that it has. */
export function unknownOption(name: string, path: string, known: readonly string[]): Refusal {
  const [closest] = near(name, known);
  return new Refusal(say`${code(path)} has no option ${code(`--${name.slice(0, 40)}`)}. Nothing was done.`, {
    hint: closest
      ? say`Did you mean ${code(`--${closest}`)}?`
      : known.length > 0
        ? say`It has ${joined(
            known.map((one) => code(`--${one}`)),
            ', ',
          )}.`
        : 'It has no options.',
  });
}

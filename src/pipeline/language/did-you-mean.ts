import type { Field } from '../../commands/kit/fields.ts';
import { changesSomething, type Command } from '../../commands/index.ts';
import { away, nearestCommands, didYouMean, near, nearest } from '../../nearest-words.ts';
import { Refusal, type Offer } from '../../errors.ts';
import { code, joined, say, type Text } from '../../text.ts';
import { optionName, usage } from './usage.ts';
import { takesTokens } from './pasted-credentials.ts';
import type { Word } from './tokenize.ts';

/** Suggestions for unknown commands and options. */

const maxOffers = 3;

/**
 * Refuses an unknown command. Offers the nearest commands as buttons that keep the remaining words. A command found
 * inside a sentence is only shown as an example to type, because the rest of the sentence is unclear.
 */
export function unknownCommand(words: readonly Word[], commands: ReadonlyMap<string, Command>): Refusal {
  const paths = [...commands.keys()];
  const [first = '', second] = words.map((word) => word.text.toLowerCase());
  if (first.trim() === '')
    return unknown(say`The first word is empty.`, say`${code('help')} shows what you may run.`, []);
  const subcommands = paths.filter((path) => path.startsWith(`${first} `));
  const says = whatIsUnknown(first, second, subcommands.length > 0);
  const backups = backupOffers(first, second, words);
  if (backups) return unknown(says, hostsBackups, backups);
  const sentences = sentencesIn(words, commands);
  // If a word was meant as an option, an example without it would do more than what was typed.
  const isWhole = !words.some(({ text, quoted }) => !quoted && isOneHyphen(text));
  const asExample = (): Refusal => unknown(says, exampleOf(sentences, commands, isWhole), []);
  if (sentences[0]?.slips === 0) return asExample();
  if (subcommands.length > 0) {
    const offers = offersAmong(subcommands, words);
    if (offers.length === 0 && sentences.length > 0) return asExample();
    return unknown(says, groupHint(subcommands, words, offers.length > 0), offers);
  }
  const elsewhere = knownElsewhere(first, words, commands);
  if (elsewhere) return unknown(says, elsewhere.hint, elsewhere.offers);
  const offers = nearestOffers(words, first, paths);
  if (offers.length === 0 && sentences.length > 0) return asExample();
  if (offers.length === 0) return unknown(says, say`${code('help')} shows what you may run.`, []);
  return unknown(
    says,
    didYouMean(offers.map(({ path }) => code(path))),
    offers.flatMap(({ path, rest }) => runOffer(path, rest)),
  );
}

function whatIsUnknown(first: string, second: string | undefined, isGroup: boolean): Text {
  if (!isGroup) return say`I don't know ${code(first.slice(0, 60))}.`;
  return second === undefined || isName(second)
    ? say`${code(first)} needs a second word.`
    : say`I don't know ${code(`${first} ${second.slice(0, 60)}`)}.`;
}

/** The commands of a group, or those that a mistyped second word is nearest to. */
function groupHint(subcommands: readonly string[], words: readonly Word[], hasOffers: boolean): Text {
  const second = words[1]?.text;
  if (hasOffers && second !== undefined && !isName(second))
    return didYouMean(near(spanOf(words, subcommands).text, subcommands).map(code));
  return say`Type ${subcommands.length === 1 ? '' : 'one of '}${joined(subcommands.map(code), ', ')}.`;
}

/** `cache acme-shop/live` names an environment, not a command. */
const isName = (second: string): boolean => second.includes('/');

/** The commands in the group that the first word names, or those nearest to what was typed. */
function offersAmong(subcommands: readonly string[], words: readonly Word[]): readonly Offer[] {
  const second = words[1]?.text;
  if (second === undefined)
    return subcommands.map((path): Offer => ({ label: path, args: path.split(' '), opens: 'form' }));
  if (isName(second)) return subcommands.slice(0, maxOffers).flatMap((path) => runOffer(path, words.slice(1)));
  const { text, count } = spanOf(words, subcommands);
  return near(text, subcommands).flatMap((path) => runOffer(path, words.slice(count)));
}

/** What a first word means that is a button here, or a command of other tools. */
function knownElsewhere(
  first: string,
  words: readonly Word[],
  commands: ReadonlyMap<string, Command>,
): { readonly hint: Text; readonly offers: readonly Offer[] } | undefined {
  const button = buttons.get(first);
  if (button !== undefined)
    return { hint: button, offers: first === 'stop' && commands.has('pause') ? runOffer('pause', []) : [] };
  const alias = aliases.get(first);
  if (alias === undefined || !commands.has(alias)) return undefined;
  return { hint: didYouMean([code(alias)]), offers: runOffer(alias, words.slice(1)) };
}

/** The nearest commands, at most three, each with the words that are left for it. */
function nearestOffers(
  words: readonly Word[],
  first: string,
  paths: readonly string[],
): readonly { readonly path: string; readonly rest: readonly Word[] }[] {
  const { text: span, count } = spanOf(words, paths);
  const whole = nearest(span, paths);
  const firstWords = nearest(first, [...new Set(paths.map(firstWordOf))]);
  const byFirstWord = firstWords.flatMap((one) => paths.find((path) => firstWordOf(path) === one) ?? []);
  const candidates = [whole, byFirstWord, nearest(first, paths)].find((some) => some.length > 0) ?? [];
  return candidates.slice(0, maxOffers).map((path) => {
    // `res ume` is one word split in two; in `cahce clear` both words belong to the command.
    const isSpan = candidates === whole && near(path, [span, first])[0] === span;
    return { path, rest: words.slice(isSpan ? count : 1) };
  });
}

/** Command names of other tools. By spelling alone, `unpause` would be nearest to `pause`, its opposite. */
const aliases: ReadonlyMap<string, string> = new Map([
  ...['unpause', 'unfreeze', 'continue'].map((word) => [word, 'resume'] as const),
  ...['halt', 'freeze'].map((word) => [word, 'pause'] as const),
  ...['purge', 'flush'].map((word) => [word, 'cache clear'] as const),
  ...['allow', 'whitelist'].map((word) => [word, 'allowlist add'] as const),
  ['history', 'changes'],
]);

/** Words for buttons, and for what only the host can do, that people type as commands, and where to do it. */
const buttons: ReadonlyMap<string, Text> = new Map([
  ...['approve', 'decline'].map(
    (word) => [word, say`Press the button on the change's card, or on my App Home.`] as const,
  ),
  ...['cancel', 'abort'].map(
    (word) => [word, say`Press the button on the change's card; ${code('changes --mine')} lists yours.`] as const,
  ),
  [
    'undo',
    say`If a change can be undone, the button is under a reply in its thread, for an hour; ${code('changes --mine')} lists yours.`,
  ],
  ...['restart', 'reboot'].map(
    (word) =>
      [
        word,
        say`I can't restart a site: that works only in the host's panel. ${code('status')} shows how it is.`,
      ] as const,
  ),
  ...['locks', 'locked'].map(
    (word) =>
      [word, say`${code('status')} shows the lock of an environment, and ${code('status */*')} those of all.`] as const,
  ),
  ['stop', say`To stop one change, press the button on its card; ${code('pause')} stops all sending.`],
]);

/** The list of backups for who wants one made or restored; undefined for anybody else. */
function backupOffers(first: string, second: string | undefined, words: readonly Word[]): readonly Offer[] | undefined {
  const isGroup = first === 'backup' || first === 'backups';
  const isMeant = isGroup
    ? ['restore', 'create', 'make'].includes(second ?? '')
    : ['restore', 'rollback'].includes(first);
  return isMeant ? runOffer('backups list', words.slice(isGroup ? 2 : 1)) : undefined;
}

/** The host's API has no calls for these. */
const hostsBackups = say`I can't make a backup or bring one back: that works only in the host's panel. ${code('backups list')} shows which there are.`;

type Sentences = ReturnType<typeof nearestCommands>;

/** Commands found in a sentence. A one-word command may be chance: it must match exactly and not be an action. */
function sentencesIn(words: readonly Word[], commands: ReadonlyMap<string, Command>): Sentences {
  const typed = words.map(({ text }) => text);
  return nearestCommands(typed, [...commands.keys()]).filter(
    ({ path, slips }) =>
      path.includes(' ') || (path.length > 3 && slips === 0 && commands.get(path)?.shape !== 'action'),
  );
}

/** An example with the environment from the sentence if the command needs nothing else; otherwise the usage. */
function exampleOf(sentences: Sentences, commands: ReadonlyMap<string, Command>, isWhole: boolean): Text {
  const [best] = sentences;
  const command = best && commands.get(best.path);
  if (!command) return [];
  const [named, ...others] = best.rest.filter((text) => /^[\w.-]{1,80}\/[\w.-]{1,80}$/.test(text));
  const needed = Object.values<Field>(command.fields).filter(({ place, optional }) => place === 'word' && !optional);
  const isAll = isWhole && others.length === 0 && needed.map(({ kind }) => kind).join(' ') === 'environment';
  const example = named !== undefined && isAll ? `${best.path} ${named}` : usage(best.path, command);
  const meant = didYouMean(sentences.map(({ path }) => code(path)));
  return say`${meant} Type it like this: ${code(example.slice(0, 200))}.`;
}

/** The first two or three words, whichever are nearer to a path: a stray space may have split a word. */
function spanOf(words: readonly Word[], paths: readonly string[]): { readonly text: string; readonly count: number } {
  const typed = words.map(({ text }) => text.toLowerCase());
  const [two, three] = [typed.slice(0, 2).join(' '), typed.slice(0, 3).join(' ')];
  return away(three, paths) < away(two, paths) ? { text: three, count: 3 } : { text: two, count: 2 };
}

const firstWordOf = (path: string): string => path.replace(/ .*/, '');

const unknown = (says: Text, hint: Text, offers: readonly Offer[]): Refusal =>
  new Refusal(say`${says} Nothing was done.`, { hint, offers });

/**
 * A button that runs these words. There is none if a quoted word would be read as an option, or if a word with one
 * hyphen, which is refused when typed, would become an ordinary word.
 */
const runOffer = (path: string, rest: readonly Word[]): readonly Offer[] =>
  rest.some(({ text, quoted }) => (quoted ? text.startsWith('--') : isOneHyphen(text)))
    ? []
    : [
        {
          label: ['Run', path, ...rest.map((word) => word.text)].join(' '),
          args: [...path.split(' '), ...rest.map((word) => word.text)],
        },
      ];

const oneHyphen = /^-(\p{L}[^=]*)/u;
const isOneHyphen = (text: string): boolean => oneHyphen.test(text);

/** Refuses `-dry-run` and `-force`: as an ordinary word, such a word could become part of a name or a reason. */
export function refuseOneHyphen({ text, quoted }: Word, known: readonly string[], syntax: string): void {
  const name = quoted ? undefined : oneHyphen.exec(text)?.[1]?.toLowerCase();
  if (name === undefined) return;
  const [closest] = near(name, known);
  throw new Refusal(say`${code(`-${name.slice(0, 60)}`)} begins with one hyphen. Nothing was done.`, {
    hint: say`${closest === undefined ? say`Usage: ${code(syntax)}` : say`Options begin with two: ${code(`--${closest}`)}`}. If it belongs to a value, put the whole value in quotes.`,
  });
}

/** The same words with this option in place of the one at `at`. A button never runs a write that was not typed. */
function optionOffer(
  path: string,
  command: Command,
  words: readonly Word[],
  at: number,
  option: string,
): readonly Offer[] {
  // Words that may hold a credential are not repeated.
  if (Object.values<Field>(command.fields).some(takesTokens)) return [];
  const corrected = words.map((word, index) =>
    index === at ? { ...word, text: word.text.replace(/^--[^=]+/, `--${option}`) } : word,
  );
  return runOffer(path, corrected).map((offer) =>
    changesSomething(command) ? { args: offer.args, label: `Form with --${option}`, opens: 'form' } : offer,
  );
}

/** Where in its command a word is. */
type Place = { readonly path: string; readonly command: Command; readonly words: readonly Word[]; readonly at: number };

/** Refuses an unknown option: names the nearest known one, or how that field is typed in its place. */
export function unknownOption(name: string, { path, command, words, at }: Place, known: readonly string[]): Refusal {
  const [closest] = near(name, known);
  const options = known.map((one) => code(`--${one}`));
  const isInPlace = Object.entries(command.fields).some(
    ([own, { label, place }]) => place !== 'option' && [optionName(own), label.toLowerCase()].includes(name),
  );
  return new Refusal(say`${code(path)} has no option ${code(`--${name.slice(0, 40)}`)}. Nothing was done.`, {
    hint: isInPlace
      ? say`Type its value without ${code(`--${name}`)}: ${code(usage(path, command))}`
      : closest
        ? didYouMean([code(`--${closest}`)])
        : options.length > 0
          ? say`It has ${joined(options, ', ')}.`
          : 'It has no options.',
    offers: isInPlace || closest === undefined ? [] : optionOffer(path, command, words, at, closest),
  });
}

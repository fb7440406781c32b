import { catalogue, changesSomething, commandAt, type Command } from '../../commands/index.ts';
import { stateIn } from '../../commands/builtin/states.ts';
import type { Field } from '../../commands/kit/fields.ts';
import { cannotDo, type CannotDo } from '../../commands/cannot.ts';
import { attempt, type Args } from '../../errors.ts';
import { scrub } from '../../secret.ts';
import { fill, type Filled } from './fill.ts';
import type { SpokenLine } from './filling.ts';
import { createLexicon, isSmall, type Match } from './lexicon.ts';
import { namesSaidBy } from './names-said.ts';
import { parseArgs, typedCommands } from './parse.ts';
import type { ParsedCommand } from './parsed-command.ts';
import { resolve, type KnownNames } from './resolve.ts';
import { keyOf, spokenIn, type Spoken } from './spoken.ts';
import { isAsking, isQuestion, withoutReason, withoutReports } from './talk.ts';
import { isPerson, thingsIn, type Place, type Thing } from './things.ts';
import { join } from './tokenize.ts';
import { actionOptions, argsOf, nearestOption, optionNames, takesRest } from './usage.ts';

/** Reads what people say when it is not a command as it is typed. It only reads: what comes of it is decided elsewhere. */

/** A command that was probably meant, with everything that was said filled in. */
export type Guess = {
  readonly parsed: ParsedCommand;
  readonly args: Args;
  /** The line as it would be typed, with names. */
  readonly line: string;
  /** Whether nothing is missing. */
  readonly isComplete: boolean;
  /** Whether every word says something of it. */
  readonly isWhole: boolean;
};

/** What a line probably means. */
export type Reading =
  /**
   * It is one command, by a clear margin. `isTyped`: it begins with the command as it is typed, so only what follows is
   * wrong.
   */
  | {
      readonly kind: 'clear';
      readonly guess: Guess;
      readonly isTyped?: boolean;
    }
  /** It may be any of these, best first; at most three. */
  | { readonly kind: 'unclear'; readonly guesses: readonly Guess[] }
  /** It is nothing that a command does. */
  | { readonly kind: 'cannot'; readonly says: CannotDo['says']; readonly guesses: readonly Guess[] };

/** A command, or what comes nearest to what no command does, and what to say of that. */
type Meant = { readonly path: string; readonly command: Command; readonly says?: CannotDo['says'] };

const everything = createLexicon<Meant>([
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
const bestCalled = (words: readonly Spoken[]): Meant | undefined =>
  everything
    .matches(words, () => true, new Map())
    .filter(({ of }) => of.says === undefined)
    .toSorted((one, other) => other.score - one.score)[0]?.of;

/** The words of the commands themselves. No site or environment is found in them unless it is named in full. */
const pathWords = new Set([...catalogue.keys()].flatMap((path) => path.split(' ').map(keyOf)));

const optionsKnown = [...catalogue.values()].flatMap(({ fields }) =>
  Object.entries(fields).flatMap((one) => optionNames(...one)),
);
const optionsOfAll = [...new Set([...optionsKnown, ...actionOptions])];
const known = {
  isWord: everything.has,
  isOption: (name: string) => nearestOption(name.toLowerCase(), optionsOfAll) !== undefined,
};

const maxGuesses = 3;
/** How much better the best one has to be to be the only one. */
const margin = 0.75;

/** What a line means to somebody who can see these names. Undefined: nothing that I know. */
export function read(line: string, names: KnownNames, at: Place = {}): Reading | undefined {
  // A line with a credential is repeated nowhere.
  const spoken = scrub(line) !== line ? [] : (attempt(() => spokenIn(line, known)) ?? []);
  const place = { ...at, isAddressed: at.isAddressed === true || isAsking(line) };
  const { words, why } = withoutReason(spoken);
  return (
    helpIn(spoken) ??
    replyIn(words, place) ??
    commandIn({ words, why, place, isQuestion: isQuestion(line, words) }, names)
  );
}

function commandIn(line: Omit<SpokenLine, 'explained' | 'said'>, names: KnownNames): Reading | undefined {
  const { place } = line;
  const words = place.isAddressed ? line.words : withoutReports(line.words);
  if (words.length === 0) return undefined;
  // What is empty can mean everything.
  if (words.some(({ text, quoted }) => quoted && text.trim() === '')) return undefined;
  const keyAt = (at: number): string => words[at]?.key ?? '';
  const said = thingsIn(words, namesSaidBy(names), place, {
    names: (at) => pathWords.has(keyAt(at)),
    parts: (at) => everything.has(keyAt(at)),
  });
  // After what is only told, what names nothing asks for nothing.
  if (words.length < line.words.length && said.things.length === 0) return undefined;
  // An address with a path is one, too.
  const kindsOf = (thing: Thing): readonly string[] =>
    thing.kind === 'host' && /[^/:]\/[^/]/.test(thing.text) ? ['host', 'path'] : [thing.kind];
  const counts = new Map([...Map.groupBy(said.things.flatMap(kindsOf), (kind) => kind)].map(([kind, all]) => [kind, all.length]));
  const candidatesIn = (free: (at: number) => boolean): readonly Candidate[] =>
    everything
      .matches(words, (at) => free(at) && !said.covered.has(at), counts)
      .map((match) => candidateOf(match, { ...line, words, said }))
      .toSorted(byScore);
  const [typed] = typedCommands(words, catalogue);
  const isRest = typed !== undefined && takesRest(typed.command);
  const asked = words.slice(/^(?:i|we)$/i.test(words[1]?.text ?? '') ? 2 : 1);
  // `can you push it` asks for a push, `can push it` whether somebody may.
  if (isRest && !asked.slice(0, 1).some(isSmall)) return asIfTyped(typed, { ...line, words: asked }, names);
  if (isRest || (typed?.path === 'help' && words.length > 1)) return commandIn({ ...line, words: words.slice(1) }, names);
  const candidates = candidatesIn(() => true)
    .map((one) => withInner(one, candidatesIn))
    .toSorted(byScore);
  if (typed === undefined) return readingOf(candidates, names);
  return readTyped(typed.path, candidates, names);
}

/** What was typed as a command is that command, if that explains everything; or one that its own words speak for too. */
function readTyped(path: string, candidates: readonly Candidate[], names: KnownNames): Reading | undefined {
  const isTyped = ({ of }: Candidate): boolean => of.path === path && of.says === undefined;
  const asTyped = readingOf(candidates.filter(isTyped), names);
  const own = path.split(' ').map((_, at) => at);
  const possible = candidates.filter((one) => isTyped(one) || own.every((at) => one.explained.has(at)));
  const isBest = possible[0] !== undefined && isTyped(possible[0]);
  if (isBest && asTyped?.kind === 'clear' && asTyped.guess.isWhole) return { ...asTyped, isTyped: true };
  const all = readingOf(possible, names) ?? asTyped;
  return all?.kind === 'clear' ? { ...all, isTyped: all.guess.parsed.path === path } : all;
}

/** A command that takes another one, typed as it is, with what the words behind it mean. It runs nothing. */
function asIfTyped(
  { path, command }: Pick<ParsedCommand, 'path' | 'command'>,
  line: Omit<SpokenLine, 'explained' | 'said'>,
  names: KnownNames,
): Reading | undefined {
  const takesPerson = Object.values<Field>(command.fields).some((one) => one.kind === 'plain' && one.takes === 'a person');
  const [person] = line.words.filter(({ text }) => takesPerson && isPerson(text));
  const inner = commandIn({ ...line, words: line.words.filter((word) => word !== person), isQuestion: false }, names);
  if (inner?.kind !== 'clear') return undefined;
  if (takesRest(inner.guess.parsed.command)) return inner;
  const before = [...path.split(' '), ...(person ? [person.text] : [])];
  const args = [...before, ...inner.guess.args];
  const guess = {
    ...inner.guess,
    args,
    line: `${join(before)} ${inner.guess.line}`,
    parsed: parseArgs(args, catalogue),
    isComplete: true,
  };
  return { ...inner, guess, isTyped: true };
}

/** `yes` or `lgtm` in the thread of a request that waits. */
function replyIn(words: readonly Spoken[], { isWaiting }: Place): Reading | undefined {
  const isReply = ({ replies = '' }: CannotDo): boolean => {
    const keys = new Set(replies.split(/,? /).map(keyOf));
    return words.some(({ key }) => keys.has(key)) && words.every((word) => keys.has(word.key) || isSmall(word));
  };
  const told = isWaiting ? cannotDo.find(isReply) : undefined;
  return told && { kind: 'cannot', says: told.says, guesses: [] };
}

type Candidate = {
  readonly of: Meant;
  readonly filled: Filled;
  readonly score: number;
  /** What the words that call it add to the score. */
  readonly called: number;
  readonly explained: ReadonlySet<number>;
  /** Whether the line is mostly about something else. */
  readonly isTooLittle: boolean;
};

function candidateOf({ of, explains, score }: Match<Meant>, line: Omit<SpokenLine, 'explained'>): Candidate {
  const filled = fill(of.path, of.command, { ...line, explained: explains });
  const { missing, things, unused, left, ownWords, isImplied } = filled;
  // A thing that a command has no field for speaks against it, a word that it doesn't know a little.
  const against = (of.says ? 0 : unused * 2) + left.length * 0.75 + ownWords * 0.25 + Math.min(missing, 1) * 0.5 + (isImplied ? 0.1 : 0);
  // What is certainly said to me asks for something; a name alone doesn't say for what.
  // Only what changes something can be run dry.
  const called = 2 * score + (filled.extra.dryRun === true ? 2 : 0);
  const plain = 6;
  const isEmergency = of.command.shape === 'builtin' && of.command.emergency === true && called > 2;
  const isTooLittle = line.place.isAddressed
    ? explains.size === 0 && left.length > things
    : !isEmergency && called < plain && left.length + (things === 0 ? ownWords : 0) > explains.size + things;
  return { of, filled, score: called + (things - unused) * 0.5 - against, called, explained: explains, isTooLittle };
}

const byScore = (one: Candidate, other: Candidate): number => other.score - one.score;

/** A command that ends in another command: that is read from the words that are left. */
function withInner(
  candidate: Candidate,
  candidatesIn: (free: (at: number) => boolean) => readonly Candidate[],
): Candidate {
  const { of, filled, explained } = candidate;
  const [field] = Object.entries(of.command.fields).find(([, one]) => one.kind === 'plain' && one.rest) ?? [];
  if (field === undefined) return candidate;
  const inner = candidatesIn((at) => !explained.has(at)).find(
    ({ of: { command: one } }) => !takesRest(one) && (one.shape !== 'builtin' || changesSomething(one)),
  );
  if (inner === undefined || inner.of.says) return candidate;
  const { given, shown, unused } = inner.filled;
  const left = inner.filled.left.filter((word) => filled.left.includes(word));
  const args = argsOf(inner.of.path, inner.of.command.fields, (name) => given[name] ?? []);
  const whole = {
    ...filled,
    given: { ...filled.given, [field]: args },
    shown,
    unused: Math.max(0, unused - (filled.things - filled.unused)),
    left,
    isWhole: left.length === 0,
  };
  return { ...candidate, filled: whole, score: candidate.called + inner.score };
}

function readingOf(all: readonly Candidate[], names: KnownNames): Reading | undefined {
  const candidates = all.filter((one) => !isDeed(one));
  const [best] = candidates;
  // Of a line that is mostly about something else, nothing is made.
  if (best === undefined || best.isTooLittle) return undefined;
  const near = candidates.filter(({ score }) => score > best.score - margin);
  const told = near.find(({ of }) => of.says);
  if (told?.of.says)
    return { kind: 'cannot', says: told.of.says, guesses: [guessOf(told, names)].flatMap((one) => one ?? []) };
  const guesses = near.flatMap((one) => guessOf(one, names) ?? []).slice(0, maxGuesses);

  const [guess, another] = guesses;
  if (guess === undefined) return undefined;
  if (another !== undefined) return { kind: 'unclear', guesses };
  return { kind: 'clear', guess };
}

/** Whether a thing has no place. A word that nobody knows may be the name of another environment than the thread's. */
const isUnfit = ({ unused, isOfThread, left, isTurned }: Filled, command: Command): boolean =>
  unused > 0 || (isTurned && changesSomething(command)) || (isOfThread && left.length > 0);

/** Whether a question is answered by doing something. */
const isDeed = ({ of, filled }: Candidate): boolean =>
  of.says === undefined && filled.isQuestion && changesSomething(of.command);

/** The guess, if it would be understood as it stands and drops nothing that was understood. */
function guessOf({ of: { path, command, says }, filled }: Candidate, names: KnownNames): Guess | undefined {
  if (says === undefined && isUnfit(filled, command)) return undefined;
  const args = argsOf(path, command.fields, (name) => filled.given[name] ?? [], filled.extra);
  const parsed = attempt(() => parseArgs(args, catalogue));
  if (parsed === undefined) return undefined;
  const { problems, missing, input } = resolve(parsed, names);
  if (problems.length > 0) return undefined;
  const wrong = missing.length > 0 || command.shape === 'builtin' ? undefined : command.invalid?.(input);
  if (wrong && !wrong.unsaid) return undefined;
  const shown = args.map((word) => word.replaceAll(/[^,=]+/g, (part) => filled.shown.get(part) ?? part));
  return { parsed, args, line: join(shown), isComplete: missing.length === 0 && !wrong, isWhole: filled.isWhole };
}

const help = /^(?:--?h|--?help|help|\?|man|usage)$/i;
const maxHelpWords = 3;
const howTo = /^how (?:to|do|can|would|should) /i;

/** `status --help`, `cache help`, `-h`, `how do I push`: help on the command that the other words name. */
function helpIn(words: readonly Spoken[]): Reading | undefined {
  const isHow = howTo.test(words.map(({ text }) => text).join(' '));
  const others = words.filter(({ typed }) => !help.test(typed)).slice(isHow ? 2 : 0);
  const [exact] = typedCommands(others, catalogue);
  const isAsked = isHow || [words[0], words.at(-1)].some((word) => help.test(word?.typed ?? ''));
  // `help, I need to …` asks for something else.
  if (!isAsked || (!isHow && !exact && others.length > maxHelpWords)) return undefined;
  const path = exact?.path ?? bestCalled(others)?.path;
  const args = ['help', ...(path?.split(' ') ?? [])];
  return {
    kind: 'clear',
    guess: { parsed: parseArgs(args, catalogue), args, line: join(args), isComplete: true, isWhole: true },
  };
}

/** The command that a line probably asks for, by its words alone. */
export const likelyCommand = (line: string): Command | undefined =>
  bestCalled(attempt(() => spokenIn(line, known)) ?? [])?.command;

/** Whether a command that takes another one names none: `can you push it`, `help me roll back`. */
export function namesNoCommand({ path, command, given }: ParsedCommand): boolean {
  const inner = path === 'help' || takesRest(command) ? given['command'] : undefined;
  if (inner === undefined) return false;
  const words = inner.map((text) => ({ text, quoted: false }));
  const topic = inner.join(' ').toLowerCase();
  const isTopic = stateIn(topic) !== undefined || [...catalogue.keys()].some((one) => one.startsWith(`${topic} `));
  return typedCommands(words, catalogue).length === 0 && !(path === 'help' && isTopic);
}

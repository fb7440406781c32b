import { catalogue, type Command } from '../commands/index.ts';
import { allCommands } from '../commands/builtin/help.ts';
import { stateIn } from '../words/states.ts';
import type { Field } from '../commands/kit/fields.ts';
import { cannotDo, meansBreakGlass, type CannotDo } from '../commands/cannot.ts';
import { attempt } from '../base/errors.ts';
import { scrub } from '../base/secret.ts';
import { bestCalled, commandLexicon, known, pathWords, isSmall } from './lexicon.ts';
import {
  byScore,
  candidateOf,
  withInner,
  type Candidate,
  asPart,
  readingOf,
  type Guess,
  type Reading,
} from './guesses.ts';
import type { SpokenLine } from './filling.ts';
import { namesSaidBy, isPerson, type Thing } from './plain-things.ts';
import { parseArgs, typedCommands } from './parse.ts';
import type { ParsedCommand } from './bind-arguments.ts';
import type { KnownNames } from './resolve.ts';
import {
  keyOf,
  spokenIn,
  type Spoken,
  isAsking,
  isQuestion,
  turnsRound,
  withoutReason,
  withoutReports,
} from './spoken.ts';
import { thingsIn, type Place } from './things.ts';
import { join } from './tokenize.ts';
import { takesRest } from './usage.ts';

/** Reads what people say when it is not a command as it is typed. It only reads: what comes of it is decided elsewhere. */

/** What a line means to somebody who can see these names. Undefined: nothing that I know. */
export function read(line: string, names: KnownNames, at: Place = {}): Reading | undefined {
  // A line with a credential is repeated nowhere.
  const spoken = scrub(line) !== line ? [] : (attempt(() => spokenIn(line, known)) ?? []);
  // Whoever mentions somebody first talks to them.
  if (at.isAddressed !== true && isPerson(spoken[0]?.text ?? '')) return undefined;
  const place = { ...at, isAddressed: at.isAddressed === true || isAsking(line) };
  const { words, why } = withoutReason(spoken);
  return (
    helpIn(spoken) ??
    replyIn(words, place) ??
    commandIn({ words, why, place, isQuestion: isQuestion(line, words) }, names)
  );
}

type Line = Omit<SpokenLine, 'called' | 'explained' | 'said'>;

function commandIn(line: Line, names: KnownNames): Reading | undefined {
  const words = line.place.isAddressed ? line.words : withoutReports(line.words);
  // What is empty can mean everything.
  if (words.length === 0 || words.some(({ text, quoted }) => quoted && text.trim() === '')) return undefined;
  const [typed] = typedCommands(words.map(asCan), catalogue);
  const isRest = typed !== undefined && takesRest(typed.command);
  if (isRest || (typed?.path === 'help' && words.length > 1)) return innerOf(typed, { ...line, words }, names);
  return readingAmong({ ...line, words }, typed?.path, words.length < line.words.length, names);
}

/** `isPart`: something that is only told was left out. */
function readingAmong(line: Line, typed: string | undefined, isPart: boolean, names: KnownNames): Reading | undefined {
  const candidates = candidatesOf(line, names);
  const [best] = candidates;
  // After what is only told, what names nothing asks for nothing.
  if (isPart && best !== undefined && namesNothing(best)) return undefined;
  const aside = (one: Candidate | undefined): Reading | undefined => withoutAsides(one, line, names);
  // What is wrong with a typed command is said better without it.
  const isOffered = line.place.isAddressed === true && typed === undefined;
  // The brake comes first, whatever else is said.
  const brake = aside(candidates.find(({ isBrake }) => isBrake));
  const reading = typed === undefined ? readingOf(candidates, names) : readTyped(typed, candidates, names);
  return brake ?? reading ?? aside(best) ?? (isOffered ? helpOn(best) : undefined);
}

/** `can push it` asks whether somebody may, `can you push it` and `help me push it` ask for a push. */
function innerOf(typed: Pick<ParsedCommand, 'path' | 'command'>, line: Line, names: KnownNames): Reading | undefined {
  const isOwn = /^(?:i|we)$/i.test(line.words[1]?.text ?? '');
  const asked = { ...line, words: line.words.slice(isOwn ? 2 : 1) };
  const isAsked = takesRest(typed.command) && !asked.words.slice(0, 1).some(isSmall);
  if (!isAsked) return commandIn({ ...line, words: line.words.slice(1) }, names);
  return asIfTyped(typed, asked, names) ?? (isOwn ? asPart(commandIn(asked, names)) : undefined);
}

/** `may I push` is `can I push`. */
const asCan = (word: Spoken, at: number): Spoken => (at === 0 && word.key === 'may' ? { ...word, text: 'can' } : word);

const namesNothing = ({ said }: Candidate): boolean =>
  said.things.every(({ kind }) => ['time', 'count', 'number'].includes(kind));

/** Every command that may be meant, best first. */
function candidatesOf(line: Line, names: KnownNames): readonly Candidate[] {
  const { words, place } = line;
  const keyAt = (at: number): string => words[at]?.key ?? '';
  const said = thingsIn(words, namesSaidBy(names), place, {
    names: (at) => pathWords.has(keyAt(at)),
    parts: (at) => commandLexicon.has(keyAt(at)),
  });
  const counts = countsOf(said.things);
  const candidatesIn = (free: (at: number) => boolean): readonly Candidate[] =>
    commandLexicon
      .matches(words, (at) => free(at) && !said.covered.has(at), counts)
      .map((match) => candidateOf(match, { ...line, said }))
      .toSorted(byScore);
  return candidatesIn(() => true)
    .map((one) => withInner(one, candidatesIn))
    .toSorted(byScore);
}

/** How many of each kind were said. A site stands for its environment, and an address with a path is a path, too. */
function countsOf(things: readonly Thing[]): ReadonlyMap<string, number> {
  const kindsOf = (thing: Thing): readonly string[] =>
    thing.kind === 'site'
      ? ['environment']
      : thing.kind === 'host' && /[^/:]\/[^/]/.test(thing.text)
        ? ['host', 'path']
        : [thing.kind];
  const kinds = Map.groupBy(things.flatMap(kindsOf), (kind) => kind);
  return new Map([...kinds].map(([kind, { length }]) => [kind, length]));
}

/** How that is typed which a line is probably about, if what it says has no place there. */
function helpOn(best: Candidate | undefined): Reading | undefined {
  if (best === undefined || best.of.says || best.isTooLittle || best.filled.isQuestion || best.explained.size === 0)
    return undefined;
  return { kind: 'unclear', guesses: [helpGuess(best.of.path)] };
}

function helpGuess(path = ''): Guess {
  const args = ['help', ...path.split(' ').filter((word) => word !== '')];
  return { parsed: parseArgs(args, catalogue), args, line: join(args), isComplete: true, isWhole: true };
}

/** What is meant without the clauses that could turn it round, or name something else, and say nothing more of it. */
function withoutAsides(best: Candidate | undefined, line: Line, names: KnownNames): Reading | undefined {
  if (best === undefined || best.of.says || best.isTooLittle) return undefined;
  const { words } = line;
  const thingAt = (at: number): Thing | undefined => best.said.things.find((thing) => thing.at <= at && at < thing.end);
  const isOdd = (word: Spoken, at: number): boolean =>
    turnsRound(word) || best.filled.free.some((thing) => thing === thingAt(at));
  // A clause with a name or an address in it may narrow what is asked for.
  const isNarrowing = (_: Spoken, at: number): boolean => (thingAt(at)?.kind ?? 'number') !== 'number';
  const clausesWith = (is: (word: Spoken, at: number) => boolean): ReadonlySet<number> =>
    new Set(words.filter(is).map(({ clause }) => clause));
  const asides = clausesWith(isOdd).difference(clausesWith(isNarrowing));
  const isCalled = [...best.explained].some((at) => !asides.has(words[at]?.clause ?? 0));
  if (asides.size === 0 || !isCalled) return undefined;
  return asPart(commandIn({ ...line, words: words.filter(({ clause }) => !asides.has(clause)) }, names));
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
  line: Line,
  names: KnownNames,
): Reading | undefined {
  const takesPerson = Object.values<Field>(command.fields).some(
    (one) => one.kind === 'plain' && one.takes === 'a person',
  );
  const person = takesPerson ? line.words.find(({ text }) => isPerson(text)) : undefined;
  const inner = commandIn({ ...line, words: line.words.filter((word) => word !== person), isQuestion: false }, names);
  if (inner?.kind !== 'clear' || !inner.guess.isWhole) return undefined;
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

/** `yes` or `lgtm` in the thread of a change that is not sent yet. */
function replyIn(words: readonly Spoken[], { isUnsent }: Place): Reading | undefined {
  const isReply = ({ replies = '' }: CannotDo): boolean => {
    const keys = new Set(replies.split(/,? /).map(keyOf));
    return words.some(({ key }) => keys.has(key)) && words.every((word) => keys.has(word.key) || isSmall(word));
  };
  const told = isUnsent ? cannotDo.find(isReply) : undefined;
  return told && { kind: 'cannot', says: told.says, guesses: [] };
}

const help = /^(?:--?h|--?help|help|\?|man|usage)$/i;
/** Beside other words than a command's, the others are words like any: `is it down ?`. */
const helpAnywhere = /^(?:--?h|--?help|help)$/i;
const maxHelpWords = 3;
const howTo = /^how (?:to|do|can|would|should) /i;

/** `status --help`, `cache help`, `-h`, `how do I push`: help on the command that the other words name. */
function helpIn(words: readonly Spoken[]): Reading | undefined {
  const isHow = howTo.test(words.map(({ text }) => text).join(' '));
  const others = words.filter(({ typed }) => !help.test(typed)).slice(isHow ? 2 : 0);
  const [exact] = typedCommands(others, catalogue);
  const isExact = others.length === (exact?.path.split(' ').length ?? 0);
  const asks = isExact ? help : helpAnywhere;
  const isAsked = isHow || [words[0], words.at(-1)].some((word) => asks.test(word?.typed ?? ''));
  // `help, I need to …` asks for something else.
  if (!isAsked || (!isHow && !exact && others.length > maxHelpWords)) return undefined;
  const path = exact?.path ?? bestCalled(others)?.path;
  return { kind: 'clear', guess: helpGuess(path) };
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
  const isTopic =
    topic === allCommands ||
    stateIn(topic) !== undefined ||
    meansBreakGlass(topic) ||
    [...catalogue.keys()].some((one) => one.startsWith(`${topic} `));
  return typedCommands(words, catalogue).length === 0 && !(path === 'help' && isTopic);
}

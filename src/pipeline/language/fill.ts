import { isName } from '../../commands/kit/action.ts';
import { isYes, type Field, type PlainField } from '../../commands/kit/fields.ts';
import { changesSomething, type Command } from '../../commands/index.ts';
import { attempt } from '../../errors.ts';
import { edits } from '../../nearest-words.ts';
import { saysRole, type Thing } from './things.ts';
import { takeName } from './fill-names.ts';
import { beginFilling, take, type Filling, type SpokenLine } from './filling.ts';
import { createLexicon, isSmall } from './lexicon.ts';
import { keyOf, type Spoken } from './spoken.ts';
import { actionOptions, nearestOption, optionNames, takesRest, takesValue, type Extra } from './usage.ts';

/** What of a line a command takes, by field, as in a typed line but with ids for names. */
export type Filled = {
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly extra: Extra;
  /** The names of the ids in `given`. */
  readonly shown: ReadonlyMap<string, string>;
  readonly missing: number;
  /** Things that were said, and how many of them the command has no field for. */
  readonly things: number;
  readonly unused: number;
  /** Words that were taken as somebody's own, such as a reason. */
  readonly ownWords: number;
  /** Words that say something, and that nothing took. */
  readonly left: readonly Spoken[];
  /** Whether no word was left, also in other clauses, and none turns it round. */
  readonly isWhole: boolean;
  /** Whether a word was left that can turn it round (`not`, `except`), or it does not say which name is which. */
  readonly isTurned: boolean;
  readonly isQuestion: boolean;
  /** Whether an environment was taken of which only the site was said. */
  readonly isImplied: boolean;
  /** Whether an environment was taken that was not said, because the thread is about it. */
  readonly isOfThread: boolean;
};

/** Fills the fields of a command with what a line says, each thing once, in the order of the fields. */
export function fill(path: string, command: Command, line: SpokenLine): Filled {
  const filling = beginFilling(path, command, line);
  const fields = Object.entries<Field>(command.fields);
  const given: Record<string, readonly string[]> = {};
  const extra = command.shape === 'action' ? takeExtra(filling) : {};
  // Names come first, and last what people say in their own words, when everything else is taken.
  const takers: readonly ((name: string, field: Field) => readonly string[] | undefined)[] = [
    (name, field) => takeOption(filling, name, field),
    (name, field) => (isName(field) ? takeName(filling, name, field) : undefined),
    (name, field) => (isName(field) ? undefined : takePlain(filling, name, field)),
    (_, field) => (isName(field) ? undefined : takeWords(filling, field)),
  ];
  for (const taken of takers)
    for (const [name, field] of fields) {
      const words = given[name] ?? taken(name, field) ?? [];
      if (words.length > 0) given[name] = words;
    }
  takeWhole(filling);
  const left = leftOver(filling);
  return {
    given,
    extra,
    shown: filling.shown,
    missing: fields.filter(([name, field]) => isMissing(field) && given[name] === undefined).length,
    things: line.said.things.length,
    unused: unusedIn(filling).length,
    left,
    ownWords: filling.ownWords,
    isWhole: wordsNotTaken(filling).length === 0 && filling.free.size === 0 && !isTurned(filling),
    isTurned: isTurned(filling),
    // What would happen is shown, and not done.
    isQuestion: line.isQuestion && extra.dryRun !== true,
    isImplied: filling.isImplied,
    isOfThread: filling.isOfThread,
  };
}

/** Things that nothing took. What only looks at something may leave a time or a text aside: it is offered, not answered. */
const unusedIn = ({ free, command }: Filling): readonly Thing[] =>
  [...free].filter(({ kind }) => changesSomething(command) || !aside.has(kind));

const aside: ReadonlySet<Thing['kind']> = new Set(['time', 'count', 'text']);

/** Whatever is about the whole company is about all sites. */
function takeWhole(filling: Filling): void {
  const isOfSome = Object.values<Field>(filling.command.fields).some(({ kind }) => kind === 'environment');
  if (isOfSome) return;
  for (const thing of filling.free) if (thing.kind === 'many' && thing.text === '*/*') take(filling, thing);
}

const isMissing = (field: Field): boolean => !field.optional && (isName(field) || field.absent === undefined);

/** What nothing took. Of what is said to me, or names something, only the clauses count that say which command is meant. */
function leftOver(filling: Filling): readonly Spoken[] {
  const { words, explained, place, said } = filling;
  const clauses = new Set([...explained].map((at) => words[at]?.clause));
  const isMeant = place.isAddressed === true || said.things.some(({ at }) => clauses.has(words[at]?.clause));
  const isCounted = ({ clause }: Spoken): boolean => !isMeant || clauses.size === 0 || clauses.has(clause);
  return wordsNotTaken(filling).filter(isCounted);
}

const wordsNotTaken = ({ words, said, used }: Filling): readonly Spoken[] =>
  words.filter((word, at) => !used.has(at) && !said.covered.has(at) && !isSmall(word));

/** Words that can mean the opposite, or less, of what stands beside them. */
const turns =
  /^(?:not?|none|never|nothing|neither|nor|without|except|excluding|exclude|but|unless|instead|excepted|minus|dry|cannot|\S+n['’]t|dont|doesnt|<[-=]+|←|⬅|⇐)$/iu;

const turnsRound = ({ text, quoted }: Spoken): boolean => !quoted && turns.test(text);

function isTurned({ words, meant, said, command }: Filling): boolean {
  // `no 4` is a number.
  const isNumber = (at: number): boolean =>
    said.things.some((thing) => thing.kind === 'number' && thing.at <= at && at < thing.end);
  if (words.some((word, at) => !meant.has(at) && !isNumber(at) && turnsRound(word))) return true;
  const named = said.things.filter((thing) => thing.kind === 'environment');
  const [first, second] = named;
  const isOfTwo = Object.values<Field>(command.fields).filter((field) => isName(field) && !field.optional).length > 1;
  if (!isOfTwo || first === undefined || second === undefined) return false;
  // Which of two is overwritten must be said: by words right before them, or as it is typed, one after the other.
  const roles = new Set(named.map(({ role }) => role));
  if (roles.size === 2) return false;
  const isBetween = (at: number): boolean => at >= first.end && at < second.at && !said.covered.has(at);
  const isJoint = ({ text }: Spoken): boolean => /^(?:and|the|site|environment)$/i.test(text);
  return !roles.has(undefined) || words.some((word, at) => saysRole(word.text) || (isBetween(at) && !isJoint(word)));
}

type SaidOption = Extract<Thing, { readonly kind: 'option' }>;

/** The option of one of these names, or a mistyped one that is nearest to them. */
function optionAmong({ free, command }: Filling, names: readonly string[]): SaidOption | undefined {
  const ofFields = Object.entries(command.fields).flatMap((one) => optionNames(...one));
  const all = command.shape === 'action' ? [...ofFields, ...actionOptions] : ofFields;
  return [...free].find(
    (thing): thing is SaidOption => thing.kind === 'option' && names.includes(nearestOption(thing.name, all) ?? ''),
  );
}

/** The options that every action has. */
function takeExtra(filling: Filling): Extra {
  const option = (name: string): string | undefined => {
    const thing = optionAmong(filling, [name]);
    return thing && valueOf(filling, thing, name === 'reason');
  };
  const [reason, typedDryRun, queue] = ['reason', 'dry-run', 'queue'].map(option);
  const dryRun = typedDryRun ?? takeDryRun(filling);
  const why = filling.why.join(' ');
  return {
    ...((reason || why) && { reason: reason || why }),
    ...(dryRun !== undefined && { dryRun: true }),
    ...(queue !== undefined && { queue: true }),
  };
}

const dryRuns = createLexicon([
  {
    of: '',
    phrases: `
      dry run, dry, simulate, what would happen, what would happen don't do it yet, what would happen don't do it, what
      would happen dont do it, what would happen not yet`,
  },
]);

/** `what would happen if …, don't do it yet`. */
function takeDryRun({ words, said, used, meant }: Filling): string | undefined {
  const [match] = dryRuns.matches(words, (at) => !said.covered.has(at), new Map());
  for (const at of match?.explains ?? []) for (const taken of [used, meant]) taken.add(at);
  return match?.of;
}

/** The value of an option: after its `=`, or the words that follow up to the next option. */
function valueOf(filling: Filling, option: SaidOption, takesWords: boolean): string {
  take(filling, option);
  if (option.value !== undefined || !takesWords) return option.value ?? '';
  const { words } = filling;
  const next = words.findIndex(({ text, quoted }, at) => at >= option.end && !quoted && text.startsWith('--'));
  const end = next === -1 ? words.length : next;
  for (let at = option.end; at < end; at += 1) filling.used.add(at);
  for (const thing of filling.free) if (thing.at >= option.end && thing.at < end) filling.free.delete(thing);
  return words
    .slice(option.end, end)
    .map(({ typed }) => typed)
    .join(' ');
}

/** Typed as `--name`, or by another word for it. */
function takeOption(filling: Filling, name: string, field: Field): readonly string[] | undefined {
  const thing = optionAmong(filling, optionNames(name, field));
  if (thing === undefined) return undefined;
  if (!takesValue(field) && thing.value !== undefined && !isYes(thing.value)) return undefined;
  const value = valueOf(filling, thing, takesValue(field));
  if (!takesValue(field)) return ['yes'];
  // Without its value it can't be left out either: that could be more than was asked for.
  if (value === '') filling.free.add(thing);
  return value === '' ? undefined : [value];
}

function takePlain(filling: Filling, name: string, field: PlainField<unknown>): readonly string[] | undefined {
  if (typeof field.absent === 'boolean') return takeFlag(filling, name, field);
  if (field.choices && !field.isTime) return takeChoice(filling, field);
  if (field.takes === 'a record name') return takeRecordName(filling, field);
  const wanted = kindsFor(field);
  // The address that says which environment may say which path too.
  const isFree = (thing: Thing): boolean =>
    filling.free.has(thing) || (field.takes === 'a path' && thing.kind === 'host' && !filling.split.has(thing));
  const fits = filling.said.things.filter(
    (thing) =>
      isFree(thing) && wanted.includes(thing.kind) && fitsRole(thing, name, filling.command) && reads(field, thing),
  );
  const taken = field.many && field.takes !== undefined ? fits : fits.slice(0, 1);
  for (const thing of taken) {
    take(filling, thing);
    filling.split.add(thing);
  }
  return taken.flatMap((thing) => wordFor(field, thing) ?? []);
}

/** The kinds of things that are what a field takes. A path may look like a name, or be that of an address. */
const kinds: Readonly<Record<NonNullable<PlainField<unknown>['takes']>, readonly Thing['kind'][]>> = {
  'a person': ['person'],
  'an address': ['address'],
  'a path': ['path', 'unknown name', 'host'],
  'a host name': ['host'],
  'a site': ['site'],
  'a visitor': ['visitor'],
  'a record name': [],
  'a text': ['text', 'path'],
  'a value': ['address', 'text', 'host'],
  words: [],
};

function kindsFor({ takes, isTime, between, place }: PlainField<unknown>): readonly Thing['kind'][] {
  if (isTime) return ['time'];
  if (between) return [place === 'option' ? 'count' : 'change', 'number'];
  return takes === undefined ? [] : kinds[takes];
}

const reads = (field: PlainField<unknown>, thing: Thing): boolean => wordFor(field, thing) !== undefined;

/** The word of a thing that this field reads; a path may be that of an address, or written from the root of the site. */
function wordFor(field: PlainField<unknown>, thing: Thing): string | undefined {
  if (!('text' in thing)) return undefined;
  const { text } = thing;
  const ofAddress =
    thing.kind === 'host' && thing.of ? [/^(?:https?:\/\/)?[^/?#]+(\/.*)$/i.exec(text)?.[1] ?? text] : [];
  return [...ofAddress, text, text.replace(/^\/+/, '')].find((word) => attempt(() => field.read([word])) !== undefined);
}

const isTimeRole = (name: string): boolean => ['for', 'since', 'until'].includes(name);

/** `since 2h` is no `--for`. A path that is `to` something is no `from`. */
const fitsRole = (thing: Thing, name: string, { fields }: Command): boolean => {
  if (thing.kind === 'time') return thing.role === undefined || thing.role === name || !isTimeRole(name);
  if (thing.kind !== 'path' || thing.role === undefined || !('from' in fields && 'to' in fields)) return true;
  return name === (thing.role === 'onto' ? 'to' : 'from');
};

const leavesOut = /^(?:no|not|nor|without|except|excluding|exclude|minus)$/i;

const flagKeys = ({ fields }: Command): ReadonlySet<string> =>
  new Set(
    Object.entries<Field>(fields).flatMap(([name, field]) =>
      field.kind === 'plain' && typeof field.absent === 'boolean' ? optionNames(name, field).map(keyOf) : [],
    ),
  );

function takeFlag(filling: Filling, name: string, field: PlainField<unknown>): readonly string[] | undefined {
  const keys = new Set(optionNames(name, field).map(keyOf));
  const { words, said, used, meant } = filling;
  const at = words.findIndex(({ key }, index) => keys.has(key) && !said.covered.has(index));
  if (at === -1) return undefined;
  used.add(at);
  // `not the database`, `without files or database` leaves it out, as it is unless it is said.
  const isFlag = ({ key }: Spoken): boolean => flagKeys(filling.command).has(key);
  const before = words.findLastIndex(
    (word, index) => index < at && (turnsRound(word) || !(isSmall(word) || isFlag(word))),
  );
  const isLeftOut = leavesOut.test(words[before]?.text ?? '');
  if (isLeftOut) for (const taken of [used, meant]) taken.add(before);
  return isLeftOut ? undefined : ['yes'];
}

function takeChoice(filling: Filling, field: PlainField<unknown>): readonly string[] | undefined {
  const { words, said, path, chosen } = filling;
  const own = new Set(path.split(' ').map(keyOf));
  const at = words.findIndex(
    (word, index) => !said.covered.has(index) && !chosen.has(index) && !own.has(word.key) && choiceIn(field, word),
  );
  const word = words[at];
  if (word === undefined) return undefined;
  filling.used.add(at);
  chosen.add(at);
  return [choiceIn(field, word) ?? ''];
}

/** A host below the domain that was said, or the word behind the type: `the A record www`. */
function takeRecordName(filling: Filling, field: PlainField<unknown>): readonly string[] | undefined {
  const { words, said, used, chosen, free } = filling;
  const below = said.things.find((thing) => thing.kind === 'host' && thing.domain && thing.text !== thing.domain.name);
  if (below?.kind === 'host' && reads(field, below)) return [below.text];
  const [type = words.length] = chosen;
  const isOpen = (index: number): boolean =>
    words[index] !== undefined && !used.has(index) && !isSmall(words[index]) && !/^\d+$/.test(words[index].text);
  const before = type - 1;
  const at = isOpen(before) && !said.covered.has(before) ? before : words.findIndex((_, index) => index > type && isOpen(index));
  const thing = said.things.find((one) => one.at <= at && at < one.end);
  const word = words[at];
  if (word === undefined || (thing && thing.kind !== 'site') || attempt(() => field.read([word.text])) === undefined)
    return undefined;
  used.add(at);
  if (thing) free.delete(thing);
  return [word.text];
}

/** Whether a word is this one, or a longer one with one slip. */
const isSaid = (one: string, { key, text }: Spoken): boolean =>
  keyOf(one) === key || (key.length > 3 && edits(keyOf(one), key) === 1) || (text.length > 3 && edits(one, text) === 1);

const choiceIn = ({ choices = [], means = {} }: PlainField<unknown>, word: Spoken): string | undefined =>
  choices.find((one) => one === word.text) ??
  (isSmall(word) ? undefined : choices.find((one) => isSaid(one, word))) ??
  Object.entries(means).find(([other]) => keyOf(other) === word.key)?.[1];

const lead = /^(?:as|named|called|matching|containing|with)$/i;

/** Text in quotes, the reason at the end of the line, or the words that nothing else took. */
function takeWords(filling: Filling, field: PlainField<unknown>): readonly string[] | undefined {
  const { command, free, why } = filling;
  if (takesRest(command) || field.place === 'option' || field.absent !== undefined) return undefined;
  const quoted = [...free].find((thing) => thing.kind === 'text' && reads(field, thing));
  if (quoted && 'text' in quoted) {
    take(filling, quoted);
    return [quoted.text];
  }
  if (field.takes !== 'words') return undefined;
  // An action has its own place for the reason.
  const text = why.length > 0 && command.shape === 'builtin' ? why.join(' ') : wordsLeft(filling);
  return text !== '' && attempt(() => field.read([text])) !== undefined ? [text] : undefined;
}

/** What is left, with the small words in between. */
function wordsLeft(filling: Filling): string {
  const { words, said, used } = filling;
  const places = wordsNotTaken(filling).map((word) => words.indexOf(word));
  const isInside = (at: number): boolean => at >= (places[0] ?? 0) && at <= (places.at(-1) ?? -1);
  const taken = words.filter((_, at) => isInside(at) && !said.covered.has(at) && !used.has(at));
  for (const word of taken) used.add(words.indexOf(word));
  filling.ownWords += places.length;
  return taken
    .map(({ text }) => text)
    .filter((text, at) => at > 0 || !lead.test(text))
    .join(' ');
}

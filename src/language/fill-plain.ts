import { changesSomething, type Command } from '../commands/index.ts';
import type { Field, PlainField } from '../commands/kit/fields.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { attempt } from '../base/errors.ts';
import { edits } from '../words/similar-names.ts';
import { take, type Filling, isJoined } from './filling.ts';
import { isSmall, sameMeaning } from './lexicon.ts';
import { keyOf, type Spoken, leavesOut, timeRoles } from './spoken.ts';
import type { Thing } from './plain-things.ts';
import { optionNames, takesRest } from './usage.ts';

/** Fills the fields that are no names. */

/** Words that say something, and that nothing took. */
export const wordsNotTaken = ({ words, said, used, explained }: Filling): readonly Spoken[] =>
  words.filter((word, at) => !used.has(at) && !explained.has(at) && !said.covered.has(at) && !isSmall(word));

export function takePlain(filling: Filling, name: string, field: PlainField<unknown>): readonly string[] | undefined {
  if (typeof field.absent === 'boolean') return takeFlag(filling, name, field);
  if (field.choices && !field.isTime) return takeChoice(filling, field);
  if (field.takes === 'a record name') return takeRecordName(filling, field);
  if (isOfOther(filling, name, field)) return undefined;
  const wanted = kindsFor(field);
  // The address that says which environment may say which path too.
  const isFree = (thing: Thing): boolean =>
    filling.free.has(thing) || (field.takes === 'a path' && thing.kind === 'host' && !filling.split.has(thing));
  const fits = filling.said.things.filter(
    (thing) =>
      isFree(thing) &&
      wanted.includes(thing.kind) &&
      !isAnother(filling, thing) &&
      fitsRole(thing, name, filling.command) &&
      wordFor(field, thing, filling.said.things) !== undefined,
  );
  const taken = field.many && field.takes !== undefined ? listOf(filling, fits) : fits.slice(0, 1);
  // A name that nobody knows may be no path.
  filling.isGuessed ||= taken.some(({ kind }) => kind === 'unknown name');
  for (const thing of taken) {
    take(filling, thing);
    filling.split.add(thing);
  }
  return taken.flatMap((thing) => wordFor(field, thing, filling.said.things) ?? []);
}

/** Whether what it takes is for another field, whose name is said, such as `remove`; or for nobody knows which. */
function isOfOther({ words, command }: Filling, name: string, { takes }: PlainField<unknown>): boolean {
  const isNamed = (one: string): boolean => words.some(({ key }) => sameMeaning(key) === sameMeaning(keyOf(one)));
  const others = Object.entries<Field>(command.fields).filter(
    ([other, one]) => takes === 'a value' && other !== name && one.kind === 'plain' && one.takes === takes,
  );
  return others.length > 0 && (others.some(([other]) => isNamed(other)) || (name === 'remove' && !isNamed(name)));
}

/** A name that nobody has, in a list with one: it is no path. */
const isAnother = ({ words }: Filling, { kind, at }: Thing): boolean =>
  kind === 'unknown name' && /^(?:and|or|&)$|,$/i.test(words[at - 1]?.typed ?? '');

/** Those of the first list of them. */
export function listOf<T extends { readonly at: number; readonly end: number }>(
  filling: Filling,
  all: readonly T[],
): readonly T[] {
  const end = all.findIndex((one, at) => at > 0 && !isJoined(filling, all[at - 1] ?? one, one));
  return end === -1 ? all : all.slice(0, end);
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

/** The highest number of a change. */
const maxChange = 999_999_999;

function kindsFor({ takes, isTime, between, place }: PlainField<unknown>): readonly Thing['kind'][] {
  if (isTime) return ['time'];
  if (between) return [place === 'option' || between[1] > maxChange ? 'count' : 'change', 'number'];
  return takes === undefined ? [] : kinds[takes];
}

/** Whether no other address is one of another site. */
const isOfOneSite = (of: Environment, others: readonly Thing[]): boolean =>
  others.every((one) => one.kind !== 'host' || one.of === undefined || one.of.id === of.id);

/** The word of a thing that this field reads; a path may be that of an address, or written from the root of the site. */
function wordFor(field: PlainField<unknown>, thing: Thing, others: readonly Thing[] = []): string | undefined {
  if (!('text' in thing)) return undefined;
  const { text } = thing;
  const ofAddress =
    thing.kind === 'host' && thing.of && isOfOneSite(thing.of, others)
      ? [/^(?:https?:\/\/)?[^/?#]+(\/.*)$/i.exec(text)?.[1] ?? text]
      : [];
  return [...ofAddress, text, text.replace(/^\/+/, '')].find((word) => attempt(() => field.read([word])) !== undefined);
}

/** `since 2h` is no `--for`. A path that is `to` something is no `from`. */
const fitsRole = (thing: Thing, name: string, command: Command): boolean => {
  // `expire after 30 days` is a length.
  const isOwn = !timeRoles.some((role) => role === name) && changesSomething(command);
  if (thing.kind === 'time') return thing.role === undefined || thing.role === name || isOwn;
  if (thing.kind !== 'path' || thing.role === undefined || !('from' in command.fields)) return true;
  return name === (thing.role === 'onto' ? 'to' : 'from');
};

const flagKeys = ({ fields }: Command): ReadonlySet<string> =>
  new Set(
    Object.entries<Field>(fields).flatMap(([name, field]) =>
      field.kind === 'plain' && typeof field.absent === 'boolean' ? optionNames(name, field).map(keyOf) : [],
    ),
  );

function takeFlag(filling: Filling, name: string, field: PlainField<unknown>): readonly string[] | undefined {
  const { words, said, used, meant } = filling;
  const found = optionNames(name, field)
    .map((one) => one.split(/[ -]/).map(keyOf))
    .flatMap((keys) => {
      const isSaid = (at: number): boolean =>
        keys.every((key, on) => words[at + on]?.key === key && !said.covered.has(at + on));
      const at = words.findIndex((_, index) => isSaid(index));
      return at === -1 ? [] : [{ at, end: at + keys.length }];
    })[0];
  if (found === undefined) return undefined;
  for (let at = found.at; at < found.end; at += 1) used.add(at);
  const keysOfFlags = flagKeys(filling.command);
  // `not the database`, `without files or database` leaves it out, as it is unless it is said.
  const isBetween = ({ key, text }: Spoken): boolean => keysOfFlags.has(key) || /^(?:the|a|any|and|or)$/i.test(text);
  const before = words.findLastIndex((word, index) => index < found.at && !isBetween(word));
  const isLeftOut = leavesOut.test(words[before]?.text ?? '') && words[before]?.clause === words[found.at]?.clause;
  if (isLeftOut && changesSomething(filling.command)) for (const taken of [used, meant]) taken.add(before);
  return isLeftOut ? undefined : ['yes'];
}

function takeChoice(filling: Filling, field: PlainField<unknown>): readonly string[] | undefined {
  const { words, said, path, chosen } = filling;
  const own = new Set(path.split(' ').map(keyOf));
  const at = words.findIndex(
    (word, index) =>
      !said.covered.has(index) && !chosen.has(index) && !own.has(sameMeaning(word.key)) && choiceIn(field, word),
  );
  const word = words[at];
  if (word === undefined) return undefined;
  filling.used.add(at);
  chosen.add(at);
  return [choiceIn(field, word) ?? ''];
}

/** A host below the domain that was said, or the word beside the type: `the A record www`, `the www A record`. */
function takeRecordName(filling: Filling, field: PlainField<unknown>): readonly string[] | undefined {
  const { words, said, used, free } = filling;
  const below = said.things.find((thing) => thing.kind === 'host' && thing.domain && thing.text !== thing.domain.name);
  if (below?.kind === 'host' && wordFor(field, below) !== undefined) return [below.text];
  const at = recordNameAt(filling);
  const word = words[at];
  const thing = said.things.find((one) => one.at <= at && at < one.end);
  if (word === undefined || attempt(() => field.read([word.text])) === undefined) return undefined;
  used.add(at);
  if (thing) free.delete(thing);
  return [word.text];
}

function recordNameAt({ words, said, used, chosen }: Filling): number {
  const [type = words.length] = chosen;
  const isOpen = (at: number): boolean => {
    const word = words[at];
    const thing = said.things.find((one) => one.at <= at && at < one.end);
    // A part of a site's name may be that of a host, too.
    const isPart = thing === undefined || (thing.kind === 'site' && thing.text !== word?.text);
    return word !== undefined && isPart && !used.has(at) && !isSmall(word) && !/^\d+$/.test(word.text);
  };
  const isThe = /^(?:the|an?)$/i.test(words[type - 2]?.text ?? '');
  const after = words[type + 1]?.key === 'record' ? type + 2 : type + 1;
  return isThe && isOpen(type - 1) ? type - 1 : isOpen(after) ? after : -1;
}

/** Whether a word is this one, or a longer one with one slip. */
const isSaid = (one: string, { key, text }: Spoken): boolean =>
  sameMeaning(keyOf(one)) === sameMeaning(key) ||
  (key.length > 3 && edits(keyOf(one), key) === 1) ||
  (text.length > 3 && edits(one, text) === 1);

const choiceIn = ({ choices = [], means = {} }: PlainField<unknown>, word: Spoken): string | undefined =>
  // `A` is a type of record, `a` an article.
  choices.find((one) => one === word.text && (!isSmall(word) || /^[A-Z]+$/.test(one))) ??
  (isSmall(word) ? undefined : choices.find((one) => isSaid(one, word))) ??
  Object.entries(means).find(([other]) => keyOf(other) === word.key)?.[1];

const lead = /^(?:as|named|called|matching|containing|with)$/i;

/** Text in quotes, the reason at the end of the line, or the words that nothing else took. */
export function takeWords(filling: Filling, field: PlainField<unknown>): readonly string[] | undefined {
  const { command, free, why } = filling;
  if (takesRest(command) || field.place === 'option' || field.absent !== undefined) return undefined;
  const quoted = [...free].find((thing) => thing.kind === 'text' && wordFor(field, thing) !== undefined);
  if (quoted && 'text' in quoted) {
    take(filling, quoted);
    return [quoted.text];
  }
  if (field.takes !== 'words') return undefined;
  // An action has its own place for the reason.
  const isWhy = why.length > 0 && command.shape === 'builtin';
  const text = isWhy ? why.map(({ typed }) => typed).join(' ') : wordsLeft(filling);
  return text !== '' && attempt(() => field.read([text])) !== undefined ? [text] : undefined;
}

/** What is left, with the small words in between. */
function wordsLeft(filling: Filling): string {
  const { words, said, used, explained } = filling;
  const places = wordsNotTaken(filling).map((word) => words.indexOf(word));
  const isInside = (at: number): boolean => at >= (places[0] ?? 0) && at <= (places.at(-1) ?? -1);
  const taken = words.filter((_, at) => isInside(at) && !said.covered.has(at) && !used.has(at) && !explained.has(at));
  for (const word of taken) used.add(words.indexOf(word));
  filling.ownWords += places.length;
  return taken
    .map(({ text }) => text)
    .filter((text, at) => at > 0 || !lead.test(text))
    .join(' ');
}

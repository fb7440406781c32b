import type { Command } from '../../commands/index.ts';
import type { Field, PlainField } from '../../commands/kit/fields.ts';
import { attempt } from '../../errors.ts';
import { edits } from '../../nearest-words.ts';
import { take, type Filling } from './filling.ts';
import { isSmall, sameMeaning } from './lexicon.ts';
import { keyOf, type Spoken } from './spoken.ts';
import { turnsRound } from './talk.ts';
import type { Thing } from './plain-things.ts';
import { optionNames, takesRest } from './usage.ts';

/** Fills the fields that are no names. */

/** Words that say something, and that nothing took. */
export const wordsNotTaken = ({ words, said, used }: Filling): readonly Spoken[] =>
  words.filter((word, at) => !used.has(at) && !said.covered.has(at) && !isSmall(word));

export function takePlain(filling: Filling, name: string, field: PlainField<unknown>): readonly string[] | undefined {
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
    (word, index) =>
      !said.covered.has(index) && !chosen.has(index) && !own.has(sameMeaning(word.key)) && choiceIn(field, word),
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
  const at =
    isOpen(before) && !said.covered.has(before) ? before : words.findIndex((_, index) => index > type && isOpen(index));
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
  sameMeaning(keyOf(one)) === sameMeaning(key) ||
  (key.length > 3 && edits(keyOf(one), key) === 1) ||
  (text.length > 3 && edits(one, text) === 1);

const choiceIn = ({ choices = [], means = {} }: PlainField<unknown>, word: Spoken): string | undefined =>
  choices.find((one) => one === word.text) ??
  (isSmall(word) ? undefined : choices.find((one) => isSaid(one, word))) ??
  Object.entries(means).find(([other]) => keyOf(other) === word.key)?.[1];

const lead = /^(?:as|named|called|matching|containing|with)$/i;

/** Text in quotes, the reason at the end of the line, or the words that nothing else took. */
export function takeWords(filling: Filling, field: PlainField<unknown>): readonly string[] | undefined {
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

import { createHash } from 'node:crypto';
import type { AnyAction } from '../../commands/kit/action.ts';
import { isName } from '../../commands/kit/action.ts';
import type { Fields } from '../../commands/kit/fields.ts';
import type { Words } from '../../errors.ts';
import { Refusal } from '../../errors.ts';
import type { Person } from '../../pipeline/access/authorise.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { canonicalWords, resolve, shownAs, type Resolved } from '../../pipeline/language/resolve.ts';
import { sourcesOf } from '../../pipeline/changes/read-sources.ts';
import { asRefusal } from '../../pipeline/changes/host-trouble.ts';
import type { Memo, Unfolded } from './views.ts';
import { saidIn, type Asked, type Filled } from './inputs.ts';
import type { SlackContext } from '../context/context.ts';

/** Which fields a form asks for, and what the host has to choose from, given what is filled in so far. */

type Dependents = NonNullable<AnyAction['dependent']>;
type Chosen = NonNullable<Memo['choices']>;

/** A longer list is cut, and says so. */
const maxChoices = 10_000;
const maxCharacters = 400_000;

const dependentsOf = ({ command }: Pick<ParsedCommand, 'command'>): Dependents =>
  command.shape === 'action' ? (command.dependent ?? {}) : {};

/** Whether the host has to be asked before this form can be drawn. */
export function needsHost({ parsed, input }: Pick<Resolved, 'parsed' | 'input'>): boolean {
  return Object.values(dependentsOf(parsed)).some(
    (one) => one?.choices && one.asked?.(input) !== false && one.on.every((field) => field in input),
  );
}

/** Unfolds the form of a wish: lists that were read for the same answers before are not read again. */
export async function unfold(
  context: SlackContext,
  person: Person,
  parsed: ParsedCommand,
  before: Chosen = {},
): Promise<Unfolded & { readonly trouble?: Refusal }> {
  const resolved = resolve(parsed, context.front.names(person));
  const dependents = dependentsOf(parsed);
  const telling = new Set(Object.values(dependents).flatMap((one) => one?.on ?? []));
  const fields: Asked[] = [];
  const choices: Record<string, Chosen[string]> = {};
  let trouble: Refusal | undefined;
  for (const [name, field] of Object.entries(parsed.command.fields)) {
    const found = isName(field) ? shownAs(field, resolved.input[name]) : [];
    const given = found.length > 0 ? found : (parsed.given[name] ?? []);
    const dependent = dependents[name];
    // What was said stays to be seen, also where it is not asked for.
    if (dependent?.asked?.(resolved.input) === false && given.length === 0) continue;
    const asked: Asked = { name, field, given, tells: telling.has(name) };
    if (!dependent?.choices || !dependent.on.every((one) => one in resolved.input)) {
      fields.push(asked);
      continue;
    }
    const sought: Sought = { resolved, dependent, given, kept: before[name] };
    const listed = await choicesOf(context, person, sought).catch((error: unknown) => {
      const told = asRefusal(error, canonicalWords(resolved));
      trouble = told instanceof Refusal ? told : new Refusal('The host could not be asked what there is.');
      return undefined;
    });
    if (listed === undefined) {
      fields.push(asked);
      continue;
    }
    const { kept, words, note, lost } = listed;
    choices[name] = kept;
    const required = lost && listed.given.length === 0;
    fields.push({ ...asked, given: listed.given, choices: { id: kept.id, words }, note, required });
  }
  return { fields, choices, ...(trouble && { trouble }) };
}

type Sought = {
  readonly resolved: Resolved;
  readonly dependent: NonNullable<Dependents[string]>;
  readonly given: Words;
  readonly kept: Chosen[string] | undefined;
};

type Listed = {
  readonly words: Words;
  /** What is chosen of them. */
  readonly given: Words;
  readonly kept: Chosen[string];
  readonly note: string | undefined;
  /** Something that was chosen cannot be chosen any more. */
  readonly lost: boolean;
};

async function choicesOf(
  { front, payloads }: SlackContext,
  person: Person,
  { resolved: { parsed, input }, dependent, given, kept }: Sought,
): Promise<Listed> {
  const on = dependent.on.map((name) => shownAs(parsed.command.fields[name], input[name]));
  const of = createHash('sha256').update(JSON.stringify(on)).digest('hex').slice(0, 16);
  if (kept?.of === of) {
    const words = await payloads.keptWords(kept.id).catch(() => undefined);
    if (words && given.every((word) => words.includes(word)))
      return { words, given, kept, note: noteOf(words), lost: false };
  }
  const read = (await dependent.choices?.({ input, ...sourcesOf(front, person.id) })) ?? [];
  // What was chosen of another list is not among these because it was among those.
  const isOther = kept !== undefined && kept.of !== of;
  const there = new Set(read);
  const still = isOther ? given.filter((word) => there.has(word)) : given;
  const words = [...new Set([...still, ...fitting(read)])];
  const gone = given.filter((word) => !still.includes(word));
  const id = await payloads.keepWords(person.id, words);
  return {
    words,
    given: still,
    kept: { id, of },
    note: [goneNote(gone), noteOf(words, read)].filter(Boolean).join(' ') || undefined,
    lost: gone.length > 0,
  };
}

/** What was chosen before and cannot be chosen any more is named, because less chosen can mean more done. */
const goneNote = ([first, ...more]: Words): string | undefined =>
  first === undefined
    ? undefined
    : `Not chosen any more, because it is not in this list: ${visibleEnd(first)}${more.length > 0 ? ` and ${more.length} more` : ''}.`;

const visibleEnd = (word: string): string => (word.length > 60 ? `…${word.slice(-60)}`.toWellFormed() : word);

/** What stands in a form, with the words of what was chosen; throws `Refusal` where its choices are too old. */
export async function readForm(context: SlackContext, memo: Memo, fields: Fields, values: unknown): Promise<Filled> {
  const lists = await listsIn(context, memo);
  if (lists === undefined) throw tooOld();
  return saidIn(values, lists, fields);
}

/** The lists that a form offers, by field; undefined where they are not kept any more. */
export async function listsIn(
  { payloads }: SlackContext,
  { choices = {} }: Memo,
): Promise<ReadonlyMap<string, Words> | undefined> {
  const lists = Object.entries(choices).map(async ([name, { id }]) => [name, await payloads.keptWords(id)] as const);
  try {
    return new Map(await Promise.all(lists));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** What somebody is told of a form whose choices are not kept any more: a place in a lost list means nothing. */
export const tooOld = (): Refusal => new Refusal('This form is too old. Nothing was done.', { hint: 'Open it again.' });

/** Throws that in place of what is told of a button that is too old. */
export function orTooOld(error: unknown): never {
  throw error instanceof Refusal ? tooOld() : error;
}

function fitting(read: Words): Words {
  let size = 0;
  const end = read.findIndex((word, at) => (size += word.length + 3) > maxCharacters || at === maxChoices);
  return end === -1 ? read : read.slice(0, end);
}

function noteOf(words: Words, read: Words = words): string | undefined {
  if (words.length === 0) return 'The host lists nothing to choose from.';
  return read.length > words.length ? `The first ${words.length} of ${read.length} can be chosen.` : undefined;
}

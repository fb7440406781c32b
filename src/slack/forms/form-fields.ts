import { createHash } from 'node:crypto';
import { isName, type AnyAction } from '../../commands/kit/action.ts';
import { Refusal } from '../../base/errors.ts';
import type { Person } from '../../access/access-check.ts';
import type { ParsedCommand } from '../../language/bind-arguments.ts';
import { choicesShown, mayBeShown, refuseUnlessShown } from '../../access/sight.ts';
import { MembershipUnknown } from '../../access/unknown-groups.ts';
import { areEnvironments, canonicalArgs, resolve, shownAs, type Resolved } from '../../language/resolve.ts';
import { isOpen } from '../../language/many-environments.ts';
import { say, type Text } from '../../words/text.ts';
import { sourcesOf } from '../../change/read-sources.ts';
import { asRefusal } from '../../hosting/host-trouble.ts';
import type { Memo, FormContents } from './views.ts';
import type { FormField } from './inputs.ts';
import type { SlackContext } from '../context/context.ts';
import { fitting } from '../../block-kit/text.ts';
import { freezeNote } from '../../access/freeze-words.ts';
import { freezesAhead } from '../../change/freeze-check.ts';
import { targetsOf } from '../../access/targets.ts';
import { lockInWords, lockWarning, lockAndHolder } from '../../change/lock-in-the-way.ts';
import { TooLate, within } from '../../base/time-limit.ts';

/**
 * What a form looks up before it is drawn: its fields, the host's choices for them, and who has locked its targets.
 */

type Dependents = NonNullable<AnyAction['dependent']>;
type KeptChoices = NonNullable<Memo['choices']>;

/** Longer lists are cut, and a note says so. */
const maxChoices = 10_000;
const maxCharacters = 400_000;

const dependentsOf = ({ command }: Pick<ParsedCommand, 'command'>): Dependents =>
  command.shape === 'action' ? (command.dependent ?? {}) : {};

/** Whether drawing this form needs a read from the host. */
export function needsHost({ parsed, input }: Pick<Resolved, 'parsed' | 'input'>): boolean {
  return Object.values(dependentsOf(parsed)).some(
    (one) => one?.choices && one.asked?.(input) !== false && one.on.every((field) => field in input),
  );
}

/** The fields and choices of a form. A list that was read for the same answers is not read again. */
export async function formContentsOf(
  context: SlackContext,
  person: Person,
  parsed: ParsedCommand,
  before: KeptChoices = {},
): Promise<FormContents & { readonly trouble?: Refusal }> {
  const resolved = resolve(parsed, context.pipeline.names(person));
  const dependents = dependentsOf(parsed);
  const dependedOn = new Set(Object.values(dependents).flatMap((one) => one?.on ?? []));
  const fields: FormField[] = [];
  const choices: Record<string, KeptChoices[string]> = {};
  let trouble: Refusal | undefined;
  const onTrouble = (error: unknown): undefined => {
    const refusal = asRefusal(error, canonicalArgs(resolved));
    trouble =
      refusal instanceof Refusal ? refusal : new Refusal("I couldn't ask the host what there is to choose from.");
  };
  for (const [name, field] of Object.entries(parsed.command.fields)) {
    const given = wordsOf(name, field, resolved);
    const dependent = dependents[name];
    // Skip a field that is not needed, unless it already has a value.
    if (dependent?.asked?.(resolved.input) === false && given.length === 0) continue;
    const formField: FormField = { name, field, given, reportsChanges: dependedOn.has(name) };
    const offers = dependent?.choices && dependent.on.every((one) => one in resolved.input);
    const query = offers && { resolved, dependent, given, kept: before[name] };
    const listed = query && (await choicesOf(context, person, query).catch(onTrouble));
    if (!listed) {
      fields.push(formField);
      continue;
    }
    const { kept, words, note, lost } = listed;
    choices[name] = kept;
    const required = lost && listed.given.length === 0;
    fields.push({ ...formField, given: listed.given, choices: { id: kept.id, words }, note, required });
  }
  return { fields, choices, ...(trouble && { trouble }) };
}

/** Several environments stay as they were typed or, without a set or a `*`, by name: nobody can read a list of ids. */
function wordsOf(name: string, field: FormField['field'], { parsed, input }: Resolved): readonly string[] {
  const { [name]: typed = [] } = parsed.given;
  const { [name]: value } = input;
  if (areEnvironments(value)) return isOpen(typed) ? typed : [value.all.map((one) => one.name).join(', ')];
  const shown = isName(field) && field.after === undefined ? shownAs(field, value) : [];
  return shown.length > 0 ? shown : typed;
}

type ChoicesQuery = {
  readonly resolved: Resolved;
  readonly dependent: NonNullable<Dependents[string]>;
  readonly given: readonly string[];
  readonly kept: KeptChoices[string] | undefined;
};

type ShownChoices = {
  readonly words: readonly string[];
  /** The chosen words. */
  readonly given: readonly string[];
  readonly kept: KeptChoices[string];
  readonly note: string | undefined;
  /** Whether an earlier choice is no longer possible. */
  readonly lost: boolean;
};

async function choicesOf(
  { pipeline, payloads }: SlackContext,
  person: Person,
  { resolved, dependent, given, kept }: ChoicesQuery,
): Promise<ShownChoices | undefined> {
  const { input } = resolved;
  const shown = choicesShown(resolved, dependent);
  const may = mayBeShown(pipeline, person, shown);
  if (may === 'no') return undefined;
  if (may !== 'yes') throw new MembershipUnknown(say`you may see what there is to choose from`, may);
  const of = answersFor(dependent, resolved);
  if (kept?.of === of) {
    const words = (await payloads.keptList(kept.id).catch(() => undefined))?.words;
    if (words && given.every((word) => words.includes(word)))
      return { words, given, kept, note: noteOf(words), lost: false };
  }
  const read = (await dependent.choices?.({ input, ...sourcesOf(pipeline, person.id) })) ?? [];
  // The rules may have changed while it was read.
  if (mayBeShown(pipeline, person, shown) !== 'yes') return undefined;
  // If the list is new, drop choices that it lacks. Otherwise keep them, even if the host doesn't list them.
  const isNewList = kept !== undefined && kept.of !== of;
  const available = new Set(read);
  const remaining = isNewList ? given.filter((word) => available.has(word)) : given;
  const fits = fitting(read.slice(0, maxChoices), maxCharacters, (word) => word.length + 3);
  const words = [...new Set([...remaining, ...fits])];
  const dropped = given.filter((word) => !remaining.includes(word));
  const id = await payloads.keepList(person.id, words, shown);
  return {
    words,
    given: remaining,
    kept: { id, of },
    note: [droppedNote(dropped), noteOf(words, read)].filter(Boolean).join(' ') || undefined,
    lost: dropped.length > 0,
  };
}

/** A hash of the answers that a list of choices is read for. */
function answersFor({ on }: ChoicesQuery['dependent'], { parsed, input }: Resolved): string {
  const answers = on.map((name) => shownAs(parsed.command.fields[name], input[name]));
  return createHash('sha256').update(JSON.stringify(answers)).digest('hex').slice(0, 16);
}

/** Whether something was chosen from a list for other answers: the form was not redrawn after its last change. */
export const isChosenFromOldList = (resolved: Resolved, { choices = {} }: Memo): boolean =>
  Object.entries(dependentsOf(resolved.parsed)).some(([name, dependent]) => {
    const isChosen = (resolved.parsed.given[name] ?? []).length > 0;
    const of = choices[name]?.of;
    return dependent && isChosen && of !== undefined && of !== answersFor(dependent, resolved);
  });

/** Names earlier choices that were dropped, because fewer choices can mean doing more. */
const droppedNote = ([first, ...more]: readonly string[]): string | undefined =>
  first === undefined
    ? undefined
    : `No longer chosen, because it isn't in this list: ${endOf(first)}${more.length > 0 ? ` and ${more.length} more` : ''}.`;

const endOf = (word: string): string => (word.length > 60 ? `…${word.slice(-60)}`.toWellFormed() : word);

/** The lists that a form offers, by field. Throws `Refusal` if they have expired, or may no longer be shown. */
export async function listsIn(
  { payloads, pipeline }: SlackContext,
  person: Person,
  { choices = {} }: Memo,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lists = Object.entries(choices).map(async ([name, { id }]) => {
    const { words, shown } = await payloads.keptList(id);
    refuseUnlessShown(pipeline, person, shown);
    return [name, words] as const;
  });
  return new Map(await Promise.all(lists).catch(orTooOld));
}

/** Throws the refusal about an expired form instead of the refusal about an expired button. */
export function orTooOld(error: unknown): never {
  throw error instanceof Refusal
    ? new Refusal('This form is too old. Nothing was done.', { hint: 'Open it again.' })
    : error;
}

function noteOf(words: readonly string[], read: readonly string[] = words): string | undefined {
  if (words.length === 0) return 'The host lists nothing to choose from.';
  return read.length > words.length ? `You can choose from the first ${words.length} of ${read.length}.` : undefined;
}

/** A form that waits longer may lose its trigger. */
const lookMs = 300;

/**
 * Says at the top of a form who has locked its targets: what an action waits for, and what `unlock` removes. Undefined:
 * nobody, it could not be looked up in time, or this person may neither run the command there nor see the status. The
 * lock is checked again before anything is saved or sent. Call it only after the ack.
 */
export async function lockNote(
  { pipeline, log }: SlackContext,
  person: Person,
  resolved: Resolved,
): Promise<Text | undefined> {
  const { database, company } = pipeline;
  const { command, path } = resolved.parsed;
  const { target, alsoReads } = targetsOf(resolved, company());
  const isUnlock = path === 'unlock';
  if (!(command.shape === 'action' || isUnlock) || target === undefined) return undefined;
  const belongsTo = [path, 'status'].map((one) => [{ path: one, targets: [target] }]);
  if (!belongsTo.some((shown) => mayBeShown(pipeline, person, shown) === 'yes')) return undefined;
  const risk = command.shape === 'action' ? command.risk : 'destructive';
  const wants = { risk, targets: JSON.stringify([target, ...alsoReads]) };
  const look = async (): Promise<Text | undefined> => {
    const now = await database.now();
    const held = await lockAndHolder(database.db, wants, now);
    return held && (isUnlock ? lockInWords(held, now) : lockWarning(held, now));
  };
  return within(lookMs, look()).catch((error: unknown) => {
    if (!(error instanceof TooLate)) log.warn({ err: error }, 'could not look for a lock');
    return undefined;
  });
}

/** Says at the top of an action's form which freeze concerns what it is about. It is checked again when it is asked for. */
export async function freezeNoteFor(
  { pipeline }: Pick<SlackContext, 'pipeline'>,
  person: Person,
  resolved: Resolved,
): Promise<Text | undefined> {
  const { target } = targetsOf(resolved, pipeline.company());
  if (target === undefined) return undefined;
  const ahead = await within(lookMs, freezesAhead(pipeline, person, resolved)).catch(() => undefined);
  const note = ahead && freezeNote(ahead, target.name);
  return note && say`⚠️ ${note}`;
}

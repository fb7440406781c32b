import type { AnyAction } from '../../commands/kit/action.ts';
import { Refusal } from '../../errors.ts';
import { findSaved, findWaiting, type Change, type NewChange } from '../../storage/changes.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { closeInbox } from '../../storage/inbox.ts';
import { LockHeld, type ChangeStore } from '../changes/change-store.ts';
import { authorise, assertChannel, assertMember, type Authorised, type Person } from '../access/authorise.ts';
import { mayTry } from '../access/may-run.ts';
import { coolsDown } from '../changes/change.ts';
import { needsReview, refuseUnlessConfirmed, type Confirmation } from '../changes/confirmation.ts';
import { whomToAsk, type ApproverContext } from '../access/approver-lookup.ts';
import { idsOf } from '../../policy/people.ts';
import { lockInTheWay, refuseTooMany } from '../changes/conflicts.ts';
import { rowOf } from './new-change.ts';
import { freeze, type Frozen } from '../changes/freeze.ts';
import { sourcesOf, type Sighted } from '../changes/read-sources.ts';
import { canonicalWords, type Names, type Resolved } from '../language/resolve.ts';
import { asked, lockedBy } from '../changes/replies.ts';
import { asRefusal } from '../changes/host-trouble.ts';
import { readSetting } from '../../storage/kv.ts';
import { pauseKey } from './admin-actions.ts';
import type { Asker } from './new-change.ts';

/** What the front half needs; `main.ts` gives it. */
export type FrontDesk = ApproverContext &
  Sighted & {
    readonly database: Database;
    readonly changeStore: ChangeStore;
    /** What this person may read, by name. */
    readonly names: (person: Person) => Names;
    /** Lists the names anew, if that was not done just now; never rejects. */
    readonly freshenNames: (withinMs?: number) => Promise<number>;
    /** Told whenever something was saved that the worker should look at. */
    readonly onSaved: () => void;
  };

/** How far a wish has come: words are missing, the person has to see what will happen, or it can go on at once. */
export type Considered =
  | { readonly kind: 'incomplete'; readonly resolved: Resolved; readonly unsaid?: Refusal }
  | { readonly kind: 'review'; readonly parsed: Authorised; readonly action: AnyAction }
  | { readonly kind: 'ready'; readonly parsed: Authorised };

const maxReasonLength = 500;

/** Holds what was read against the rules, in memory; throws `Refusal`. Fields still missing are no refusal. */
export function consider(context: FrontDesk, resolved: Resolved, { person, channel }: Asker): Considered {
  assertMember(person);
  const { parsed } = resolved;
  if (resolved.problems[0]) throw resolved.problems[0].refusal;
  if (resolved.missing.length > 0) {
    mayTry(context.policy(), person, parsed);
    return { kind: 'incomplete', resolved };
  }
  const { command } = parsed;
  const wrong = command.shape === 'builtin' ? undefined : command.valid?.(resolved.input);
  if (wrong?.unsaid) {
    mayTry(context.policy(), person, parsed);
    return { kind: 'incomplete', resolved, unsaid: new Refusal(wrong.says, wrong) };
  }
  if (wrong) throw new Refusal(wrong.says, wrong);
  if ((parsed.reason?.length ?? 0) > maxReasonLength) {
    throw new Refusal(`A reason has at most ${maxReasonLength} characters. Nothing was done.`, { field: 'reason' });
  }
  const authorised = authorise(context.policy(), person, resolved, context.company());
  if (command.shape !== 'action') return { kind: 'ready', parsed: authorised };
  assertChannel(context.policy(), channel, [authorised.target, ...authorised.alsoReads]);
  if (parsed.dryRun) return { kind: 'ready', parsed: authorised };
  if (needsReview(command, authorised.target)) return { kind: 'review', parsed: authorised, action: command };
  return wantsReason(authorised)
    ? { kind: 'incomplete', resolved, unsaid: noReason() }
    : { kind: 'ready', parsed: authorised };
}

/** Somebody or something else holds what it needs. */
export class Locked extends Refusal {}

/** Whether the rules want a reason, and none was given. */
export const wantsReason = ({ permit: { approval }, parsed }: Authorised): boolean =>
  approval !== 'none' && approval.reason === 'required' && parsed.reason === undefined;

export const noReason = (): Refusal =>
  new Refusal('The rules want a reason for this. Nothing was done.', { field: 'reason' });

/** Looks at the host and freezes the call and the card; throws `Refusal` where it cannot be or is so already. */
export async function lookAndFreeze(
  context: FrontDesk,
  parsed: Authorised,
  action: AnyAction,
  onBehalfOf?: string,
): Promise<Frozen> {
  const before = await action
    .look?.({ input: parsed.input, ...sourcesOf(context, onBehalfOf) })
    .catch((error: unknown) => {
      throw asRefusal(error, canonicalWords(parsed));
    });
  const wrong = action.possible?.({ input: parsed.input, before });
  if (wrong) throw new Refusal(wrong.says, wrong);
  return freeze(parsed, action, before, await context.database.now());
}

/**
 * Saves the change, if its inbox row is still open: undefined where the person was told already that nothing was done.
 * Throws `Refusal` where a lock is held, or it was not confirmed as it is; `NotAsShown` where it was shown otherwise.
 * `also` belongs to it: where that throws, nothing is saved.
 */
export async function save(
  context: FrontDesk,
  frozen: Frozen,
  asker: Asker,
  confirmation: Confirmation,
  inboxKey: string | undefined,
  also: (tx: Tx, saved: Change) => Promise<void> = async () => undefined,
): Promise<Change | undefined> {
  const { database, changeStore } = context;
  const { approval } = frozen.permit;
  refuseUnlessConfirmed(frozen, confirmation);
  if (wantsReason(frozen)) throw noReason();
  const asks = approval === 'none' ? [] : await whomToAsk(context, approval, frozen, asker.person.id);
  let begun: NewChange | undefined;
  try {
    const change = await database.transaction(async (tx) => {
      const now = await database.now(tx);
      begun = undefined;
      if (inboxKey !== undefined && !(await closeInbox(tx, inboxKey, now))) return undefined;
      const row = rowOf({ ...frozen, permit: { ...frozen.permit, asks } }, asker, now);
      await refuseTooMany(tx, row, idsOf(context.policy(), row.asker));
      const twin = row.state === 'waiting' ? await findWaiting(tx, row) : undefined;
      const held = await lockInTheWay(tx, row, now);
      if (held && row.state === 'approved') throw new LockHeld(held, row);
      const saved = await changeStore.begin(tx, row, { by: row.asker, at: now, details: detailsOf(row) });
      const decide = saved.state === 'approved' && coolsDown(saved);
      const event = saved.state === 'approved' ? 'queued' : 'waiting';
      begun = row;
      const isPaused = (await readSetting(tx, pauseKey)) !== undefined;
      const reply = asked(saved, { held, twin, isPaused });
      await changeStore.remark(tx, saved, event, { by: 'sitehand', at: now, ...(reply && { reply, decide }) });
      await also(tx, saved);
      return saved;
    });
    if (change) context.onSaved();
    return change;
  } catch (error) {
    if (error instanceof LockHeld)
      throw new Locked(lockedBy(error.lock, error.target), { hint: 'Ask again when it is free.' });
    // Where only the answer to the commit was lost, the change is there, and will be sent.
    const saved = begun && (await findSaved(database.db, begun).catch(() => undefined));
    if (saved === undefined) throw error;
    context.onSaved();
    return saved;
  }
}

/** What the audit trail keeps of it. */
const detailsOf = ({ command, words, reason, asker_name, call, fingerprint, permit, before }: NewChange) => ({
  command,
  words,
  reason,
  name: asker_name,
  call,
  fingerprint,
  permit,
  before,
});

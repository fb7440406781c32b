import type { Channel, Person } from '../access/access-check.ts';
import { counted } from '../commands/kit/page.ts';
import { unreviewed, type Change, type NewChange } from '../storage/changes.ts';
import { requestId } from '../storage/inbox.ts';
import { canaryIn } from './pin-batch.ts';
import type { BatchItem, BatchProgress } from '../change/batch.ts';
import { readyToSend } from '../change/change.ts';
import { askedAt, authorizationOf, type Authorization } from '../access/authorization.ts';
import { storedReason } from '../access/reason.ts';
import { linksIn } from '../policy/reason-match.ts';
import { nameToType } from '../change/confirmation.ts';
import { batchTarget, targetKey } from '../access/targets.ts';
import type { Pinned } from '../change/pin.ts';
import { nextLook } from './reminders.ts';
import { storedArgs } from '../language/resolve.ts';
import { windowOf } from '../language/schedule.ts';

/** Who asks, and the channel for the card. */
export type Requester = { readonly person: Person; readonly channel: Channel };

/** The delivery it was asked in, and the person who handed it on. */
type Origin = { readonly inboxKey?: string | undefined; readonly handedOnBy?: string | undefined };

/** The row of a new change: waiting if the rules want an approval, else approved. `now` in epoch milliseconds. */
export function rowOf(
  pinned: Pinned,
  { person, channel }: Requester,
  now: number,
  { inboxKey, handedOnBy }: Origin = {},
): NewChange {
  const columns = targetColumns(pinned);
  return {
    ...columns,
    command: pinned.parsed.path,
    risk: pinned.action.risk,
    args: storedArgs(pinned),
    snapshot: JSON.stringify(pinned.snapshot ?? null),
    preconditions: pinned.preconditions,
    call: pinned.call,
    card: pinned.card,
    fingerprint: pinned.fingerprint,
    reason: storedReason(pinned.parsed),
    requester: person.id,
    requester_name: person.name,
    requester_team: person.team,
    channel: channel.id,
    request: inboxKey === undefined ? (person.caller?.as ?? null) : requestId(inboxKey),
    handed_on_by: handedOnBy ?? null,
    // A timer's change is of the program that asked for the grant.
    caller: pinned.authorization.calling?.name ?? null,
    caller_request: person.caller?.request?.id ?? null,
    authorization: JSON.stringify(withLinks(pinned)),
    created_at: now,
    post_review: pinned.authorization.breakGlass ? unreviewed : null,
    ...initialState(pinned, columns, now),
  };
}

/** The links in the reason are found once: nothing that is drawn later looks for them again. */
function withLinks({ authorization, parsed }: Pinned): Pinned['authorization'] {
  const { approval } = authorization;
  const links = approval === 'none' ? [] : linksIn(approval.reason, storedReason(parsed) ?? '');
  return links.length === 0 ? authorization : { ...authorization, links };
}

/** The target columns. A batch is about all of its environments, and locks none of them itself. */
function targetColumns(
  pinned: Pinned,
): Pick<NewChange, 'target' | 'target_name' | 'cools_down' | 'targets' | 'progress'> {
  const { action, target, alsoReads, items, authorization } = pinned;
  if (items) {
    const canary = canaryIn(pinned, items);
    const first = canary === undefined ? {} : { canary: { item: canary, isPassed: false } };
    const progress: BatchProgress = { items: items.map(() => ({})), passedOver: [], ...first };
    const targets = JSON.stringify(alsoReads);
    const target_name = counted(items.length, 'environment');
    return { target: batchTarget, target_name, cools_down: 0, targets, progress: JSON.stringify(progress) };
  }
  if (target === undefined) throw new Error('a change has a target');
  return {
    target: targetKey(target),
    target_name: target.name,
    // What needs its name typed can be stopped for ten seconds, and so can what nobody approves.
    cools_down: authorization.breakGlass || nameToType(action, target) !== undefined ? 1 : 0,
    targets: JSON.stringify([target, ...alsoReads]),
  };
}

/** The row of the change that a batch begins for one of its items, as it was pinned. */
export function rowInBatch(batch: Change, { target, ...pinned }: BatchItem, now: number): NewChange {
  const { command, risk, reason, request, channel, expires_at } = batch;
  const { requester, requester_name, requester_team, handed_on_by, caller } = batch;
  return {
    command,
    risk,
    reason,
    request,
    channel,
    authorization: JSON.stringify({ ...authorizationOf(batch), askedAt: askedAt(batch) } satisfies Authorization),
    expires_at,
    requester,
    requester_name,
    requester_team,
    handed_on_by,
    caller,
    ...pinned,
    target: targetKey(target),
    target_name: target.name,
    cools_down: 0,
    targets: JSON.stringify([target]),
    batch: batch.number,
    created_at: now,
    state: 'approved',
    due_at: now,
  };
}

function initialState(
  { authorization, parsed }: Pinned,
  { cools_down }: Pick<NewChange, 'cools_down'>,
  now: number,
): Pick<NewChange, 'state' | 'expires_at' | 'due_at' | 'scheduled_at'> {
  const { approval, breakGlass: skips } = authorization;
  const schedule = windowOf(parsed);
  const scheduled_at = schedule?.at ?? null;
  if (approval !== 'none' && skips === undefined) {
    // The vote lasts until the window ends.
    const expires_at = schedule?.until ?? now + approval.expires;
    return {
      scheduled_at,
      state: 'waiting',
      expires_at,
      due_at: nextLook({ created_at: now, expires_at }, authorization, now),
    };
  }
  const ready = { cools_down, expires_at: schedule?.until ?? now, scheduled_at };
  return { scheduled_at, state: 'approved', ...readyToSend(ready, now) };
}

/** What the audit line of a new change says. */
export function newChangeDetails(row: NewChange) {
  const { command, args, reason, request, handed_on_by, caller, requester_name: name } = row;
  const { call, fingerprint, authorization, snapshot, scheduled_at, expires_at } = row;
  const when = scheduled_at == null ? {} : { scheduled_at, expires_at };
  const from = { ...(request && { request }), ...(handed_on_by && { handed_on_by }), ...(caller && { caller }) };
  return { command, args, reason, ...when, ...from, name, call, fingerprint, authorization, snapshot };
}

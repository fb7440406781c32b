import type { Channel, Person } from '../access/access-check.ts';
import { scrub } from '../../secret.ts';
import type { NewChange } from '../../storage/changes.ts';
import { readyToSend } from '../changes/change.ts';
import { targetKey } from '../access/targets.ts';
import type { Frozen } from '../changes/freeze.ts';
import { nextReminder } from './reminders.ts';
import { canonicalArgs, withoutId } from '../language/resolve.ts';

/** Who asks, and the channel for the card. */
export type Requester = { readonly person: Person; readonly channel: Channel };

/** The row of a new change: waiting if the rules want an approval, else approved. `now` in epoch milliseconds. */
export function rowOf(frozen: Frozen, { person, channel }: Requester, now: number): NewChange {
  const { target } = frozen;
  if (target === undefined) throw new Error(`${frozen.parsed.path} has no target`);
  return {
    command: frozen.parsed.path,
    risk: frozen.action.risk,
    args: JSON.stringify(canonicalArgs(withoutId(frozen))),
    target: targetKey(target),
    target_name: target.name,
    is_live: target.kind === 'environment' && target.live ? 1 : 0,
    targets: JSON.stringify([target, ...frozen.alsoReads]),
    snapshot: JSON.stringify(frozen.snapshot ?? null),
    preconditions: frozen.preconditions,
    call: frozen.call,
    card: frozen.card,
    fingerprint: frozen.fingerprint,
    // The reason is public and stored, so pasted keys are removed.
    reason: frozen.parsed.reason === undefined ? null : scrub(frozen.parsed.reason),
    requester: person.id,
    requester_name: person.name,
    requester_team: person.team,
    channel: channel.id,
    authorization: JSON.stringify(frozen.authorization),
    created_at: now,
    ...initialState(frozen, now),
  };
}

function initialState(
  { authorization: { approval }, action, target }: Frozen,
  now: number,
): Pick<NewChange, 'state' | 'expires_at' | 'due_at'> {
  if (approval !== 'none') {
    const expires_at = now + approval.expires;
    return { state: 'waiting', expires_at, due_at: nextReminder(now, expires_at, now) };
  }
  const is_live = target?.kind === 'environment' && target.live ? 1 : 0;
  return { state: 'approved', ...readyToSend({ risk: action.risk, is_live, expires_at: now }, now) };
}

/** What the audit line of a new change says. */
export function detailsOf(row: NewChange) {
  const {
    command,
    args,
    reason,
    request,
    handed_on_by,
    requester_name: name,
    call,
    fingerprint,
    authorization,
    snapshot,
  } = row;
  return {
    command,
    args,
    reason,
    ...(request && { request }),
    ...(handed_on_by && { handed_on_by }),
    name,
    call,
    fingerprint,
    authorization,
    snapshot,
  };
}

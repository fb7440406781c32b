import type { Person } from '../access/access-check.ts';
import { freezesAt, type FreezeAhead, type FreezeMoment } from '../access/freeze-words.ts';
import { aboutOf, targetKey } from '../access/targets.ts';
import { scheduleOf } from '../language/schedule.ts';
import { storedArgs, type Resolved } from '../language/resolve.ts';
import { decideFreeze, freezesOf, type FreezeDecision } from '../policy/freezes.ts';
import type { Change } from '../storage/changes.ts';
import type { Target } from '../hosting/contract/target.ts';
import type { Text } from '../words/text.ts';
import { isWayBack } from './undo.ts';
import type { ChangeContext } from './context.ts';

/** What the freezes come to for a change: before it is asked for, when it is, at a click, and before it is sent. */

type FreezeContext = Pick<ChangeContext, 'policy' | 'company' | 'database'>;
type Asked = {
  readonly resolved: Resolved;
  /** When it is to be sent, epoch ms. */
  readonly at: number;
  /** Its row, once it is saved. */
  readonly change?: Pick<Change, 'target' | 'args' | 'number' | 'scheduled_at' | 'created_at'>;
};

const open: FreezeDecision = { kind: 'open', approval: 'none', names: [], openUntil: undefined };

/**
 * The decision for the moment at which it is to be sent. A way back is never frozen; it is read from the rows, and
 * declared by nobody. What lets somebody in is none, whatever it reverses.
 */
export async function checkFreezes(
  { policy, company, database }: FreezeContext,
  person: Person,
  { resolved, at, change }: Asked,
): Promise<FreezeDecision> {
  const { asked, target } = aboutOf(resolved, company());
  const decision = decideFreeze(policy(), person, asked, at);
  const { command } = resolved.parsed;
  // Most requests meet no freeze, so the rows need no look.
  if (command.shape !== 'action' || command.access !== undefined || isOpen(decision)) return decision;
  const restoring = change
    ? { ...change, from: change.scheduled_at ?? change.created_at }
    : { target: target ? targetKey(target) : '', args: storedArgs(resolved), from: at };
  return (await isWayBack(database.db, restoring)) ? open : decision;
}

/** The same for what nobody has asked for yet: at its time, or else now (epoch ms). Undefined: the policy has no freezes. Throws `Refusal`. */
export async function freezesAhead(
  context: FreezeContext,
  person: Person,
  resolved: Resolved,
): Promise<FreezeAhead | undefined> {
  if (context.policy().freezes.length === 0) return undefined;
  const moment = await momentOf(context, person, resolved);
  return { decision: await checkFreezes(context, person, { resolved, at: moment.at }), ...moment };
}

/** The freezes of a command on any of these targets at its time, or else now, whoever asks. Throws `Refusal`. */
export async function freezesOnAny(
  context: FreezeContext,
  person: Person,
  resolved: Resolved,
  targets: readonly Target[],
): Promise<readonly Text[]> {
  const { at } = await momentOf(context, person, resolved);
  const { command } = aboutOf(resolved, context.company()).asked;
  return freezesAt({ freezes: freezesOf(context.policy(), command) }, targets, at);
}

async function momentOf(
  { database }: Pick<FreezeContext, 'database'>,
  person: Person,
  { parsed }: Resolved,
): Promise<FreezeMoment> {
  const now = await database.now();
  return { at: Math.max(now, scheduleOf(parsed, now, person.zone)?.at ?? now), now };
}

/** Whether nothing is asked for because of a freeze, now and later. */
const isOpen = (decision: FreezeDecision): boolean =>
  decision.kind === 'open' && decision.names.length === 0 && decision.openUntil === undefined;

import type { Person } from '../access/access-check.ts';
import type { FreezeAhead } from '../access/freeze-words.ts';
import { aboutOf, targetKey } from '../access/targets.ts';
import { scheduleOf } from '../language/schedule.ts';
import { storedArgs, type Resolved } from '../language/resolve.ts';
import { strictestOf } from '../policy/approval-requirement.ts';
import { decideFreeze, type FreezeDecision } from '../policy/freezes.ts';
import type { Needed } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
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
  const now = await context.database.now();
  const at = scheduleOf(resolved.parsed, now, person.zone)?.at ?? now;
  return { decision: await checkFreezes(context, person, { resolved, at }), at };
}

/** Whether nothing is asked for because of a freeze, now and later. */
const isOpen = (decision: FreezeDecision): boolean =>
  decision.kind === 'open' && decision.names.length === 0 && decision.openUntil === undefined;

/** Whether the approval that a change was asked for with includes what an exception adds. */
export const includes = (then: 'none' | Needed, added: 'none' | Needed): boolean =>
  JSON.stringify(asksOf(strictestOf([then, added]))) === JSON.stringify(asksOf(strictestOf([then])));

const asksOf = (needed: 'none' | Needed) =>
  needed !== 'none' && [
    needed.reason,
    needed.expires,
    needed.requirements.map(({ by, count, escalate }) => ({ by, count, escalate })),
  ];

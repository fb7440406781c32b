import { freezeDecision } from '../access/in-freeze.ts';
import type { Person } from '../access/access-check.ts';
import type { Resolved } from '../language/resolve.ts';
import { strictestOf } from '../policy/approval-requirement.ts';
import type { FreezeDecision } from '../policy/freezes.ts';
import type { Needed } from '../policy/rules.ts';
import { isWayBack, type Restoring } from './undo.ts';
import type { ChangeContext } from './context.ts';

/** What the freezes come to for a change: when it is asked for, at a click, and before it is sent. */

type Asked = Restoring & {
  readonly resolved: Resolved;
  /** When it is to be sent, epoch ms. */
  readonly at: number;
};

const open: FreezeDecision = { kind: 'open', approval: 'none', names: [], nextAt: undefined };

/**
 * The decision for the moment at which it is to be sent. A way back is never frozen; it is read from the rows, and
 * declared by nobody. What lets somebody in is none, whatever it reverses.
 */
export async function underFreezes(
  { policy, company, database }: Pick<ChangeContext, 'policy' | 'company' | 'database'>,
  person: Person,
  { resolved, at, ...restoring }: Asked,
): Promise<FreezeDecision> {
  const decision = freezeDecision(policy(), person, resolved, { company: company(), at });
  // Most requests meet no freeze, so the rows need no look.
  const { command } = resolved.parsed;
  const mayBeWayBack = command.shape === 'action' && command.access === undefined && !isOpen(decision);
  return mayBeWayBack && (await isWayBack(database.db, restoring)) ? open : decision;
}

/** Whether nothing is asked for because of a freeze, now and later. */
const isOpen = (decision: FreezeDecision): boolean =>
  decision.kind === 'open' && decision.names.length === 0 && decision.nextAt === undefined;

/** Whether the approval that a change was asked for with includes what an exception adds. */
export const includes = (then: 'none' | Needed, added: 'none' | Needed): boolean =>
  JSON.stringify(asksOf(strictestOf([then, added]))) === JSON.stringify(asksOf(strictestOf([then])));

const asksOf = (needed: 'none' | Needed) =>
  needed !== 'none' && [needed.reason, needed.requirements.map(({ by, count }) => ({ by, count }))];

import type { Access } from '../commands/kit/action.ts';
import { freezeDecision } from '../access/in-freeze.ts';
import type { Person } from '../access/access-check.ts';
import type { Resolved } from '../language/resolve.ts';
import { strictestOf } from '../policy/approval-requirement.ts';
import type { FreezeDecision } from '../policy/freezes.ts';
import type { Needed } from '../policy/rules.ts';
import { isWayBack, type Restoring } from './undo.ts';
import type { ChangeContext } from './context.ts';

/** What the freezes come to for a change: asked when it is frozen as a request, at a click, and before it is sent. */

type Asked = Restoring & {
  readonly resolved: Resolved;
  /** What it does to timed access. */
  readonly access: Access | undefined;
};

const free: FreezeDecision = { kind: 'open', approval: 'none', names: [], nextAt: undefined };

/**
 * The decision at this moment (epoch ms). Never frozen, not even by an exception that asks for an approval, are a way
 * back, which is read from the rows and declared by nobody, and what only takes access away.
 */
export async function underFreezes(
  { policy, company, database }: Pick<ChangeContext, 'policy' | 'company' | 'database'>,
  person: Person,
  { resolved, access, ...asked }: Asked,
  at: number,
): Promise<FreezeDecision> {
  if (access?.lets.length === 0) return free;
  const decision = freezeDecision(policy(), person, resolved, { company: company(), at });
  // Most requests meet no freeze, so the rows need no look.
  const isOpen = decision.kind === 'open' && decision.names.length === 0 && decision.nextAt === undefined;
  // What lets somebody in is no way back, whatever it reverses.
  return !isOpen && access === undefined && (await isWayBack(database.db, asked)) ? free : decision;
}

/** Whether the approval that a change was asked for with includes what an exception adds. */
export const includes = (then: 'none' | Needed, added: 'none' | Needed): boolean =>
  JSON.stringify(asksOf(strictestOf([then, added]))) === JSON.stringify(asksOf(strictestOf([then])));

const asksOf = (needed: 'none' | Needed) =>
  needed !== 'none' && needed.requirements.map(({ by, count }) => ({ by, count }));

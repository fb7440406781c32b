import type { Approval } from './rules.ts';

/** So many people of these groups; `allowed`: of those whom a rule allows the same command on the same target. */
export type Requirement = { readonly by: 'allowed' | readonly string[]; readonly count: number };

/** The approval a change needs: plain data, kept with the change. `expires` is in milliseconds after asking. */
export type Needed = {
  /** Every one of these must be met; one person may count towards several. */
  readonly requirements: readonly Requirement[];
  readonly expires: number;
  readonly reason: 'required' | 'optional';
};

/**
 * The strictest of what several rules ask for. Nothing any of them asks for is lost: what differs in *who* stands side
 * by side and must all be met, the same *who* is needed as often as the strictest says; the shortest expiry holds, and
 * a reason is required if one rule requires it. Hence no rule can weaken what another one asks for.
 */
export function strictest(approvals: readonly ('none' | Approval)[]): 'none' | Needed {
  const asked = approvals.filter((approval) => approval !== 'none');
  if (asked.length === 0) return 'none';
  const requirements = new Map<string, Requirement>();
  for (const { by, count } of asked) {
    const who = by === 'allowed' ? by : [...new Set(by)].sort();
    const key = JSON.stringify(who);
    requirements.set(key, { by: who, count: Math.max(count, requirements.get(key)?.count ?? 0) });
  }
  return {
    requirements: [...requirements.values()],
    expires: Math.min(...asked.map(({ expires }) => expires)),
    reason: asked.some(({ reason }) => reason === 'required') ? 'required' : 'optional',
  };
}

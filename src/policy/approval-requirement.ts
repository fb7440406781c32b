import type { Approval } from './rules.ts';

/** `count` people of these groups; `allowed`: people whom a rule allows the same command on the same target. */
export type Requirement = { readonly by: 'allowed' | readonly string[]; readonly count: number };

/** The approval a change needs, as plain data stored with it. `expires` is in milliseconds after asking. */
export type Needed = {
  /** All must be met. One person may count towards several. */
  readonly requirements: readonly Requirement[];
  readonly expires: number;
  readonly reason: 'required' | 'optional';
};

/**
 * Combines what several rules ask for, so that no rule can weaken another. Requirements with different `by` must all be
 * met. For the same `by` the highest count applies. The shortest expiry applies. A reason is required if one rule
 * requires it.
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

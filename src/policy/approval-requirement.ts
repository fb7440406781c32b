import {
  defaultApprovals,
  defaultExpiryMs,
  defaultReason,
  isWrite,
  type Approval,
  type Escalation,
  type Needed,
  type NeededReason,
  type PolicyCommand,
  type Requirement,
  type Rule,
} from './rules.ts';

/** The approval that one rule asks for, and what several ask for together: the strictest. */

/** Applies to a destructive command if the allowing rule does not mention approval. */
const bySomebodyElse: Approval = {
  by: 'allowed',
  count: defaultApprovals,
  expires: defaultExpiryMs,
  reason: defaultReason,
};

/** The same, as a change needs it. */
export const approvalByOthers: Needed = {
  requirements: [{ by: 'allowed', count: defaultApprovals }],
  expires: defaultExpiryMs,
  reason: defaultReason,
};

/**
 * The approval an allowing rule asks for before this command is sent. If a rule does not say, all that a caller asks for
 * needs one.
 */
export function approvalBy(rule: Pick<Rule, 'approval'>, command: PolicyCommand, isCaller = false): 'none' | Approval {
  const isOthers = command.risk === 'destructive' || (isCaller && isWrite(command));
  return rule.approval ?? (isOthers ? bySomebodyElse : 'none');
}

/**
 * Combines what several rules ask for, so that no rule can weaken another. Requirements with different `by` must all be
 * met. For the same `by` the highest count applies. The shortest expiry applies. A reason is required if one rule
 * requires it, and has to have what each of them looks for. Everybody whom one of the rules notifies is notified. It
 * escalates to groups to which each rule with this `by` does, after the longest time.
 */
export function strictest(approvals: readonly ('none' | Approval)[]): 'none' | Needed {
  const asked = approvals.filter((approval) => approval !== 'none');
  if (asked.length === 0) return 'none';
  const requirements = new Map<string, Requirement>();
  for (const { by, count, notify, escalate } of asked) {
    const who = by === 'allowed' ? by : distinct(by);
    const key = JSON.stringify(who);
    const former = requirements.get(key);
    const told = notifiedBy(former, { by: who, notify });
    const next = former ? laterOf(former.escalate, escalate) : escalate;
    requirements.set(key, {
      by: who,
      count: Math.max(count, former?.count ?? 0),
      ...(told && { notify: told }),
      ...(next && { escalate: next }),
    });
  }
  return {
    requirements: [...requirements.values()],
    expires: Math.min(...asked.map(({ expires }) => expires)),
    reason: strictestReason(asked.map(({ reason }) => reason)),
  };
}

function strictestReason(all: readonly NeededReason[]): NeededReason {
  const matches = new Map(
    all.flatMap((one) => (typeof one === 'string' ? [] : one)).map((one) => [JSON.stringify(one), one]),
  );
  if (matches.size > 0) return [...matches.keys()].sort().flatMap((key) => matches.get(key) ?? []);
  return all.includes('required') ? 'required' : 'optional';
}

/** The same with one approval for each requirement. */
export const byOne = (needed: Needed): Needed => ({
  ...needed,
  requirements: needed.requirements.map((one) => ({ ...one, count: 1 })),
});

/** The same of what several requirements ask for together. */
export const strictestOf = (all: readonly ('none' | Needed)[]): 'none' | Needed =>
  strictest(
    all.flatMap((needed) =>
      needed === 'none'
        ? []
        : needed.requirements.map((one) => ({ ...one, expires: needed.expires, reason: needed.reason })),
    ),
  );

type Notifying = Pick<Approval, 'by' | 'notify'>;

/** The groups that two rules with the same `by` notify together; undefined: those who may approve. */
function notifiedBy(former: Notifying | undefined, { by, notify }: Notifying): readonly string[] | undefined {
  if (by === 'allowed' || (notify === undefined && former?.notify === undefined)) return undefined;
  return distinct([...(notify ?? by), ...(former ? (former.notify ?? by) : [])]);
}

/** The stricter of both: none, if only one of them escalates, or each to other groups. */
function laterOf(one: Escalation | undefined, other: Escalation | undefined): Escalation | undefined {
  if (one === undefined || other === undefined) return undefined;
  const to = one.to.filter((name) => other.to.includes(name));
  return to.length > 0 ? { after: Math.max(one.after, other.after), to: distinct(to) } : undefined;
}

/** The requirement so many milliseconds after asking: from `after` on, groups to which it escalates count and are told. */
export function inForce(requirement: Requirement, waited: number): Requirement {
  const { by, count, notify, escalate } = requirement;
  if (by === 'allowed' || escalate === undefined || waited < escalate.after) return requirement;
  const { to } = escalate;
  return { by: distinct([...by, ...to]), count, ...(notify && { notify: distinct([...notify, ...to]) }) };
}

/** The groups of a requirement, now or later; none: whoever is `allowed`. */
export const groupsEver = ({ by, escalate }: Pick<Approval, 'by' | 'escalate'>): readonly string[] =>
  by === 'allowed' ? [] : [...by, ...(escalate?.to ?? [])];

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

/** Whether an approval that was asked for includes another, such as an exception's. */
export const includes = (then: 'none' | Needed, added: 'none' | Needed): boolean =>
  JSON.stringify(asksOf(strictestOf([then, added]))) === JSON.stringify(asksOf(strictestOf([then])));

const asksOf = (needed: 'none' | Needed) =>
  needed !== 'none' && [
    needed.reason,
    needed.expires,
    needed.requirements.map(({ by, count, escalate }) => ({ by, count, escalate })),
  ];

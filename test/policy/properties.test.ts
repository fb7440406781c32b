import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { countsFrom, outstanding } from '../../src/policy/approvers.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { decideAnywhere, decideAccess } from '../../src/policy/policy.ts';
import type { AccessRequest } from '../../src/policy/matching.ts';
import type { Target } from '../../src/hosting/contract/target.ts';
import { loadMatcher } from '../../src/policy/reason-match.ts';
import type { Needed, Policy } from '../../src/policy/rules.ts';
import { codePoint } from '../code-points.ts';
import { catalogue, company, domain, environment, person, withRules } from './fixtures.ts';

const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const some = <T>(...values: readonly T[]) => fc.subarray([...values], { minLength: 1 });

const what = some('read', 'routine', 'destructive', 'push', 'cache clear', 'dns set');
const groups = some('developers', 'leads', 'readers', 'guides');
const to = fc.oneof(fc.constant('everyone'), groups);
const where = fc.option(
  some('*/live', 'acme-*/*', '*/*', 'acme-shop/staging', 'domain:example.com', 'domain:*', 'company'),
);
const approval = fc.oneof(
  fc.constant('none'),
  fc.record({
    by: groups,
    count: one(1, 2),
    expires: one('5m', '1h', '2d'),
    reason: fc.oneof(one('required', 'optional'), fc.record({ match: one('a', 'b') })),
    // oxlint-disable-next-line unicorn/no-thenable -- a key of the file, and no function
    then: fc.option(fc.record({ after: one('1m', '2m'), by: groups }), { nil: undefined }),
  }),
);

/** Before, between, at and after the moments of escalation. */
const waited = one(0, 60_000 - 1, 60_000, 90_000, 120_000, Infinity);

const rule = (effect: 'allow' | 'deny', asks: fc.Arbitrary<unknown>) =>
  fc.tuple(what, to, where, asks).map(([named, audience, places, approval]) => {
    const changes = named.filter((name) => effect === 'deny' || approval === undefined || name !== 'read');
    const parts = { [effect]: changes, to: audience, where: places ?? undefined, approval: approval ?? undefined };
    return { text: JSON.stringify(parts), usable: changes.length > 0 };
  });
const usable = (arbitrary: ReturnType<typeof rule>) => arbitrary.filter(({ usable }) => usable).map(({ text }) => text);
const allow = usable(rule('allow', fc.option(approval, { nil: undefined })));
const allowWithApproval = usable(rule('allow', approval));
const deny = usable(rule('deny', fc.constant(undefined)));
const rules = fc.array(fc.oneof({ weight: 3, arbitrary: allow }, deny), { maxLength: 5 });

const people = ['U01ANA', 'U02BEN', 'U03CHI', 'U04DEE', 'U05FAY', 'U06ROB', 'U09GUY', 'U0NOBODY'].map((id) =>
  person(id, ...(id === 'U09GUY' ? ['S0GUIDES'] : [])),
);
const testUser = one(...people);
const target = one<Target>(
  environment('acme-shop/live'),
  environment('acme-shop/staging'),
  environment('blog/live'),
  environment('nowhere'),
  domain('example.com'),
  domain('example.org', 'acme-shop'),
  company,
);
const parsed: fc.Arbitrary<AccessRequest> = fc.record({
  command: one(...catalogue),
  aims: fc.array(fc.record({ target, access: one('change', 'read') }), { maxLength: 2 }),
});

beforeAll(loadMatcher);

/** Rules that can never be satisfied are refused, so the runs leave them out. */
function read(...texts: readonly string[]): Policy | undefined {
  const loaded = loadPolicy(withRules(...texts), catalogue);
  if (loaded.kind === 'mistakes')
    expect(loaded.mistakes.map(({ says }) => says).join()).toContain('could never be approved');
  return loaded.kind === 'policy' ? loaded.policy : undefined;
}
function load(...texts: readonly string[]): Policy {
  const policy = read(...texts);
  fc.pre(policy !== undefined);
  if (!policy) throw new Error('unreachable');
  return policy;
}
function holds<T>(property: fc.IProperty<T>, numRuns = 250): void {
  fc.assert(property, { numRuns });
}

test('what no rule allows is not allowed', () => {
  const nothing = load();
  holds(
    fc.property(fc.array(deny, { maxLength: 4 }), testUser, parsed, (denies, who, wanted) => {
      expect(decideAccess(nothing, who, wanted)).toMatchObject({
        kind: 'not allowed',
        why: { kind: 'no rule' },
        whoMay: [],
      });
      expect(decideAccess(load(...denies), who, wanted).kind).toBe('not allowed');
    }),
    100,
  );
});

test('a deny never allows more, and its position does not matter', () => {
  holds(
    fc.property(rules, deny, fc.nat(5), testUser, parsed, (texts, extra, place, who, wanted) => {
      const before = decideAccess(load(...texts), who, wanted);
      const [last, first] = [load(...texts, extra), load(...texts.slice(0, place), extra, ...texts.slice(place))];
      const after = decideAccess(last, who, wanted);
      if (before.kind === 'not allowed') expect(after.kind).toBe('not allowed');
      expect(decideAccess(first, who, wanted).kind).toBe(after.kind);
      if (before.kind === 'allowed' && after.kind === 'allowed') expect(after.approval).toEqual(before.approval);
    }),
  );
});

test('a command shown as allowed somewhere is allowed by the rules for a target of that kind', () => {
  holds(
    fc.property(rules, testUser, one(...catalogue), target, (texts, who, command, about) => {
      const policy = load(...texts);
      const decision = decideAccess(policy, who, { command, aims: [{ target: about, access: 'change' }] });
      const is = decideAnywhere(policy, who, command, about.kind);
      if (decision.kind === 'allowed') expect(is).toBe('yes');
      // There is only one company, so allowed anywhere means allowed there.
      if (about.kind === 'company') expect(is).toBe(decision.kind === 'allowed' ? 'yes' : 'no');
    }),
    500,
  );
});

/** What a reason has to have: with a match, there has to be one. */
const looksFor = ({ reason }: Needed): readonly unknown[] =>
  reason === 'optional' ? [] : ['required', ...(reason === 'required' ? [] : reason)];

test('an allow never weakens a required approval', () => {
  holds(
    fc.property(
      rules,
      fc.oneof(allow, allowWithApproval),
      testUser,
      parsed,
      fc.subarray(people),
      waited,
      (texts, extra, who, wanted, voters, waited) => {
        const [policy, more] = [load(...texts), load(...texts, extra)];
        const [before, after] = [decideAccess(policy, who, wanted), decideAccess(more, who, wanted)];
        if (before.kind !== 'allowed' || after.kind !== 'allowed' || before.approval === 'none') return;
        if (after.approval === 'none') throw new Error('the approval is gone');
        expect(after.approval.expires).toBeLessThanOrEqual(before.approval.expires);
        expect(looksFor(after.approval)).toEqual(expect.arrayContaining([...looksFor(before.approval)]));
        // If the rules allow the same people, meeting the new requirement also meets the old one.
        const asked = { ...wanted, requester: who.id, waited };
        if (outstanding(more, after.approval, asked, voters).length === 0) {
          expect(outstanding(more, before.approval, asked, voters)).toEqual([]);
        }
      },
    ),
  );
});

test('nobody approves their own request, and no approval is complete without an approver', () => {
  holds(
    fc.property(rules, testUser, parsed, waited, (texts, who, wanted, waited) => {
      const policy = load(...texts);
      const decision = decideAccess(policy, who, wanted);
      if (decision.kind !== 'allowed' || decision.approval === 'none') return;
      expect(outstanding(policy, decision.approval, { ...wanted, requester: who.id, waited }, [who, who])).toEqual(
        decision.approval.requirements.map(({ by, count }) => ({ by, count })),
      );
    }),
  );
});

test('until it escalates, an approval counts as without; from then on, as if it named both lists of groups', () => {
  const policy = load('{ allow: [read, push], to: everyone }');
  const voting = fc.record({ by: groups, to: groups, count: one(1, 2, 3), waited, voters: fc.subarray(people) });
  holds(
    fc.property(voting, testUser, parsed, ({ by, to, count, waited, voters }, who, wanted) => {
      const asked = { ...wanted, requester: who.id, waited };
      const left = (requirement: Needed['requirements'][number]): number =>
        outstanding(policy, { requirements: [requirement], expires: 1, reason: 'optional' }, asked, voters)[0]?.count ??
        0;
      const [own, both] = [left({ by, count }), left({ by: [...by, ...to], count })];
      const escalating = { by, count, escalate: { after: 60_000, to } };
      expect(left(escalating)).toBe(waited < 60_000 ? own : both);
      expect(both).toBeLessThanOrEqual(own);
      expect(countsFrom(policy, who, { requirements: [escalating] }, asked)).toBe(Infinity);
    }),
  );
});

const fragment = one(
  'version: 1\n',
  'rules:\n',
  'groups:\n',
  '  - ',
  'allow: ',
  '[push]',
  '[',
  ']',
  '{',
  '}',
  ': ',
  ', ',
  '\n',
  '&a ',
  '*a',
  '!!map ',
  '"',
  "'",
  '|\n',
  '? ',
  '#',
  '---\n',
  '%YAML 1.1\n',
  '<<: ',
  '\t',
  '\r\n',
  '\u0000',
  '\u2028',
  '\ud800',
  '__proto__: ',
  'to: everyone',
);

test('reading any text gives a policy, or mistakes with positions inside the file', () => {
  const hostile = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join('')),
  );
  holds(
    fc.property(hostile, (text) => {
      const loaded = loadPolicy(text, catalogue);
      if (loaded.kind === 'policy') return;
      expect(loaded.mistakes.length).toBeGreaterThan(0);
      const lines = text.split('\n').length;
      for (const { line, column, says } of loaded.mistakes) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(says).not.toBe('');
      }
    }),
    400,
  );
});

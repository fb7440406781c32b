import { describe, expect, it } from 'vitest';
import { isAsker, mayApprove, mayBeAsker } from '../../src/policy/approvers.ts';
import { callerByKey, operatorIds } from '../../src/policy/callers.ts';
import { decideAccess, decideAnywhere, groupsApproving, isDeniedNothing } from '../../src/policy/policy.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { rights } from '../../src/commands/rights.ts';
import { live, policyFrom } from '../fixtures.ts';

const hash = (digit: string): string => digit.repeat(64);
const caller = (more = ''): string =>
  `deploy-bot: { keys: ["sha256:${hash('a')}"${more}], for: U01ANA, operators: [U02BEN, ci-admins], channel: C0ACME, expires: 2027-03-01 }`;
const file = (...rules: readonly string[]): string => `version: 1
groups: { developers: [U01ANA, U02BEN, U0ANATWO], leads: [U03CHI, U04DEE], ci-admins: [U04DEE, S0CI], all: [S0ALL] }
people: { ana: [U01ANA, U0ANATWO] }
callers: { ${caller()} }
rules:
${rules.map((rule) => `  - ${rule}`).join('\n')}
`;
const command = { path: 'cache clear', risk: 'routine' } as const;
const person = { id: 'U01ANA', groups: [], otherGroups: ['S0CI', 'S0ALL'] };
const asking = { ...person, caller: { name: 'deploy-bot', key: hash('a') } };
const request = { command, aims: [{ target: live, access: 'change' }] } as const;

const theirs = '{ allow: [routine], to: [developers, leads] }';
const callers = '{ allow: [routine], to: ["caller:deploy-bot"] }';
const one = { requirements: [{ by: 'allowed', count: 1 }], expires: 1, reason: 'optional' } as const;

describe('a caller may do what both may', () => {
  it.each([
    ['both', [theirs, callers], 'allowed'],
    ['its person alone', [theirs], 'no rule'],
    ['itself alone', ['{ allow: [routine], to: ["caller:deploy-bot"], approval: none }'], 'no rule'],
    ['everyone, which includes no caller', ['{ allow: [routine], to: everyone }'], 'no rule'],
    ['everyone and itself', ['{ allow: [routine], to: everyone }', callers], 'allowed'],
    [
      'both, but everyone is denied',
      [theirs, callers, '{ deny: [routine], to: everyone, where: ["*/live"] }'],
      'denied',
    ],
    ['both, but it is denied', [theirs, callers, '{ deny: [routine], to: ["caller:deploy-bot"] }'], 'denied'],
    ['both, but its person is denied', [theirs, callers, '{ deny: [routine], to: [developers] }'], 'denied'],
    ['both, and others are denied', [theirs, callers, '{ deny: [routine], to: [ci-admins] }'], 'allowed'],
    ['both, elsewhere', [theirs, '{ allow: [routine], to: ["caller:deploy-bot"], where: ["*/staging"] }'], 'no rule'],
  ] as const)('if rules allow %s', (_, rules, is) => {
    const policy = policyFrom(file(...rules));
    const decision = decideAccess(policy, asking, request);
    expect(decision.kind === 'allowed' ? 'allowed' : decision.why.kind).toBe(is);
    if (is === 'allowed') expect(decideAnywhere(policy, asking, command)).toBe('yes');
    expect(isDeniedNothing(policy, asking, command)).toBe(is !== 'denied');
    if (decision.kind !== 'allowed') expect(decision.whoMay.join(' ')).not.toContain('caller:');
  });

  it.each([
    ['its own rule', theirs, `${callers.slice(0, -2)}, canary: true, batchValidity: 10m }`],
    ['its person’s rule', `${theirs.slice(0, -2)}, canary: true, batchValidity: 10m }`, callers],
  ])('with the stricter batches of %s', (_, ...rules) => {
    const decision = decideAccess(policyFrom(file(...rules)), asking, request);
    expect(decision).toMatchObject({ canary: true, batchValidity: 600_000, rules: [{ line: 6 }, { line: 7 }] });
    expect(decideAccess(policyFrom(file(theirs, callers)), asking, request)).toMatchObject({ canary: false });
  });

  it('and breaks no glass, whatever its rules and those of its person say', () => {
    const glass = (rule: string): string => `${rule.slice(0, -2)}, breakGlass: true }`;
    const decision = decideAccess(policyFrom(file(glass(theirs), glass(callers))), asking, request);
    expect(decision).toMatchObject({ kind: 'allowed', breakGlass: { ways: [], unsure: [] } });
  });

  it.each([
    ['another key', { ...asking, caller: { name: 'deploy-bot', key: hash('b') } }],
    ['another person', { ...asking, id: 'U02BEN' }],
    ['another name', { ...asking, caller: { name: 'other', key: hash('a') } }],
  ])('but nothing with %s', (_, somebody) => {
    const policy = policyFrom(file(theirs, callers, '{ allow: [routine], to: everyone }'));
    expect(decideAccess(policy, somebody, request).kind).toBe('not allowed');
    expect(decideAnywhere(policy, somebody, command)).toBe('no');
  });

  it.each([
    ['one, if no rule says how many', theirs, callers, one.requirements],
    [
      'none, if a rule that names it says so',
      theirs,
      '{ allow: [routine], to: ["caller:deploy-bot"], approval: none }',
      'none',
    ],
    [
      'those of both',
      '{ allow: [routine], to: [developers], approval: { by: [leads] } }',
      '{ allow: [routine], to: ["caller:deploy-bot"], approval: { by: [all], count: 2 } }',
      [
        { by: ['leads'], count: 1 },
        { by: ['all'], count: 2 },
      ],
    ],
  ] as const)('after %s approvals', (_, own, itsOwn, needs) => {
    const decision = decideAccess(policyFrom(file(own, itsOwn)), asking, request);
    const approval = decision.kind === 'allowed' ? decision.approval : 'not allowed';
    expect(typeof approval === 'string' ? approval : approval.requirements).toEqual(needs);
    // Without a caller, nothing is added.
    expect(decideAccess(policyFrom(file(theirs, callers)), person, request)).toMatchObject({ approval: 'none' });
  });
});

describe('who decides what a caller asks for', () => {
  const policy = policyFrom(file('{ allow: [routine], to: [developers, leads, all] }', callers));
  const asked = { ...request, waited: 0, requester: 'U01ANA', caller: { name: 'deploy-bot', operators: ['U02BEN'] } };
  const somebody = (id: string, more = {}) => ({ id, groups: [], otherGroups: ['S0CI', 'S0ALL'], ...more });

  it.each([
    ['its person', somebody('U01ANA'), 'yourself'],
    ['its person, with another account', somebody('U0ANATWO'), 'yourself'],
    ['an operator', somebody('U02BEN'), 'yourself'],
    ['an operator by a group', somebody('U04DEE'), 'yourself'],
    ['an operator by a user group', somebody('U09MAX', { groups: ['S0CI'], otherGroups: ['S0ALL'] }), 'yourself'],
    ['whoever may be one', somebody('U03CHI', { otherGroups: ['S0ALL'] }), 'unknown'],
    ['somebody else', somebody('U03CHI'), 'counts'],
  ])('%s', (_, who, is) => {
    const vote = mayApprove(policy, who, one, asked);
    expect(vote.kind === 'counts' ? 'counts' : vote.why).toBe(is);
    if (is === 'unknown') expect(vote).toMatchObject({ perhaps: one.requirements, groups: ['S0CI'] });
    expect([isAsker(policy, who, asked), mayBeAsker(policy, who, asked)]).toEqual([is === 'yourself', is !== 'counts']);
  });

  it('stays so for the operators of that time, whatever the policy says since', () => {
    const without = policyFrom(
      file(theirs)
        .replace(/callers: .*/, '')
        .replace(', ci-admins: [U04DEE, S0CI]', ''),
    );
    const then = { ...asked, caller: { name: 'deploy-bot', operators: operatorIds(policy, 'deploy-bot') } };
    for (const who of [somebody('U02BEN'), somebody('U04DEE'), somebody('U09MAX', { groups: ['S0CI'] })])
      expect(mayApprove(without, who, one, then)).toMatchObject({ why: 'yourself' });
    expect(groupsApproving(without, command, one, then.caller)).toEqual(['S0CI']);
  });
});

describe('the file', () => {
  it.each([
    ['a key that is no hash', file(callers).replace('sha256:', ''), /is not the hash of a key/],
    [
      'a key twice',
      file(callers).replace(caller(), `${caller()}, other: ${caller().slice('deploy-bot: '.length)}`),
      /listed twice/,
    ],
    [
      'three keys',
      file(callers).replace(caller(), caller(`, "sha256:${hash('b')}", "sha256:${hash('c')}"`)),
      /two keys at most/,
    ],
    ['an operator that is no group', file(callers).replace('ci-admins]', 'nobody]'), /nobody/],
    ['a rule for an unknown caller', file('{ allow: [read], to: ["caller:other"] }'), /caller:other/],
    [
      'a caller as an approver',
      file('{ allow: [routine], to: [developers], approval: { by: ["caller:deploy-bot"] } }'),
      /caller:deploy-bot/,
    ],
    ['a day that is none', file(callers).replace('2027-03-01', '2027-02-30'), /is not a day/],
    [
      'nobody else who may do it',
      file('{ allow: [routine], to: [developers] }', callers).replace(', S0CI', ''),
      /of the caller deploy-bot could never be approved/,
    ],
    [
      'approvers who can all use its key',
      file(
        '{ allow: [push], to: [developers] }',
        '{ allow: [push], to: ["caller:deploy-bot"], approval: { by: [ci-admins] } }',
      ).replace(', S0CI', ''),
      /of the caller deploy-bot could never be approved/,
    ],
  ])('with %s is refused', (_, text, says) => {
    const read = loadPolicy(text, rights);
    expect(read.kind === 'mistakes' ? read.mistakes.map((one) => one.says).join('\n') : '').toMatch(says);
  });

  it('finds a caller by the hash of either key', () => {
    const policy = policyFrom(file(theirs, callers).replace(caller(), caller(`, "sha256:${hash('b')}"`)));
    expect([hash('a'), hash('b'), hash('c')].map((key) => callerByKey(policy, key)?.name)).toEqual([
      'deploy-bot',
      'deploy-bot',
      undefined,
    ]);
    expect(policy.callers.get('deploy-bot')?.expires).toBe(Date.UTC(2027, 2, 1));
  });
});

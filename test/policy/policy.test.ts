import { beforeAll, describe, expect, test } from 'vitest';
import type { AccessRequest } from '../../src/policy/matching.ts';
import { decideAccess, mayAnywhere, mayRead, whoMay } from '../../src/policy/policy.ts';
import { loadMatcher } from '../../src/policy/reason-match.ts';
import type { Member } from '../../src/policy/rules.ts';
import {
  ana,
  ben,
  chi,
  command,
  company,
  domain,
  environment,
  guy,
  person,
  policyOf,
  rob,
  rulesOf,
  to,
} from './fixtures.ts';

const READ = '{ allow: [read], to: [developers, leads, readers] }';
const PUSH =
  '{ allow: [push], to: [developers], where: ["acme-shop/*"], approval: { by: [leads], count: 1, expires: 1h } }';
const DESTROY =
  '{ allow: [destructive], to: [leads], approval: { by: [leads], count: 2, expires: 30m, reason: required } }';
const NO_DELETE = '{ deny: [delete], to: everyone, where: ["*/live"] }';
beforeAll(loadMatcher);

const policy = rulesOf(
  READ,
  '{ allow: [routine, "allowlist add"], to: [developers], where: ["*/staging"] }',
  PUSH,
  DESTROY,
  NO_DELETE,
  '{ allow: [audit], to: [guides] }',
  '{ deny: [images], to: [guides, readers] }',
);

const asks = (who: Member, parsed: AccessRequest) => decideAccess(policy, who, parsed);

describe('who may do what, where', () => {
  test.each<[string, Member, AccessRequest, 'allowed' | 'no rule' | 'denied']>([
    ['a class covers its commands', ana, to('cache clear', 'acme-shop/staging'), 'allowed'],
    ['a command by name', ana, to('allowlist add', 'acme-shop/staging'), 'allowed'],
    ['not another command of its class', ana, to('allowlist remove', 'acme-shop/staging'), 'no rule'],
    ['not elsewhere', ana, to('cache clear', 'acme-shop/live'), 'no rule'],
    ['not somebody else', chi, to('cache clear', 'acme-shop/staging'), 'no rule'],
    ['a person of no group', person('U0NOBODY'), to('logs', 'acme-shop/staging'), 'no rule'],
    ['a read everywhere', rob, to('logs', 'acme-shop/live'), 'allowed'],
    ['a read of a target with an unknown site', rob, to('logs', 'somewhere'), 'allowed'],
    ['a read without a target', rob, { command: command('environments'), aims: [] }, 'allowed'],
    ['a change of a target with an unknown site', ana, to('cache clear', 'staging'), 'no rule'],
    ['a push with its source readable', ana, to('push', 'acme-shop/live', 'acme-shop/staging'), 'allowed'],
    ['a push onto another site', ana, to('push', 'acme-blog/live', 'acme-shop/staging'), 'no rule'],
    ['deny beats allow', chi, to('delete', 'acme-shop/live'), 'denied'],
    ['deny only in the named places', chi, to('delete', 'acme-shop/staging'), 'allowed'],
    ['deny if the site is unknown', chi, to('delete', 'staging'), 'denied'],
    ['audit by name, in a user group', guy, { command: command('audit'), aims: [] }, 'allowed'],
    ['audit is in no class', chi, { command: command('audit'), aims: [] }, 'no rule'],
    [
      'a user group without this person',
      person('U09GUY', 'S0OTHERS'),
      { command: command('audit'), aims: [] },
      'no rule',
    ],
  ])('%s', (_, who, parsed, expected) => {
    const decision = asks(who, parsed);
    expect(decision.kind === 'allowed' ? 'allowed' : decision.why.kind).toBe(expected);
  });

  test('a push needs to read its source', () => {
    const blind = rulesOf('{ allow: [read], to: [developers], where: ["*/staging"] }', PUSH);
    expect(decideAccess(blind, ana, to('push', 'acme-shop/live', 'acme-shop/staging')).kind).toBe('allowed');
    expect(decideAccess(blind, ana, to('push', 'acme-shop/staging', 'acme-shop/live')).kind).toBe('not allowed');
  });

  test('a denied read keeps a source from being pushed', () => {
    const closed = rulesOf(READ, PUSH, '{ deny: [read], to: [developers], where: ["acme-shop/secret"] }');
    expect(decideAccess(closed, ana, to('push', 'acme-shop/live', 'acme-shop/secret'))).toMatchObject({
      why: { kind: 'denied' },
    });
    expect(decideAccess(closed, ana, to('push', 'acme-shop/live', 'acme-shop/staging')).kind).toBe('allowed');
  });

  test('a report allowed by name may read, but nothing may be pushed from there', () => {
    const named = rulesOf('{ allow: [logs], to: [developers] }', PUSH);
    const logs: AccessRequest = { command: command('logs'), aims: [{ target: environment('a/b'), access: 'read' }] };
    expect(decideAccess(named, ana, logs).kind).toBe('allowed');
    expect(decideAccess(named, ana, to('push', 'acme-shop/live', 'acme-shop/staging')).kind).toBe('not allowed');
    expect(mayRead(named, ana, environment('a/b'))).toBe(false);
  });

  test('every target has to be allowed', () => {
    const both = (second: string): AccessRequest => ({
      command: command('cache clear'),
      aims: ['acme-shop/staging', second].map((name) => ({ target: environment(name), access: 'change' })),
    });
    expect(asks(ana, both('acme-blog/staging')).kind).toBe('allowed');
    expect(asks(ana, both('acme-blog/live')).kind).toBe('not allowed');
  });

  test('the company is allowed by its name, or by a rule without where', () => {
    const some = rulesOf(
      '{ allow: [sensitive], to: [developers], where: [company] }',
      '{ allow: [clone], to: [leads] }',
    );
    expect(decideAccess(some, ana, to('clone', company)).kind).toBe('allowed');
    expect(decideAccess(some, chi, to('clone', company)).kind).toBe('allowed');
    expect(decideAccess(some, ana, to('clone', 'acme-shop/live')).kind).toBe('not allowed');
    expect(decideAccess(some, ana, to('dns set', domain('example.com'))).kind).toBe('not allowed');
    const bare = { command: command('clone'), aims: [] };
    expect([decideAccess(some, ana, bare).kind, decideAccess(some, rob, bare).kind]).toEqual([
      'allowed',
      'not allowed',
    ]);
    expect(decideAccess(rulesOf('{ allow: [clone], to: [leads], where: ["*/*"] }'), chi, bare).kind).toBe(
      'not allowed',
    );
  });

  test('only environments that the rule covers may be read', () => {
    const staging = rulesOf('{ allow: [read], to: [readers], where: ["*/staging"] }');
    const names = ['acme-shop/staging', 'acme-shop/live'];
    expect(names.map((name) => mayRead(staging, rob, environment(name)))).toEqual([true, false]);
  });

  test('everyone means everyone, for allow and deny', () => {
    const open = rulesOf('{ allow: [read], to: everyone }', '{ deny: [logs], to: everyone }');
    expect(decideAccess(open, person('U0NOBODY'), to('files', 'a/b')).kind).toBe('allowed');
    expect(decideAccess(open, person('U0NOBODY'), to('logs', 'a/b')).kind).toBe('not allowed');
  });

  test('a deny applies to a second account; an allow does not', () => {
    const joined = policyOf(`version: 1
people: { ana: [U01ANA, U0SECOND] }
groups: { developers: [U01ANA], everybody: [U01ANA, U0SECOND] }
rules:
  - { allow: [routine], to: [developers] }
  - { allow: [read], to: [everybody] }
  - { deny: [files], to: [developers] }
`);
    const second = person('U0SECOND');
    expect(decideAccess(joined, second, to('cache clear', 'a/b')).kind).toBe('not allowed');
    expect(decideAccess(joined, second, to('logs', 'a/b')).kind).toBe('allowed');
    expect(decideAccess(joined, second, to('files', 'a/b'))).toMatchObject({ why: { kind: 'denied' } });
    const anywhere = ['cache clear', 'logs', 'files'].map((path) => mayAnywhere(joined, second, command(path)));
    expect(anywhere).toEqual([false, true, false]);
  });
});

describe('the contents of an answer', () => {
  test('allowed: by which rules, with which lines', () => {
    const decision = asks(ana, to('push', 'acme-shop/live', 'acme-shop/staging'));
    expect(decision).toMatchObject({
      rules: [
        { line: 10, text: 'allow push to developers where acme-shop/*' },
        { line: 8, text: 'allow read to developers, leads, readers' },
      ],
    });
  });

  test('no rule: who else may, by which rule', () => {
    expect(asks(rob, to('push', 'acme-shop/live', 'acme-shop/staging'))).toMatchObject({
      kind: 'not allowed',
      why: { kind: 'no rule' },
      whoMay: ['developers', 'leads'],
      lets: [
        { line: 10, text: 'allow push to developers where acme-shop/*' },
        { line: 11, text: 'allow destructive to leads' },
      ],
    });
  });

  test('denied: by which rule; people whom it does not name may still', () => {
    expect(asks(chi, to('delete', 'acme-shop/live'))).toMatchObject({
      why: { kind: 'denied', rule: { line: 12, text: 'deny delete to everyone where */live' } },
      whoMay: [],
    });
    expect(asks(rob, to('images', 'acme-shop/staging'))).toMatchObject({
      why: { kind: 'denied' },
      whoMay: ['developers'],
    });
    const both = rulesOf('{ allow: [images], to: [developers, readers] }', '{ deny: [images], to: [readers] }');
    expect(decideAccess(both, rob, to('images', 'acme-shop/live'))).toMatchObject({ whoMay: ['developers'] });
  });

  test('who may do all of it', () => {
    expect(whoMay(policy, to('push', 'acme-shop/live', 'acme-shop/staging'))).toEqual(['developers', 'leads']);
    expect(whoMay(policy, to('push', 'acme-blog/live', 'acme-blog/staging'))).toEqual(['leads']);
    expect(whoMay(policy, to('clone', company))).toEqual([]);
    const open = rulesOf('{ allow: [read], to: everyone }', '{ allow: [push], to: [leads] }');
    expect(whoMay(open, to('logs', 'acme-shop/live'))).toEqual(['everyone']);
    expect(whoMay(open, to('push', 'acme-shop/live', 'acme-shop/staging'))).toEqual(['leads']);
  });

  test('whether there is any target for a command', () => {
    expect(mayAnywhere(policy, ben, command('push'))).toBe(true);
    expect(mayAnywhere(policy, chi, command('delete'))).toBe(true);
    expect(mayAnywhere(policy, rob, command('push'))).toBe(false);
    expect(mayAnywhere(policy, chi, command('audit'))).toBe(false);
    expect(mayAnywhere(rulesOf(DESTROY, '{ deny: [delete], to: [leads] }'), chi, command('delete'))).toBe(false);
    // A deny in one place does not allow it in the others.
    expect(mayAnywhere(rulesOf('{ deny: [delete], to: [leads], where: ["a/b"] }'), chi, command('delete'))).toBe(false);
  });
});

describe('the approval it needs', () => {
  const needed = (who: Member, parsed: AccessRequest, ...rules: string[]) => {
    const decision = decideAccess(rulesOf(READ, ...rules), who, parsed);
    return decision.kind === 'allowed' ? decision.approval : decision.kind;
  };
  const push = to('push', 'acme-shop/live', 'acme-shop/staging');
  const allowed = (rest = '') => `{ allow: [push, images, "dns set"], to: [developers, leads]${rest} }`;
  const HOUR = 3_600_000;

  test.each<[string, AccessRequest, string[], unknown]>([
    ['none for routine', to('images', 'a/b'), [allowed()], 'none'],
    ['none for sensitive', to('dns set', domain('a.b')), [allowed()], 'none'],
    [
      'somebody else for destructive',
      push,
      [allowed()],
      { requirements: [{ by: 'allowed', count: 1 }], expires: HOUR, reason: 'optional' },
    ],
    ['none for destructive if written explicitly', push, [allowed(', approval: none')], 'none'],
    [
      'a written approval replaces the default',
      push,
      [allowed(', approval: { by: [leads] }')],
      { requirements: [{ by: ['leads'], count: 1 }], expires: HOUR, reason: 'optional' },
    ],
    [
      'the strictest of the same approvers',
      push,
      [
        allowed(', approval: { by: [leads], count: 2, expires: 2h }'),
        allowed(', approval: { by: [leads], expires: 90s, reason: required }'),
      ],
      { requirements: [{ by: ['leads'], count: 2 }], expires: 90_000, reason: 'required' },
    ],
    [
      'all that the rules look for in a reason, each once',
      push,
      [
        allowed(', approval: { by: [leads], reason: { match: b, link: "https://t.example/$0" } }'),
        allowed(', approval: { by: [leads], reason: required }'),
        allowed(', approval: { by: [leads], reason: { match: a } }'),
        allowed(', approval: { by: [leads], reason: { match: b, link: "https://t.example/$0" } }'),
      ],
      {
        requirements: [{ by: ['leads'], count: 1 }],
        expires: HOUR,
        reason: [{ match: 'a' }, { match: 'b', link: 'https://t.example/$0' }],
      },
    ],
    [
      'the later escalation, to those to whom both do',
      push,
      [
        allowed(', approval: { by: [leads], then: { after: 2m, by: [readers, developers] } }'),
        allowed(', approval: { by: [leads], count: 2, then: { after: 5m, by: [guides, readers] } }'),
      ],
      {
        requirements: [{ by: ['leads'], count: 2, escalate: { after: 300_000, to: ['readers'] } }],
        expires: HOUR,
        reason: 'optional',
      },
    ],
    [
      'no escalation, if one of them has none',
      push,
      [
        allowed(', approval: { by: [leads], then: { after: 2m, by: [readers] } }'),
        allowed(', approval: { by: [leads] }'),
      ],
      { requirements: [{ by: ['leads'], count: 1 }], expires: HOUR, reason: 'optional' },
    ],
    [
      'no escalation, if one of them has another',
      push,
      [
        allowed(', approval: { by: [leads], then: { after: 2m, by: [readers] } }'),
        allowed(', approval: { by: [leads], then: { after: 2m, by: [guides] } }'),
      ],
      { requirements: [{ by: ['leads'], count: 1 }], expires: HOUR, reason: 'optional' },
    ],
    [
      'whom one rule notifies and whom the other does',
      push,
      [
        allowed(', approval: { by: [leads], notify: [readers] }'),
        allowed(', approval: { by: [leads], notify: [developers, readers] }'),
      ],
      {
        requirements: [{ by: ['leads'], count: 1, notify: ['developers', 'readers'] }],
        expires: HOUR,
        reason: 'optional',
      },
    ],
    [
      'the approvers too, if one rule notifies others and the other does not say',
      push,
      [allowed(', approval: { by: [leads] }'), allowed(', approval: { by: [leads], notify: [readers] }')],
      {
        requirements: [{ by: ['leads'], count: 1, notify: ['leads', 'readers'] }],
        expires: HOUR,
        reason: 'optional',
      },
    ],
    [
      'the same, whichever rule comes first',
      push,
      [allowed(', approval: { by: [leads], notify: [readers] }'), allowed(', approval: { by: [leads] }')],
      {
        requirements: [{ by: ['leads'], count: 1, notify: ['leads', 'readers'] }],
        expires: HOUR,
        reason: 'optional',
      },
    ],
    [
      'all of several approvers',
      push,
      [allowed(', approval: { by: [leads, readers] }'), allowed(', approval: { by: [readers], expires: 30m }')],
      {
        requirements: [
          { by: ['leads', 'readers'], count: 1 },
          { by: ['readers'], count: 1 },
        ],
        expires: HOUR / 2,
        reason: 'optional',
      },
    ],
    [
      'the same approvers in another order, one of them named twice',
      push,
      [allowed(', approval: { by: [readers, leads, leads] }'), allowed(', approval: { by: [leads, readers] }')],
      { requirements: [{ by: ['leads', 'readers'], count: 1 }], expires: HOUR, reason: 'optional' },
    ],
    [
      'a rule with the default approval is not weakened by one with none',
      push,
      [allowed(), allowed(', approval: none')],
      { requirements: [{ by: 'allowed', count: 1 }], expires: HOUR, reason: 'optional' },
    ],
    [
      'a rule for another place requires nothing here',
      push,
      [
        allowed(', approval: none'),
        '{ allow: [push], to: [developers], where: ["blog/*"], approval: { by: [leads] } }',
      ],
      'none',
    ],
  ])('%s', (_, parsed, rules, expected) => {
    expect(needed(ana, parsed, ...rules)).toEqual(expected);
  });
});

describe('how long a batch is valid', () => {
  const on = (where: string, more = ''): string =>
    `{ allow: ["cache clear"], to: [developers], where: ["${where}"]${more} }`;
  const forGuides = (more: string): string => `{ allow: ["cache clear"], to: [guides]${more} }`;
  /** Slack does not say whether Ana is a guide. */
  const unsure: Member = { id: ana.id, groups: [] };
  test.each<[string, Member, readonly string[], number]>([
    ['by default', ana, [on('*/*')], 30],
    ['as the rule says', ana, [on('*/*', ', batchValidity: 2h')], 120],
    ['the shortest of two rules', ana, [on('*/*', ', batchValidity: 2h'), on('*/live', ', batchValidity: 45m')], 45],
    ['a rule that does not say shortens nothing', ana, [on('*/*', ', batchValidity: 2h'), on('*/*')], 120],
    ['nor does it for one of them', ana, [on('*/*', ', batchValidity: 2h'), on('*/live')], 120],
    ['one of which nobody says it keeps the default', ana, [on('a/*', ', batchValidity: 2h'), on('b/*')], 30],
    ['the shortest of all of them', ana, [on('a/*', ', batchValidity: 5m'), on('b/*', ', batchValidity: 2h')], 5],
    ['a rule for others says nothing', ana, [on('*/*'), forGuides(', batchValidity: 5m')], 30],
    ['one that may apply can shorten it', unsure, [on('*/*'), forGuides(', batchValidity: 5m')], 5],
    ['and does not lengthen it', unsure, [on('*/*', ', batchValidity: 45m'), forGuides(', batchValidity: 2h')], 45],
    ['not even the default', unsure, [on('*/*'), forGuides(', batchValidity: 2h')], 30],
  ])('%s', (_, who, rules, minutes) => {
    const aims = ['a/live', 'b/live'].flatMap((name) => to('cache clear', name).aims);
    const decision = decideAccess(rulesOf(...rules), who, { command: command('cache clear'), aims });
    expect(decision).toMatchObject({ kind: 'allowed', batchValidity: minutes * 60_000 });
  });
});

test('a canary is required for the whole batch if a rule requires it for one environment', () => {
  const rules = ['"a/*"]', '"b/*"], canary: true'].map(
    (where) => `{ allow: ["cache clear"], to: [developers], where: [${where} }`,
  );
  const aims = ['a/live', 'b/live'].flatMap((name) => to('cache clear', name).aims);
  const decision = decideAccess(rulesOf(...rules), ana, { command: command('cache clear'), aims });
  expect(decision).toMatchObject({ kind: 'allowed', canary: true });
});

test('a rule that may apply leaves the approval certain if it only notifies other people', () => {
  const rules = [
    '[developers], approval: { by: [leads] } }',
    '[guides], approval: { by: [leads], notify: [readers] } }',
  ];
  const allows = rules.map((rule) => `{ allow: [push], to: ${rule}`);
  const decision = decideAccess(rulesOf(READ, ...allows), { id: ana.id, groups: [] }, to('push', 'a/live'));
  expect(decision).toMatchObject({ kind: 'allowed', unsure: [] });
});

test('a canary is also required by a rule that only may apply', () => {
  const rules = ['[developers]', '[guides], canary: true'].map((whom) => `{ allow: ["cache clear"], to: ${whom} }`);
  const decision = decideAccess(rulesOf(...rules), { id: ana.id, groups: [] }, to('cache clear', 'a/live'));
  expect(decision).toMatchObject({ kind: 'allowed', canary: true, approval: 'none', unsure: [] });
});

describe('who may skip approval and freezes in an emergency', () => {
  const on = (more: string, where = '*/*', who = 'developers'): string =>
    `{ allow: [push], to: [${who}], where: ["${where}"], approval: { by: [leads] }${more} }`;
  const [looked, alone] = [', breakGlass: true', ', breakGlass: alone'];
  /** Slack does not say whether Ana is a guide. */
  const unsure: Member = { id: ana.id, groups: [] };
  const guides = (more: string): string => on(more, '*/*', 'guides');
  const perhaps = ['S0GUIDES'];
  test.each<[string, Member, readonly string[], readonly string[], readonly string[]]>([
    ['nobody by default', ana, [on('')], [], []],
    ['nobody if the rule says false', ana, [on(', breakGlass: false')], [], []],
    ['whom somebody can look at', ana, [on(looked)], ['looked at'], []],
    ['who is alone', ana, [on(alone)], ['alone'], []],
    ['either way, by two rules', ana, [on(looked), on(alone)], ['looked at', 'alone'], []],
    ['by one rule, beside one that says nothing', ana, [on(looked), on('')], ['looked at'], []],
    ['nobody by a rule for others', ana, [on(''), guides(looked)], [], []],
    ['for all that is changed', ana, [on(looked, 'a/*'), on(looked, 'b/*')], ['looked at'], []],
    ['not for a part of it', ana, [on(looked, 'a/*'), on('', 'b/*')], [], []],
    ['not in another way for each part', ana, [on(looked, 'a/*'), on(alone, 'b/*')], [], []],
    ['perhaps, by a group with unknown members', unsure, [on(''), guides(looked)], [], perhaps],
    ['certainly, whatever the group may add', unsure, [on(looked), guides(looked)], ['looked at'], []],
    ['in one way certainly, in another perhaps', unsure, [on(looked), guides(alone)], ['looked at'], perhaps],
    ['nobody, if the group would add it to a part alone', unsure, [on(''), on(looked, 'a/*', 'guides')], [], []],
    [
      'perhaps, if the group adds the missing part',
      unsure,
      [on(looked, 'a/*'), on('', 'b/*'), guides(looked)],
      [],
      perhaps,
    ],
  ])('%s', (_, who, rules, ways, groups) => {
    const aims = ['a/live', 'b/live'].flatMap((name) => to('push', name).aims);
    const decision = decideAccess(rulesOf(...rules), who, { command: command('push'), aims });
    expect(decision).toMatchObject({ kind: 'allowed', breakGlass: { ways, unsure: groups } });
  });

  test('what is only read counts for nothing, and a denied request has no such right', () => {
    const rules = ['{ allow: [read], to: [developers] }', on(looked, 'a/live')];
    const request = to('push', 'a/live', 'a/staging');
    const read = decideAccess(rulesOf(...rules), ana, to('logs', 'a/live'));
    expect(read).toMatchObject({ kind: 'allowed', breakGlass: { ways: [], unsure: [] } });
    expect(decideAccess(rulesOf(...rules), ana, request)).toMatchObject({ breakGlass: { ways: ['looked at'] } });
    for (const deny of ['{ deny: [push], to: [developers] }', '{ deny: [push], to: everyone, where: ["a/live"] }'])
      expect(decideAccess(rulesOf(...rules, deny), ana, request)).not.toHaveProperty('breakGlass');
    const notKnown = decideAccess(rulesOf(...rules, '{ deny: [push], to: [guides] }'), unsure, request);
    expect(notKnown).toMatchObject({ kind: 'not allowed', why: { kind: 'unknown', groups: perhaps } });
  });
});

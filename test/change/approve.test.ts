import { describe, expect, test } from 'vitest';
import { rightOf } from '../../src/commands/rights.ts';
import { Refusal } from '../../src/base/errors.ts';
import { decisionResult, type VoteContext, type Decision, type DecisionResult } from '../../src/change/approve.ts';
import { isEnough, mayEnd, mayReview, type EndRight } from '../../src/change/may-end.ts';
import { closableFrom } from '../../src/change/change.ts';
import { decisionKinds, type DecisionKind } from '../../src/change/buttons.ts';
import type { Member, Needed, Requirement } from '../../src/policy/rules.ts';
import type { State } from '../../src/words/states.ts';
import { say } from '../../src/words/text.ts';
import { changeOf, commandAt, live, policyFrom, refusalOf, refusalText, staging } from '../fixtures.ts';

/** Every decision in every state by every person: the move, or the refusal. */

const policy = policyFrom(`version: 1
live: ["*/live"]
groups:
  developers: [U01ANA, U02BEN]
  leads: [U01ANA, U03CHI, U0CHITWO, U04DEE, U05FAY, U07GIL, S0GUIDES]
  readers: [U06ROB]
  barred: [U07GIL]
people:
  ana: [U01ANA, U0ANATWO]
  chi: [U03CHI, U0CHITWO]
rules:
  - { allow: [read], to: [developers, leads, readers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1 } }
  - { deny: [push], to: [barred] }
`);
const who = (id: string, ...groups: readonly string[]): Member => ({
  id,
  groups,
  otherGroups: groups.length > 0 ? [] : ['S0GUIDES'],
});
/** People of whom it is unknown whether they are in the user group. */
const unsure = (id: string): Member => ({ id, groups: [] });
const people = {
  requester: who('U01ANA'),
  'other id of the requester': who('U0ANATWO'),
  developer: who('U02BEN'),
  approver: who('U03CHI'),
  'approver by user group': who('U09GUY', 'S0GUIDES'),
  'approver of before': who('U09GUY'),
  'denied approver': who('U07GIL'),
  reader: who('U06ROB'),
} as const;
type Who = keyof typeof people;
const everybody = [
  'requester',
  'other id of the requester',
  'developer',
  'approver',
  'approver by user group',
  'approver of before',
  'denied approver',
  'reader',
] as const;

const needing = (...requirements: Needed['requirements']): Needed => ({
  requirements,
  expires: 60_000,
  reason: 'optional',
});
const leads = (count: number): Needed => needing({ by: ['leads'], count });
const asked: VoteContext['asked'] = {
  command: rightOf('push', commandAt('push')),
  aims: [
    { target: live, access: 'change' },
    { target: staging, access: 'read' },
  ],
  requester: 'U01ANA',
  waited: 0,
};

const now = 1_000_000;
const open: ReadonlySet<State> = new Set([
  'waiting',
  'approved',
  'sending',
  'accepted',
  'unknown',
  'running',
  'stopped',
]);
const states: readonly State[] = [
  'waiting',
  'approved',
  'sending',
  'accepted',
  'unknown',
  'done',
  'failed',
  'rejected',
  'happened',
  'did_not_happen',
  'declined',
  'expired',
  'cancelled',
  'invalidated',
  'superseded',
  'running',
  'stopped',
  'ended',
];
const changeIn = (state: State, more: Partial<VoteContext['change']> = {}): VoteContext['change'] =>
  changeOf({
    state,
    version: 3,
    cools_down: 1,
    expires_at: now + 1,
    // Only a batch runs, stops and is ended.
    progress: ['running', 'stopped', 'ended'].includes(state) ? '{}' : null,
    settled_at: open.has(state) ? null : now - 1,
    sent_at: 1,
    post_review: 'open',
    ...more,
  });
const voting = (more: Partial<VoteContext> = {}): VoteContext => ({
  change: changeIn('waiting'),
  policy,
  needed: leads(1),
  asked,
  by: people.approver,
  voters: [],
  anybody: true,
  now,
  ...more,
});
const seen = (verdict: DecisionKind, version = 3): Decision => ({ verdict, version });

/** The result: the move, `vote`, or the refusal's sentence. */
function resultOf(decision: Decision, of: VoteContext): string {
  try {
    const result: DecisionResult = decisionResult(decision, of);
    return result.kind === 'move' ? result.event.kind : result.kind;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalText(error);
  }
}

const may: Readonly<
  Record<DecisionKind, { readonly in: readonly State[]; readonly does: string; readonly who: readonly Who[] }>
> = {
  approve: { in: ['waiting'], does: 'approve', who: ['approver', 'approver by user group'] },
  decline: { in: ['waiting'], does: 'decline', who: ['approver', 'approver by user group'] },
  cancel: { in: ['waiting', 'approved'], does: 'cancel', who: ['requester', 'other id of the requester'] },
  stop: { in: ['approved'], does: 'cancel', who: everybody },
  happened: { in: ['unknown'], does: 'confirmed_happened', who: ['approver', 'approver by user group'] },
  did_not_happen: { in: ['unknown'], does: 'confirmed_not', who: ['approver', 'approver by user group'] },
  reviewed: {
    in: states.filter((state) => !open.has(state)),
    does: 'reviewed',
    who: ['approver', 'approver by user group'],
  },
  halt: { in: ['running'], does: 'halt', who: everybody },
  end: {
    in: ['stopped'],
    does: 'end',
    who: ['approver', 'approver by user group', 'requester', 'other id of the requester'],
  },
  go_on: { in: ['stopped'], does: 'go_on', who: ['approver', 'approver by user group'] },
  retry: { in: ['stopped'], does: 'go_on', who: ['approver', 'approver by user group'] },
};
/** Cases that depend on more than the state: the version seen must be the current one. */
const mustBeFresh: ReadonlySet<DecisionKind> = new Set([
  'approve',
  'decline',
  'happened',
  'did_not_happen',
  'go_on',
  'retry',
  'end',
]);

describe('every decision, in every state, by everybody', () => {
  const cases = decisionKinds.flatMap((verdict) => states.map((state) => [verdict, state] as const));
  test.each(cases)('%s while %s', (verdict, state) => {
    for (const name of everybody) {
      const of = voting({ change: changeIn(state), by: people[name] });
      const does = may[verdict].in.includes(state) && may[verdict].who.includes(name);
      for (const version of [3, 2]) {
        const outcome = resultOf(seen(verdict, version), of);
        const isDone = does && (version === 3 || !mustBeFresh.has(verdict));
        const refused = /^#1042: .*[.”] Nothing was changed\.$/.test(outcome);
        expect([name, isDone ? outcome : refused]).toEqual([name, isDone ? may[verdict].does : true]);
      }
    }
  });
});

test.each<[string, number, Partial<VoteContext['change']>, string]>([
  [
    'is refused until then, and says when',
    59_999,
    {},
    'approve it. You can from 00:18 UTC on, if it still waits then. Nothing',
  ],
  ['is refused, if it ends before', 59_999, { expires_at: now + 30_000 }, 'approve it. Nothing was changed.'],
  ['counts from then on', 60_000, {}, 'approve'],
])('an approval by somebody to whom it escalates %s', (_, waited, more, says) => {
  const change = changeIn('waiting', { created_at: now - 30_000, expires_at: now + 60_000, ...more });
  const needed = needing({ by: ['leads'], count: 1, escalate: { after: 60_000, to: ['readers'] } });
  const of = voting({ change, needed, by: people.reader, asked: { ...asked, waited } });
  expect(resultOf(seen('approve'), of)).toContain(says);
});

describe('a stopped batch', () => {
  const caller = { name: 'deploy-bot', operators: [people['approver of before'].id] };
  const askedByCaller = { ...asked, caller };
  const stopped = voting({ change: changeIn('stopped') });
  test.each<[string, Partial<VoteContext>, string]>([
    [
      'by its requester, if it needed approval',
      { by: people.requester },
      'It needed an approval, so somebody who may approve it has to let it go on.',
    ],
    ['by a reader, if it needed none', { needed: 'none', by: people.reader }, 'Only @U01ANA can let it go on.'],
    ['by an approver, if it needed none', { needed: 'none' }, 'Only @U01ANA can let it go on.'],
    ['by its requester, if it needed none', { needed: 'none', by: people.requester }, 'go_on'],
    [
      'by its requester with another id, if it needed none',
      { needed: 'none', by: people['other id of the requester'] },
      'go_on',
    ],
    ...(['requester', 'approver of before'] as const).map((name): [string, Partial<VoteContext>, string] => [
      `by the ${name} who can use the key of the caller that asked, if it needed none`,
      { needed: 'none', by: people[name], asked: askedByCaller },
      "somebody who may run it and can't use its key has to let it go on.",
    ]),
    ['by somebody else, if a caller asked and it needed none', { needed: 'none', asked: askedByCaller }, 'go_on'],
    ['when its time is over', { now: now + 1 }, 'Its time ended at 00:16 UTC. Please ask for the rest anew.'],
    [
      'by who has left the user group',
      { by: people['approver of before'] },
      'somebody who may approve it has to let it go on',
    ],
    ['if Slack does not say who is in it', { by: unsure('U09GUY') }, "couldn't check whether you may let it go on"],
  ])('goes on: %s', (_, more, wanted) => {
    for (const verdict of ['go_on', 'retry'] as const)
      expect(resultOf(seen(verdict), { ...stopped, ...more })).toContain(wanted);
  });
  test('is ended by its requester alone, if it needed no approval', () => {
    const end = (by: Member): string => resultOf(seen('end'), { ...stopped, needed: 'none', by });
    expect(end(people.requester)).toBe('end');
    expect(end(people.approver)).toContain('Only @U01ANA can end it.');
  });
  test('can be ended when its time is over', () => {
    expect(resultOf(seen('end'), { ...stopped, now: now + 1 })).toBe('end');
  });
});

describe('the answer to a refused decision', () => {
  test.each<[string, DecisionKind, Partial<VoteContext>, string]>([
    [
      'promise 3: the requester',
      'approve',
      { by: people.requester },
      'This is your own change, so somebody else has to approve it.',
    ],
    [
      'promise 3: the requester with another id',
      'approve',
      { by: people['other id of the requester'] },
      'This is your own change, so somebody else has to approve it.',
    ],
    [
      'the requester who declines',
      'decline',
      { by: people.requester },
      'somebody else has to decline it. To take it back, press Cancel.',
    ],
    ['a developer', 'approve', { by: people.developer }, "You're not among the people who can approve it."],
    ['who has left the user group', 'approve', { by: people['approver of before'] }, "You're not among the people"],
    ['whom a rule forbids it', 'approve', { by: people['denied approver'] }, 'A rule denies you this command here'],
    ['a reader', 'decline', { by: people.reader }, "You're not among the people who can decline it."],
    ['cancelling another person’s change', 'cancel', {}, 'Only @U01ANA can cancel it.'],
    ['too late', 'approve', { change: changeIn('cancelled') }, "It's already cancelled. Nothing was sent."],
    ...(['waiting', 'approved'] as const).map((state): [string, DecisionKind, Partial<VoteContext>, string] => [
      `settled, though its state still says ${state}`,
      'approve',
      { change: changeIn(state, { settled_at: now - 1 }) },
      state === 'waiting' ? "It's still waiting for approval." : "It's approved, and not sent yet.",
    ]),
    ['another was first', 'approve', { change: changeIn('approved') }, "It's already approved."],
    [
      'pressed twice',
      'approve',
      { change: changeIn('approved'), voters: [people.approver] },
      "You've already approved it.",
    ],
    ['sent already', 'approve', { change: changeIn('sending') }, "It's already being sent."],
    ['expired', 'approve', { now: now + 1 }, 'The time to approve it ended at 00:16 UTC.'],
    [
      'a change that needs no approval',
      'approve',
      { needed: 'none' },
      "You're not among the people who can approve it.",
    ],
    ['nothing to stop', 'stop', { change: changeIn('approved', { cools_down: 0 }) }, "There's nothing to stop."],
    ['stopped too late', 'stop', { change: changeIn('sending') }, "It's already being sent."],
    [
      'closed by the requester',
      'happened',
      { change: changeIn('unknown'), by: people.requester },
      'somebody else has to close it',
    ],
    [
      'closed too early',
      'did_not_happen',
      { change: changeIn('unknown', { sent_at: now }) },
      "It could still reach the host until 00:23 UTC, so I haven't closed it.",
    ],
    [
      'closed by a reader, if no approval was needed',
      'happened',
      { change: changeIn('unknown'), needed: 'none', by: people.reader },
      "The rules don't let you do this yourself",
    ],
    [
      'approved by somebody whose right is unknown',
      'approve',
      { by: unsure('U09GUY') },
      "I couldn't check whether you may approve this. Slack doesn't tell me who is in @S0GUIDES (S0GUIDES).",
    ],
    [
      'closed by the same',
      'happened',
      { change: changeIn('unknown'), by: unsure('U09GUY') },
      "I couldn't check whether you may close this.",
    ],
    [
      'reviewed by the same',
      'reviewed',
      { change: changeIn('done'), by: unsure('U09GUY') },
      "I couldn't check whether you may review this.",
    ],
    [
      'reviewed by its author',
      'reviewed',
      { change: changeIn('done'), by: people.requester },
      'This is your own change, so somebody else has to review it.',
    ],
    ['reviewed by a developer', 'reviewed', { change: changeIn('done'), by: people.developer }, "You're not among"],
    [
      'reviewed where a rule denies it',
      'reviewed',
      { change: changeIn('done'), by: people['denied approver'] },
      'denies',
    ],
    ['reviewed while unknown', 'reviewed', { change: changeIn('unknown') }, "It isn't over yet."],
    [
      'with nothing to review',
      'reviewed',
      { change: changeIn('done', { post_review: null }) },
      "There's nothing to review.",
    ],
    [
      'reviewed twice',
      'reviewed',
      { change: changeIn('done', { post_review: JSON.stringify({ by: 'U04DEE', at: 1, says: 'fine' }) }) },
      '@U04DEE has already reviewed it: “fine”',
    ],
  ])('%s', (_, verdict, more, sentence) => {
    const answer = refusalText(refusalOf(() => decisionResult(seen(verdict), voting(more))));
    expect(answer).toContain(sentence);
    expect(answer).toMatch(/^#1042: .* Nothing was changed\.$/);
  });

  test('says that the change has moved on, if another version was seen', () => {
    expect(refusalText(refusalOf(() => decisionResult(seen('approve', 2), voting())))).toContain(
      'It has changed since you saw it.',
    );
  });
});

describe('a click on a change that has moved on says where it is', () => {
  const answer = (verdict: DecisionKind, state: State, more: Partial<VoteContext['change']> = {}): string =>
    resultOf(seen(verdict), voting({ change: changeIn(state, more) }));
  test.each<[State, string, string]>([
    ['sending', "It's already being sent.", "It's already being sent."],
    ['accepted', 'The host has already accepted it.', 'The host has already accepted it.'],
    [
      'unknown',
      "It was already sent, and I don't know what came of it.",
      "It was already sent, and I don't know what came of it.",
    ],
    ['running', "It's under way.", "It's under way."],
    ['stopped', "It's stopped.", "It's stopped."],
    ['done', "It's already closed: done.", "It's already closed."],
    ['failed', "It's already closed: failed.", "It's already closed."],
    ['rejected', "It's already closed: rejected.", "It's already closed."],
    ['happened', "It's already closed: happened.", "It's already closed."],
    ['did_not_happen', "It's already closed: did not happen.", "It's already closed."],
    ['ended', "It's already closed: ended.", "It's already closed."],
    ['declined', "It's already declined. Nothing was sent.", "It's already closed."],
    ['expired', "It's already expired. Nothing was sent.", "It's already closed."],
    ['cancelled', "It's already cancelled. Nothing was sent.", "It's already closed."],
    ['invalidated', "It's already invalidated. Nothing was sent.", "It's already closed."],
    ['superseded', "It's already superseded. Nothing was sent.", "It's already closed."],
  ])('%s, without and with a last note', (state, without, before) => {
    const last_note = JSON.stringify(say`Chi had a look.`);
    expect(answer('approve', state)).toBe(`#1042: ${without} Nothing was changed.`);
    expect(answer('approve', state, { last_note })).toBe(`#1042: ${before} Chi had a look. Nothing was changed.`);
  });

  test('not that nothing was sent, if its outcome was once unknown', () => {
    expect(answer('approve', 'declined', { lost_at: 1 })).toBe("#1042: It's already declined. Nothing was changed.");
  });
});

describe('time', () => {
  test('an approval counts until the exact moment of expiry; no other decision depends on it', () => {
    expect(resultOf(seen('approve'), voting({ now: now + 1 }))).toContain('The time to approve it ended at');
    expect(resultOf(seen('approve'), voting({ now }))).toBe('approve');
    expect(resultOf(seen('decline'), voting({ now: now + 1 }))).toBe('decline');
    expect(resultOf(seen('cancel'), voting({ now: now + 1, by: people.requester }))).toBe('cancel');
    const approved = changeIn('approved');
    expect(resultOf(seen('stop'), voting({ now: now + 1, change: approved, by: people.reader }))).toBe('cancel');
  });

  test.each(['happened', 'did_not_happen'] as const)(
    '“%s” is refused until the last write can no longer arrive',
    (verdict) => {
      const change = changeIn('unknown', { sent_at: 60_000 });
      const from = closableFrom(change);
      expect(from).toBe(60_000 + 45_000 + 300_000);
      expect(resultOf(seen(verdict), voting({ change, now: from - 1 }))).toContain('It could still reach the host');
      expect(resultOf(seen(verdict), voting({ change, now: from }))).toBe(
        verdict === 'happened' ? 'confirmed_happened' : 'confirmed_not',
      );
    },
  );

  test('if no approval was needed, anybody who may run the command can close it, the requester too', () => {
    const of = voting({ change: changeIn('unknown'), needed: 'none' });
    expect(resultOf(seen('happened'), { ...of, by: people.requester })).toBe('confirmed_happened');
    expect(resultOf(seen('happened'), { ...of, by: people.developer })).toBe('confirmed_happened');
    expect(resultOf(seen('happened'), { ...of, by: people['denied approver'] })).toContain(
      "The rules don't let you do this yourself",
    );
  });
});

describe('the number of approvals', () => {
  const [chi, chiTwo, dee, fay] = [people.approver, who('U0CHITWO'), who('U04DEE'), who('U05FAY')];
  const { requester, developer } = people;
  const lead = { by: ['leads'], count: 1 };
  type Outcome =
    | { readonly kind: 'move'; readonly event: object }
    | { readonly kind: 'vote'; readonly left: readonly Requirement[]; readonly unknown?: readonly string[] };
  const approved: Outcome = { kind: 'move', event: { kind: 'approve' } };
  const oneMore: Outcome = { kind: 'vote', left: [lead] };
  test.each<[string, Needed, readonly Member[], Member, Outcome]>([
    ['one of one', leads(1), [], chi, approved],
    ['one of two', leads(2), [], chi, oneMore],
    ['two of two', leads(2), [dee], chi, approved],
    ['two of three', leads(3), [dee], chi, oneMore],
    ['three of three', leads(3), [dee, fay], chi, approved],
    ['the same person twice', leads(2), [chi], chi, oneMore],
    ['one person with two ids', leads(2), [chi], chiTwo, oneMore],
    ['one person with two ids and another', leads(2), [chi, chiTwo], dee, approved],
    [
      'votes of the requester, of a developer and of a denied person',
      leads(2),
      [requester, developer, people['denied approver']],
      chi,
      oneMore,
    ],
    ['a voter who has left the user group', leads(2), [people['approver of before']], chi, oneMore],
    ['a voter whose membership is unknown', leads(2), [unsure('U09GUY')], chi, { ...oneMore, unknown: ['S0GUIDES'] }],
    ['two without that voter', leads(2), [unsure('U09GUY'), dee], chi, approved],
    ['a voter who is in it', leads(2), [people['approver by user group']], chi, approved],
    [
      'a lead, and anybody who may run it',
      needing(lead, { by: 'allowed', count: 1 }),
      [],
      chi,
      { kind: 'vote', left: [{ by: 'allowed', count: 1 }] },
    ],
    ['anybody who may run it, after a lead', needing(lead, { by: 'allowed', count: 1 }), [chi], developer, approved],
    ['one person towards two requirements', needing(lead, { by: ['leads', 'readers'], count: 1 }), [], chi, approved],
  ])('%s', (_, needed, voters, by, decision) => {
    expect(decisionResult(seen('approve'), voting({ needed, voters, by }))).toEqual(decision);
  });
});

/** Rules that changed after the request. Ana's push needed a lead; Dee and Fay may unlock. */
const since = (text: string): VoteContext['policy'] =>
  policyFrom(`version: 1
live: ["*/live"]
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI, U0ANATWO]
  oncall: [U01ANA, U04DEE, U12IVO]
  admins: [U05FAY]
  all: [U01ANA, U0ANATWO, U02BEN, U03CHI, U04DEE, U05FAY, U09GUY]
people:
  ana: [U01ANA, U0ANATWO]
rules:
  - { allow: [read], to: [all] }
  - { allow: [unlock], to: [oncall], where: ["acme-shop/live"] }
  - { allow: ["unlock --force"], to: [admins] }
${text}`);
const pushBy = (approval: string): string => `  - { allow: [push], to: [developers], approval: ${approval} }\n`;
const rulesNow = {
  'as they were': since(pushBy('{ by: [leads] }')),
  'the group is called otherwise': policyFrom(since(pushBy('{ by: [leads] }')).text.replaceAll('leads', 'heads')),
  'the rule is gone': since(''),
  'the rule and the group are gone': policyFrom(since('').text.replace(/ {2}leads: .*\n/, '')),
  'other people approve': policyFrom(since(pushBy('{ by: [admins] }')).text.replace(/ {2}leads: .*\n/, '')),
  'everybody has left the group': policyFrom(
    since(pushBy('{ by: [leads] }')).text.replace(/ {2}leads: .*\n/, '  leads: [S0GUIDES]\n'),
  ),
  'whoever may do it approves': policyFrom(
    since('  - { allow: [push], to: [developers] }\n').text.replace(/ {2}leads: .*\n/, ''),
  ),
  'no approval is needed': policyFrom(since(pushBy('none')).text.replace(/ {2}leads: .*\n/, '')),
  'nobody may push': since(`${pushBy('{ by: [leads] }')}  - { deny: [push], to: everyone }\n`),
} as const;

describe('who may close a change under today’s rules', () => {
  const ending = {
    ana: who('U01ANA'),
    ana2: who('U0ANATWO'),
    ben: who('U02BEN'),
    chi: who('U03CHI'),
    dee: who('U04DEE'),
    fay: who('U05FAY'),
    guy: who('U09GUY', 'S0GUIDES'),
    'ivo, who may not read it': who('U12IVO'),
  } as const;
  const words = (right: EndRight): string =>
    right.kind === 'may not' ? right.why : right.kind === 'may' ? 'may' : right.forced ? 'by force' : 'by unlock';
  // Columns: ana, ana2, ben, chi, dee, fay, guy, ivo.
  const [own, no, yes, unlock, force] = ['yourself', 'not named', 'may', 'by unlock', 'by force'];
  test.each<[keyof typeof rulesNow, 'leads' | 'none', readonly (string | undefined)[]]>([
    ['as they were', 'leads', [own, own, no, yes, unlock, force, no, no]],
    ['the group is called otherwise', 'leads', [own, own, no, yes, unlock, force, no, no]],
    ['the rule is gone', 'leads', [own, own, no, yes, unlock, force, no, no]],
    ['the rule and the group are gone', 'leads', [own, own, no, no, unlock, force, no, no]],
    ['other people approve', 'leads', [own, own, no, no, unlock, yes, no, no]],
    ['everybody has left the group', 'leads', [own, own, no, no, unlock, force, yes, no]],
    ['whoever may do it approves', 'leads', [own, own, yes, no, unlock, force, no, no]],
    ['no approval is needed', 'leads', [own, own, yes, no, unlock, force, no, no]],
    ['nobody may push', 'leads', [own, own, 'denied', 'denied', unlock, force, 'denied', no]],
    ['no approval is needed', 'none', [yes, no, yes, no, unlock, force, no, no]],
    ['as they were', 'none', [yes, no, yes, yes, unlock, force, no, no]],
    ['the rule and the group are gone', 'none', [unlock, no, no, no, unlock, force, no, no]],
    ['nobody may push', 'none', [unlock, no, 'denied', 'denied', unlock, force, 'denied', no]],
  ])('%s; it needed %s', (name, needed, wanted) => {
    const rights = Object.values(ending).map((by) =>
      mayEnd({ policy: rulesNow[name], needed: needed === 'none' ? 'none' : leads(1), asked, by }),
    );
    expect(rights.map(words)).toEqual(wanted);
  });

  test.each<[keyof typeof rulesNow, 'leads' | 'none', readonly string[]]>([
    ['as they were', 'leads', [own, own, no, yes, no, no, no, no]],
    ['other people approve', 'leads', [own, own, no, no, no, yes, no, no]],
    ['the rule and the group are gone', 'leads', [own, own, no, no, no, no, no, no]],
    ['no approval is needed', 'none', [no, no, no, no, no, no, no, no]],
    ['nobody may push', 'leads', [own, own, no, no, no, no, no, no]],
  ])('who may review it: %s; it skipped %s', (name, needed, wanted) => {
    const rights = Object.values(ending).map((by) =>
      mayReview({ policy: rulesNow[name], needed: needed === 'none' ? 'none' : leads(1), asked, by }),
    );
    expect(rights.map(words)).toEqual(wanted);
  });

  const [read, readLive] = ['{ allow: [read], to: [readers] }', '{ allow: [read], to: [guides], where: ["*/live"] }'];
  const readAll = '{ allow: [read], to: [guides, oncall] }';
  const push = '{ allow: [push], to: [guides], approval: none }';
  test.each<[string, readonly string[], VoteContext['needed'], readonly string[]]>([
    ['read it', [readAll], leads(1), ['S0GUIDES', 'S0ONCALL']],
    ['read its target; its source they certainly may not', [readLive], leads(1), []],
    ['approve it', [read], needing({ by: ['guides'], count: 1 }), ['S0GUIDES']],
    ['run it, if no approval was needed', [read, push], 'none', ['S0GUIDES']],
    ['unlock it by force', [read, '{ allow: ["unlock --force"], to: [oncall] }'], leads(1), ['S0ONCALL']],
    ['unlock it', [read, '{ allow: [unlock], to: [oncall] }'], leads(1), ['S0ONCALL']],
  ])('if Slack does not say whether somebody may %s', (_, rules, needed, groups) => {
    const today = policyFrom(`version: 1
groups: { leads: [U03CHI], readers: [U06ROB], guides: [S0GUIDES], oncall: [S0ONCALL] }
rules:
${rules.map((text) => `  - ${text}\n`).join('')}`);
    const right = mayEnd({ policy: today, needed, asked, by: unsure('U06ROB') });
    const why = groups.length > 0 ? { why: 'unknown', groups } : { why: 'not named' };
    expect(right).toEqual({ kind: 'may not', ...why });
  });

  test.each<[string, readonly boolean[]]>([
    // Somebody may; nobody may; Slack does not say.
    ['may', [true, true, true]],
    ['by unlock', [false, true, false]],
    ['by force', [false, true, true]],
    ['not named', [false, false, false]],
  ])('%s is enough if somebody may, nobody may, or that is unknown: %j', (right, wanted) => {
    const rights: readonly EndRight[] = [
      { kind: 'may' },
      { kind: 'if nobody may', forced: false },
      { kind: 'if nobody may', forced: true },
      { kind: 'may not', why: 'not named' },
    ];
    const found = rights.find((one) => words(one) === right);
    expect([true, false, undefined].map((anybody) => found && isEnough(found, anybody))).toEqual(wanted);
  });

  test.each(['decline', 'happened', 'did_not_happen'] as const)('%s follows it', (verdict) => {
    const change = changeIn(verdict === 'decline' ? 'waiting' : 'unknown');
    const gone = { change, policy: rulesNow['the rule and the group are gone'] };
    const outcome = (by: Member, anybody: boolean | undefined): string =>
      resultOf(seen(verdict), voting({ ...gone, by, anybody }));
    const does = may[verdict].does;
    expect(outcome(ending.dee, false)).toBe(does);
    expect(outcome(ending.dee, true)).toContain("You're not among the people who can");
    expect(outcome(ending.dee, undefined)).toMatch(
      /Slack isn't answering right now, so .* who can .* Nothing was changed/,
    );
    expect(outcome(ending.fay, undefined)).toBe(does);
    expect(outcome(ending.fay, true)).toContain("You're not among the people who can");
    expect(outcome(ending.ana, false)).toContain('This is your own change');
    expect(outcome(ending.chi, false)).toContain("You're not among the people who can");
    expect(outcome(ending.chi, undefined)).toContain("You're not among the people who can");
  });

  test('a right to unlock, or rules that came later, let nobody approve', () => {
    const [gone, other] = [rulesNow['the rule and the group are gone'], rulesNow['other people approve']];
    for (const by of [ending.dee, ending.fay]) {
      expect(resultOf(seen('approve'), voting({ policy: gone, by, anybody: false }))).toContain("You're not among");
    }
    expect(resultOf(seen('approve'), voting({ policy: other, by: ending.fay }))).toContain("You're not among");
  });
});

test('only a requester who declines their own change hears how to take it back', () => {
  const own = (verdict: DecisionKind): string => resultOf(seen(verdict), voting({ by: people.requester }));
  expect(own('approve')).not.toContain('take it back');
  expect(own('decline')).toContain('To take it back, press Cancel.');
});

test('whoever can use the key of the caller that asked decides nothing about it, and hears why', () => {
  const caller = { name: 'deploy-bot', operators: ['U04DEE'] };
  const of = (id: string, more: Partial<VoteContext> = {}) =>
    voting({ asked: { ...asked, caller, handedOnBy: 'U0CHITWO' }, by: who(id), ...more });
  const itsKey = 'deploy-bot asked for this, and you can use its key, so it counts as yours too. Somebody else';
  expect(resultOf(seen('approve'), of('U04DEE'))).toContain(itsKey);
  const unneeded = { needed: 'none', change: changeIn('unknown') } as const;
  expect(resultOf(seen('happened'), of('U04DEE', unneeded))).toContain(itsKey);
  expect(resultOf(seen('approve'), of('U03CHI'))).toContain('You handed this on');
  expect(resultOf(seen('approve'), of('U05FAY'))).toBe('approve');
  for (const needed of ['none', leads(1)] as const)
    expect(mayEnd(of('U04DEE', { needed }))).toEqual({ kind: 'may not', why: 'yourself' });
});

describe('who handed the request on', () => {
  const handed = { ...asked, requester: 'U02BEN', handedOnBy: 'U0CHITWO' };
  const unknown = changeIn('unknown');
  test.each<[DecisionKind, Member, string | RegExp]>([
    ['approve', who('U03CHI'), 'You handed this on, so it counts as yours too. Somebody else has to approve it.'],
    ['approve', who('U0CHITWO'), 'You handed this on'],
    ['approve', who('U02BEN'), 'This is your own change'],
    ['approve', who('U04DEE'), /^approve$/],
    ['decline', who('U03CHI'), 'You handed this on'],
    ['happened', who('U03CHI'), 'You handed this on'],
    ['cancel', who('U03CHI'), /^cancel$/],
    ['cancel', who('U04DEE'), 'can cancel it.'],
  ])('%s by %o', (verdict, by, wanted) => {
    const change = verdict === 'happened' ? unknown : changeIn('waiting');
    const result = resultOf(seen(verdict), voting({ change, asked: handed, by }));
    if (typeof wanted === 'string') expect(result).toContain(wanted);
    else expect(result).toMatch(wanted);
  });

  test('counts for nothing if they had voted', () => {
    const of = voting({ asked: handed, needed: leads(2), voters: [who('U03CHI')], by: who('U04DEE') });
    expect(resultOf(seen('approve'), of)).toBe('vote');
  });
});

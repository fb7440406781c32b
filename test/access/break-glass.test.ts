import { describe, expect, test } from 'vitest';
import {
  glassHint,
  glassMark,
  glassProblem,
  inEmergency,
  refuseBreakGlass,
  skippedInWords,
} from '../../src/access/break-glass.ts';
import { MembershipUnknown } from '../../src/access/unknown-groups.ts';
import { glassInShort, glassLine, isToReview, postReviewOf } from '../../src/change/post-review.ts';
import { rightOf } from '../../src/commands/rights.ts';
import type { ParsedCommand } from '../../src/language/bind-arguments.ts';
import { resolve } from '../../src/language/resolve.ts';
import type { Target } from '../../src/hosting/contract/target.ts';
import type { ApprovalRequest } from '../../src/policy/approvers.ts';
import type { FreezeDecision } from '../../src/policy/freezes.ts';
import type { GlassRight } from '../../src/policy/policy.ts';
import type { BreakGlass, Freeze, Needed } from '../../src/policy/rules.ts';
import { unreviewed, type Change } from '../../src/storage/changes.ts';
import { plain } from '../../src/words/text.ts';
import {
  changeOf,
  commandAt,
  company,
  live,
  names,
  parsedFor,
  policyFrom,
  refusalOf,
  refusalText,
  shopDomain,
  staging,
} from '../fixtures.ts';

const policy = policyFrom(`version: 1
live: ["*/live"]
groups: { developers: [U01ANA], leads: [U03CHI], own: [U01ANA, U0ANATWO] }
people: { ana: [U01ANA, U0ANATWO] }
rules:
  - { allow: [read], to: [developers, leads] }
  - { allow: [routine, sensitive, destructive], to: [developers], approval: none }
freezes:
  - { name: peak, zone: UTC, from: 2026-01-01 00:00, to: 2026-01-02 00:00 }
  - { name: sale, zone: UTC, from: 2026-01-01 00:00, to: 2026-01-02 00:00 }
`);
const [peak, sale] = policy.freezes;
const by = (who: string, reason: Needed['reason'] = 'optional'): Needed => ({
  requirements: [{ by: [who], count: 1 }],
  expires: 60_000,
  reason,
});
const asking = (path: string, target: Target, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  command: rightOf(path, commandAt(path)),
  aims: [{ target, access: 'change' }],
  requester: 'U01ANA',
  waited: 0,
  ...more,
});
const sure = (...ways: readonly BreakGlass[]): GlassRight => ({ ways, unsure: [] });
const perhaps = (...ways: readonly BreakGlass[]): GlassRight => ({ ways, unsure: ['S0GUIDES'] });

/** What the rules come to, in a word. */
function outcomeOf(right: GlassRight | undefined, needed: Needed, asked: ApprovalRequest): string {
  const problem = glassProblem(policy, right, needed, asked);
  if (problem === undefined) return 'may';
  if (problem instanceof MembershipUnknown) return `later: ${problem.groups.join()}`;
  const says = plain(problem);
  const sentences: Readonly<Record<string, string>> = {
    'No rule lets you use --break-glass here': 'no rule',
    'The policy names others who can approve it': 'others',
    'The policy names nobody else who could review it afterwards': 'nobody to review',
    'Nobody alone may skip approval for what is destructive on live': 'destructive',
  };
  return Object.entries(sentences).find(([words]) => says.startsWith(words))?.[1] ?? says;
}

test('promise 4: 96 ways to be let or not, by rule, others, what is unknown, and what it destroys', () => {
  const places: readonly (readonly [Target, isLive: boolean])[] = [
    [live, true],
    [staging, false],
    [company, true],
  ];
  const rules: readonly (readonly BreakGlass[])[] = [[], ['looked at'], ['alone'], ['looked at', 'alone']];
  let looked = 0;
  for (const ways of rules)
    for (const unsure of [false, true])
      for (const others of [false, true])
        for (const risk of ['routine', 'destructive'] as const)
          for (const [target, isLive] of places) {
            const needed = ways.includes(others ? 'looked at' : 'alone');
            const refused = others ? 'others' : 'nobody to review';
            const destroys = !others && risk === 'destructive' && isLive ? 'destructive' : 'may';
            const not = unsure ? 'later: S0GUIDES' : ways.length === 0 ? 'no rule' : refused;
            const asked = asking(risk === 'routine' ? 'cache clear' : 'push', target);
            const right = unsure ? perhaps(...ways) : sure(...ways);
            const is = outcomeOf(right, by(others ? 'leads' : 'own'), asked);
            expect({ ways, unsure, others, risk, on: target.name, is }).toMatchObject({ is: needed ? destroys : not });
            looked += 1;
          }
  expect(looked).toBe(96);
});

test('what is destructive alone: also where a domain is changed, not where live is only read', () => {
  expect(outcomeOf(sure('alone'), by('own'), asking('delete', shopDomain))).toBe('destructive');
  const push = asking('push', staging, {
    aims: [
      { target: staging, access: 'change' },
      { target: live, access: 'read' },
    ],
  });
  expect(outcomeOf(sure('alone'), by('own'), push)).toBe('may');
  expect(outcomeOf(sure('alone'), by('own'), asking('allowlist add', live))).toBe('may');
});

describe('the approval and the freezes that are skipped', () => {
  const open = (approval: 'none' | Needed, ...names: readonly string[]): FreezeDecision => ({
    kind: 'open',
    approval,
    names,
    openUntil: undefined,
  });
  const freezes = (...some: readonly (Freeze | undefined)[]) => some.filter((one) => one !== undefined);
  const frozen: FreezeDecision = { kind: 'frozen', by: freezes(peak, sale), until: 1, mayStill: [] };
  const notKnown: FreezeDecision = { kind: 'unknown', by: freezes(peak), groups: ['S0ONCALL'] };
  const asked = asking('cache clear', live);
  const emergency = (approval: 'none' | Needed, decision: FreezeDecision, right = sure('looked at', 'alone')) =>
    inEmergency(policy, { approval, rules: [3], policy: 'hash' }, { right, decision, asked });

  test.each<[string, 'none' | Needed, FreezeDecision, string, readonly string[]]>([
    ['an approval', by('leads'), open('none'), 'without approval', ['leads']],
    ['a freeze', 'none', frozen, 'in spite of the freeze peak, sale', ['allowed']],
    ['a freeze that may hold it', 'none', notKnown, 'in spite of the freeze peak', ['allowed']],
    ['both', by('leads'), frozen, 'without approval and in spite of the freeze peak, sale', ['leads']],
    [
      'what an exception adds',
      'none',
      open(by('own'), 'peak'),
      'without approval and in spite of the freeze peak',
      ['own'],
    ],
    [
      'an approval, and what an exception adds',
      by('leads'),
      open(by('own'), 'peak'),
      'without approval and in spite of the freeze peak',
      ['leads', 'own'],
    ],
    ['an approval, in a freeze with an exception', by('leads'), open('none', 'peak'), 'without approval', ['leads']],
  ])('%s', (_, approval, decision, says, who) => {
    const { approval: kept, breakGlass, ...rest } = emergency(approval, decision);
    if (breakGlass === undefined || kept === 'none') throw new Error('nothing is skipped');
    expect(plain(skippedInWords(breakGlass))).toBe(says);
    expect(kept.requirements.map((one) => String(one.by))).toEqual(who);
    expect(kept.reason).toBe('required');
    expect(rest).toEqual({ rules: [3], policy: 'hash' });
  });

  test.each<[string, 'none' | Needed, FreezeDecision, GlassRight | undefined, RegExp]>([
    [
      'there is nothing to skip',
      'none',
      open('none'),
      undefined,
      /no glass to break\. Nothing was done\. Ask for it without --break-glass\.$/,
    ],
    ['an exception lets it through as it is', 'none', open('none', 'peak'), undefined, /no glass to break/],
    [
      'no rule lets them',
      by('leads'),
      frozen,
      sure(),
      /^No rule lets you use --break-glass here\. Nothing was done\. Without it, you can ask for approval\.$/,
    ],
    [
      'nobody else could approve it either',
      by('own'),
      open('none'),
      sure('looked at'),
      /^The policy names nobody else who could review it afterwards, so you can't skip the approval\. Nothing was done\.$/,
    ],
    [
      'it is not known',
      by('leads'),
      frozen,
      perhaps(),
      /the rules let you use --break-glass.*S0GUIDES.*Nothing was done/,
    ],
  ])('is refused if %s', (_, approval, decision, right, says) => {
    const refused = refusalOf(() => emergency(approval, decision, right));
    expect(refusalText(refused)).toMatch(says);
    expect(refused instanceof MembershipUnknown).toBe(right?.unsure.length === 1);
  });

  test('somebody who may is told so beforehand, whatever it needs', () => {
    const hint = (glassRight: GlassRight, needed: 'none' | Needed, more: Partial<ParsedCommand> = {}) => {
      const clear = resolve(parsedFor('cache clear', { env: [live.name] }, more), names);
      const context = { policy: () => policy, company: () => company };
      return plain(glassHint(context, { ...clear, glassRight }, needed, 'U01ANA') ?? []);
    };
    expect(hint(sure('looked at'), by('leads'))).toMatch(
      /^In an emergency, --break-glass and a reason skip that: everybody is told, and somebody reviews it/,
    );
    expect(hint(sure('alone'), 'none')).toMatch(/^In an emergency.*: nobody else is named, so it stays not reviewed/);
    for (const right of [sure(), perhaps(), sure('alone')]) expect(hint(right, by('leads'))).toBe('');
    expect(hint(sure('looked at'), by('leads'), { queue: true })).toBe('');
    expect(hint(sure(), by('leads'), { breakGlass: true })).toMatch(/^No rule lets you use --break-glass here/);
    expect(hint(perhaps(), by('leads'), { breakGlass: true })).toBe('');
    expect(outcomeOf(undefined, by('leads'), asked)).toBe('no rule');
  });
});

test('breaks no glass: what is for many, for later, for a queue, or for somebody else', () => {
  const clear = (more: Partial<ParsedCommand>, on: string = live.name) =>
    resolve(parsedFor('cache clear', { env: [on] }, more), names);
  const refused: readonly (readonly [Partial<ParsedCommand>, string, RegExp])[] = [
    [{}, 'acme-*/live', /is for one environment at a time/],
    [{ canary: live.id }, live.name, /is for one environment at a time/],
    [{ when: { at: 1, until: 2 } }, live.name, /is for now, and takes no time/],
    [{ queue: true }, live.name, /waits in no queue: a lock holds it as well/],
    [{ handOn: true }, live.name, /is not handed on/],
    [{ handedOn: 'x' }, live.name, /is not handed on/],
  ];
  for (const [more, on, says] of refused)
    expect(refusalText(refusalOf(() => refuseBreakGlass(clear(more, on))))).toMatch(
      new RegExp(`^--break-glass ${says.source}\\. Nothing was done\\.$`),
    );
  expect(refuseBreakGlass(clear({ dryRun: true, reason: 'x' }))).toBeUndefined();
});

describe('what its card says', () => {
  const authorization = JSON.stringify({ approval: by('leads'), breakGlass: { approval: true, freezes: [] } });
  const reviewed = JSON.stringify({ by: 'U03CHI', at: 60_000, says: 'fine' });
  const line = (more: Partial<Change>): string | undefined => {
    const says = glassLine(changeOf({ authorization, post_review: unreviewed, ...more }));
    return says && plain(says);
  };
  const open = { settled_at: null, sent_at: null, lost_at: null };
  const sent = { ...open, sent_at: 1 };
  test.each<[string, Partial<Change>, string | undefined]>([
    ['before it is sent', open, 'to be sent without approval'],
    ['on its way', sent, 'sent without approval'],
    ['over', { ...sent, settled_at: 2 }, 'sent without approval; nobody has reviewed it yet'],
    [
      'reviewed',
      { ...sent, settled_at: 2, post_review: reviewed },
      'sent without approval; reviewed by @U03CHI, 1970-01-01 00:01 UTC: “fine”',
    ],
    ['stopped', { ...open, settled_at: 2, post_review: null }, 'not sent; it was to go without approval'],
    ['done without a request', { ...open, settled_at: 2 }, 'done without approval; nobody has reviewed it yet'],
    ['of unknown outcome', { ...sent, lost_at: 2 }, 'may have been sent without approval'],
    ['asked for again after a failover', { ...open, lost_at: 2 }, 'may have been sent without approval'],
    ['none of it', { ...open, authorization: JSON.stringify({ approval: by('leads') }) }, undefined],
  ])('%s', (_, more, says) => {
    expect(line(more)).toBe(says);
  });

  test('in a list', () => {
    const short = (more: Partial<Change>): string => plain(glassInShort(changeOf({ authorization, ...more })) ?? []);
    expect(short({ ...sent, settled_at: 2, post_review: unreviewed })).toBe('🚨 break-glass, not reviewed');
    expect(short({ ...sent, settled_at: 2, post_review: reviewed })).toBe('🚨 break-glass');
    expect(short({ authorization: JSON.stringify({ approval: 'none' }) })).toBe('');
  });

  test('there is something to review only while nobody has', () => {
    const of = (post_review: string | null, settled_at: number | null) => ({ post_review, settled_at });
    expect([of(unreviewed, 2), of(unreviewed, null), of(reviewed, 2), of(null, 2)].map(isToReview)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([postReviewOf(of(null, 2)), postReviewOf(of(unreviewed, 2))]).toEqual([undefined, undefined]);
    expect(glassMark).toBe('🚨');
  });
});

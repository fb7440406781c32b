import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal, type Args } from '../../src/base/errors.ts';
import { authorizationOf, skippedBy } from '../../src/access/authorization.ts';
import { authorize, type Person } from '../../src/access/access-check.ts';
import { skippedInWords } from '../../src/access/break-glass.ts';
import { InFreeze } from '../../src/access/freeze-words.ts';
import { MembershipUnknown } from '../../src/access/unknown-groups.ts';
import { recheck } from '../../src/change/recheck.ts';
import { catalogue } from '../../src/commands/index.ts';
import { lookAndPin } from '../../src/decide/look-and-pin.ts';
import { parseArgs } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { rowOf } from '../../src/send/new-change.ts';
import { insertChange, type Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import type { PipelineContext } from '../../src/talk/context.ts';
import { hourMs } from '../../src/words/duration.ts';
import { plain } from '../../src/words/text.ts';
import { company, live, member, names, policyFrom, staging } from '../fixtures.ts';
import { approvedBy, contextOver, now, openStill, restoreChange } from './waiting-changes.ts';

/**
 * The permission matrix of break-glass: what is asked for × rule × approvers × freeze × person, when it is asked and
 * before it is sent. Each cell is compared with a small model of what docs/policy.md promises.
 */

const group = 'S0ONCALL';
/** Whoever asks, as Slack describes them: what they are to the group of some rules and exceptions. */
const people = {
  'on call': member('U01ANA', 'Ana', { groups: [group] }),
  'not on call': member('U01ANA', 'Ana', { otherGroups: [group] }),
  'on call by another account': member('U01ANA', 'Ana', { joinedGroups: [group] }),
  'perhaps on call': member('U01ANA', 'Ana'),
} as const satisfies Record<string, Person>;
type Who = keyof typeof people;
const whos: readonly Who[] = ['on call', 'not on call', 'on call by another account', 'perhaps on call'];
const lead = member('U03CHI', 'Chi');

const what = 'allow: [routine, push]';
const rules = {
  'not by the rules': ['askers', ''],
  'where others look at it': ['askers', ', breakGlass: true'],
  alone: ['askers', ', breakGlass: alone'],
  'for those on call': ['oncall', ', breakGlass: true'],
  'for those on call, alone': ['oncall', ', breakGlass: alone'],
  denied: ['askers', ', breakGlass: true'],
} as const;
type Rule = keyof typeof rules;
const approvals = {
  none: 'none',
  'by leads': '{ by: [leads] }',
  'by leads and heads': '{ by: [leads] }',
  'by nobody else': '{ by: [own] }',
} as const;
type Approval = keyof typeof approvals;
const around = 'zone: UTC, from: 1970-01-01 00:00, to: 1970-01-02 00:00';
const freezes = {
  'no freeze': '',
  'a freeze': `freezes: [{ name: peak, ${around} }]\n`,
  'a freeze that excepts those on call': `freezes: [{ name: peak, ${around}, except: { to: [oncall] } }]\n`,
} as const;
type Freeze = keyof typeof freezes;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.keys` forgets them.
const keysOf = <T extends object>(of: T) => Object.keys(of) as (keyof T)[];

/** What the rules and the freezes are at a moment, and who asks. */
type Moment = { readonly rule: Rule; readonly approval: Approval; readonly freeze: Freeze; readonly who: Who };
const moments: readonly Moment[] = keysOf(rules).flatMap((rule) =>
  keysOf(approvals).flatMap((approval) =>
    keysOf(freezes).flatMap((freeze) =>
      whos
        // The file is refused where nobody could approve, and nobody may be alone.
        .filter(() => approval !== 'by nobody else' || rule === 'alone')
        .map((who) => ({ rule, approval, freeze, who })),
    ),
  ),
);

const policies = new Map<string, Policy>();
function policyAt({ rule, approval, freeze }: Moment): Policy {
  const name = `${rule}, ${approval}, ${freeze}`;
  const [who, way] = rules[rule];
  const asks = `approval: ${approvals[approval]}`;
  const made =
    policies.get(name) ??
    policyFrom(`version: 1
live: ["*/live"]
groups: { askers: [U01ANA], leads: [${lead.id}], heads: [U04DEE], own: [U01ANA, U0ANATWO], oncall: [${group}] }
people: { ana: [U01ANA, U0ANATWO] }
rules:
  - { allow: [read], to: [askers, leads, heads, oncall] }
  - { ${what}, to: [askers], ${asks}${who === 'askers' ? way : ''} }
${who === 'askers' ? '' : `  - { ${what}, to: [${who}], ${asks}${way} }\n`}${approval === 'by leads and heads' ? `  - { ${what}, to: [askers], approval: { by: [heads] } }\n` : ''}${rule === 'denied' ? '  - { deny: [routine, push], to: [askers] }\n' : ''}${freeze === 'no freeze' ? '' : freezes[freeze]}`);
  policies.set(name, made);
  return made;
}

const whats = {
  'a push onto live': ['push', staging.id, live.id, '--files'],
  'a push onto staging': ['push', live.id, staging.id, '--files'],
  'a cache clear': ['cache', 'clear', live.id],
} as const satisfies Record<string, Args>;
type What = keyof typeof whats;

/** What holds them: nothing, a freeze, or perhaps one. */
function heldBy({ freeze, who }: Pick<Moment, 'freeze' | 'who'>): 'free' | 'frozen' | 'later' {
  if (freeze === 'no freeze') return 'free';
  if (freeze === 'a freeze' || who === 'not on call' || who === 'on call by another account') return 'frozen';
  return who === 'on call' ? 'free' : 'later';
}

/** Whether they may skip it: `needed` is the approval that is skipped. */
function mayBreak(
  deed: What,
  { rule, who }: Moment,
  needed: Approval,
): 'yes' | 'later' | 'no rule' | 'others' | 'nobody' {
  const isForGroup = rule.includes('on call');
  // For a freeze alone, whoever else may do it reviews it: whoever is on call.
  const others = needed === 'none' ? isForGroup : needed !== 'by nobody else';
  if (rule === 'not by the rules') return 'no rule';
  if (isForGroup && who === 'perhaps on call') return 'later';
  if (isForGroup && who !== 'on call') return 'no rule';
  const isAlone = rule.includes('alone');
  if (others) return isAlone ? 'others' : 'yes';
  if (!isAlone) return 'nobody';
  return deed === 'a push onto live' ? 'nobody' : 'yes';
}

let database: Database;
beforeAll(async () => {
  database = await openStill();
});
afterAll(() => database.close());

const contextFor = (person: Person, policy: Policy): PipelineContext => {
  const whoIs = async (id: string) => [person, lead].find((one) => one.id === id);
  return contextOver(database, { names: () => names, company: () => company, whoIs, personOf: whoIs }, policy);
};

/** Pinned as somebody asks for it. */
async function asked(deed: What, moment: Moment) {
  const [person, policy] = [people[moment.who], policyAt(moment)];
  const parsed = { ...parseArgs([...whats[deed], '--break-glass'], catalogue), reason: 'the shop is down' };
  if (parsed.command.shape !== 'action') throw new Error('no action');
  const authorized = authorize(policy, person, resolve(parsed, names), company);
  return lookAndPin(contextFor(person, policy), authorized, parsed.command, { person });
}

async function outcomeOfAsking(deed: What, moment: Moment): Promise<string> {
  try {
    const { breakGlass } = (await asked(deed, moment)).authorization;
    return breakGlass ? plain(skippedInWords(breakGlass)) : 'nothing is skipped';
  } catch (error) {
    if (error instanceof MembershipUnknown) return 'later';
    if (!(error instanceof Refusal) || error instanceof InFreeze) throw error;
    const says = plain(error.says);
    if (says.startsWith('You may not')) return 'not allowed';
    if (says.includes('no glass to break')) return 'nothing';
    if (says.startsWith('No rule lets you')) return 'no rule';
    return says.includes('others who can approve') ? 'others' : 'nobody';
  }
}

const isHolding = (moment: Moment): boolean => heldBy(moment) !== 'free';

function shouldBe(deed: What, moment: Moment): string {
  if (moment.rule === 'denied') return 'not allowed';
  const isApproved = moment.approval !== 'none';
  if (!isApproved && !isHolding(moment)) return 'nothing';
  const right = mayBreak(deed, moment, moment.approval);
  const skips = [isApproved ? 'without approval' : '', isHolding(moment) ? 'in spite of the freeze peak' : ''];
  return right === 'yes' ? skips.filter(Boolean).join(' and ') : right;
}

test('promise 4: 684 requests by break-glass, against what the rules and freezes let be skipped', async () => {
  const wrong: string[] = [];
  let looked = 0;
  for (const deed of keysOf(whats))
    for (const moment of moments) {
      const [is, should] = [await outcomeOfAsking(deed, moment), shouldBe(deed, moment)];
      looked += 1;
      if (is !== should) wrong.push(`${deed}, ${Object.values(moment).join(', ')}: ${is}, and not ${should}`);
    }
  expect(wrong).toEqual([]);
  expect(looked).toBe(684);
});

/** The moments at which changes are asked for that are sent at any other. */
const asking: readonly Moment[] = (
  [
    ['where others look at it', 'by leads', 'no freeze'],
    ['where others look at it', 'by leads and heads', 'a freeze'],
    ['alone', 'by nobody else', 'no freeze'],
    ['alone', 'none', 'a freeze'],
  ] as const
).map(([rule, approval, freeze]) => ({ rule, approval, freeze, who: 'on call' }));

/** Whether those who were told when it was asked for include all who would give the approval of now. */
const toldOf = (then: Approval, is: Approval): boolean =>
  is === 'none' || is === then || (then === 'by leads and heads' && is === 'by leads');

const words: Readonly<Record<string, string>> = { 'as it was': 'sent', invalidated: 'ended', 'in freeze': 'frozen' };

test('promise 4: before it is sent, by the rules of that moment, whatever freezes begin', async () => {
  const wrong: string[] = [];
  const came: Record<string, number> = {};
  for (const deed of ['a push onto staging', 'a cache clear'] as const)
    for (const then of asking) {
      const row = rowOf(
        await asked(deed, then),
        { person: people[then.who], channel: { id: 'C1', shared: false } },
        now,
      );
      const change = await database.transaction((tx) => insertChange(tx, row));
      expect(change).toMatchObject({ state: 'approved', cools_down: 1, post_review: 'open' });
      for (const moment of moments) {
        const { kind } = await recheck(contextFor(people[moment.who], policyAt(moment)), change);
        const is = words[kind] ?? kind;
        const right = toldOf(then.approval, moment.approval) ? mayBreak(deed, moment, then.approval) : 'another';
        const sent = right === 'yes' ? 'sent' : right === 'later' ? 'later' : 'ended';
        const should = moment.rule === 'denied' ? 'ended' : sent;
        came[is] = (came[is] ?? 0) + 1;
        const asks = `${deed}, ${Object.values(then).join(', ')}; then ${Object.values(moment).join(', ')}`;
        if (is !== should) wrong.push(`${asks}: ${is}, and not ${should}`);
      }
    }
  expect(wrong).toEqual([]);
  expect(came).toEqual({ ended: 1506, sent: 234, later: 84 });
});

test('promise 4: after a failover it is asked for again, and neither its approval nor a freeze is skipped any more', async () => {
  const [then] = asking;
  if (then === undefined) throw new Error('nothing is asked for');
  const row = rowOf(
    await asked('a cache clear', then),
    { person: people[then.who], channel: { id: 'C1', shared: false } },
    now,
  );
  const change = await database.transaction((tx) => insertChange(tx, row));
  const again = async (more: Partial<Change>, voters: readonly string[], moment: Moment): Promise<string> => {
    const ready = await restoreChange(database, change, { lost_at: now, ...more });
    expect(skippedBy(ready)).toBeUndefined();
    expect(authorizationOf(ready).breakGlass).toBeDefined();
    await approvedBy(database, ready, voters);
    const { kind } = await recheck(contextFor(people[moment.who], policyAt(moment)), ready);
    return words[kind] ?? kind;
  };
  const inFreeze = { ...then, freeze: 'a freeze' } as const;
  const withoutRight = { ...then, rule: 'not by the rules' } as const;
  expect(await again({ state: 'approved' }, [], then)).toBe('ended');
  expect(await again({ state: 'approved' }, [lead.id], then)).toBe('sent');
  expect(await again({ state: 'approved' }, [lead.id], withoutRight)).toBe('sent');
  expect(await again({ state: 'approved' }, [lead.id], inFreeze)).toBe('frozen');
  // At the click of whoever approves it.
  expect(await again({ state: 'waiting', expires_at: now + hourMs }, [], then)).toBe('sent');
  expect(await again({ state: 'waiting', expires_at: now + hourMs }, [], inFreeze)).toBe('frozen');
});

import { describe, expect, test } from 'vitest';
import { rightOf } from '../../src/commands/rights.ts';
import { stillUnknown, whoCloses } from '../../src/change/unknown-replies.ts';
import { closersOf, isCloser, type Closers } from '../../src/change/closers.ts';
import type { Ending } from '../../src/change/may-end.ts';
import { nextReminderOfUnknown } from '../../src/send/reminders.ts';
import { plain, say } from '../../src/words/text.ts';
import { ana, changeOf, commandAt, company, live, policyFrom, staging, contextWith } from '../fixtures.ts';
import type { AccessContext } from '../../src/access/context.ts';

const groups = `version: 1
live: ["*/live"]
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI, U0CHITWO, U0GUEST]
  guides: [S0GUIDES]
  oncall: [U04DEE, U0DEETWO]
  admins: [U05FAY]
  silent: [U0SILENT]
  all: [U01ANA, U02BEN, U03CHI, U0CHITWO, U04DEE, U0DEETWO, U05FAY, U0GUEST, U0SILENT, S0GUIDES]
people:
  chi: [U03CHI, U0CHITWO]
  dee: [U04DEE, U0DEETWO]
rules:
  - { allow: [read], to: [all] }
  - { allow: [unlock], to: [oncall] }
  - { allow: ["unlock --force"], to: [admins] }
`;
const by = (...names: readonly string[]): string =>
  `  - { allow: [push], to: [developers], approval: { by: [${names.join(', ')}] } }\n`;
const ending: Ending = {
  needed: { requirements: [{ by: ['gone'], count: 1 }], expires: 1, reason: 'optional' },
  asked: {
    command: rightOf('push', commandAt('push')),
    aims: [
      { target: live, access: 'change' },
      { target: staging, access: 'read' },
    ],
    requester: ana.id,
    waited: 0,
  },
};

function contextOver(rules: string, guides: readonly string[] | undefined): AccessContext {
  const policy = policyFrom(groups + rules);
  return contextWith({
    policy: () => policy,
    company: () => company,
    membersOf: async () => guides,
    personOf: async (id) =>
      id === 'U0SILENT' ? undefined : { ...ana, id, standing: id === 'U0GUEST' ? 'guest' : 'member' },
  });
}

test('if everyone may run the command, everyone may close it, and the right to unlock does not matter', async () => {
  const rules = `version: 1
groups: { guests: [U0GUEST] }
rules:
  - { allow: [read, 'cache clear'], to: everyone }
  - { allow: [unlock], to: [guests] }
`;
  const of: Ending = {
    needed: 'none',
    asked: {
      command: rightOf('cache clear', commandAt('cache clear')),
      aims: [{ target: live, access: 'change' }],
      requester: 'U0GONE',
      waited: 0,
    },
  };
  const context = { ...contextOver('', []), policy: () => policyFrom(rules) };
  expect(await closersOf(context, of)).toEqual({ people: ['U0GONE'], byUnlock: false, anybody: true });
  const without = { ...context, personOf: async () => ({ ...ana, standing: 'deactivated' as const }) };
  expect(await closersOf(without, of)).toEqual({ people: [], byUnlock: false, anybody: true });
  expect(plain(whoCloses(changeOf(), await closersOf(without, of)))).toContain('Everyone who may run this command');
});

describe('who can close a change', () => {
  test.each<[string, string, readonly string[] | undefined, Closers]>([
    ['members whom the rules name, each once', by('leads'), [], { people: ['U03CHI'], byUnlock: false, anybody: true }],
    ['members of a user group', by('guides'), ['U09GUY'], { people: ['U09GUY'], byUnlock: false, anybody: true }],
    [
      'nobody is in the user group: people who may unlock, by force or not',
      by('guides'),
      [],
      { people: ['U04DEE', 'U05FAY'], byUnlock: true, anybody: false },
    ],
    [
      'only who asked is in it',
      by('guides'),
      [ana.id],
      { people: ['U04DEE', 'U05FAY'], byUnlock: true, anybody: false },
    ],
    ['no rule', '', [], { people: ['U04DEE', 'U05FAY'], byUnlock: true, anybody: false }],
    [
      'Slack does not tell who is in the group: only who may unlock by force',
      by('guides'),
      undefined,
      { people: ['U05FAY'], byUnlock: true, anybody: undefined },
    ],
    [
      'Slack does not say who somebody is',
      by('silent'),
      [],
      { people: ['U05FAY'], byUnlock: true, anybody: undefined },
    ],
    [
      'one person is known, another is not',
      by('silent', 'leads'),
      [],
      { people: ['U03CHI'], byUnlock: false, anybody: true },
    ],
  ])('%s', async (_, rules, guides, wanted) => {
    expect(await closersOf(contextOver(rules, guides), ending)).toEqual(wanted);
  });

  test('is looked up only if it matters', async () => {
    const silent: AccessContext = {
      ...contextOver('', []),
      membersOf: () => {
        throw new Error('it was asked');
      },
    };
    expect(await isCloser(silent, { kind: 'may' }, ending)).toBe(true);
    expect(await isCloser(silent, { kind: 'may not', why: 'not named' }, ending)).toBe(false);
    const spare = { kind: 'if nobody may', forced: false } as const;
    expect(await isCloser(contextOver('', []), spare, ending)).toBe(true);
    expect(await isCloser(contextOver(by('leads'), []), spare, ending)).toBe(false);
    expect(await isCloser(contextOver(by('guides'), undefined), spare, ending)).toBe(false);
    expect(await isCloser(contextOver(by('guides'), undefined), { ...spare, forced: true }, ending)).toBe(true);
  });
});

test('reminders come after an hour, four, twelve, and then daily, counted from the one before', () => {
  const hours = [0, 1, 2, 3, 4, 99].map((reminders) => (nextReminderOfUnknown(reminders, 5_000) - 5_000) / 3_600_000);
  expect(hours).toEqual([1, 4, 12, 24, 24, 24]);
});

describe('a reminder', () => {
  const lost = changeOf({ state: 'unknown', risk: 'destructive', sent_at: 1_000, lost_at: 31_000 });
  const closers: Closers = { people: ['U03CHI', 'U04DEE'], byUnlock: false, anybody: true };
  const locked = [
    { name: live.name, until: null },
    { name: staging.name, until: 3_720_000 },
  ];
  const of = { at: 3_631_000, locked, shown: undefined, closers, again: undefined };

  test('says what is unknown, since when, what stays locked, how to check, and who can close it', () => {
    expect(plain(stillUnknown(lost, of))).toBe(
      "⚠️ Outcome still unknown. It was sent 1970-01-01 00:00 UTC and has been unknown since 1970-01-01 00:00 UTC (1 h). We still don't know whether it happened. acme-shop/live stays locked until somebody closes it. acme-shop/staging stays locked until 01:02 UTC. Please check what the host's panel shows for that time. @U03CHI or @U04DEE can close it.",
    );
  });

  test('of a change that the database had lost: nobody knows that it was sent', () => {
    expect(plain(stillUnknown({ ...lost, sent_at: 31_000 }, of))).toMatch(
      /^⚠️ Outcome still unknown\. It may have been sent and has been unknown since 1970-01-01 00:00 UTC/,
    );
  });

  test('of a change that locks nothing, and of one that can be read back', () => {
    const shown = say`Read back: it is so.`;
    expect(plain(stillUnknown(lost, { ...of, locked: [], shown }))).toMatch(
      /it happened\. It no longer locks anything\. Read back: it is so\. @U03CHI/,
    );
    const routine = plain(stillUnknown({ ...lost, risk: 'routine' }, { ...of, locked: [], again: say`Twice.` }));
    expect(routine).not.toContain('lock');
    expect(routine).toMatch(/can close it\. Twice\.$/);
  });

  test.each<[string, Partial<Closers>, string]>([
    ['many', { people: ['1', '2', '3', '4', '5', '6', '7', '8'] }, '@1, @2, @3, @4, @5, @6 or 2 more can'],
    ['by unlock', { byUnlock: true, anybody: false }, 'so @U03CHI or @U04DEE can, with the right to unlock.'],
    ['nobody', { people: [], anybody: false }, "Today's rules let nobody close it."],
    ['that is unknown', { people: [], anybody: undefined }, "I can't tell right now who can close it."],
  ])('who can: %s', (_, more, words) => {
    expect(plain(whoCloses(lost, { ...closers, ...more }))).toContain(words);
  });
});

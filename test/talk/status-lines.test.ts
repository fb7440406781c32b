import { describe, expect, test } from 'vitest';
import { linesOf } from '../../src/talk/status-lines.ts';
import type { ListedChange } from '../../src/talk/changes-pages.ts';
import type { TimerLine } from '../../src/waiting/timer-list.ts';
import type { Look } from '../../src/site-check/reading.ts';
import type { LoudestError, StatusPart } from '../../src/commands/kit/site-status.ts';
import type { SiteStatus } from '../../src/talk/site-status.ts';
import { mention, plain, say } from '../../src/words/text.ts';

const now = Date.UTC(2026, 10, 23, 3, 0);
const found = <T>(value: T): StatusPart<T> => ({ kind: 'found', found: value });
const look: Look = {
  address: 'https://acme.example/',
  as: 'visitor',
  kind: 'answered',
  status: 200,
  firstByteMs: 200,
  ms: 400,
  finalAddress: 'https://acme.example/',
  title: 'Shop',
  trouble: undefined,
  cache: undefined,
  certificateDays: undefined,
};
const site = (...looks: readonly Look[]): Pick<SiteStatus, 'site'> => ({
  site: found({ kind: 'read', reading: { at: now, looks, missing: [] }, instead: undefined }),
});
const quiet: LoudestError = {
  errors: 0,
  kinds: 0,
  others: 0,
  possible: 0,
  withoutLevel: 0,
  loudest: undefined,
  cut: undefined,
  isTimeless: false,
  timelessErrors: 0,
  newestIfUtc: undefined,
};
const well: SiteStatus = {
  ...site(look),
  verdict: undefined,
  work: found({ lock: undefined, open: [], hidden: 0, queued: 0, more: false }),
  backup: found({ type: 'scheduled', at: now - 3_600_000 }),
  errors: found(quiet),
  changes: found({ lines: [], more: false }),
  access: found({ lines: [], more: false }),
  pauses: found({ all: undefined, callers: undefined }),
  freezes: [],
};
const told = (part: Partial<SiteStatus>): readonly string[] =>
  linesOf({ ...well, ...part }, now).map(({ mark, label, says }) => `${mark} ${label}: ${plain(says)}`);
const change = (more: Partial<ListedChange> = {}): ListedChange => ({
  number: 7,
  caller: null,
  state: '⏳ waiting',
  title: 'Push a → b',
  requester: 'U01ANA',
  handedOnBy: undefined,
  beside: undefined,
  at: now,
  sentAt: undefined,
  ...more,
});
const timer: TimerLine = {
  change: 3,
  where: 'acme-shop/live',
  addresses: ['198.51.100.4'],
  requester: 'U01ANA',
  endsAt: now,
  standing: undefined,
};

test('the site, its errors and its backup are always told, and nothing else that is as usual', () => {
  expect(told({})).toEqual([
    '✅ Site: answers well in one reading: 200 in 0.4 s as a visitor.',
    '✅ Errors of the last hour: no error.',
    '✅ Newest backup: scheduled, 60 min ago (2026-11-23 02:00 UTC).',
  ]);
});

describe('a line of the status', () => {
  test.each<[Partial<SiteStatus>, string]>([
    [site(look), '✅ Site: answers well in one reading: 200 in 0.4 s as a visitor.'],
    [
      site(look, { ...look, as: 'past the cache', status: 502 }),
      "⚠️ Site: answers badly in one reading: 200 in 0.4 s as a visitor, 502 in 0.4 s past the cache. Visitors still get pages, but past the cache the site fails. Verdict within 25 s, unless I'm restarted.",
    ],
    [site({ ...look, ms: 6_200 }), '⚠️ Site: answers, but slowly, in one reading: 200 in 6.2 s as a visitor.'],
    [site({ ...look, status: 403 }), '❔ Site: unknown by one reading: 403 in 0.4 s as a visitor.'],
    [
      { site: found({ kind: 'cannot be checked', why: say`the policy turns checks of it off` }) },
      "❔ Site: can't be checked: the policy turns checks of it off. I didn't contact it.",
    ],
    [
      { site: { kind: 'late', afterMs: 2_000 } },
      "❔ Site: unknown: one reading had not ended after 2 s. Verdict within 25 s, unless I'm restarted.",
    ],
    [
      { backup: found(null) },
      '⚠️ Newest backup: the host lists none. Without one, what is overwritten or deleted is lost.',
    ],
    [
      { backup: found({ type: '', at: undefined }) },
      "❔ Newest backup: of unknown kind; the host doesn't say how old it is.",
    ],
    [
      { backup: found({ type: 'manual', at: now - 3 * 86_400_000 }) },
      '⚠️ Newest backup: manual, 3 days ago (2026-11-20 03:00 UTC).',
    ],
    [
      { backup: { kind: 'late', afterMs: 2_000 } },
      '❔ Newest backup: unknown: no answer within 2 s, so I stopped waiting.',
    ],
    [{ pauses: { kind: 'failed', why: say`It broke.` } }, '❔ Sending: unknown: It broke.'],
    [
      { errors: { kind: 'rights unknown', path: 'logs', userGroups: ['S0DEVS'] } },
      "🚫 Errors of the last hour: not shown: I can't tell whether you may run logs, because Slack doesn't say who is in S0DEVS.",
    ],
    [
      {
        errors: found({
          ...quiet,
          errors: 14,
          kinds: 3,
          loudest: { says: 'PHP Fatal error: no', count: 3, last: undefined },
        }),
      },
      '❔ Errors of the last hour: most frequent, 3×: “PHP Fatal error: no”. 11 more errors of 2 other kinds.',
    ],
    [site({ ...look, ms: 20 }), '✅ Site: answers well in one reading: 200 in under 0.1 s as a visitor.'],
    [
      { site: found({ kind: 'read', reading: { at: now, looks: [look], missing: [] }, instead: '127.0.0.1:1' }) },
      '✅ Site: answers well in one reading: 200 in 0.4 s as a visitor. Asked 127.0.0.1:1 instead of the site.',
    ],
    [
      {
        errors: found({ ...quiet, others: 2, cut: { since: now } }),
      },
      '❔ Errors of the last hour: no error; 2 warnings and notices. Only the newest lines were read, back to 03:00 UTC.',
    ],
    [
      {
        errors: found({ ...quiet, others: 1, isTimeless: true }),
      },
      '❔ Errors of the last hour: no error; 1 warning or notice. Some lines have no time that can be true, so they may be of another hour.',
    ],
    [
      {
        errors: found({ ...quiet, withoutLevel: 1 }),
      },
      "• Errors of the last hour: no line says that it is an error, but 1 line doesn't say what it is.",
    ],
    [
      { backup: found({ type: 'manual', at: now + 3 * 86_400_000 }) },
      '❔ Newest backup: manual, dated in the future (2026-11-26 03:00 UTC).',
    ],
    [
      { work: found({ lock: undefined, open: [], hidden: 1, queued: 0, more: false }) },
      "• Lock and open changes: \n   1 open change that you can't see",
    ],
    [
      {
        work: found({
          lock: undefined,
          open: [change({ state: '⚠️ unknown', sentAt: now })],
          hidden: 0,
          queued: 0,
          more: true,
        }),
      },
      '⚠️ Lock and open changes: \n   ⚠️ unknown: Push a → b #7, asked by @U01ANA, sent 2026-11-23 03:00 UTC\n   there may be more',
    ],
    [
      { work: found({ lock: undefined, open: [], hidden: 0, queued: 1, more: false }) },
      '• Lock and open changes: No change is open, but /site queue has 1 request.',
    ],
    [
      { work: found({ lock: undefined, open: [change()], hidden: 0, queued: 2, more: false }) },
      '• Lock and open changes: \n   ⏳ waiting: Push a → b #7, asked by @U01ANA 2026-11-23 03:00 UTC\n   /site queue has 2 requests',
    ],
    [
      {
        changes: found({
          lines: [
            change({ state: '⛔ cancelled', beside: say`**Stopped by ${mention('U03CHI')}.** Nothing was sent.` }),
          ],
          more: false,
        }),
      },
      '• Last changes: \n   ⛔ cancelled: Push a → b #7, asked by @U01ANA 2026-11-23 03:00 UTC · Stopped by @U03CHI. Nothing was sent.',
    ],
    [{ changes: found({ lines: [], more: true }) }, '• Last changes: none that you can see among the newest ones.'],
    [
      { access: found({ lines: [timer, { ...timer, standing: say`tried once, still open.` }, timer], more: true }) },
      '⚠️ Timed access: \n   198.51.100.4 until 2026-11-23 03:00 UTC #3, @U01ANA.\n   198.51.100.4 until 2026-11-23 03:00 UTC #3, @U01ANA. tried once, still open.\n   and 1 or more others',
    ],
  ])('%#: %o', (part, line) => {
    expect(told(part)).toContain(line);
  });

  test('all of them, however much there is, fit a screen and a half of a phone', () => {
    const long = 'x'.repeat(200);
    const lines = Array.from({ length: 30 }, () => change({ title: long }));
    const addresses = Array.from({ length: 40 }, (_, n) => `2001:db8:${n}::/64`);
    const bad: Look = { ...look, status: 500, trouble: 'an error page of WordPress' };
    const everything = told({
      ...site(look, { ...bad, as: 'past the cache' }, bad, bad),
      work: found({
        lock: { info: { by: { person: 'U01ANA' }, why: long, until: now }, since: now },
        open: lines,
        hidden: 3,
        queued: 12,
        more: true,
      }),
      errors: found({
        ...quiet,
        errors: 900,
        kinds: 12,
        others: 3,
        loudest: { says: `${'x'.repeat(140)}…`, count: 500, last: now },
        cut: { since: now },
      }),
      changes: found({ lines: lines.slice(0, 3), more: true }),
      access: found({ lines: Array.from({ length: 9 }, () => ({ ...timer, addresses })), more: true }),
      pauses: found({ all: { by: 'U03CHI', name: 'Chi', why: 'x'.repeat(500), at: now }, callers: undefined }),
    });
    const rows = everything
      .flatMap((text) => text.split('\n'))
      .reduce((sum, row) => sum + Math.ceil(row.length / 42), 0);
    // A screen of 32 rows.
    expect(rows).toBeLessThanOrEqual(48);
  });
});

import { describe, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { inScenario, patienceMs, type Scenario, locksOf, reloadPolicy } from './scenario.ts';
import { type ChangeThread, labelsOf } from './people.ts';

/** People are reminded of a change with an unknown outcome until somebody closes it, even if the rules change. */

const everybody = '[U01ANA, U02BEN, U03CHI, U04DEE, U05FAY]';
const rules = (groups: string, ...lines: readonly string[]): string => `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  everybody: ${everybody}
  oncall: [U01ANA, U04DEE]
  admins: [U05FAY]
${groups}
rules:
  - { allow: [read], to: [everybody] }
  - { allow: [unlock], to: [oncall] }
  - { allow: ['unlock --force'], to: [admins], where: ['acme-*/*'] }
${lines.map((line) => `  - ${line}\n`).join('')}
channels:
  ops: G0BAKERY
`;
const pushing = (by: string): string =>
  `{ allow: [push], to: [developers], approval: { by: [${by}], count: 1, expires: 1h } }`;
const first = rules('  leads: [U03CHI]', pushing('leads'), '{ allow: [routine], to: [developers] }');
const hosting = { durations: { 'environments:push': 0, 'cache:clear': 0 } } as const;
const closing = ['It happened', 'It did not happen'];

const onto = (site: string): string => `/site push ${site}/live ${site}/staging --files`;
/** Makes the change old enough to be closed, and its next reminder due. */
const reminds = (scenario: Scenario, { number }: ChangeThread): void => {
  scenario.runSql('update changes set sent_at = 1 where number = ?', number);
  scenario.makeDue(number);
};
/** A push by Ana, approved by Chi and answered with a gateway's page. Resolves when the thread shows the evidence. */
async function lost(scenario: Scenario, site: string): Promise<ChangeThread> {
  scenario.hosting.faults.add({ kind: 'gateway', status: 500, method: 'PUT', applied: true });
  const change = await scenario.person('ana').requests(onto(site));
  await scenario.person('chi').clicks(change.card(), 'Approve');
  await change.tells(/^⚠️ @Ana @Chi Outcome unknown\./);
  await change.tells(/so it probably started\./);
  return change;
}

describe.concurrent('promise 2: a change with an unknown outcome', () => {
  test(
    'is reminded of at growing intervals until it is closed: in the thread with its buttons, in ops, and to those who can close it',
    inScenario({ policy: first, hosting }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const change = await lost(scenario, 'acme-blog');
      const due = (): number =>
        Number(scenario.rows('select due_at from changes where number = ?', change.number)[0]?.['due_at']);
      const gaps: number[] = [due()];
      const still = /^⚠️ Outcome still unknown\. It was sent .* and has been unknown since .*\. We still don't know/;
      const reminders = (): readonly VisibleMessage[] => change.replies().filter(({ text }) => still.test(text));
      const began = Date.now();
      for (const count of [1, 2, 3, 4, 5]) {
        reminds(scenario, change);
        await vi.waitFor(() => expect(reminders()).toHaveLength(count), { timeout: patienceMs });
        gaps.push(due());
      }
      const hours = gaps.map((at) => Math.round((at - began) / 3_600_000));
      expect(hours).toEqual([1, 4, 12, 24, 24, 24]);
      const [last] = reminders().slice(-1);
      expect(last?.text).toMatch(
        /acme-blog\/staging stays locked until somebody closes it\. acme-blog\/live stays locked until 20/,
      );
      expect(last?.text).toContain('@Chi can close it.');
      expect(last?.text).toMatch(/A backup of acme-blog\/staging .* was made at/);
      await vi.waitFor(
        () => {
          const withButtons = change.replies().filter((one) => labelsOf(one).includes('It happened'));
          expect(withButtons.map(({ ts }) => ts)).toEqual([reminders().at(-1)?.ts]);
        },
        { timeout: patienceMs },
      );
      const named = new RegExp(`#${change.number} · Push [^]*Outcome still unknown`);
      // Ops got five messages as well; only the newest has buttons.
      for (const channel of [chi.direct, 'G0BAKERY']) {
        const offered = () =>
          scenario.slack
            .messages({ channel, as: chi.id })
            .flatMap((one) => (named.test(one.text) ? [labelsOf(one)] : []));
        await vi.waitFor(() => expect(offered()).toEqual([[], [], [], [], closing]), { timeout: patienceMs });
      }
      expect(
        scenario.slack.messages({ channel: ana.direct, as: ana.id }).filter(({ text }) => named.test(text)),
      ).toEqual([]);
      const doctor = await chi.says('/site doctor');
      await doctor.hears(new RegExp(`1 unknown: #${change.number} since `));

      await chi.clicks(last ?? change.card(), 'It happened');
      await change.tells('✅ @Chi says it happened.');
      await vi.waitFor(() => expect(reminders().flatMap(labelsOf)).toEqual([]), { timeout: patienceMs });
      expect(locksOf(scenario, change)).toEqual([]);
      expect(scenario.rows('select due_at from changes where number = ?', change.number)).toEqual([{ due_at: null }]);
    }),
  );

  test(
    'is unknown while the bot is down for a week: one reminder, not ten',
    inScenario({ policy: first, hosting }, async (scenario) => {
      const change = await lost(scenario, 'acme-blog');
      await scenario.stop();
      const week = 7 * 24 * 3_600_000;
      scenario.runSql('update changes set due_at = due_at - ?, sent_at = 1, lost_at = lost_at - ?', week, week);
      scenario.runSql("update kv set at = at - ? where key = 'last_seen'", week);
      await scenario.start();
      await scenario.person('chi').reads(/^I was away .* Unknown: #1\.$/, 'G0BAKERY');
      const reminder = await change.tells(/^⚠️ Outcome still unknown\. .* \(168 h\)/);
      expect(reminder.text).toContain('@Chi can close it.');
      const [row] = scenario.rows('select due_at, reminders from changes where number = ?', change.number);
      expect(row?.['reminders']).toBe(1);
      expect(Number(row?.['due_at'])).toBeGreaterThan(Date.now() + 3 * 3_600_000);
    }),
  );

  test(
    'the approvers’ group is renamed and has new members: they are told and can close it; former members cannot',
    inScenario({ policy: first, hosting }, async (scenario) => {
      const [ana, chi, ben, dee] = [
        scenario.person('ana'),
        scenario.person('chi'),
        scenario.person('ben'),
        scenario.person('dee'),
      ];
      const change = await lost(scenario, 'acme-blog');
      await reloadPolicy(scenario, rules('  heads: [U02BEN]', pushing('heads')));
      reminds(scenario, change);
      const reminder = await change.tells(/^⚠️ Outcome still unknown\..*@Ben can close it\./);
      const direct = await ben.reads(/Outcome still unknown/);
      expect(labelsOf(direct)).toEqual(closing);
      const refused = [
        [ana, 'This is your own change, so somebody else has to close it. @Ben can close it.'],
        [chi, "You're not among the people who can close it. @Ben can close it."],
        [dee, "You're not among the people who can close it. @Ben can close it."],
      ] as const;
      for (const [who, says] of refused) await (await who.clicks(reminder, 'It happened')).hears(says);
      await ben.clicks(direct, 'It did not happen');
      await change.tells('❌ @Ben says it did not happen.');
      expect(locksOf(scenario, change)).toEqual([]);
    }),
  );

  test(
    'its message in the ops channel was deleted: closing it posts how it ended, not again that it is unknown',
    inScenario({}, async (scenario) => {
      const ana = scenario.person('ana');
      scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 500 });
      const change = await ana.asks('/site cache clear acme-shop/staging');
      await change.tells(/Outcome unknown/);
      const inOps = (words: RegExp) => () =>
        scenario.slack.messages({ channel: 'C0OPS', as: ana.id }).filter(({ text }) => words.test(text));
      const unknown = inOps(/Outcome unknown/);
      await vi.waitFor(() => expect(unknown()).toHaveLength(1), { timeout: patienceMs });
      scenario.slack.faults.add({ method: 'chat.update', kind: 'error', error: 'message_not_found', channel: 'C0OPS' });
      scenario.runSql('update changes set sent_at = 1 where number = ?', change.number);
      await change.shows(/Outcome unknown/);
      await ana.clicks(change.card(), 'It happened');
      await vi.waitFor(() => expect(inOps(/@Ana says it happened/)()).toHaveLength(1), { timeout: patienceMs });
      const pending = "select key from messages where due_at is not null and kind = 'ops'";
      await vi.waitFor(() => expect(scenario.rows(pending)).toEqual([]), { timeout: patienceMs });
      expect(unknown()).toHaveLength(1);
    }),
  );

  test(
    'the rule and the group are gone: people who may unlock are told, see it in App Home and close it; its requester cannot',
    inScenario({ policy: first, hosting }, async (scenario) => {
      const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
      const change = await lost(scenario, 'acme-docs');
      await reloadPolicy(scenario, rules(''));
      reminds(scenario, change);
      const reminder = await change.tells(/with the right to unlock\./);
      expect(reminder.text).toContain("Today's rules let nobody close this by approving, so @Dee or @Fay can");
      await dee.reads(/Outcome still unknown/);
      await scenario.slack.home(dee.id);
      await scenario.slack.until(
        () =>
          /Waiting for your decision\s+⚠️ Push acme-docs/.test(scenario.slack.views(dee.id).home?.text ?? '') ||
          undefined,
        patienceMs,
      );
      for (const who of [ana, chi]) {
        const said = await who.clicks(reminder, 'It happened');
        await said.hears(who === ana ? 'This is your own change' : "You're not among the people who can close it.");
      }
      await scenario.slack.click(dee.id, 'home', { label: 'It happened' });
      await change.tells('✅ @Dee says it happened.');
      expect(locksOf(scenario, change)).toEqual([]);
    }),
  );

  test(
    'the rules change before its evidence can be read: those who can close it now are told with the evidence, and close it',
    inScenario({ policy: first, hosting }, async (scenario) => {
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      scenario.hosting.faults.add({ kind: 'gateway', status: 500, method: 'PUT', applied: true, ms: 1_000 });
      const change = await ana.requests(onto('acme-blog'));
      await chi.clicks(change.card(), 'Approve');
      await scenario.hosting.until(() => scenario.writes('acme-blog/staging')[0], patienceMs);
      scenario.hosting.faults.add({ kind: 'gateway', section: '4.22', times: 'always' });
      await change.tells(/^⚠️ @Ana @Chi Outcome unknown\./);
      await reloadPolicy(scenario, rules('  heads: [U02BEN]', pushing('heads')));
      scenario.hosting.faults.remove();
      reminds(scenario, change);
      await change.tells(/so it probably started\..*@Ben can close it\./);
      const direct = await ben.reads(/Push acme-blog[^]*Outcome unknown\..*@Ben can close it\./);
      // What a read shows is no answer: whoever hears of it for the first time is asked to look, as the others were.
      expect(direct.text).toContain("Please check acme-blog/staging in the host's panel, then press It happened or");
      expect(labelsOf(direct)).toEqual(closing);
      await ben.clicks(direct, 'It happened');
      await change.tells('✅ @Ben says it happened.');
    }),
  );

  test(
    'nobody may close it any more: the ops channel is told what the rules lack, and it stays open',
    inScenario({ policy: first, hosting }, async (scenario) => {
      const [chi, dee] = [scenario.person('chi'), scenario.person('dee')];
      const change = await lost(scenario, 'acme-docs');
      const bare = rules('')
        .replaceAll(/ {2}- .*unlock.*\n/g, '')
        .replaceAll(/ {2}(oncall|admins): .*\n/g, '');
      await reloadPolicy(scenario, bare);
      reminds(scenario, change);
      await chi.reads(/Today's rules let nobody close it\..*or unlock acme-docs\/staging/, 'G0BAKERY');
      const reminder = await change.tells("Today's rules let nobody close it.");
      await (await dee.clicks(reminder, 'It happened')).hears("You're not among the people who can close it.");
      expect(locksOf(scenario, change)).toHaveLength(2);
    }),
  );

  test(
    'everybody leaves the user group that approves, while it is unknown and another waits: somebody who may unlock closes both',
    inScenario({ policy: rules('  leads: [S0LEADS]', pushing('leads')), hosting }, async (scenario) => {
      const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
      await scenario.slack.changeGroup('S0LEADS', ['U03CHI']);
      const change = await lost(scenario, 'acme-blog');
      const waiting = await ana.requests(onto('acme-docs'));
      const early = await dee.clicks(waiting.card(), 'Decline…');
      await dee.form("You're not among the people who can decline it.");
      expect(early.answers()).toEqual([]);
      await scenario.slack.changeGroup('S0LEADS', []);
      reminds(scenario, change);
      const reminder = await change.tells(/so @Dee or @Fay can/);
      await dee.clicks(reminder, 'It did not happen');
      await change.tells('❌ @Dee says it did not happen.');
      await (await dee.clicks(waiting.card(), 'Approve')).hears("You're not among the people who can approve it.");
      await dee.clicks(waiting.card(), 'Decline…');
      await dee.form('Reason');
      await dee.submits({ Reason: 'nobody is left' });
      await waiting.tells('⛔ Declined by @Dee: “nobody is left”. Nothing was sent.');
      expect(scenario.writes('acme-docs/staging')).toEqual([]);
    }),
  );
});

describe.concurrent('unlock --force', () => {
  test(
    'frees one environment of an unknown change, if a rule names the command; the change stays unknown and is closed later',
    inScenario({ policy: first, hosting }, async (scenario) => {
      const [chi, dee, fay] = [scenario.person('chi'), scenario.person('dee'), scenario.person('fay')];
      const change = await lost(scenario, 'acme-blog');
      const refused = await dee.says('/site unlock acme-blog/staging --force');
      await refused.hears(/You may not run unlock --force on acme-blog\/staging\..*Nothing was done\./);
      const usual = await dee.says('/site unlock acme-blog/staging');
      await usual.hears(`acme-blog/staging is held by #${change.number}, not by a person. Nothing was done.`);
      const can = await fay.says('/site can unlock acme-blog/staging --force');
      await can.hears('You may run unlock --force on acme-blog/staging');
      const also = await fay.says('/site unlock acme-blog/staging');
      await also.hears('You may not run unlock on acme-blog/staging');
      expect(locksOf(scenario, change)).toHaveLength(2);

      const freed = await fay.says('/site unlock acme-blog/staging —force');
      const page = await freed.hears('acme-blog/staging is unlocked');
      expect(page.text).toContain(`#${change.number} still locks acme-blog/live: only acme-blog/staging was freed.`);
      expect(page.text).toMatch(/It could still reach the host until .*\./);
      expect(labelsOf(page)).toEqual(['Unlock acme-blog/live too', `Show #${change.number}`]);
      await change.tells(/^🔓 @Fay removed its lock on acme-blog\/staging\..* This one is still unknown/);
      await chi.reads(/🔓 @Fay removed its lock on acme-blog\/staging/, 'G0BAKERY');
      await fay.clicks(page, 'Unlock acme-blog/live too');
      await change.tells(/^🔓 @Fay removed its lock on acme-blog\/live/);
      expect(locksOf(scenario, change)).toEqual([]);
      expect(scenario.rows('select state from changes where number = ?', change.number)).toEqual([
        { state: 'unknown' },
      ]);

      reminds(scenario, change);
      const reminder = await change.tells(/^⚠️ Outcome still unknown\..* It no longer locks anything\./);
      await chi.clicks(reminder, 'It happened');
      await change.tells('✅ @Chi says it happened.');
      expect(scenario.rows("select actor from audit where event = 'force_unlock'")).toEqual([
        { actor: fay.id },
        { actor: fay.id },
      ]);
    }),
  );

  test(
    'does not free a change whose operation is followed',
    inScenario({ policy: first, hosting }, async (scenario) => {
      scenario.hosting.operations.plan('environments:push', 'hang');
      const change = await scenario.person('ana').requests(onto('acme-blog'));
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await change.tells('Sent. The host accepted it.');
      const said = await scenario.person('fay').says('/site unlock acme-blog/staging --force');
      const refusal = await said.hears(`acme-blog/staging is held by #${change.number}, which is still running:`);
      expect(refusal.text).toMatch(/Accepted by the host; running\. I can't remove its lock now\. Nothing was done\./);
      expect(locksOf(scenario, change)).toHaveLength(2);
    }),
  );
});

test(
  'promise 2: an unknown routine change offers Ask again beside closing it, and says what that means',
  inScenario({ policy: first, hosting }, async (scenario) => {
    const ana = scenario.person('ana');
    scenario.hosting.faults.add({ kind: 'gateway', status: 502, method: 'POST', applied: true });
    const change = await ana.asks('/site cache clear acme-blog/staging');
    const alarm = await change.tells(/^⚠️ @Ana Outcome unknown\./);
    expect(alarm.text).toContain('Asking again may do it twice. Clearing a cache twice is harmless.');
    expect(labelsOf(alarm)).toEqual(['Ask again', ...closing]);
    await change.tells('Nothing I can read shows whether it happened.');
    expect(change.replies().filter(({ text }) => text.includes("the host's panel"))).toHaveLength(1);
    reminds(scenario, change);
    const reminder = await change.tells(/^⚠️ Outcome still unknown\..* @Ana .*can close it\..*Clearing a cache twice/);
    expect(labelsOf(reminder)).toEqual(['Ask again', ...closing]);
    await ana.reads(/Outcome still unknown/);
    const [ben] = [scenario.person('ben')];
    expect(scenario.slack.messages({ channel: ben.direct, as: ben.id })).toEqual([]);
    await ana.clicks(reminder, 'Ask again');
    await vi.waitFor(() => expect(scenario.writes('acme-blog/staging')).toHaveLength(2), { timeout: patienceMs });
    await ana.clicks(reminder, 'It happened');
    await change.tells('✅ @Ana says it happened.');
  }),
);

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inScenario, openScenario, patienceMs, reloadPolicy, stateOf, type Scenario } from './scenario.ts';
import { submitBatch } from './batch.ts';
import { labelsOf, type ChangeThread } from './people.ts';

/** Friday 17:55, the shop is down, and nobody who could approve is awake. */

const rules = (push = 'breakGlass: true', more = ''): string => `version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN, U06ROB]
  leads: [U03CHI, U04DEE, U06ROB]
people:
  ana: [U01ANA, U06ROB]
channels: { ops: G0BAKERY }
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: [lock, unlock, pause, resume], to: [leads] }
  - { allow: [push], to: [developers], approval: { by: [leads], expires: 1h }, ${push} }
  - { allow: [clone, delete], to: [developers], approval: { by: [leads] } }
${more}`;
const frozen = rules(
  'breakGlass: true',
  'freezes: [{ name: weekend, weekly: [mon 00:00 – thu 00:00, thu 00:00 – mon 00:00], zone: UTC, where: ["acme-shop/live"] }]\n',
);
const name = 'Type acme-shop/live to confirm';
const push = '/site push acme-shop/staging acme-shop/live --files';
const emergency = `${push} --break-glass --reason "the shop is down"`;

describe('break-glass', { concurrent: false }, () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy: rules(), hosting: { durations: { 'environments:push': 0 } } });
  });
  afterAll(() => scenario.close());

  const writes = () => scenario.writes('acme-shop/live').length;
  const breaks = async (line = emergency): Promise<ChangeThread> => {
    const ana = scenario.person('ana');
    await ana.opens(line, /🚨 Break-glass: this is sent without approval/);
    return ana.confirms({ [name]: 'acme-shop/live' });
  };
  /** What Ana reads, in a form that was opened meanwhile or in a private answer. */
  const refusalTo = async (line: string, words: RegExp): Promise<string> => {
    const ana = scenario.person('ana');
    const said = await ana.says(line);
    const find = () => [...said.answers(), ...scenario.slack.views(ana.id).modals].find(({ text }) => words.test(text));
    const { text } = await scenario.slack.until(() => find());
    await scenario.slack.closeModal(ana.id).catch(() => undefined);
    return text;
  };
  const auditOf = ({ number }: ChangeThread) =>
    scenario.rows('select event from audit where change = ?', number).map(({ event }) => event);

  test('says what is skipped, tells everybody at once, can be stopped by anybody, and sends nothing then', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const before = writes();
    const form = await ana.opens(emergency, /🚨 Break-glass: this is sent without approval\./);
    expect(form.text).toContain(
      "@Chi or @Dee can review it afterwards. I'll tell them and the ops channel at once, with your reason.",
    );
    expect(form.text).not.toContain('Nothing is sent until it is approved');
    expect((await ana.submits({ [name]: 'live' })).errors).not.toEqual({});
    const change = await ana.confirms({ [name]: 'acme-shop/live' });
    await scenario.holdBeforeSend(change.number);
    await change.tells(
      /^🚨 Break-glass: @Ana asked for this without approval\. “the shop is down” @Chi or @Dee: please review it afterwards\. I'll send it 10 s after somebody else is told\./,
    );
    await change.shows(/🚨 Break-glass: to be sent without approval/);
    await (await chi.says('/site changes acme-shop/live')).hears(`🚨 to be sent · #${change.number}`);
    await (await chi.says('/site changes --unreviewed')).hears(/None that you can see is left to review/);
    for (const who of [chi, scenario.person('dee')])
      expect(labelsOf(await who.reads(/🚨 Break-glass:/))).toContain('Stop');
    await chi.reads('🚨 Break-glass', 'G0BAKERY');
    await chi.clicks(await chi.reads('🚨 Break-glass'), 'Stop');
    await change.tells(/Stopped by @Chi/);
    expect(stateOf(scenario, change)).toBe('cancelled');
    expect(writes()).toBe(before);
    expect(labelsOf(change.card())).not.toContain('Review…');
    expect(auditOf(change)).toContain('break_glass');
  });

  test('is sent once, and reviewed by one of those who could have approved it, never by its author', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const before = writes();
    const change = await breaks();
    await scenario.holdBeforeSend(change.number);
    expect((await chi.clicks(change.card(), 'Everything that will be sent')).outcome).toBeDefined();
    scenario.makeDue(change.number);
    await change.tells(/✅/);
    expect(writes()).toBe(before + 1);
    await change.shows(/sent without approval; nobody has reviewed it yet/);
    for (const who of [ana, scenario.person('rob')])
      await who.opensFrom(change.card(), 'Review…', /This is your own change, so somebody else has to review it/);
    await scenario.person('ben').opensFrom(change.card(), 'Review…', /not among the people who can review it/);
    await chi.clicks(await chi.reads(/#2[^]*Review…/), 'Review…');
    const form = await chi.form(`Review #${change.number}`);
    expect(form.text).toMatch(
      /Pushed acme-shop\/staging → acme-shop\/live.*#\d+\s.*@Ana.*: “the shop is down”\s.*Break-glass: sent without approval.*\s.*\sEverybody who can read the change can read what you say/,
    );
    expect((await chi.submits({ 'What do you think of it?': '  ' })).errors).not.toEqual({});
    await chi.submits({ 'What do you think of it?': 'Right call; add an alarm.' });
    await change.tells('🔎 Reviewed by @Chi: “Right call; add an alarm.”');
    await change.shows(/reviewed by @Chi, .*: “Right call; add an alarm\.”/);
    expect(labelsOf(change.card())).toEqual([]);
    await ana.reads(/🔎 Reviewed by @Chi/);
  });

  test('also where nothing has to be sent: it is done, not sent, and is reviewed', async () => {
    await reloadPolicy(scenario, rules().replace('[clone, delete]', "['allowlist add'], breakGlass: true"));
    const ana = scenario.person('ana');
    const adds = async (how: string): Promise<ChangeThread> => {
      await ana.opens(`/site allowlist add acme-shop/staging 198.51.100.4 ${how} --break-glass --reason x`, /🚨/);
      const change = await ana.confirms({});
      await scenario.holdBeforeSend(change.number);
      scenario.makeDue(change.number);
      await change.tells(/✅/);
      return change;
    };
    await (await adds('--for 1h')).shows(/sent without approval; nobody has reviewed it yet/);
    await (await adds('--for 2h')).shows(/Break-glass: done without approval; nobody has reviewed it yet/);
    await reloadPolicy(scenario, rules());
  });

  test('can says that no rule lets somebody', async () => {
    const said = await scenario.person('ana').says('/site can clone acme-shop/live copy --break-glass');
    await said.hears(/You may run clone[^]*No rule lets you use --break-glass here\./);
  });

  test('stays one when a form asks for what is missing', async () => {
    const ana = scenario.person('ana');
    await ana.opens('/site push acme-shop/staging --files --break-glass --reason "the shop is down"', /🚨[^]*Reason/);
    await ana.submits({ Onto: 'acme-shop/live' });
    const review = await ana.form('🚨 Break-glass: this is sent without approval');
    expect(review.text).not.toContain('Nothing is sent until it is approved');
    await scenario.slack.closeModal(ana.id);
    const dry = await ana.says(`${emergency} --dry-run`);
    await dry.hears(/Dry run: .*nothing was sent\s+🚨 It would be sent without approval\./);
  });

  test.each([
    ['in her direct messages', 'D0U01ANA'],
    ['in a channel that may be hers alone', 'C0ACME'],
  ])('is not sent while nobody else is told of it %s, and says whom it could not tell', async (_, place) => {
    const ana = scenario.person('ana');
    const refused = ['U03CHI', 'D0U03CHI', 'U04DEE', 'D0U04DEE'].map(
      (channel) => [channel, 'messages_tab_disabled'] as const,
    );
    const before = writes();
    for (const [channel, error] of [['G0BAKERY', 'channel_not_found'], ...refused] as const)
      scenario.slack.faults.add({ method: 'chat.postMessage', kind: 'error', error, channel });
    await ana.opens(emergency, /🚨 Break-glass/, place);
    const change = await ana.confirms({ [name]: 'acme-shop/live' }, place);
    await change.tells(/🚨 Break-glass/);
    await ana.reads(/I couldn't tell @Chi about it/);
    await ana.reads(/I couldn't tell @Dee about it/);
    const [row] = scenario.rows('select due_at, expires_at from changes where number = ?', change.number);
    expect(row?.['due_at']).toBe(row?.['expires_at']);
    expect(writes()).toBe(before);
    scenario.slack.faults.remove();
    await ana.clicks(change.card(), 'Stop');
    await change.tells(/Stopped by @Ana/);
  });

  test('keeps anybody from approving the same as well, once it was sent', async () => {
    const chi = scenario.person('chi');
    const waiting = [await scenario.person('ben').requests(push), await scenario.person('ana').requests(push)];
    const planned = await scenario.person('ben').requests(`${push} --at "in 3h"`);
    const stopped = await breaks();
    await stopped.tells(`#${waiting[0]?.number} is the same request, from @Ben, and is waiting too.`);
    await scenario.holdBeforeSend(stopped.number);
    await chi.clicks(stopped.card(), 'Stop');
    expect(waiting.map((one) => stateOf(scenario, one))).toEqual(['waiting', 'waiting']);
    scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 422 });
    const rejected = await breaks();
    await scenario.holdBeforeSend(rejected.number);
    scenario.makeDue(rejected.number);
    await rejected.tells(/The host rejected it/);
    const change = await breaks();
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    await change.tells(/✅/);
    const before = writes();
    for (const one of waiting) {
      await one.shows(`The same was sent as #${change.number} since this was asked for.`);
      expect([stateOf(scenario, one), labelsOf(one.card())]).toEqual(['superseded', []]);
    }
    // What is sent at a time is meant for that time.
    expect(stateOf(scenario, planned)).toBe('waiting');
    expect(writes()).toBe(before);
  });

  const clear = '/site cache clear acme-shop/live';
  const cleared = rules('breakGlass: true').replace(
    '{ allow: [routine], to: [developers] }',
    '{ allow: [routine], to: [developers], approval: { by: [leads] }, breakGlass: true }',
  );
  const clears = async (by = scenario.person('ana')): Promise<ChangeThread> => {
    await by.opens(`${clear} --break-glass --reason "old prices"`, /🚨 Break-glass/);
    return by.confirms({});
  };

  test('is not sent if the same was approved and sent meanwhile', async () => {
    await reloadPolicy(scenario, cleared);
    const before = writes();
    const waiting = await scenario.person('ben').asks(clear);
    const change = await clears();
    await scenario.holdBeforeSend(change.number);
    await scenario.person('chi').clicks(waiting.card(), 'Approve');
    await waiting.tells(/✅/);
    scenario.makeDue(change.number);
    await change.tells(`The same was sent as #${waiting.number} since this was asked for.`);
    expect([stateOf(scenario, change), writes()]).toEqual(['superseded', before + 1]);
    await reloadPolicy(scenario, rules());
  });

  test('of two at once, one is sent', async () => {
    await reloadPolicy(scenario, cleared);
    const before = writes();
    const ben = scenario.person('ben');
    const [one, other] = [await clears(), await clears(ben)];
    for (const each of [one, other]) await scenario.holdBeforeSend(each.number);
    scenario.runSql('update changes set due_at = 1 where number in (?, ?)', one.number, other.number);
    const ended = () =>
      [one, other].map((each) => String(stateOf(scenario, each))).toSorted((a, b) => a.localeCompare(b));
    await vi.waitFor(() => expect(ended()).toEqual(['done', 'superseded']), { timeout: patienceMs, interval: 50 });
    expect(writes()).toBe(before + 1);
    await reloadPolicy(scenario, rules());
  });

  test('of unknown outcome, it is not done again by an approval of the same', async () => {
    await reloadPolicy(scenario, cleared);
    const before = writes();
    const waiting = await scenario.person('ben').asks(clear);
    scenario.hosting.faults.add({ kind: 'gateway', status: 500, method: 'POST', applied: true });
    const change = await clears();
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    await change.tells(/Outcome unknown\./);
    const told = await scenario.person('chi').clicks(waiting.card(), 'Approve');
    await told.hears(`The same was sent as #${change.number}, and I don't know yet what came of it.`);
    expect([stateOf(scenario, waiting), writes()]).toEqual(['waiting', before + 1]);
    scenario.runSql(
      'update changes set sent_at = 1, created_at = 1 where number in (?, ?)',
      change.number,
      waiting.number,
    );
    await scenario.person('chi').clicks(change.card(), 'It happened');
    await waiting.shows(`The same was sent as #${change.number} since this was asked for.`);
    expect([stateOf(scenario, waiting), writes()]).toEqual(['superseded', before + 1]);
    await reloadPolicy(scenario, rules());
  });

  test('only what is wholly the same ends: not what is for longer, nor what a batch sends at a time', async () => {
    const policy = rules().replace(
      '[routine], to: [developers]',
      "[routine, 'allowlist add'], to: [developers], approval: { by: [leads] }, breakGlass: true",
    );
    await reloadPolicy(scenario, policy);
    const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
    const add = '/site allowlist add acme-shop/staging 203.0.113.77';
    const longer = await ben.asks(`${add} --for 8h`);
    const planned = await submitBatch(ben, '/site cache clear acme-shop/* --at "in 3h"');
    await ana.opens(`${add} --for 1h --break-glass --reason x`, /🚨/);
    for (const change of [await ana.confirms({}), await clears()]) {
      await scenario.holdBeforeSend(change.number);
      scenario.makeDue(change.number);
      await change.tells(/✅/);
    }
    expect([longer, planned].map((one) => stateOf(scenario, one))).toEqual(['waiting', 'waiting']);
    await reloadPolicy(scenario, rules());
  });

  test('is not sent again by a batch that waited', async () => {
    await reloadPolicy(scenario, cleared);
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    const before = writes();
    const batch = await submitBatch(ben, '/site cache clear acme-shop/*');
    const change = await clears();
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    await change.tells(/✅/);
    await chi.clicks(batch.card(), 'Approve');
    await batch.shows(/acme-shop\/live[^\n]*The same was sent as/);
    expect(writes()).toBe(before + 1);
    await chi.clicks(batch.card(), 'End it').catch(() => undefined);
    await reloadPolicy(scenario, rules());
  });

  test('skips a freeze too, and says so', async () => {
    await reloadPolicy(scenario, frozen);
    const before = writes();
    const change = await breaks();
    await change.tells(/^🚨 Break-glass: @Ana asked for this without approval and in spite of the freeze weekend\./);
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    await change.tells(/✅/);
    expect(writes()).toBe(before + 1);
    await reloadPolicy(scenario, rules());
  });

  test.each([
    [
      'where no rule lets them',
      '/site clone acme-shop/live copy --break-glass --reason x',
      /No rule lets you use --break-glass here/,
    ],
    [
      'where there is nothing to skip',
      '/site cache clear acme-shop/live --break-glass --reason x',
      /no glass to break/,
    ],
    ['at a time', `${emergency} --at "tomorrow 02:00"`, /is for now, and takes no time/],
    ['in a queue', `${emergency} --queue`, /waits in no queue/],
    ['handed on', `${emergency} --hand-on`, /is not handed on/],
    ['for many', '/site cache clear acme-shop/* --break-glass --reason x', /is for one environment at a time/],
  ])('is refused %s', async (_, line, words) => {
    expect(await refusalTo(line, words)).toMatch(words);
  });

  test('needs a reason, waits while sending is paused, and is held by a lock', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    await ana.opens(`${push} --break-glass`, '🚨 Break-glass');
    expect((await ana.submits({ [name]: 'acme-shop/live' })).errors).not.toEqual({});
    await scenario.slack.closeModal(ana.id);
    const before = writes();
    await (await chi.says('/site lock acme-shop/live "stocktaking"')).hears(/is locked by you/);
    await ana.opens(emergency, /acme-shop\/live is locked by @Chi/);
    await (
      await ana.submits({ [name]: 'acme-shop/live' })
    ).hears(/acme-shop\/live is locked by @Chi[^]*Nothing was sent/);
    await (await chi.says('/site unlock acme-shop/live')).hears(/unlocked|free|no longer locked/i);
    await (await chi.says('/site pause "looking"')).hears(/paused/i);
    const change = await breaks();
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    await change.shows(/All sending is paused/);
    await chi.clicks(change.card(), 'Stop');
    await change.tells(/Stopped by @Chi/);
    await (await chi.says('/site resume')).hears(/Sending is on again/);
    expect(writes()).toBe(before);
  });

  test.each([
    ['takes the right away', rules('breakGlass: false'), /No rule lets you use --break-glass here/, 'invalidated'],
    [
      'asks for the approval of others too, who were not told',
      rules()
        .replace(
          '  - { allow: [clone',
          '  - { allow: [push], to: [developers], approval: { by: [heads] } }\n  - { allow: [clone',
        )
        .replace('groups:', 'groups:\n  heads: [U05FAY]'),
      /The rules now ask for another approval/,
      'invalidated',
    ],
    [
      'lets them do it only alone',
      rules('breakGlass: alone'),
      /The policy names others who can approve it/,
      'invalidated',
    ],
    ['begins a freeze', frozen, /✅/, 'done'],
  ])(
    'if the policy %s before it is sent, it goes by that, and never falls back to an approval',
    async (_, then, says, state) => {
      const before = writes();
      const change = await breaks();
      await scenario.holdBeforeSend(change.number);
      await reloadPolicy(scenario, then);
      scenario.makeDue(change.number);
      await change.tells(says);
      expect(stateOf(scenario, change)).toBe(state);
      expect(writes()).toBe(before + (state === 'done' ? 1 : 0));
      await reloadPolicy(scenario, rules());
    },
  );

  test('is sent only once Stop is posted, ten seconds later; and tells whoever can be told, naming who cannot', async () => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const before = writes();
    const { slack } = scenario;
    const outage = slack.faults.add({ method: 'chat.postMessage', kind: 'status', status: 503 });
    const refused = { method: 'chat.postMessage', kind: 'error', error: 'messages_tab_disabled' } as const;
    await ana.opens(emergency, '🚨 Break-glass');
    await ana.submits({ [name]: 'acme-shop/live' });
    const newest = 'select number, state, due_at, expires_at, sent_at from changes order by number desc limit 1';
    const row = () => scenario.rows(newest)[0] ?? {};
    await slack.until(() => (row()['state'] === 'approved' ? true : undefined));
    const number = Number(row()['number']);
    const tried = () => scenario.rows('select 1 from messages where change = ? and attempts > 0', number).length > 0;
    await slack.until(() => tried() || undefined);
    // Due only when its time is over, so that nothing is sent that nobody can stop.
    expect(row()['due_at']).toBe(row()['expires_at']);
    for (const channel of [dee.id, dee.direct]) slack.faults.add({ ...refused, channel });
    slack.faults.remove(outage.id);
    const change = await scenario.change(number);
    await scenario.holdBeforeSend(number);
    await ana.reads(/#\d+ · Push[^]*I couldn't tell @Dee about it/);
    await chi.reads(/I couldn't deliver this to @Dee[^]*Break-glass/, 'G0BAKERY');
    slack.faults.remove();
    expect(writes()).toBe(before);
    await chi.clicks(change.card(), 'Stop');
    await change.tells(/Stopped by @Chi/);
  });

  test('expires, and says so, if Slack takes no message for so long that nobody could stop it', async () => {
    const ana = scenario.person('ana');
    const before = writes();
    const { slack } = scenario;
    slack.faults.add({ method: 'chat.postMessage', kind: 'status', status: 503 });
    await ana.opens(emergency, '🚨 Break-glass');
    await ana.submits({ [name]: 'acme-shop/live' });
    const approved = () =>
      scenario.rows("select number from changes where state = 'approved' and settled_at is null")[0];
    const { number } = await slack.until(approved);
    scenario.runSql('update changes set due_at = 1, expires_at = 2 where number = ?', Number(number));
    await scenario.becomes(Number(number), 'expired');
    slack.faults.remove();
    const change = await scenario.change(Number(number));
    await change.tells(/[Nn]othing was sent/);
    expect(labelsOf(change.card())).not.toContain('Review…');
    expect(writes()).toBe(before);
  });

  test('is for nobody alone as long as the policy names somebody, although Slack has deactivated them all', async () => {
    const ana = scenario.person('ana');
    const isGone = (deleted: boolean) => {
      for (const id of ['U03CHI', 'U04DEE']) scenario.slack.changePerson(id, { deleted });
    };
    isGone(true);
    // Slack's answers about people are kept for a minute.
    scenario.advanceTime(60_001);
    await reloadPolicy(scenario, rules('breakGlass: alone'));
    const named = /The policy names others who can approve it/;
    expect(await refusalTo(emergency, named)).toMatch(named);
    await reloadPolicy(scenario, rules());
    const change = await breaks();
    await change.tells(/Nobody who could review it can be told/);
    await ana.clicks(change.card(), 'Stop');
    await change.tells(/Stopped by @Ana/);
    isGone(false);
  });

  test('never closes an unknown outcome: its author can neither close nor review it', async () => {
    const ana = scenario.person('ana');
    scenario.hosting.faults.add({ kind: 'gateway', status: 500, method: 'PUT', applied: true });
    const change = await breaks();
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    await change.tells(/Outcome unknown\./);
    await change.shows('It happened');
    scenario.runSql('update changes set sent_at = 1 where number = ?', change.number);
    await (
      await ana.clicks(change.card(), 'It happened')
    ).hears(/This is your own change, so somebody else has to close it/);
    expect(labelsOf(change.card())).not.toContain('Review…');
    await scenario.person('chi').clicks(change.card(), 'It happened');
    await change.shows(/nobody has reviewed it yet/);
  });
});

test(
  'break-glass tells whom the rules notify, and mentions everybody of whom Slack says nothing',
  inScenario(
    {
      policy: rules()
        .replace('by: [leads], expires: 1h', 'by: [leads], count: 2, notify: [oncall], expires: 1h')
        .replace('groups:', 'groups:\n  oncall: [U05FAY]'),
    },
    async (scenario) => {
      const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
      for (const who of ['ana', 'chi', 'fay'] as const)
        await (await scenario.person(who).says('/site whoami')).hears(scenario.person(who).id);
      scenario.slack.faults.add({ method: 'users.info', kind: 'status', status: 503 });
      const form = await ana.opens(emergency, /🚨 Break-glass/);
      expect(form.text).toContain("@Chi can review it afterwards. I'll tell them, @Fay and the ops channel at once");
      const change = await ana.confirms({ [name]: 'acme-shop/live' });
      const reply = await change.tells(/🚨 Break-glass: .* @Chi or @Dee: please review it afterwards/);
      expect(JSON.stringify(reply.blocks)).toContain(`"user_id":"${dee.id}"`);
      for (const who of ['chi', 'fay'] as const) await scenario.person(who).reads(/🚨 Break-glass/);
      scenario.slack.faults.remove();
      await ana.clicks(change.card(), 'Stop');
      await change.tells(/Stopped by @Ana/);
    },
  ),
);

import { describe, expect, test, vi } from 'vitest';
import { ids, inScenario, patienceMs, type Scenario } from './scenario.ts';
import { has, type Words } from './people.ts';

const clear = '/site cache clear acme-shop/staging';
const ops = 'C0OPS';

/** The first message that the person sees there, in a thread or not, with all of these words. */
const seenIn = (scenario: Scenario, channel: string, as: string, ...words: readonly Words[]): Promise<string> =>
  scenario.slack.until(() => {
    const roots = scenario.slack.messages({ channel, as });
    const all = roots.flatMap(({ ts }) => scenario.slack.messages({ channel, thread: ts, as }));
    return all.map(({ text }) => text).find((text) => words.every((each) => has(text, each)));
  }, patienceMs);

/** The messages of a channel, without ephemeral ones. */
const standsIn = (scenario: Scenario, channel: string): readonly string[] => {
  const roots = scenario.slack.messages({ channel, as: ids.chi });
  const all = roots.flatMap(({ ts }) => scenario.slack.messages({ channel, thread: ts, as: ids.chi }));
  return all.filter(({ ephemeral }) => !ephemeral).map(({ text }) => text);
};

const refuses = (scenario: Scenario, channel: string, error: string): void =>
  void scenario.slack.faults.add({ method: 'chat.postMessage', kind: 'error', error, channel });

/** Makes Slack refuse messages to a person, by their id and in direct messages. */
const closesTab = (scenario: Scenario, who: keyof typeof ids, error = 'messages_tab_disabled'): void => {
  for (const channel of [ids[who], `D0${ids[who]}`]) refuses(scenario, channel, error);
};

/** Makes everything due that is owed. */
const triesAgain = (scenario: Scenario): void =>
  scenario.runSql('update messages set due_at = 1 where due_at is not null and owner is null');

/** Opens somebody's App Home until it says, or no longer says, what they could not be told. */
const homeTells = ({ slack }: Scenario, who: keyof typeof ids, words: RegExp | undefined): Promise<void> =>
  vi.waitFor(
    async () => {
      await slack.home(ids[who]);
      const home = await slack.until(() => slack.views(ids[who]).home?.text, patienceMs);
      const told = /What I couldn't tell you\n([^]*)\nYour sites/.exec(home)?.[1];
      if (words) expect(told).toMatch(words);
      else expect(told).toBeUndefined();
    },
    { timeout: patienceMs },
  );

const readyz = async (scenario: Scenario): Promise<{ readonly status: number; readonly body: string }> => {
  const answer = await fetch(`http://127.0.0.1:${scenario.port()}/readyz`);
  return { status: answer.status, body: await answer.text() };
};

describe.concurrent('a channel does not take posts', () => {
  test.each([
    ['has rules of posting', 'restricted_action_read_only_channel'],
    ['takes only replies', 'restricted_action_thread_only_channel'],
    ['is of a workspace that has taken the app its access', 'team_access_not_granted'],
    ['refuses with an unknown error code', 'brand_new_refusal'],
  ])('it %s: the requester gets everything in direct messages, and ops are told', async (_, word) => {
    await inScenario({}, async (scenario) => {
      if (word === 'restricted_action_read_only_channel')
        scenario.slack.changeChannel('C0ACME', { posting: 'read_only' });
      else if (word.endsWith('_thread_only_channel'))
        scenario.slack.changeChannel('C0ACME', { posting: 'thread_only' });
      else refuses(scenario, 'C0ACME', word);
      const ana = scenario.person('ana');
      await ana.says(clear);
      const change = await scenario.change(1);
      expect(change.channel).toBe(ana.direct);
      await change.tells('the host reports it finished');
      await change.tells(word);
      await seenIn(scenario, ops, ids.chi, word, '#1', '@Ana');
      expect(standsIn(scenario, 'C0ACME')).toEqual([]);
    })();
  });

  test(
    'it takes no replies: the requester gets each with the name of its change, and ops are told once',
    inScenario({}, async (scenario) => {
      scenario.slack.changeChannel('C0ACME', { posting: 'non_threadable' });
      const ana = scenario.person('ana');
      const change = await ana.asks(clear);
      await change.shows('✅');
      const last = await seenIn(scenario, ana.direct, ana.id, '#1', 'the host reports it finished');
      expect(last).toContain('Clear the cache of acme-shop/staging');
      await seenIn(scenario, ops, ids.chi, 'restricted_action_non_threadable_channel');
      expect(standsIn(scenario, ops).filter((text) => text.includes('non_threadable'))).toHaveLength(1);
    }),
  );

  test(
    'the requester cannot be written to either: they hear in answer to the command and in App Home, and ops get it all',
    inScenario({}, async (scenario) => {
      scenario.slack.changeChannel('C0ACME', { posting: 'read_only' });
      closesTab(scenario, 'ana');
      const ana = scenario.person('ana');
      const said = await ana.says(clear);
      await seenIn(
        scenario,
        ops,
        ids.chi,
        '#1',
        '@Ana',
        'messages_tab_disabled',
        'Clear the cache of acme-shop/staging',
      );
      await seenIn(scenario, ops, ids.chi, '#1', 'the host reports it finished');
      const nowhere =
        /^Slack doesn't take the card of #1 anywhere right now \(.*messages_tab_disabled\)\. .*change 1 shows where it is\./;
      await said.hears(nowhere);
      await homeTells(scenario, 'ana', /#1 · Clear the cache of acme-shop\/staging\n✅ Done after /);
      await homeTells(scenario, 'ben', undefined);
      scenario.slack.faults.remove();
      triesAgain(scenario);
      await ana.reads(/^✅ Cleared the cache of acme-shop\/staging · #1\n/);
      // The reply may be under way, and refused, whenever it is made due: by itself with its name, or below the card.
      const reading = { channel: ana.direct, as: ana.id };
      await vi.waitFor(
        () => {
          triesAgain(scenario);
          const roots = scenario.slack.messages(reading);
          const all = roots.flatMap(({ ts }) => scenario.slack.messages({ ...reading, thread: ts }));
          expect(
            all.some(({ text }) => /^(#1 · Clear the cache of acme-shop\/staging\n)?✅ Done after/.test(text)),
          ).toBe(true);
        },
        { timeout: patienceMs },
      );
      await homeTells(scenario, 'ana', undefined);
    }),
  );

  test(
    'nor does any other place, by a code that speaks of none: the command’s answer says how it ended, and all is posted later',
    inScenario({}, async (scenario) => {
      scenario.slack.faults.add({ method: 'chat.postMessage', kind: 'error', error: 'ekm_access_denied' });
      const said = await scenario.person('ana').says(clear);
      await said.hears(
        /^Slack doesn't take the card of #1 anywhere right now \(ekm_access_denied\)\.[^]*Now it says:\nCleared [^]*Done after /,
      );
      expect(said.answers().length).toBeLessThan(3);
      scenario.slack.faults.remove();
      triesAgain(scenario);
      const change = await scenario.change(1);
      expect(change.channel).toBe('C0ACME');
      await change.tells('the host reports it finished');
      expect(standsIn(scenario, ops).filter((text) => /#1|deliver/.test(text))).toEqual([]);
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'nor does any other place for a day: ops are told, and the requester reads it in App Home',
    inScenario({}, async (scenario) => {
      refuses(scenario, 'C0ACME', 'ekm_access_denied');
      closesTab(scenario, 'ana', 'ekm_access_denied');
      const said = await scenario.person('ana').says(clear);
      await said.hears(/Done after/);
      await homeTells(scenario, 'ana', undefined);
      expect(standsIn(scenario, ops).filter((text) => /#1|deliver/.test(text))).toEqual([]);
      scenario.runSql("update messages set owed_at = 1, attempts = 20, due_at = 1 where kind = 'card'");
      await homeTells(scenario, 'ana', /Cleared the cache/);
      await seenIn(scenario, ops, ids.chi, 'for a day: ekm_access_denied', '1:card');
    }),
  );

  test(
    'nor lets it edit a message: one card, whose thread says so once and tells the rest, and whose buttons say how it is',
    inScenario({ hosting: { durations: { 'environments:push': 0 } } }, async (scenario) => {
      scenario.slack.faults.add({ method: 'chat.update', kind: 'error', error: 'cant_update_message' });
      const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
      const change = await ana.requests('/site push acme-shop/live acme-shop/staging --files');
      await chi.clicks(change.card(), 'Approve');
      await change.tells('the host reports it finished');
      await change.tells(
        /^Slack doesn't let me edit this card \(cant_update_message\), .* change 1 shows where it is now\.$/,
      );
      const pending = (): unknown => scenario.rows('select key from messages where due_at is not null');
      await vi.waitFor(() => expect(pending()).toEqual([]), { timeout: patienceMs });
      expect(standsIn(scenario, 'C0ACME').filter((text) => text.includes('· #1\n'))).toHaveLength(1);
      expect(change.replies().filter(({ text }) => text.includes("doesn't let me edit"))).toHaveLength(1);
      expect(change.card().text).toContain('Waiting for approval');
      for (const [who, label] of [
        [dee, 'Approve'],
        [ana, 'Cancel'],
      ] as const)
        await (await who.clicks(change.card(), label)).hears("#1: It's already closed");
    }),
  );

  test(
    'an approver cannot be written to: the requester and ops are told',
    inScenario({}, async (scenario) => {
      closesTab(scenario, 'chi');
      const ana = scenario.person('ana');
      await ana.requests('/site push acme-shop/live acme-shop/staging --files');
      await seenIn(scenario, ana.direct, ana.id, '#1', '@Chi', 'messages_tab_disabled');
      await seenIn(scenario, ops, ids.dee, '#1', '@Chi', 'Push acme-shop/live');
    }),
  );

  test(
    'it is shared with another organisation meanwhile: nothing more is posted there, and the requester and ops are told',
    inScenario({}, async (scenario) => {
      const ana = scenario.person('ana');
      const change = await ana.requests('/site push acme-shop/live acme-shop/staging --files');
      await change.tells('this is waiting for your approval');
      const before = standsIn(scenario, 'C0ACME');
      scenario.slack.changeChannel('C0ACME', { shared: true });
      await scenario.slack.click(ids.chi, { channel: change.channel, ts: change.ts }, { label: 'Approve' });
      await seenIn(scenario, ana.direct, ana.id, 'Push', '#1', 'Approved by');
      await seenIn(scenario, ops, ids.chi, 'shared with another organisation', '#1');
      expect(standsIn(scenario, 'C0ACME')).toEqual(before);
    }),
  );

  test(
    'a message that is refused as blocks and as plain text is given up: the requester and ops are told',
    inScenario({}, async (scenario) => {
      refuses(scenario, 'C0ACME', 'msg_too_long');
      const ana = scenario.person('ana');
      await ana.says(clear);
      await seenIn(scenario, ops, ids.chi, '1:card', 'msg_too_long');
      await seenIn(scenario, ana.direct, ana.id, '#1', 'msg_too_long');
    }),
  );
});

describe.concurrent('the ops channel', () => {
  const lock = '/site lock acme-shop/staging "hands off"';

  test.each([
    ['has rules of posting', 'refused my last post', 'restricted_action_read_only_channel'],
    ['is shared with another organisation', 'shared with another organisation', 'is_ext_shared'],
    ['is archived', 'archived', 'is_archived'],
  ])(
    '%s: its messages are kept until it takes posts, and doctor, /readyz and the log say so',
    async (_, says, word) => {
      await inScenario({}, async (scenario) => {
        expect(await readyz(scenario)).toEqual({ status: 200, body: 'ready' });
        const chi = scenario.person('chi');
        const change = word === 'is_archived' ? { archived: true } : word === 'is_ext_shared' ? { shared: true } : {};
        scenario.slack.changeChannel(ops, {
          posting: word.startsWith('restricted') ? 'read_only' : 'everyone',
          ...change,
        });
        await chi.says(lock);
        await vi.waitFor(
          async () => {
            const { status, body } = await readyz(scenario);
            expect(status).toBe(200);
            expect(body).toMatch(/^ready\n.*ops channel/);
            expect(body).not.toContain('acme');
          },
          { timeout: patienceMs },
        );
        await (await chi.says('/site doctor')).hears(says);
        expect(scenario.log()).toContain('ops channel');
        expect(standsIn(scenario, ops).join('\n')).not.toContain('locked');
        scenario.slack.changeChannel(ops, { posting: 'everyone', shared: false, archived: false });
        scenario.runSql("update messages set due_at = 1 where kind = 'ops' and owner is null and due_at is not null");
        await seenIn(scenario, ops, ids.chi, '@Chi locked acme-shop/staging');
        await vi.waitFor(async () => expect((await readyz(scenario)).body).toBe('ready'), { timeout: patienceMs });
      })();
    },
  );

  test(
    'is not named in the policy: doctor says that nobody is told',
    inScenario(
      { policy: 'version: 1\nlive: ["*/live"]\nrules:\n  - { allow: [read], to: everyone }\n' },
      async (scenario) => {
        await (await scenario.person('ana').says('/site doctor')).hears('The rules name no ops channel');
        expect((await readyz(scenario)).body).toMatch(/^ready\n.*ops channel/);
      },
    ),
  );
});

test(
  'Slack rejects the token: nothing is given up, however long it takes, and all is posted once Slack accepts it again',
  inScenario({}, async (scenario) => {
    for (const method of ['chat.postMessage', 'chat.update', 'auth.test'])
      scenario.slack.faults.add({ method, kind: 'error', error: 'token_revoked' });
    const ana = scenario.person('ana');
    await ana.says(clear);
    await scenario.slack.until(() => scenario.writes()[0], patienceMs);
    await vi.waitFor(async () => expect((await readyz(scenario)).status).toBe(503), { timeout: patienceMs });
    const days = 3 * 86_400_000;
    scenario.runSql('update messages set created_at = created_at - ?', days);
    scenario.slack.faults.remove();
    const change = await scenario.change(1);
    await change.tells('the host reports it finished');
    await vi.waitFor(async () => expect((await readyz(scenario)).status).toBe(200), { timeout: patienceMs });
  }),
);

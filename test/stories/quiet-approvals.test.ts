import { describe, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { ids, inScenario, patienceMs, reloadPolicy, type Scenario } from './scenario.ts';
import type { TestUser } from './people.ts';

/** One approval is needed; Chi, Dee and Fay can give it. */
const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE, U05FAY]
  developers: [U01ANA]
rules:
  - { allow: [read], to: everyone }
  - allow: [push]
    to: [developers]
    approval: { by: [leads], count: 1, expires: 1h }
`;
const options = { policy, hosting: { durations: { 'environments:push': 0 } } } as const;
const push = '/site push acme-shop/live acme-shop/staging --files';

/** Whom each post notified, oldest first: whoever it was sent to directly, or everybody it mentioned. */
function pingsOf(slack: SlackStandIn): readonly (readonly string[])[] {
  return slack.calls().flatMap(({ method, args, result }) => {
    if (method !== 'chat.postMessage' || result !== 'ok') return [];
    const to = String(args['channel']).replace(/^D0/, '');
    const said = JSON.stringify([args['text'], args['blocks']]);
    const mentioned = [...said.matchAll(/<(?:@|!subteam\^)(\w+)|user(?:group)?_id\W+(\w+)/g)].map(
      (found) => found[1] ?? found[2],
    );
    return [to.startsWith('U') ? [to] : [...new Set(mentioned.map(String))]];
  });
}
const pingsOn = (slack: SlackStandIn, person: TestUser): number =>
  pingsOf(slack).filter((pinged) => pinged.includes(person.id)).length;
const directOf = ({ slack }: Scenario, { direct, id }: TestUser): readonly VisibleMessage[] =>
  slack.messages({ channel: direct, as: id });
const leadsOf = (scenario: Scenario): readonly TestUser[] =>
  (['chi', 'dee', 'fay'] as const).map((name) => scenario.person(name));
const allRead = (people: readonly TestUser[], words: RegExp): Promise<readonly VisibleMessage[]> =>
  Promise.all(people.map((person) => person.reads(words)));
const pingsOnLeads = (scenario: Scenario): readonly number[] =>
  leadsOf(scenario).map((lead) => pingsOn(scenario.slack, lead));
const request = /^⏳ Push /;
/** Waits until no message is owed. */
const nothingOwed = ({ rows }: Scenario): Promise<void> =>
  vi.waitFor(() => expect(rows('select key from messages where due_at is not null')).toEqual([]), patienceMs);
const cardsPosted = ({ slack }: Scenario): number =>
  slack.messages({ channel: 'C0ACME', as: ids.ana }).filter(({ text }) => request.test(text)).length;

describe('a push that needs one approval, and three people can give it', () => {
  test(
    'nine posts with five pings: each approver once; the two who were not needed read who decided, and have no buttons',
    inScenario(options, async (scenario) => {
      const [ana, chi, dee, fay] = [
        scenario.person('ana'),
        scenario.person('chi'),
        scenario.person('dee'),
        scenario.person('fay'),
      ];
      const change = await ana.requests(push);
      const asked = await change.tells('@Chi, @Dee or @Fay: this is waiting for your approval until ');
      expect(asked.notification).not.toMatch(/<@|subteam/);
      const [mine] = await allRead([chi, dee, fay], request);
      if (mine) await chi.clicks(mine, 'Approve');
      await change.tells(/^✅ Done after /);
      await chi.reads(/^✅ Pushed [^]*Approved by +@Chi, /);
      const withdrawn = await allRead([dee, fay], /^✅ Push [^]*\nApproved by @Chi, .*\nDone after /);
      for (const { text, controls } of withdrawn) {
        expect(controls).toEqual([]);
        expect(text).toMatch(/\nNothing is left for you to decide\.$/);
      }
      await change.shows('Approved by  @Chi, ');
      expect(pingsOnLeads(scenario)).toEqual([1, 1, 1]);
      // Her card is there, and it is approved.
      expect(pingsOn(scenario.slack, ana)).toBe(2);
      expect([pingsOf(scenario.slack).length, pingsOf(scenario.slack).flat().length]).toEqual([9, 5]);
    }),
  );

  test(
    'a reminder pings each of them once more; when one declines, card and reminder say so to the others, in place',
    inScenario(options, async (scenario) => {
      const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
      const change = await ana.requests(push);
      const copies = await allRead(leadsOf(scenario), request);
      scenario.runSql('update changes set due_at = 1 where number = ?', change.number);
      await change.tells('⏳ @Chi, @Dee or @Fay: this is still waiting for your approval');
      await allRead(leadsOf(scenario), /this is still waiting for your approval/);
      expect(pingsOnLeads(scenario)).toEqual([2, 2, 2]);
      if (copies[1]) await dee.clicks(copies[1], 'Decline…');
      await dee.form('Reason');
      await dee.submits({ Reason: 'not today' });
      await change.tells('⛔ Declined by @Dee: “not today”. Nothing was sent.');
      const says =
        /^⛔ Push [^]*Declined by @Dee: “not today”. Nothing was sent\.\nNothing is left for you to decide\.$/;
      for (const lead of leadsOf(scenario))
        await scenario.slack.until(
          () => directOf(scenario, lead).filter(({ text }) => says.test(text)).length === 2 || undefined,
          patienceMs,
        );
      expect(pingsOnLeads(scenario)).toEqual([2, 2, 2]);
    }),
  );

  test(
    'what Slack lets nobody edit is not posted again for a reminder or a new policy, neither the card nor a reminder',
    inScenario(options, async (scenario) => {
      const change = await scenario.person('ana').requests(push);
      await allRead(leadsOf(scenario), request);
      const remind = (): void => scenario.runSql('update changes set due_at = 1 where number = ?', change.number);
      remind();
      await allRead(leadsOf(scenario), /this is still waiting for your approval/);
      scenario.slack.faults.add({ method: 'chat.update', kind: 'error', error: 'edit_window_closed' });
      await reloadPolicy(scenario, `${policy}# the same\n`);
      const policies = "select count(*) as count from audit where event = 'policy'";
      await vi.waitFor(() => expect(scenario.rows(policies)).toEqual([{ count: 2 }]), patienceMs);
      await nothingOwed(scenario);
      expect(pingsOnLeads(scenario)).toEqual([2, 2, 2]);
      remind();
      await vi.waitFor(() => expect(pingsOnLeads(scenario)).toEqual([3, 3, 3]), patienceMs);
      await nothingOwed(scenario);
      expect(pingsOnLeads(scenario)).toEqual([3, 3, 3]);
      expect(change.card().text).toMatch(request);
      expect(cardsPosted(scenario)).toBe(1);
    }),
  );

  test(
    'whoever cannot be reached directly is mentioned in the thread instead; nobody else is',
    inScenario(options, async (scenario) => {
      const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
      for (const channel of [dee.id, dee.direct])
        scenario.slack.faults.add({
          kind: 'error',
          method: 'chat.postMessage',
          channel,
          error: 'messages_tab_disabled',
        });
      const change = await ana.requests(push);
      const reply = await change.tells("@Dee: I can't reach you directly. This is waiting for approval until ");
      expect(reply.notification).toContain(`<@${ids.dee}>`);
      // What Slack refused notified nobody.
      expect(pingsOnLeads(scenario)).toEqual([1, 1, 1]);
      scenario.runSql('update changes set due_at = 1 where number = ?', change.number);
      const mentions = () =>
        change.replies().filter(({ text }) => text.startsWith("@Dee: I can't reach you directly."));
      await scenario.slack.until(() => mentions().length === 2 || undefined, patienceMs);
    }),
  );

  test(
    'if Slack says of nobody whether they are members, the thread mentions them: somebody has to hear of it',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      // Slack's answer about her is kept for a minute.
      await (await ana.says('/site whoami')).hears(ids.ana);
      const { id } = scenario.slack.faults.add({ kind: 'status', status: 503, method: 'users.info' });
      const change = await ana.requests(push);
      const asked = await change.tells('@Chi, @Dee or @Fay: this is waiting for your approval until ');
      scenario.slack.faults.remove(id);
      for (const lead of leadsOf(scenario)) expect(asked.notification).toContain(`<@${lead.id}>`);
      expect(pingsOnLeads(scenario)).toEqual([1, 1, 1]);
    }),
  );

  test(
    'in direct messages a mention would reach nobody, so the requester is asked to tell them',
    inScenario(options, async (scenario) => {
      const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
      // Slack's answer about her is kept for a minute.
      await (await ana.says('/site whoami')).hears(ids.ana);
      const { id } = scenario.slack.faults.add({ kind: 'status', status: 503, method: 'users.info' });
      const other = await ana.requests(push.replace('--files', '--database'), ana.direct);
      await other.tells(/please tell @Chi, @Dee, @Fay yourself\./);
      scenario.slack.faults.remove(id);
      const fault = { kind: 'error', method: 'chat.postMessage', error: 'messages_tab_disabled' } as const;
      for (const channel of [dee.id, dee.direct]) scenario.slack.faults.add({ ...fault, channel });
      const change = await ana.requests(push, ana.direct);
      const told = await ana.reads(/I couldn't tell @Dee about it/);
      expect(told.text).toMatch(/Nobody else can see this thread, so please tell @Dee yourself\.$/);
      expect(change.replies().filter(({ text }) => text.includes("I can't reach you"))).toEqual([]);
    }),
  );
});

const notifying = policy
  .replace('by: [leads],', 'by: [leads], notify: [oncall, guides],')
  .replace('developers:', 'oncall: [U02BEN, U01ANA]\n  guides: [S0DEVS]\n  developers:');

describe('a rule that notifies others than those who may approve', () => {
  test(
    'they alone hear of it, once; one of them has no right to approve, and is told so',
    inScenario({ ...options, policy: notifying.replace(', guides]', ']') }, async (scenario) => {
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      const change = await ana.requests(push);
      await change.tells(/^@Chi, @Dee or @Fay: this is waiting for your approval until .*\. Notified: @Ben\.$/);
      const copy = await ben.reads(request);
      const clicked = await ben.clicks(copy, 'Approve');
      await clicked.hears("You're not among the people who can approve it. Nothing was changed.");
      await chi.clicks(change.card(), 'Approve');
      await ben.reads(/^✅ Push [^]*\nApproved by @Chi, .*\nDone after [^]*Nothing is left for you to decide\.$/);
      expect([pingsOnLeads(scenario), pingsOn(scenario.slack, ben)]).toEqual([[0, 0, 0], 1]);
    }),
  );

  test(
    'if Slack does not say who they all are, those who may approve hear of it too, and the thread says why',
    inScenario({ ...options, policy: notifying, start: false }, async (scenario) => {
      scenario.slack.faults.add({
        kind: 'error',
        method: 'usergroups.users.list',
        usergroup: 'S0DEVS',
        error: 'missing_scope',
      });
      await scenario.start();
      const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
      const change = await ana.requests(push);
      await change.tells(
        "Notified: @Ben and those who can approve it, because Slack doesn't tell me who is in the user group S0DEVS.",
      );
      await allRead([ben, ...leadsOf(scenario)], request);
      expect([pingsOnLeads(scenario), pingsOn(scenario.slack, ben)]).toEqual([[1, 1, 1], 1]);
    }),
  );
});

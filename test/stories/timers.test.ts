import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread } from './people.ts';

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

type Allowed = {
  readonly added: ChangeThread;
  /** The allowlist that the host has now. */
  readonly list: () => readonly string[];
  readonly before: readonly string[];
  /** Replaces the allowlist at the host, as somebody else would. */
  readonly becomes: (...list: readonly string[]) => void;
  /** Makes the timer due. */
  readonly isOver: () => void;
  /** The change that the timer created. */
  readonly removal: () => Promise<ChangeThread>;
};

/** Allows an address on an environment for five minutes. */
async function allowed(name: 'ana' | 'ben', environment: string, channel: string): Promise<Allowed> {
  const { hosting, slack } = scenario;
  const list = (): string[] => hosting.world.environmentNamed(environment)?.allowlist ?? [];
  const before = [...list()];
  const added = await scenario.person(name).asks(`/site allowlist add ${environment} 198.51.100.4 --for 5m`, channel);
  await added.tells('✅ 198.51.100.4 is on the SSH allowlist');
  const became = (): unknown =>
    scenario.rows(
      'select created_change as it from timers where change = ? and created_change is not null',
      added.number,
    )[0]?.['it'];
  return {
    added,
    list,
    before,
    becomes: (...entries) => void list().splice(0, Infinity, ...entries),
    isOver: () => scenario.runSql('update timers set due_at = 1 where change = ?', added.number),
    removal: async () => scenario.change(Number(await slack.until(became, patienceMs)), name),
  };
}

describe.concurrent('timed access', () => {
  test('ends by a change of its own, with its own card and proof', async () => {
    const { added, before, list, isOver, removal } = await allowed('ana', 'acme-shop/staging', 'C0ACME');
    const cardSays = (words: RegExp) => scenario.slack.until(() => words.test(added.card().text) || undefined);
    await cardSays(
      /confirmed [^]* later\. The access of 198\.51\.100\.4 ends .*\. \/site timers cancel \d+ ends it now\./,
    );
    isOver();
    const removed = await removal();
    expect(removed.card().text).toContain(`by the timer of #${added.number}`);
    await removed.tells('✅ 198.51.100.4 is not on the SSH allowlist of acme-shop/staging any more');
    await cardSays(/The access of 198\.51\.100\.4 to acme-shop\/staging is over: #\d+ took it off the list\./);
    expect(list()).toEqual(before);
    expect(scenario.writes('acme-shop/staging')).toHaveLength(2);
  });

  test('is removed at its end although its requester has left', async () => {
    const { before, list, isOver, removal } = await allowed('ben', 'acme-blog/staging', 'C0GENERAL');
    scenario.slack.changePerson('U02BEN', { deleted: true });
    isOver();
    await (await removal()).tells('✅ 198.51.100.4 is not on the SSH allowlist');
    expect(list()).toEqual(before);
  });

  test('was removed by hand before its end: nothing is left to do, and the bot says so', async () => {
    const { added, before, becomes, isOver } = await allowed('ana', 'acme-docs/staging', 'D0U01ANA');
    becomes(...before);
    // A single read may be out of date; only the third in a row counts.
    const missing = (): unknown =>
      scenario.rows('select times_missing from timers where change = ?', added.number)[0]?.['times_missing'];
    for (const times of [1, 2]) {
      isOver();
      await vi.waitFor(() => expect(missing()).toBe(times), { timeout: patienceMs });
    }
    isOver();
    await added.tells("is over: it's no longer on the SSH allowlist, so nothing had to be done.");
    expect(scenario.writes('acme-docs/staging')).toHaveLength(1);
  });

  test('is the last address on the list at its end: this is reported, the list is not emptied, and it is tried again', async () => {
    scenario.hosting.world.environmentNamed('north-bakery/staging')?.allowlist.push('192.0.2.7');
    const { added, list, becomes, isOver, removal } = await allowed('ana', 'north-bakery/staging', 'G0BAKERY');
    becomes('198.51.100.4');
    isOver();
    const reply = await added.tells(
      /The access of .* to north-bakery\/staging should have ended .* and is still open\./,
    );
    expect(reply.text).toContain('would leave the SSH allowlist of north-bakery/staging empty');
    becomes('198.51.100.4', '192.0.2.1');
    isOver();
    await (await removal()).tells('✅ 198.51.100.4 is not on the SSH allowlist');
    expect(list()).toEqual(['192.0.2.1']);
  });

  test('ends while the host has trouble: requester and ops channel are told, and it is tried again', async () => {
    const { added, before, list, isOver, removal } = await allowed('ana', 'harbor-events/staging', 'C0OPS');
    const id = scenario.hosting.world.environmentNamed('harbor-events/staging')?.id;
    const path = `/sites/environments/${id}/ssh/get-allowed-ips`;
    const { id: fault } = scenario.hosting.faults.add({ kind: 'status', status: 500, path, times: 'always' });
    isOver();
    const reply = await added.tells(
      /⚠️ @Ana The access of .* to harbor-events\/staging should have ended .* and is still open\./,
    );
    expect(reply.text).toContain('No removal was tried yet; the next try is');
    const cardSays = (words: RegExp) => scenario.slack.until(() => words.test(added.card().text) || undefined);
    await cardSays(/^⚠️ [^]*should have ended .* and is still open\./);
    const inOps = new RegExp(`#${added.number} .*is still open`, 's');
    await scenario.slack.until(
      () => scenario.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).find(({ text }) => inOps.test(text)),
      patienceMs,
    );
    scenario.hosting.faults.remove(fault);
    isOver();
    await (await removal()).tells('✅ 198.51.100.4 is not on the SSH allowlist');
    await cardSays(/^✅ /);
    expect(list()).toEqual(before);
  });
});

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { labelsOf } from './people.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

/** Reads the allowlist of an environment at the host. */
const listOf = (environment: string) => (): string[] =>
  scenario.hosting.world.environmentNamed(environment)?.allowlist ?? [];

/** Ana adds an address. Resolves with the reply that has *Undo*. */
async function added(environment: string, channel: string) {
  const list = listOf(environment);
  const before = [...list()];
  const change = await scenario.person('ana').asks(`/site allowlist add ${environment} 198.51.100.4`, channel);
  return { change, list, before, proof: await change.tells('✅ 198.51.100.4 is on the SSH allowlist') };
}

const keptFor = (id: string): unknown =>
  scenario.rows('select count(*) as it from button_payloads where person = ?', id)[0]?.['it'];

describe('undo', () => {
  test('still works after many reports', async () => {
    const ana = scenario.person('ana');
    const { proof, list, before } = await added('acme-docs/staging', ana.direct);
    for (let times = 0; times < 60; times += 1) {
      const shown = await ana.says('/site allowlist show acme-docs/staging', ana.direct);
      await shown.hears('SSH allowlist');
    }
    // The buttons are saved a moment later; at most fifty are kept.
    await vi.waitFor(() => expect(keptFor(ana.id)).toBe(50), { timeout: patienceMs, interval: 20 });
    const undone = await ana.clicks(proof, 'Undo');
    await scenario.slack.until(() => list().length === before.length || undefined, patienceMs);
    expect(undone.answers().map(({ text }) => text)).not.toContainEqual(expect.stringContaining('too old'));
    expect(list()).toEqual(before);
  });

  test('runs at once if nothing has changed since', async () => {
    const { change, proof, list, before } = await added('acme-blog/staging', 'C0GENERAL');
    expect(proof.text).toContain('Undo until');
    await scenario.person('ben').clicks(proof, 'Undo');
    await scenario.slack.until(() => list().length === before.length || undefined, patienceMs);
    expect(list()).toEqual(before);
    const left = await change.tells(/✅ 198\.51\.100\.4 is on the SSH allowlist .* #\d+ has undone it\.$/);
    expect([left.ts === proof.ts, left.text.includes('Undo until'), labelsOf(left)]).toEqual([true, false, []]);
  });

  test('pressed twice, by two people, is done once, and the second is told which change does it', async () => {
    const { change, proof, list, before } = await added('acme-docs/staging', 'C0GENERAL');
    const writes = scenario.writes('acme-docs/staging').length;
    await scenario.person('ana').clicks(proof, 'Undo');
    await scenario.slack.until(() => list().length === before.length || undefined, patienceMs);
    const again = await scenario.person('ben').clicks(proof, 'Undo');
    await again.hears(new RegExp(`#\\d+ (?:has undone|undoes) #${change.number} already\\. Nothing was done\\.`));
    expect(list()).toEqual(before);
    expect(scenario.writes('acme-docs/staging')).toHaveLength(writes + 1);
  });

  test('shows a review first if somebody has changed it since', async () => {
    const ana = scenario.person('ana');
    const { proof, list, before } = await added('north-bakery/staging', 'G0BAKERY');
    list().push('192.0.2.200');
    await ana.clicks(proof, 'Undo');
    await ana.form(/Somebody has changed north-bakery\/staging since #\d+ was done[^]*Take 198\.51\.100\.4 off/);
    expect(list()).toContain('198.51.100.4');
    const undone = await ana.confirms({}, 'G0BAKERY');
    await undone.tells('✅ 198.51.100.4 is not on the SSH allowlist');
    expect(list()).toEqual([...before, '192.0.2.200']);
  });

  test('shows a review first if access was granted again since, although the host looks the same', async () => {
    const list = listOf('harbor-events/staging');
    const ben = scenario.person('ben');
    const change = await ben.asks('/site allowlist add harbor-events/staging 198.51.100.4 --for 2h', ben.direct);
    const proof = await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
    const ana = scenario.person('ana');
    const kept = await ana.asks('/site allowlist add harbor-events/staging 198.51.100.4', 'C0OPS');
    await kept.tells('✅ Nothing had to be sent.');
    await ben.clicks(proof, 'Undo');
    await ben.form(/since #\d+ was done/);
    expect(list()).toContain('198.51.100.4');
  });

  test('shows a review first if the redirect leads elsewhere by now', async () => {
    const ana = scenario.person('ana');
    const change = await ana.asks('/site redirects add acme-shop/staging /sale-1 /sale', 'C0ACME');
    const proof = await change.tells('✅ acme-shop/staging has the redirect');
    const rule = scenario.hosting.world
      .environmentNamed('acme-shop/staging')
      ?.redirects.find(({ from }) => from === '/sale-1');
    if (rule === undefined) throw new Error('there is no such redirect');
    rule.to = '/by-somebody-else';
    await ana.clicks(proof, 'Undo');
    await ana.form(/Somebody has changed acme-shop\/staging since[^]*by-somebody-else/);
    const rules = scenario.hosting.world.environmentNamed('acme-shop/staging')?.redirects.map(({ from }) => from);
    expect(rules).toContain('/sale-1');
  });

  test('does not say that somebody has changed it if no read showed how it was left', async () => {
    const chi = scenario.person('chi');
    await chi.says('/site dns set acme-shop.example A undone --add 192.0.2.5', 'C0ACME');
    await chi.form(/Add the A record/);
    const proof = await (await chi.confirms({}, 'C0ACME')).tells(/✅ Done after .* Undo until/);
    await chi.clicks(proof, 'Undo');
    const { text } = await chi.form('Remove the A record');
    expect(text).toMatch(
      /^I can't tell whether somebody has changed acme-shop\.example since #\d+ was done\. This is what/,
    );
  });

  test('does not say that somebody has changed it if another change only may have', async () => {
    const { proof, list } = await added('acme-docs/staging', 'C0OPS');
    const ben = scenario.person('ben');
    const other = await ben.asks('/site allowlist add acme-docs/staging 192.0.2.202', 'C0OPS');
    await other.tells('✅ 192.0.2.202 is on the SSH allowlist');
    list().pop();
    scenario.runSql("update changes set state = 'accepted' where number = ?", other.number);
    await ben.clicks(proof, 'Undo');
    await ben.form(/I can't tell whether somebody has changed acme-docs\/staging since #\d+ was done\. This is what/);
  });

  test('opens the review by a button if no form can be opened, and runs nothing before', async () => {
    const ana = scenario.person('ana');
    const { proof, list } = await added('acme-shop/staging', 'C0ACME');
    list().push('192.0.2.201');
    scenario.slack.faults.add({ method: 'views.open', kind: 'error', error: 'expired_trigger_id', times: 1 });
    const undone = await ana.clicks(proof, 'Undo');
    const offered = await undone.hears('This needs a form. Nothing was done yet.');
    expect(list()).toContain('198.51.100.4');
    await ana.clicks(offered, 'Open the form');
    await ana.form(/Take 198\.51\.100\.4 off/);
    expect(list()).toContain('198.51.100.4');
  });

  test('does nothing if its button is from another database', async () => {
    const { change, proof, list } = await added('lumen-studio/staging', 'C0OPS');
    const [button] = proof.controls;
    const said = JSON.stringify(proof.blocks).replace(String(button?.value), `another ${change.number}`);
    const forged: unknown = JSON.parse(said);
    if (!Array.isArray(forged)) throw new Error('no blocks');
    await scenario.replaceBlocks(proof, forged);
    const pressed = await scenario.person('ana').clicks(proof, 'Undo');
    await pressed.hears('This button belongs to another Sitehand installation. Nothing was done.');
    expect(list()).toContain('198.51.100.4');
  });
});

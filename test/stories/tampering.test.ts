import { parseStored } from '../../src/storage/parse-json.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { openScenario, patienceMs, type Scenario, stateOf } from './scenario.ts';
import { labelsOf } from './people.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE]
  developers: [U01ANA, U02BEN, U05FAY]
  shop: [U06ROB]
rules:
  - { allow: [read], to: [leads, developers] }
  - { allow: [read], to: [shop], where: ['acme-shop/*'] }
  - { allow: [push, 'allowlist add'], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0 } } });
});
afterAll(() => scenario.close());

const onto = (site: string): string => `/site push ${site}/live ${site}/staging --files`;
/** The card with another value in its first button. */
const forged = (blocks: VisibleMessage['blocks'], was: string, value: string): readonly unknown[] =>
  parseStored<unknown[]>(JSON.stringify(blocks).replace(JSON.stringify(was), JSON.stringify(value)));

describe.concurrent('promise 5: stored or pressed values differ from what was shown:', () => {
  test('a button that somebody else’s database drew, an outdated one, or a forged one: a sentence, and nothing is done', async () => {
    const [ben, chi, rob] = [scenario.person('ben'), scenario.person('chi'), scenario.person('rob')];
    const change = await ben.requests(onto('acme-blog'), 'C0GENERAL');
    const { blocks, controls } = change.card();
    const was = String(controls[0]?.value);
    const [installation = '', number = '', version = ''] = was.split(' ');
    const cases = [
      [
        `0123456789abcdef ${number} ${version} approve`,
        'This button belongs to another Sitehand installation. Nothing was done.',
      ],
      [
        `${installation} 99999 ${version} approve`,
        "I can't find #99999 among the changes you can see. Nothing was done.",
      ],
      [`${installation} ${number} ${Number(version) + 1} approve`, 'It has changed since you saw it. Look again.'],
      [`${installation} ${number} 0 approve`, 'It has changed since you saw it. Look again.'],
      [
        `${installation} ${number} ${version} approve it`,
        "I don't recognise this button any more. Nothing was done. Type the command again.",
      ],
      [`${installation} ${number} -1 approve`, "I don't recognise this button any more. Nothing was done."],
      [`${installation} ${number};drop table changes ${version} approve`, "I don't recognise this button any more."],
      [`${installation} ${number} ${version} stop`, "It's still waiting for approval."],
      [`${installation} ${number} ${version} happened`, "It's still waiting for approval."],
    ] as const;
    for (const [value, says] of cases) {
      await scenario.replaceBlocks(change, forged(blocks, was, value));
      await (await chi.clicks(change, 'Approve')).hears(says);
    }
    await scenario.replaceBlocks(change, blocks);
    const unseen = await rob.clicks(change, 'Approve');
    await unseen.hears(`I can't find #${change.number} among the changes you can see. Nothing was done.`);
    expect([stateOf(scenario, change), scenario.writes('acme-blog/staging')]).toEqual(['waiting', []]);
    await chi.clicks(change, 'Approve');
    await change.tells(/^✅ Done after /);
    expect(scenario.writes('acme-blog/staging')).toHaveLength(1);
  });

  test('a call or a card that was rewritten in the database, before the click and before the write: void', async () => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const why = 'Nothing was sent. The stored change is not what was agreed on.';
    const call = await ana.requests(onto('acme-docs'));
    scenario.runSql(
      `update changes set call = replace(call, '"push_db":false', '"push_db":true') where number = ?`,
      call.number,
    );
    const refused = await chi.clicks(call.card(), 'Approve');
    await refused.hears(`#${call.number} can no longer be approved. ${why}`);
    expect(labelsOf(await call.tells(`⛔ ${why}`))).toEqual([]);
    const card = await ana.requests(onto('acme-docs'));
    scenario.runSql("update changes set card = replace(card, 'All files', 'Few files') where number = ?", card.number);
    await dee.clicks(card.card(), 'Approve');
    await card.tells(`⛔ ${why}`);
    expect(scenario.rows('select * from votes where change in (?, ?)', call.number, card.number)).toEqual([]);
    const late = await ana.requests('/site push acme-docs/staging acme-docs/live --files');
    await chi.clicks(late.card(), 'Approve');
    await scenario.holdBeforeSend(late.number);
    scenario.runSql(
      `update changes set call = replace(call, '"push_db":false', '"push_db":true') where number = ?`,
      late.number,
    );
    scenario.makeDue(late.number);
    await late.tells(`⛔ ${why}`);
    expect(scenario.writes('acme-docs/live')).toEqual([]);
  });

  test('a list with an entry that can no longer be sent back: what asking again would do is not promised', async () => {
    const [fay, chi] = [scenario.person('fay'), scenario.person('chi')];
    const change = await fay.asks('/site allowlist add harbor-events/staging 198.51.100.7', 'C0GENERAL');
    scenario.hosting.world.environmentNamed('harbor-events/staging')?.allowlist.push('');
    await chi.clicks(change.card(), 'Approve');
    const reply = await change.tells(
      /^⛔ Nothing was sent\. harbor-events\/staging is not as it was when this was asked/,
    );
    expect(reply.text).toMatch(/Asking again would be refused now: The SSH allowlist .* I can't send back as it is/);
    expect(scenario.writes('harbor-events/staging')).toEqual([]);
  });

  test('a list that somebody else has changed: superseded at the click, and asked again with the current list', async () => {
    const [fay, chi] = [scenario.person('fay'), scenario.person('chi')];
    const line = '/site allowlist add lumen-studio/staging 198.51.100.7';
    const change = await fay.asks(line, 'C0OPS');
    scenario.hosting.world.environmentNamed('lumen-studio/staging')?.allowlist.push('192.0.2.9');
    const refused = await chi.clicks(change.card(), 'Approve');
    await refused.hears(
      /can no longer be approved\. Nothing was sent\. Somebody changed lumen-studio\/staging in the meantime/,
    );
    const reply = await change.tells(/^⛔ Nothing was sent\. Somebody changed .* If you asked again, it would be:/);
    expect(reply.text).toMatch(/List before: .*192\.0\.2\.9/);
    expect(labelsOf(reply)).toEqual(['Ask again']);
    await fay.clicks(reply, 'Ask again');
    const [newest] = await scenario.slack.until(() => {
      const rows = scenario.rows(
        "select number from changes where target_name = 'lumen-studio/staging' and number > ?",
        change.number,
      );
      return rows.length > 0 ? rows : undefined;
    }, patienceMs);
    const again = await scenario.change(Number(newest?.['number']), 'fay');
    expect(again.card().text).toMatch(/List before {2}.*192\.0\.2\.9/);
    await chi.clicks(again.card(), 'Approve');
    await again.tells('✅ 198.51.100.7 is on the SSH allowlist of lumen-studio/staging');
    expect(scenario.writes('lumen-studio/staging').map(({ body }) => body)).toEqual([
      { ip_allowlist: ['192.0.2.9', '198.51.100.7'] },
    ]);
  });
});

test('the target is renamed between the request and the click: void, and nothing is sent', async () => {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  const change = await ana.requests(onto('harbor-events'));
  const site = scenario.hosting.world.sites.find(({ name }) => name === 'harbor-events');
  if (site)
    site.environments = site.environments.map((one) => (one.name === 'staging' ? { ...one, name: 'stage' } : one));
  await scenario.refreshListing();
  const refused = await chi.clicks(change.card(), 'Approve');
  const why = 'Nothing was sent. harbor-events/staging is called harbor-events/stage now.';
  await refused.hears(`#${change.number} can no longer be approved. ${why}`);
  await change.tells(`⛔ ${why}`);
  expect(scenario.writes('harbor-events/stage')).toEqual([]);
});

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { sources } from './bot.ts';
import { canaries, openScenario, type Scenario } from './scenario.ts';

/** One scenario with a lot of activity; the tests below check what it left behind. */
const pasted = 'hunter2-pasted-canary';
const token = 'xoxb-000000000000-pasted-canary';
const privateKey = String(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
const keyLine = privateKey.split('\n')[1] ?? '';
const hostile = '<!channel> <!here> <@U03CHI> <#C0OPS|ops> <http://evil.example|acme-shop> @everyone *bold* `code`';
const key = Buffer.from(canaries.audit);
let scenario: Scenario;

beforeAll(async () => {
  scenario = await openScenario({ ownProcess: 'the first', program: sources, environment: { LOG_LEVEL: 'debug' } });
  const { hosting, slack } = scenario;
  const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
  hosting.world
    .environmentNamed('acme-shop/staging')
    ?.written.push({ at: Date.now(), kind: 'error', text: `${hostile} Bearer ${canaries.hosting}` });
  const echo = { message: `${hostile} no such key: Bearer ${canaries.hosting}`, status: 401, data: null };
  hosting.faults.add({ kind: 'status', method: 'POST', status: 401, body: echo });
  const refused = await ana.asks(`/site cache clear acme-shop/staging --reason "${hostile}"`);
  await refused.tells('❌ The host rejected it (401');
  hosting.faults.add({ kind: 'hang', method: 'POST' });
  await ben.asks(`/site cache clear acme-shop/staging --reason "password=${pasted}"`, ben.direct);
  await hosting.until(() => scenario.writes()[1]);
  await scenario.kill();
  await scenario.start();
  await (await scenario.change(2, 'ben')).tells('Outcome unknown');
  const read = await ana.says('/site logs acme-shop/staging --lines 10', 'C0GENERAL');
  await ana.clicks(await read.hears('acme-shop/staging · error log'), 'Share');
  for (const key of [token, privateKey, keyLine.repeat(2)]) {
    const answer = await ana.says(`/site cache clear acme-shop/staging --reason "${key}"`, 'C0GENERAL');
    await answer.hears(/^That contains (?:a private key|a service's token). I didn't keep it. Nothing was done./);
    const mentioned = await ana.mentions(`cache clear acme-shop/staging --reason "${key}"`, 'C0ACME');
    await mentioned.hears("I didn't keep it.");
    await ana.opens('/site cache clear', 'Clear the page cache', 'C0GENERAL');
    const { errors } = await ana.submits({ Environment: 'acme-shop/staging', Reason: key });
    if (!JSON.stringify(errors).includes("I didn't keep it.")) throw new Error('a form took a key');
    await slack.closeModal(ana.id, true);
  }
  await (await ana.says(`/site cahce "${hostile}"`, 'C0GENERAL')).hears("I don't know");
  hosting.faults.add({ kind: 'status', method: 'GET', section: '4.17', status: 401, body: echo });
  await (await ana.says('/site allowlist show acme-shop/staging')).hears('The host rejected my key');
  const allowed = await ben.asks('/site allowlist add acme-blog/staging 198.51.100.4', 'C0OPS');
  await allowed.tells('✅ 198.51.100.4 is on the SSH allowlist');
  await slack.until(() =>
    slack.messages({ channel: 'C0GENERAL', as: ana.id }).find(({ text }) => text.includes('Shared by')),
  );
  await scenario.stop();
});
afterAll(() => scenario.close());

test('promise 9: no credential is in a log line, in a message, or in a file of the database', async () => {
  const left = await scenario.leftovers();
  expect(left).toContain('Sitehand is ready');
  expect(left).toContain('no such key');
  for (const canary of [...Object.values(canaries), pasted, token, keyLine]) expect(left).not.toContain(canary);
});

test('promise 6: texts of people, logs and the host ping nobody, link nowhere and broadcast nothing', () => {
  const said = scenario.slack
    .calls()
    .flatMap(({ method, args }) => (/^(chat|views|response)/.test(method) ? [args] : []));
  expect(said.length).toBeGreaterThan(10);
  expect(JSON.stringify(said)).toContain('evil.example');
  for (const args of said) {
    const json = JSON.stringify(args).replaceAll(/\\+"/g, '"');
    expect(json).not.toMatch(/"type":"(broadcast|usergroup|link)"/);
    expect(json).not.toMatch(/"user_id":"U03CHI"/);
    expect(json).not.toMatch(/"channel_id":"C0OPS"/);
    expect(JSON.stringify(args['text'] ?? '')).not.toMatch(/<!(?!date)|<@U03CHI|<#C0OPS|<http/);
    expect(json).not.toMatch(/"type":"mrkdwn","text":"[^"]*<(!(?!date)|@U03CHI|http)/);
  }
});

test('promise 7: every change of state has a line, and the trail is intact', async () => {
  const database = await openDatabase(scenario.databaseUrl, { onLost: () => undefined });
  try {
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'proven' });
    expect(await verifyAudit(database.db, [Buffer.from('another key')])).toMatchObject({ kind: 'unproven' });
  } finally {
    await database.close();
  }
  const remarks = "('no_approval_needed', 'evidence', 'late_answer')";
  const moves = scenario.rows(
    `select number, version, count(seq) as lines from changes join audit on change = number and event not in ${remarks} group by number, version`,
  );
  expect(moves).toHaveLength(3);
  for (const { version, lines } of moves) expect(lines).toBe(version);
});

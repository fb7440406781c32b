import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { doctor } from '../../src/program/doctor.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { migrations } from '../../src/storage/migrations/migrate.ts';
import { writeKv } from '../../src/storage/kv.ts';
import { aliveKey } from '../../src/storage/clock.ts';
import { ids, inScenario, patienceMs, type Scenario } from '../stories/scenario.ts';

/** The checks on the machine, beside a running bot and without one. */

const report = z.object({
  checks: z.array(
    z.object({ what: z.string(), ok: z.boolean().nullable(), says: z.string(), hint: z.string().optional() }),
  ),
});

type Environment = Readonly<Record<string, string>>;

/** Its output and exit code. */
async function examine(environment: Environment, words: readonly string[] = []) {
  const said: string[] = [];
  const code = await doctor(words, environment, (text) => said.push(text));
  return { code, said: said.join('') };
}

/** Expects the exit code, and these beginnings of lines, such as `✓ Database: answers` (`?` is unknown, `✗` wrong). */
async function expectChecks(scenario: Scenario, environment: Environment, code: number, lines: readonly string[]) {
  const found = await examine({ ...scenario.environment, ...environment }, ['--json']);
  const all = report
    .parse(JSON.parse(found.said))
    .checks.map(({ what, ok, says }) => `${ok === null ? '?' : ok ? '✓' : '✗'} ${what}: ${says}`);
  expect(lines.filter((line) => !all.some((one) => one.startsWith(line)))).toEqual([]);
  expect(found.code).toBe(code);
}

test(
  'beside a running bot everything is fine, nothing is posted, and no connection is taken from it',
  inScenario({}, async (scenario) => {
    await scenario.person('ana').says('/site doctor');
    // The first head is announced at the first start.
    const isHead = ({ text }: { readonly text: string }): boolean => text.startsWith('The audit trail has ');
    await scenario.slack.until(
      () => scenario.slack.messages({ channel: 'C0OPS', as: ids.chi }).find(isHead),
      patienceMs,
    );
    const before = scenario.slack.calls().length;
    const { code, said } = await examine(scenario.environment);
    expect(code).toBe(0);
    expect(said).toContain('✅ Slack app: the bot token has every scope of manifest.yml\n');
    expect(said).toContain('✅ Deliveries from Slack: Slack accepts the app token; no connection was opened\n');
    expect(said).toContain('✅ Bot: one was alive ');
    expect(said).toMatch(/✅ All 20 checks are fine\n$/);
    const asked = scenario.slack.calls().slice(before);
    expect(asked.filter(({ method }) => /^(chat|files|views)\./.test(method))).toEqual([]);
    const heard = await scenario.person('ana').says('/site whoami');
    await heard.hears('Ana');
  }),
);

test(
  'before the first start the database is not there yet, and is not made; no bot runs on it, nor on one whose bot is dead',
  inScenario({ start: false }, async (scenario) => {
    const file = scenario.databaseUrl.slice('sqlite:'.length);
    for (const _ of [1, 2])
      await expectChecks(scenario, { AUDIT_OUT: 'stdout' }, 1, [
        '✗ Bot: none runs on this database yet',
        '✓ Audit trail: none yet',
        '✓ Audit trail elsewhere: no lines yet',
        `✓ Database: ${file} is not there yet; the first start makes it`,
        '✓ Sending: approved changes are sent',
      ]);
    const empty = `${scenario.environment['POLICY_FILE']}.db`;
    writeFileSync(empty, '');
    await expectChecks(scenario, { DATABASE_URL: `sqlite:${empty}` }, 1, [
      `✓ Database: ${empty} is empty; the first start makes it`,
    ]);
    const database = await openDatabase(`sqlite:${empty}`, { migrations: migrations.slice(0, 1) });
    await database.transaction((tx) => writeKv(tx, { key: aliveKey, value: '0', at: Date.now() - 60_001 }));
    await database.close();
    await expectChecks(scenario, { DATABASE_URL: `sqlite:${empty}` }, 1, [
      '✗ Bot: none runs on this database; the last one was alive ',
      '? Work: unknown: an older version made the tables; the first start of this one adds to them',
      '✓ Changes: 0 waiting',
    ]);
    const nowhere = `${empty}/data/sitehand.db`;
    await expectChecks(scenario, { DATABASE_URL: `sqlite:${nowhere}` }, 1, [
      `✗ Database: ${nowhere} can't be made: this user can't write in ${empty}`,
    ]);
  }),
);

const scopes = ['app_mentions:read', 'chat:write', 'commands', 'usergroups:read', 'users:read', 'channels:read'];

test(
  'a missing optional scope is fine, and is named',
  inScenario({ start: false, slack: { scopes } }, (scenario) =>
    expectChecks(scenario, {}, 1, [
      '✓ Slack app: the bot token has every scope it must have; it does without files:write, groups:read, im:write',
    ]),
  ),
);

test(
  'a missing required scope is wrong',
  inScenario({ start: false, slack: { scopes: scopes.slice(2) } }, (scenario) =>
    expectChecks(scenario, {}, 1, ['✗ Slack app: the bot token lacks app_mentions:read, chat:write']),
  ),
);

test(
  'a rejected token is named; what depends on it is unknown, not wrong',
  inScenario({ start: false }, async (scenario) => {
    await expectChecks(scenario, { SLACK_BOT_TOKEN: 'xoxb-0123456789-other' }, 1, [
      '✗ Slack app: Slack refuses SLACK_BOT_TOKEN (invalid_auth)',
      '✓ Deliveries from Slack: Slack accepts the app token; no connection was opened',
      '? Slack user groups: unknown: Slack has not said who I am',
      '? Ops channel: unknown: Slack has not said who I am',
    ]);
    await expectChecks(scenario, { SLACK_APP_TOKEN: 'xapp-0123456789-other' }, 1, [
      '✓ Slack app: the bot token has every scope of manifest.yml',
      '✗ Deliveries from Slack: Slack refuses SLACK_APP_TOKEN (invalid_auth)',
    ]);
  }),
);

test(
  'a Slack that does not answer says nothing about its tokens',
  inScenario({ start: false }, async (scenario) => {
    scenario.slack.faults.add({ kind: 'html', method: 'auth.test', times: 100 });
    scenario.slack.faults.add({ kind: 'reset', method: 'apps.connections.open', times: 100 });
    await expectChecks(scenario, {}, 1, [
      '? Slack app: unknown: Slack gave no usable answer',
      '? Deliveries from Slack: unknown: Slack gave no usable answer',
      "✗ Slack: doesn't say who I am",
      '? Slack user groups: unknown: Slack has not said who I am',
    ]);
    scenario.slack.faults.remove();
    // A page of a proxy, and trouble of Slack's own, are no verdict on a token.
    scenario.slack.faults.add({ kind: 'html', status: 200, method: 'auth.test', times: 100 });
    scenario.slack.faults.add({ kind: 'error', error: 'internal_error', method: 'apps.connections.open', times: 100 });
    await expectChecks(scenario, {}, 1, [
      '? Slack app: unknown: Slack gave no usable answer',
      '? Deliveries from Slack: unknown: Slack answered internal_error',
    ]);
  }),
);

test(
  'a Slack that is in trouble or busy says nothing about its tokens either',
  inScenario({ start: false }, async (scenario) => {
    scenario.slack.faults.add({ kind: 'error', method: 'auth.test', error: 'internal_error', times: 100 });
    scenario.slack.faults.add({ kind: 'error', method: 'apps.connections.open', error: 'ratelimited', times: 100 });
    await expectChecks(scenario, {}, 1, [
      '? Slack app: unknown: Slack answered internal_error',
      '? Deliveries from Slack: unknown: Slack answered ratelimited',
    ]);
  }),
);

test(
  'a host that is away, a policy with a mistake and an invalid database are each named, and the rest is checked',
  inScenario(
    { start: false, policy: 'version: 1\nrules:\n  - allow: [reed]\n    to: everyone\n' },
    async (scenario) => {
      const file = scenario.environment['POLICY_FILE'];
      const wrong = { HOSTING_API_URL: 'http://127.0.0.1:1/v2', DATABASE_URL: `sqlite:${file}`, AUDIT_OUT: 'stdout' };
      await expectChecks(scenario, wrong, 1, [
        "✗ Hosting API: I can't reach the host",
        "? Key of the hosting API: unknown: I can't reach the host",
        `✗ Rules: ${file} can't be used: line 3: unknown command or class "reed"; did you mean "read"?`,
        "? Slack user groups: unknown: the rules can't be read",
        "✗ Database: can't be read: file is not a database",
        "? Bot: unknown: the database can't be read",
        "? Sending: unknown: the database can't be read",
        "? Changes: unknown: the database can't be read",
        "? Work: unknown: the database can't be read",
        "? Audit trail elsewhere: unknown: the database can't be read",
        '✓ Slack app: the bot token has every scope of manifest.yml',
      ]);
    },
  ),
);

test(
  'a host that has never answered is named as such, and what depends on it is unknown',
  inScenario({ start: false }, async (scenario) => {
    scenario.hosting.faults.add({ kind: 'delay', method: 'GET', ms: patienceMs, times: 100 });
    await expectChecks(scenario, {}, 1, [
      '✗ Hosting API: has not answered for 4 s; the sites have not been listed yet',
      '? Key of the hosting API: unknown: the host has not answered',
    ]);
  }),
);

test('each wrong setting is named, and the exit code is 2, as for unknown arguments', async () => {
  const { code, said } = await examine({ SLACK_BOT_TOKEN: 'xapp-0123456789012345' });
  expect(code).toBe(2);
  expect(said).toContain('Settings: SLACK_BOT_TOKEN must begin with xoxb-');
  expect(said).toContain('Settings: HOSTING_API_URL is not set');
  expect(said).toContain('Nothing else was checked.');
  expect(await examine({}, ['--jsno'])).toEqual({ code: 2, said: '' });
});

test(
  'in HTTP mode it says that only a delivery shows whether the signing secret is right',
  inScenario({ start: false, slack: { delivery: { kind: 'http', url: 'http://127.0.0.1:1/' } } }, (scenario) =>
    expectChecks(scenario, {}, 1, [
      '✓ Deliveries from Slack: a signing secret is set; only a delivery from Slack shows whether it is the right one',
    ]),
  ),
);

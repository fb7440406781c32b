import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programOf } from './bot.ts';
import { canaries, openScenario, patienceMs, type Scenario } from './scenario.ts';

/** Runs the bot to its end with only these environment variables. */
async function endOf(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; said: string; ms: number }> {
  const began = performance.now();
  const { words, environment } = await programOf();
  const child = spawn(process.execPath, words, { env: { ...environment, ...env } });
  const [said, more] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
  return { code: child.exitCode, said: said + more, ms: performance.now() - began };
}

describe('the bot does not start', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ ownProcess: 'all' });
  });
  afterAll(() => scenario.close());

  test('with nothing set: one list of everything that is missing, and the way to try it without an account', async () => {
    const { code, said, ms } = await endOf({});
    expect(code).toBe(1);
    for (const name of ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'HOSTING_API_URL', 'HOSTING_API_KEY']) {
      expect(said).toContain(name);
    }
    expect(said).toMatch(
      /To be asked for them: .*sitehand.* setup\nTo try it without an account: .*sitehand.* playground\n/,
    );
    expect(ms).toBeLessThan(30_000);
  });

  test('with invalid values: each variable is named with what it must be, and no value is repeated', async () => {
    const wrong = { SLACK_BOT_TOKEN: canaries.app, HOSTING_API_KEY: '', HOSTING_COMPANY_ID: 'acme', PORT: '99999' };
    const { code, said } = await endOf({ ...wrong, HOSTING_API_URL: 'ftp://host', DATABASE_URL: 'mysql://x' });
    expect(code).toBe(1);
    for (const name of ['SLACK_BOT_TOKEN', 'HOSTING_COMPANY_ID', 'PORT', 'HOSTING_API_URL', 'DATABASE_URL']) {
      expect(said).toContain(`  ${name} must be`);
    }
    expect(said).not.toContain(canaries.app);
  });

  test('with an invalid character in a key: each variable is named, and the exit code is not 0', async () => {
    const names = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'HOSTING_API_KEY', 'AUDIT_KEY'];
    const wrong: Record<string, string> = { DATABASE_URL: 'sqlite::memory:' };
    for (const name of names) wrong[name] = 'xoxb-xapp-canary-å-with-a-ring-of-40-letters';
    const failed = scenario.start(wrong);
    await expect(failed).rejects.toThrow(/ended with 1:/);
    for (const name of names)
      expect(scenario.log()).toContain(
        `${name} contains a line break or another character outside plain ASCII, which no key has`,
      );
    expect(scenario.log()).not.toContain('with-a-ring');
  });

  const thrown = {
    'an uncaught error': "throw new Error('of Bearer canary-of-nobody')",
    'an unhandled rejection': "Promise.reject(new Error('of Bearer canary-of-nobody'))",
  };
  test.each(Object.entries(thrown))('or exits with 1 after %s, with a message without secrets', async (_, action) => {
    const ready = "process.listenerCount('uncaughtException') > 0";
    const throwLater = `const wait = setInterval(() => { if (${ready}) { clearInterval(wait); ${action}; } }, 5)`;
    const environment = {
      DATABASE_URL: 'sqlite::memory:',
      NODE_OPTIONS: `--import=data:text/javascript;base64,${btoa(throwLater)}`,
    };
    const failed = scenario.start(environment);
    await expect(failed).rejects.toThrow(/ended with 1:[^]*Sitehand ends: unexpected error/);
    expect(scenario.log()).not.toContain('canary-of-nobody');
  });

  test('with a database that another bot has open', async () => {
    await expect(scenario.start()).rejects.toThrow(
      /Another Sitehand has .*sitehand\.db open; this one was not started/,
    );
    const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
    await change.tells('the host reports it finished');
  });

  test('with a port or an address that it cannot listen on: each is named, and Slack delivers nothing before that', async () => {
    const taken = String(scenario.port());
    const connections = () => scenario.slack.calls().filter(({ method }) => method === 'apps.connections.open').length;
    const before = connections();
    expect(before).toBeGreaterThan(0);
    for (const [wrong, named] of [
      [{ PORT: taken }, `PORT ${taken} on HOST 127.0.0.1: listen EADDRINUSE`],
      [{ HOST: '192.0.2.1' }, 'PORT 0 on HOST 192.0.2.1: listen EADDRNOTAVAIL'],
      [{ METRICS_PORT: taken }, `METRICS_PORT ${taken} on METRICS_HOST 127.0.0.1: listen EADDRINUSE`],
    ] as const) {
      const failed = scenario.start({ DATABASE_URL: 'sqlite::memory:', ...wrong });
      await expect(failed).rejects.toThrow(`Sitehand was not started: Cannot listen on ${named}`);
    }
    expect(connections()).toBe(before);
  });

  test('with a token that Slack rejects: it says so, and does not repeat the token', async () => {
    const other = 'xoxb-canary-another-18be';
    const failed = scenario.start({ SLACK_BOT_TOKEN: other, DATABASE_URL: 'sqlite::memory:' });
    await expect(failed).rejects.toThrow(
      /Sitehand was not started: .*invalid_auth\. Check SLACK_BOT_TOKEN, SLACK_API_URL and the network\./,
    );
    expect(scenario.log()).not.toContain(other);
  });

  test('if Slack does not answer: it says at which address, why, and what to check', async () => {
    const failed = scenario.start({ SLACK_API_URL: 'http://127.0.0.1:1/api/', DATABASE_URL: 'sqlite::memory:' });
    await expect(failed).rejects.toThrow(
      /Slack at http:\/\/127\.0\.0\.1:1\/api\/ did not say who this bot is: .*\. Check SLACK_BOT_TOKEN, SLACK_API_URL and the network\./,
    );
  });

  test('with an invalid policy: every mistake has its line; and broken later, the last good ones hold', async () => {
    const broken = "version: 1\nrules:\n  - allow: [raed]\n    to: [nobody]\n    wehre: ['*/live']\n";
    await scenario.writePolicy(broken);
    await scenario.slack.until(
      () => scenario.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).find(({ text }) => /last good/.test(text)),
      patienceMs,
    );
    const change = await scenario.person('ana').asks('/site cache clear acme-blog/staging');
    await change.tells('the host reports it finished');
    const failed = scenario.start({ DATABASE_URL: 'sqlite::memory:' });
    await expect(failed).rejects.toThrow(/line 3.*raed[\s\S]*line 4.*nobody[\s\S]*line 5.*wehre/);
  });
});

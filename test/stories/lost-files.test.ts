import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bot } from './bot.ts';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';

const clear = (environment: string): string => `/site cache clear ${environment}`;
const finished = 'the host reports it finished';

/** A change of that environment that waits for a resume. */
async function held(scenario: Scenario, environment: string): Promise<void> {
  scenario.runSql(`insert into kv (key, value, at) values ('pause', 'a test', 1) on conflict do nothing`);
  const { number } = await scenario.person('ana').asks(clear(environment));
  await scenario.becomes(number, 'approved');
}
/** Makes all of them due at once. */
const makeAllDue = (scenario: Scenario): void => {
  scenario.runSql(`update changes set due_at = 1, owner = null, lease_until = null where state = 'approved'`);
  scenario.runSql(`delete from kv where key = 'pause'`);
};

/** Resolves when the process has ended, or when the host has received one write too many. */
const endsOrSends = (scenario: Scenario, bot: Bot, writes: number): Promise<unknown> =>
  Promise.race([bot.ended, scenario.hosting.until(() => scenario.writes()[writes], patienceMs).then(() => 'sent')]);

describe('the disk loses what was written', () => {
  test('promise 1: a flush fails: the process ends, and no waiting change is sent before it starts again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sitehand-flush-'));
    const order = join(folder, 'fails');
    const scenario = await openScenario({ ownProcess: 'the first', start: false });
    try {
      const bot = await scenario.start({
        NODE_OPTIONS: `--import ./test/prove/failing-flush.ts?order=${encodeURIComponent(order)}`,
      });
      await held(scenario, 'acme-shop/staging');
      await held(scenario, 'acme-blog/staging');
      writeFileSync(order, '');
      makeAllDue(scenario);
      expect(await endsOrSends(scenario, bot, 0)).toEqual({ code: 1, signal: null });
      expect(scenario.writes()).toEqual([]);
      expect(scenario.log()).toMatch(
        /"level":60.*Sitehand ends: The disk didn't save what was written to .*sitehand\.db/,
      );

      await scenario.start();
      for (const number of [1, 2])
        await (await scenario.change(number)).tells(/Outcome unknown|the host reports it finished/);
      for (const name of ['acme-shop/staging', 'acme-blog/staging'])
        expect(scenario.writes(name).length).toBeLessThanOrEqual(1);
    } finally {
      await scenario.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe.concurrent('a file of the database goes away under a running bot', () => {
  test.each([
    { what: 'the database is removed', file: '', how: (file: string) => rmSync(file) },
    {
      what: 'the database is replaced by a copy of itself',
      file: '',
      how: (file: string) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    },
    { what: 'its log is removed', file: '-wal', how: (file: string) => rmSync(file) },
    { what: 'its lock is removed', file: '.lock', how: (file: string) => rmSync(file) },
  ])('promise 1: $what: nothing is sent, and the process ends and says why', async ({ file, how }) =>
    inScenario({ ownProcess: 'all', start: false }, async (scenario) => {
      const bot = await scenario.start();
      const before = await scenario.person('ana').asks(clear('acme-shop/staging'));
      await before.tells(finished);
      const path = `${scenario.databaseUrl.slice('sqlite:'.length)}${file}`;
      how(path);
      await scenario.person('ben').says(clear('acme-blog/staging'));
      expect(await endsOrSends(scenario, bot, 1)).toEqual({ code: 1, signal: null });
      expect(scenario.writes()).toHaveLength(1);
      expect(scenario.log()).toContain(`Sitehand ends: ${path} was removed or replaced while it was open`);
    })(),
  );
});

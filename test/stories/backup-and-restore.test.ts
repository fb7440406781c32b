import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { everythingLabel } from '../../src/change/buttons.ts';
import { audit } from '../../src/program/audit.ts';
import { backup } from '../../src/program/backup.ts';
import { restore } from '../../src/program/restore.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { canaries, ids, inScenario, patienceMs, type Scenario } from './scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'sitehand-restored-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Where the data is lost, and where a backup is restored instead. */
type Disaster = {
  readonly url: () => Promise<string | undefined>;
  readonly restoreTo: () => Promise<string>;
};

const onPostgres: Disaster = { url: freshPostgres, restoreTo: freshPostgres };
const onSqlite: Disaster = { url: async () => undefined, restoreTo: async () => `sqlite:${folder}/new/sitehand.db` };

type Run = { readonly code: number; readonly says: string };

async function run(
  program: typeof backup,
  words: readonly string[],
  environment: Scenario['environment'],
): Promise<Run> {
  let says = '';
  const say = (text: string): unknown => (says += text);
  const code = await program(words, environment, { write: say, complain: say });
  return { code, says };
}

async function verify(environment: Scenario['environment']): Promise<Run> {
  let says = '';
  const write = async (text: string): Promise<void> => void (says += text);
  const code = await audit(['verify'], environment, { write, complain: (text) => void (says += text) });
  return { code, says };
}

const finished = 'the host reports it finished';
const buttonsPosted = 'so buttons posted before the restore no longer work. Nothing was ';

describe.each<[string, Disaster]>([
  ['on SQLite', onSqlite],
  ...(postgresRuns ? [[`on PostgreSQL${noPostgres}`, onPostgres] as [string, Disaster]] : []),
])('a backup restored after the database was lost, %s', (name, disaster) => {
  test('promise 1: nothing is sent again, earlier buttons are refused, and the restored changes go on', async () => {
    const url = await disaster.url();
    const environment = url === undefined ? {} : { DATABASE_URL: url };
    const durations = { 'environments:push': 0, 'cache:clear': 0 };
    await inScenario({ environment, hosting: { durations } }, async (scenario) => {
      await story(scenario, disaster, join(folder, `${name.replaceAll(' ', '-')}.backup`));
      // The push and the cache clear of before.
      expect(scenario.writes()).toHaveLength(2);
    })();
  });
});

async function story(scenario: Scenario, disaster: Disaster, file: string): Promise<void> {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  const push = await ana.requests('/site push acme-shop/staging acme-shop/live --files');
  const { blocks: old, controls: before } = push.card();
  const isNew = ({ controls: [first] }: VisibleMessage): boolean =>
    first?.label === 'Approve' && first.value !== before[0]?.value;
  const written = await run(backup, [file], scenario.environment);
  expect(written.says).toMatch(/^Backed up to \S+: 1 change, as of 20[\d: -]+ UTC, \d\.\d MB\.\nAll \d+ lines of the/);
  expect([written.code, statSync(file).mode & 0o777]).toEqual([0, 0o600]);
  await chi.clicks(push, 'Approve');
  await push.tells(finished);
  await (await ana.asks('/site cache clear acme-shop/staging')).tells(finished);
  await scenario.stop();
  const sent = scenario.writes().length;
  expect(sent).toBe(2);

  const environment = { ...scenario.environment, DATABASE_URL: await disaster.restoreTo() };
  const restored = await run(restore, [file], environment);
  expect(restored.says).toMatch(/^Restored \S+: 1 change, as of .*\.\nAll sending is paused\. Start Sitehand/);
  expect(restored.code).toBe(0);
  await scenario.start({ DATABASE_URL: environment.DATABASE_URL });

  const card = await scenario.slack.until(() => cards(scenario).find(isNew), patienceMs);
  await scenario.replaceBlocks(push, old);
  const refused = `${buttonsPosted}done. Look for a newer card of this change, or type /site changes`;
  await (await chi.clicks(push, 'Approve')).hears(refused);
  await chi.clicks(push, everythingLabel);
  await chi.form(`${buttonsPosted}shown.`);
  await scenario.slack.closeModal(chi.id, true);
  await scenario.replaceBlocks(card, card.blocks);
  await chi.clicks(card, 'Approve');
  await scenario.slack.until(
    () => cards(scenario).find(({ text }) => text.includes('All sending is paused.')),
    patienceMs,
  );
  await scenario.slack.until(() => opsTold(scenario), patienceMs);
  expect(scenario.writes()).toHaveLength(sent);

  await scenario.stop();
  const trail = await verify(environment);
  expect(trail.says).toMatch(/The database was restored on .* UTC to its state of .* UTC\. Lines written between/);
  expect(trail.code).toBe(0);
  const left = [readFileSync(file, 'latin1'), written.says, restored.says, trail.says].join('\n');
  expect(Object.values(canaries).filter((canary) => left.includes(canary))).toEqual([]);
}

/** The cards of the push: a second one if the backup is older than the note that the first was posted. */
const cards = (scenario: Scenario): readonly VisibleMessage[] =>
  scenario.slack.messages({ channel: 'C0ACME', as: ids.chi }).filter(({ text }) => text.includes('· #1\n'));

/** What the ops channel is told about the restore. */
const opsTold = (scenario: Scenario): unknown =>
  scenario.slack
    .messages({ channel: 'C0OPS', as: ids.chi })
    .find(({ text }) => /so I paused all sending\. .*restored .*from a backup of .*resume/s.test(text));

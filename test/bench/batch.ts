import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxUnderWay } from '../../src/pipeline/changes/batch.ts';
import { startHosting } from '../../src/playground/hosting/server.ts';
import { startSlack } from '../../src/playground/slack/server.ts';
import { manySites } from '../stories/batch.ts';
import { patienceMs } from '../stories/bot.ts';
import { testUser, type TestUser } from '../stories/people.ts';
import { median, type Figure, type Scale } from './figures.ts';
import { startPackage } from './program.ts';

/** A batch of many environments: its acks against those of one, and its time against the host's. */

const ana = 'U01ANA';
const policy = `
version: 1
groups: { developers: [${ana}] }
rules:
  - { allow: [read, "cache clear"], to: [developers] }
`;
/** What the host takes for each write; it is asked about the operation two seconds later. */
const writeMs = 300;
const followedAfterMs = 2_000;

export async function measureBatch({ quick }: Scale): Promise<readonly Figure[]> {
  const count = quick ? 40 : 200;
  const hosting = await startHosting({ plan: manySites(count), durations: { 'cache:clear': 0 }, notKnownFor: 0 });
  const slack = await startSlack({ delivery: { kind: 'http' } });
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-bench-'));
  await writeFile(join(folder, 'policy.yml'), policy);
  const sitehand = await startPackage({
    SLACK_BOT_TOKEN: slack.tokens.bot,
    SLACK_SIGNING_SECRET: slack.tokens.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    HOSTING_API_URL: hosting.url,
    HOSTING_API_KEY: hosting.key,
    HOSTING_COMPANY_ID: hosting.companyId,
    POLICY_FILE: join(folder, 'policy.yml'),
    DATABASE_URL: `sqlite:${join(folder, 'sitehand.db')}`,
    LOG_LEVEL: 'error',
  });
  slack.deliverTo(`${sitehand.url}/slack/events`);
  const person = testUser(slack, ana);
  try {
    const one = await acksOf(person, '/site cache clear many-1/liv');
    const many = await acksOf(person, '/site cache clear many-*/live --dry-run');
    hosting.faults.add({ kind: 'delay', method: 'POST', ms: writeMs, times: 'always' });
    await person.opens('/site cache clear many-*/live', 'Leave out');
    const card = await person.confirms();
    const writes = () => hosting.journal.entries().filter(({ method }) => method === 'POST');
    await hosting.until(() => writes()[0], patienceMs);
    const began = performance.now();
    await card.shows(`${count} of ${count} done`);
    const took = performance.now() - began;
    const ideal = Math.ceil(count / maxUnderWay) * (writeMs + followedAfterMs);
    return [
      {
        what: `ack of a command for ${count} environments: more than for one`,
        measured: median(many) - median(one),
        unit: 'ms',
        limit: 10,
        raw: { one, many },
      },
      {
        what: `a batch of ${count}, against the host with ${maxUnderWay} at a time`,
        measured: took / ideal,
        unit: '×',
        limit: 1.3,
        raw: { took, ideal, writes: writes().length },
      },
    ];
  } finally {
    await sitehand.stop();
    await Promise.all([slack.close(), hosting.close(), rm(folder, { recursive: true })]);
  }
}

/** Milliseconds to the ack, of some commands that send nothing. */
async function acksOf(person: TestUser, line: string): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const { outcome, hears } = await person.says(line);
    await hears(/./);
    taken.push(outcome.ms);
  }
  return taken;
}

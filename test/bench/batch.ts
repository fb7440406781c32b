import { maxUnderWay } from '../../src/change/batch.ts';
import { manySites } from '../stories/batch.ts';
import { patienceMs } from '../patience.ts';
import { testUser, type TestUser } from '../stories/people.ts';
import { median, type Figure, type Scale } from './figures.ts';
import { startPackage, type Held } from './program.ts';
import { openStage } from './stage.ts';

/** A batch of many environments: its acks against those of one, its time against the host's, and its memory. */

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
  const stage = await openStage(policy, { plan: manySites(count), durations: { 'cache:clear': 0 }, notKnownFor: 0 });
  const { hosting, slack } = stage;
  const sitehand = await startPackage(stage.environment, { probe: true });
  slack.deliverTo(`${sitehand.url}/slack/events`);
  const person = testUser(slack, ana);
  try {
    const one = await acksOf(person, '/site cache clear many-1/liv');
    const many = await acksOf(person, '/site cache clear many-*/live --dry-run');
    const atRest = await sitehand.holds();
    const residentAtRest = sitehand.residentMb();
    hosting.faults.add({ kind: 'delay', method: 'POST', ms: writeMs, times: 'always' });
    await person.opens('/site cache clear many-*/live', 'Leave out');
    const card = await person.confirms();
    const writes = () => hosting.journal.entries().filter(({ method }) => method === 'POST');
    await hosting.until(() => writes()[0], patienceMs);
    const began = performance.now();
    await hosting.until(() => writes()[count / 2], patienceMs);
    const underWay = await sitehand.holds();
    await card.shows(`${count} of ${count} done`);
    const took = performance.now() - began;
    const after = await sitehand.holds();
    const moreMb = ({ heap }: Held): number => (heap - atRest.heap) / 1024 / 1024;
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
      {
        what: `heap more in the middle of a batch of ${count} than at rest`,
        measured: moreMb(underWay),
        unit: 'MB',
        limit: 10,
        raw: { atRest: atRest.heap, underWay: underWay.heap },
      },
      {
        what: 'heap more after its end',
        measured: moreMb(after),
        unit: 'MB',
        // A small batch is the first work of the process, and what it loads once outweighs what it keeps.
        limit: quick ? undefined : 2,
        raw: { atRest: atRest.heap, after: after.heap },
      },
      {
        what: 'resident memory at its most until then, more than before',
        measured: sitehand.peakMb() - residentAtRest,
        unit: 'MB',
        limit: 40,
        raw: { before: residentAtRest, most: sitehand.peakMb(), after: sitehand.residentMb() },
      },
    ];
  } finally {
    await sitehand.stop();
    await stage.close();
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

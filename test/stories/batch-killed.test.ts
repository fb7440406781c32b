import { expect, test } from 'vitest';
import { begins, editsOf, eventually, manySites, namesOfMany, policy, written } from './batch.ts';
import { inTime, threeSeconds } from './three-seconds.ts';
import { ids, inScenario, patienceMs, type Scenario } from './scenario.ts';

/** Two hundred environments: what it takes, and what is left of it when the process is killed in the middle. */

const count = 200;
const names = namesOfMany(count);
const clear = '/site cache clear many-*/live';
const hosting = { plan: manySites(count + 1), durations: { 'cache:clear': 0 }, journalLimit: 20_000 } as const;
const except = ` except many-${count}/live`;

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

test(
  'two hundred on a slow host take no longer than the host does with as many at a time; everybody else is served',
  inScenario({ policy: policy.replace('some, blog', 'some'), hosting }, async (scenario) => {
    const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
    const writeMs = 400;
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: writeMs, times: 'always' });
    const acks = threeSeconds();
    const said = await ana.says(clear + except);
    const review = await ana.form('Leave out');
    expect(review.text).toContain('200');
    const heap = process.memoryUsage().heapUsed;
    const cardPromise = ana.confirms();
    const card = await cardPromise;
    acks(said.outcome);
    const began = performance.now();
    await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
    const other = await ben.asks(`/site cache clear many-${count}/live`);
    const onTime = inTime(5_000);
    await scenario.hosting.until(() => scenario.writes(`many-${count}/live`)[0], patienceMs);
    onTime();
    await other.tells('the host reports it finished');
    await scenario.becomes(card.number, 'done');
    const took = performance.now() - began;
    const entries = scenario.writes();
    const sending = (entries.at(-1)?.at ?? 0) - (entries[0]?.at ?? 0) + writeMs;
    const edits = editsOf(scenario, card);
    const ideal = Math.ceil(count / 8) * (writeMs + 2_000);
    console.log({
      took,
      sending,
      ideal,
      ratio: took / ideal,
      edits,
      heapMb: (process.memoryUsage().heapUsed - heap) / 1e6,
    });
    expect(written(scenario, names)).toEqual(names.map(() => 1));
    expect(edits).toBeLessThanOrEqual(took / 5_000 + 4);
    expect(card.replies()).toHaveLength(1);
  }),
  300_000,
);

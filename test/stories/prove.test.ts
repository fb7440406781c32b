import { describe, expect, test } from 'vitest';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { live, type Life } from '../prove/life.ts';
import { isQuick, lives } from '../prove/lives.ts';
import { tales } from '../prove/replicas.ts';
import { weather } from '../prove/weather/cell.ts';
import { forecast, isQuickCell } from '../prove/weather/forecast.ts';

// The small matrix; `npm run prove` is the whole one.
const seed = process.env['SEED'] ?? '';
const patience = { timeout: 120_000, concurrent: true };

const points = ({ rows }: Life): string => rows.map(({ name }) => name).join(', ');

async function livesWell(life: Life): Promise<void> {
  const runs = await live(life);
  expect(runs.flatMap(({ wrong }) => wrong ?? [])).toEqual([]);
  expect(runs).toHaveLength(life.rows.length);
}

describe(
  'promise 1: killed between a click on Approve and the last word: written at most once, and told',
  patience,
  () => {
    for (const life of lives(seed, isQuick.row)) test(`at ${points(life)}`, () => livesWell(life));
  },
);

describe('ordinary trouble upon a push that waits: written once, somebody hears of it, no false word', patience, () => {
  test.each(forecast().filter(isQuickCell))('$weather.name', async ({ weather: name, kind }) => {
    expect((await weather(name, kind)).wrong).toEqual([]);
  });
});

describe.skipIf(!postgresRuns)(`two replicas of it${noPostgres}`, patience, () => {
  for (const { name, tell } of tales.filter(isQuick.tale))
    test(`promise 1: two replicas: ${name}`, async () => tell(await freshPostgres(), seed));
});

import { describe, expect, test } from 'vitest';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { runKills, type KillRun } from '../prove/kill-and-restart.ts';
import { isQuick, killPlan } from '../prove/kill-plan.ts';
import { proofs } from '../prove/replicas.ts';
import { withScene } from '../prove/scene.ts';
import { keys } from '../prove/kill-story.ts';
import { runCase } from '../prove/trouble/run-case.ts';
import { allCases, isQuickCase } from '../prove/trouble/all-cases.ts';
import { ids } from './scenario.ts';

// The small matrix; `npm run prove` is the whole one.
const seed = process.env['SEED'] ?? '';
// A run has many steps, and each reports its own timeout.
const patience = { timeout: 240_000, concurrent: true };

const points = ({ rows }: KillRun): string => rows.map(({ name }) => name).join(', ');

async function expectSurvived(run: KillRun): Promise<void> {
  const runs = await runKills(run);
  expect(runs.flatMap(({ wrong }) => wrong ?? [])).toEqual([]);
  expect(runs).toHaveLength(run.rows.length);
}

describe(
  'promise 1: killed between a click on Approve and the last word: written at most once, and told',
  patience,
  () => {
    for (const run of killPlan(seed, isQuick.row)) test(`at ${points(run)}`, () => expectSurvived(run));
  },
);

test(
  'a kill that never happens names the points that were passed, and says that no work is left that could reach it',
  patience,
  () =>
    withScene(undefined, async (scene) => {
      await scene.start();
      scene.order({ point: 'posted', of: keys.reply, says: '^✅', above: 1 });
      await scene.scenario.slack.command(ids.ana, 'C0ACME', '/site cache clear acme-shop/live');
      await scene.atRest();
      await expect(scene.obeyed(0)).rejects.toThrow(
        /not obeyed: .*all has ended without it; passed: .*kept command:.*, sending saved 1, .*posted 1:\d+ \(post: ✅ /s,
      );
    }),
);

describe(
  'ordinary trouble during a waiting push: written once, somebody is told, and no statement is false',
  patience,
  () => {
    test.each(allCases().filter(isQuickCase))('$trouble.name', async ({ trouble, kind }) => {
      expect((await runCase(trouble, kind)).wrong).toEqual([]);
    });
  },
);

describe.skipIf(!postgresRuns)(`two replicas of it${noPostgres}`, patience, () => {
  for (const { name, expectHeld } of proofs.filter(isQuick.proof))
    test(`promise 1: two replicas: ${name}`, async () => expectHeld(await freshPostgres(), seed));
});

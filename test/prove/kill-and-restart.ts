import { randomFrom, type Random } from '../../src/playground/hosting/random.ts';
import { type Bot } from '../stories/bot.ts';
import { actUntilDone } from './act-until-done.ts';
import { NotObeyed, withScene, StillUnderWay, type Scene } from './scene.ts';
import type { Row, Story } from './kill-story.ts';
import { newestIn, baselineOf, roundOutcome, problemIn, type Problem } from './round-outcome.ts';

/** The deaths of one scenario in order, and the seed of everything random in it. */
export type KillRun = { readonly story: Story; readonly rows: readonly Row[]; readonly seed: string };

/** One death and its outcome. */
export type Run = {
  readonly story: Story;
  readonly row: Row;
  readonly database: Scene['database'];
  readonly came: string;
  readonly seed: string;
  readonly wrong?: Problem | undefined;
};

/**
 * Plays the story once per row, on SQLite or on the PostgreSQL at `url`: kills the bot at the row's point, starts it
 * again and watches until all is done. The same scenario goes on to the next row; a row that does not end is the last.
 */
export function runKills({ story, rows, seed }: KillRun, url?: string): Promise<readonly Run[]> {
  const random = randomFrom(seed);
  const play = async (scene: Scene): Promise<readonly Run[]> => {
    const runs: Run[] = [];
    let bot = await scene.start();
    for (const row of rows) {
      const base = { story, row, database: scene.database, seed };
      try {
        const { next, came, wrong } = await killAndRestart(scene, story, row, bot, random);
        runs.push({ ...base, came, wrong });
        bot = next;
      } catch (error) {
        const says = error instanceof Error ? error.message : String(error);
        return [...runs, { ...base, came: 'not ended', wrong: { kind: kindOf(error), says } }];
      }
    }
    return runs;
  };
  return withScene(url, play, story.policy);
}

function kindOf(error: unknown): Problem['kind'] {
  if (error instanceof NotObeyed) return 'not killed';
  return error instanceof StillUnderWay ? 'lost' : 'otherwise';
}

async function killAndRestart(scene: Scene, story: Story, row: Row, bot: Bot, random: Random) {
  const { slack } = scene.scenario;
  const above = await newestIn(scene);
  await story.prepare?.(scene, random);
  const before = await baselineOf(scene, story, above);
  troubled(scene, row, above, random);
  const comeBack = async (): Promise<Bot> => {
    await dead(scene, row, bot, before.writes);
    endTroubles(scene);
    await scene.endLeases();
    return scene.start();
  };
  const act = (isDone: () => boolean | Promise<boolean>): ReturnType<Story['act']> =>
    actUntilDone(scene, story.person, () => story.act(scene, random), isDone);
  const [{ envelope }, next] = await Promise.all([act(() => isReached(scene, row, before.writes)), comeBack()]);
  if (envelope !== undefined && random.chance(0.5)) await slack.redeliver(envelope);
  await scene.atRest();
  const seen = await roundOutcome(scene, story, before);
  const also = story.alsoWrong && seen.changes > 0 ? await story.alsoWrong(scene, await newestIn(scene)) : '';
  const untold: Problem | undefined = also === '' ? undefined : { kind: 'untold', says: also };
  const wrong = problemIn(story, seen, row.required.allowed) ?? untold;
  if (wrong || seen.end !== 'untouched') return { next, came: seen.came, wrong };
  // Untouched means it can be asked again and then happens.
  await act(async () => (await roundOutcome(scene, story, before)).end !== 'untouched');
  await scene.atRest();
  const again = await roundOutcome(scene, story, { ...before, told: seen.told });
  return { next, came: seen.came, wrong: problemIn(story, again, [story.well.came]) };
}

/** The order to die, plus small troubles: a slow host, a slow Slack, up to three copies of each delivery. */
function troubled({ scenario, order }: Scene, { at }: Row, above: number, random: Random): void {
  scenario.slack.delivery.duplicates = random.integer(1, 3);
  scenario.slack.faults.add({ method: 'chat.postMessage', kind: 'delay', delayMs: random.integer(0, 50) });
  const applied = random.chance(0.5);
  if (at === 'received') {
    for (const method of ['POST', 'PUT'] as const) scenario.hosting.faults.add({ kind: 'hang', method, applied });
  } else {
    scenario.hosting.faults.add({ kind: 'delay', ms: random.integer(0, 50), times: 'always' });
    order({ ...at, above });
  }
}

function endTroubles({ scenario }: Scene): void {
  scenario.slack.delivery.duplicates = 1;
  scenario.slack.faults.remove();
  scenario.hosting.faults.remove();
}

/** Resolves when the bot is dead: by its own signal, or killed by us while the host has the write. */
async function dead(scene: Scene, row: Row, bot: Bot, writesBefore: number): Promise<void> {
  if (row.at !== 'received') {
    await scene.obeyed();
    await bot.ended;
    return;
  }
  await scene.soon('received', () =>
    isReached(scene, row, writesBefore) ? '' : `the writes are ${JSON.stringify(scene.scenario.writes())}`,
  );
  await bot.end('SIGKILL');
}

/** Whether the story has reached the row's point. */
const isReached = ({ scenario, isObeyed }: Scene, { at }: Row, writesBefore: number): boolean =>
  at === 'received'
    ? scenario
        .writes()
        .slice(writesBefore)
        .some(({ state }) => state !== 'arriving')
    : isObeyed();

import { describe, expect, test } from 'vitest';
import type { Failpoint } from '../../src/base/failpoints.ts';
import type { Bot } from './bot.ts';
import { clockedPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { threadsOf } from '../prove/round-outcome.ts';
import { eventually, underWay, withScene, type Scene } from '../prove/scene.ts';

/** Two replicas are killed around the hour of a push and of a cache clear: each is sent once at most, or ended and told. */

const minute = 60_000;
const within = 15 * minute;
/** When others are started, after the hour, which passes while those from before it run. */
const moments = { before: -3_000, in: 2 * minute, after: within + minute } as const;
type Moment = keyof typeof moments;

/** What is said of each end, and how often it was written then. */
const ends: Readonly<Record<string, { readonly says: RegExp; readonly writes: number }>> = {
  done: { says: /✅ /, writes: 1 },
  expired: { says: /⛔ Nothing was sent\. It was not sent in time\./, writes: 0 },
  // Killed between saving that it is being sent and the write, so nothing was written, which nobody can know.
  unknown: { says: /Outcome unknown/, writes: 0 },
};

/** Ana's push, which Chi approves, and her cache clear, for the same hour. Resolves with that, epoch ms. */
async function ask({ scenario, rows }: Scene): Promise<number> {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  const hour = Math.ceil(Date.now() / minute + 60) * minute;
  const at = `--at=${new Date(hour).toISOString().slice(0, 16)}Z`;
  const push = await ana.requests(`/site push acme-shop/staging acme-shop/live --files ${at}`);
  await chi.clicks(push.card(), 'Approve');
  await push.tells(/^Approved by @Chi\. It is to be sent from /);
  const clear = await ana.asks(`/site cache clear acme-blog/live ${at}`);
  await clear.tells(/^No approval is needed\. It is to be sent from /);
  const left = async (): Promise<number> => (await rows('select key from messages where due_at is not null')).length;
  await eventually('said', async () => ((await left()) === 0 ? '' : 'messages are on their way'));
  return hour;
}

const startTwo = (scene: Scene): Promise<readonly Bot[]> => Promise.all([scene.start(), scene.start()]);
const killAll = (bots: readonly Bot[]): Promise<unknown> => Promise.all(bots.map((bot) => bot.end('SIGKILL')));

/** One replica dies at the point, and then the other, unless all is over by then. */
async function bothDie(scene: Scene, point: Failpoint): Promise<void> {
  scene.order({ point });
  // One may have died before it was asked whether it is ready.
  const started = await Promise.allSettled([scene.start(), scene.start()]);
  const bots = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  await eventually('obeyed', () => (scene.isObeyed() ? '' : `nobody reached ${point}`));
  scene.order({ point });
  await scene.endLeases();
  const left = async (): Promise<string> => (await scene.rows(underWay)).map(({ what }) => String(what)).join(', ');
  await eventually('obeyed, or over', async () => (scene.isObeyed() ? '' : left()));
  await killAll(bots);
}

/** Where both replicas are killed, and when two others are started. */
const lives: readonly { readonly killed: 'before' | Failpoint; readonly restarted: Moment }[] = [
  { killed: 'before', restarted: 'before' },
  { killed: 'before', restarted: 'after' },
  { killed: 'rechecked', restarted: 'in' },
  { killed: 'opened', restarted: 'after' },
  { killed: 'sending saved', restarted: 'in' },
  { killed: 'sending saved', restarted: 'after' },
];

describe.skipIf(!postgresRuns)(`killed around the hour${noPostgres}`, () => {
  test.each(lives)(
    'promise 1: killed ($killed), started again ($restarted the window): sent once at most, or ended and told',
    { timeout: 120_000 },
    async ({ killed, restarted }) => {
      const { url, jump } = await clockedPostgres();
      await withScene(url, async (scene) => {
        const asked = await startTwo(scene);
        const hour = await ask(scene);
        await killAll(asked);
        const goTo = (afterMs: number): Promise<unknown> => jump(hour + afterMs - Date.now());
        if (killed !== 'before') {
          await goTo(minute);
          await bothDie(scene, killed);
        } else expect(scene.scenario.writes()).toEqual([]);
        await goTo(moments[restarted]);
        await startTwo(scene);
        await scene.endLeases();
        await scene.atRest();
        const seen = await scene.rows('select number, state, target_name from changes order by number');
        for (const { number, state, target_name } of seen) {
          const end = ends[String(state)];
          const thread = threadsOf(scene.scenario, Number(number)).join('\n');
          expect(thread, `#${String(number)} is ${String(state)}`).toMatch(end?.says ?? /^$/);
          expect(scene.scenario.writes(String(target_name))).toHaveLength(end?.writes ?? -1);
        }
        const states = seen.map(({ state }) => state);
        if (killed === 'before') expect(states).toEqual(Array(2).fill(restarted === 'after' ? 'expired' : 'done'));
        else if (killed === 'sending saved') expect(states).toContain('unknown');
        else expect(states).toContain(restarted === 'in' ? 'done' : 'expired');
      });
    },
  );
});

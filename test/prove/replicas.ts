import assert from 'node:assert/strict';
import { randomFrom, type Random } from '../../src/playground/hosting/random.ts';
import { ids } from '../stories/scenario.ts';
import { actUntilDone } from './act-until-done.ts';
import { approve, waitingPush } from './push.ts';
import { eventually, withScene, type Scene } from './scene.ts';
import { threadsOf } from './round-outcome.ts';

/** A proof with two bots on one PostgreSQL; rejects if it fails. */
export type Proof = { readonly name: string; readonly expectHeld: (url: string, seed: string) => Promise<void> };

const proof = (name: string, story: (scene: Scene, random: Random) => Promise<void>): Proof => ({
  name,
  expectHeld: (url, seed) => withScene(url, (scene) => story(scene, randomFrom(seed))),
});

async function clear(scene: Scene, environment = 'acme-shop/live'): Promise<unknown> {
  const found = async (): Promise<number> =>
    (await scene.rows(`select number from changes where target_name = '${environment}'`)).length;
  const before = await found();
  return actUntilDone(
    scene,
    ids.ana,
    () => scene.scenario.slack.command(ids.ana, 'C0ACME', `/site cache clear ${environment}`),
    async () => (await found()) > before,
  );
}

/** One lead approves the push of that number; a later one is told. */
const approveBy = (scene: Scene, number: number, by: string): Promise<unknown> =>
  actUntilDone(
    scene,
    by,
    () => approve(scene, by),
    async () => (await stateOf(scene, number)) !== 'waiting',
  );

const stateOf = async ({ rows }: Scene, number = 1): Promise<unknown> =>
  (await rows(`select state from changes where number = ${number}`))[0]?.['state'];

const allToldOf = ({ scenario }: Scene, number = 1): string => threadsOf(scenario, number).join('\n');

/** A bot frozen at that point while it works on a change. */
async function frozenReplicaAt(scene: Scene, point: 'opened' | 'sending saved') {
  const bot = await scene.start();
  scene.order({ point, of: '^1$', signal: 'SIGSTOP' });
  await clear(scene);
  await scene.obeyed();
  return { bot, since: performance.now() };
}

/** A change's audit events, oldest first, without attempts that a slow machine aborted unwritten. */
const eventsOf = async ({ rows }: Scene, number = 1): Promise<string> =>
  (await rows(`select event from audit where change = ${number} order by seq`))
    .map(({ event }) => String(event))
    .join()
    .replaceAll('send,send_aborted,', '');

const placeOfCard = ({ rows }: Scene): ReturnType<Scene['rows']> =>
  rows(`select channel, ts from messages where key = '1:card'`);

/** Everything that must hold with two replicas. */
export const proofs: readonly Proof[] = [
  proof(
    'asleep after it saved sending, called unknown by the other: awake, it writes nothing and says so',
    async (scene) => {
      const { bot, since } = await frozenReplicaAt(scene, 'sending saved');
      await scene.endLeases();
      await scene.start();
      await scene.atRest();
      assert.equal(await stateOf(scene), 'unknown');
      assert.match(allToldOf(scene), /Outcome unknown/);
      // A lease normally never ends within two seconds, but here we ended it.
      await eventually('stale', () => (performance.now() - since > 2_100 ? '' : 'what it saved is fresh'));
      process.kill(bot.pid(), 'SIGCONT');
      await eventually('told', () => (allToldOf(scene).includes('I wrote nothing') ? '' : allToldOf(scene)));
      await scene.atRest();
      assert.equal(await stateOf(scene), 'expired');
      assert.equal(scene.scenario.writes().length, 0);
    },
  ),

  proof('asleep with its connection open, sent by the other: awake, it does not send', async (scene) => {
    const { bot } = await frozenReplicaAt(scene, 'opened');
    await scene.endLeases();
    await scene.start();
    await scene.atRest();
    assert.equal(await stateOf(scene), 'done');
    process.kill(bot.pid(), 'SIGCONT');
    // On SIGTERM it first finishes its current work.
    assert.deepEqual(await bot.end('SIGTERM'), { code: 0, signal: null });
    await scene.atRest();
    assert.equal(await stateOf(scene), 'done');
    assert.equal(scene.scenario.writes().length, 1);
  }),

  proof(
    'asleep with a card posted, posted again by the other: awake, it leaves the place alone',
    async (scene, random) => {
      const bot = await scene.start();
      scene.order({ point: 'posted', of: '^1:card$', how: 'post', signal: 'SIGSTOP' });
      const comesBack = async (): Promise<void> => {
        await scene.obeyed();
        await scene.endLeases();
        await scene.start();
      };
      await Promise.all([waitingPush(scene, random), comesBack()]);
      const place = await placeOfCard(scene);
      process.kill(bot.pid(), 'SIGCONT');
      assert.deepEqual(await bot.end('SIGTERM'), { code: 0, signal: null });
      assert.deepEqual(await placeOfCard(scene), place);
      await approveBy(scene, 1, ids.chi);
      await scene.atRest();
      assert.equal(await stateOf(scene), 'done');
      // The first one says no more what it is about, and has no buttons.
      const [card, ...others] = threadsOf(scene.scenario, 1);
      assert.deepEqual(others, []);
      assert.match(card ?? '', /^✅ Pushed .*is waiting for your approval.*Approved by @Chi.*✅ Done after/s);
      assert.equal(scene.scenario.writes().length, 1);
    },
  ),

  proof(
    'a click on Approve that both hear, and then two approvers at once: approved once, written once',
    async (scene, random) => {
      await Promise.all([scene.start(), scene.start()]);
      await waitingPush(scene, random);
      scene.scenario.slack.delivery.duplicates = 2;
      await approveBy(scene, 1, ids.chi);
      await scene.atRest();
      await waitingPush(scene, random);
      scene.scenario.slack.delivery.duplicates = 1;
      await Promise.all([approveBy(scene, 2, ids.chi), approveBy(scene, 2, ids.dee)]);
      await scene.atRest();
      for (const number of [1, 2]) {
        assert.equal(await stateOf(scene, number), 'done');
        assert.equal(await eventsOf(scene, number), 'asked,waiting,approve,send,accept,finish');
      }
      assert.equal((await scene.rows('select person from votes where change = 2')).length, 1);
      assert.equal(scene.scenario.writes().length, 2);
    },
  ),

  proof('their clocks hours apart: what expires goes by the clock of the database', async (scene, random) => {
    const hours = random.integer(1, 30);
    const ahead = await scene.start(hours);
    await clear(scene);
    await scene.atRest();
    assert.equal(await stateOf(scene), 'done');
    await ahead.end('SIGTERM');
    await scene.start(-hours);
    await scene.write(`insert into kv (key, value, at) values ('pause', 'a proof', 1)`);
    await clear(scene);
    await eventually('saved', async () => ((await stateOf(scene, 2)) === 'approved' ? '' : 'not yet'));
    await scene.write(
      `update changes set expires_at = (extract(epoch from clock_timestamp()) * 1000)::bigint, due_at = 1 where number = 2`,
    );
    await scene.atRest();
    assert.equal(await stateOf(scene, 2), 'expired');
    assert.match(allToldOf(scene, 2), /It was not sent in time/);
    assert.equal(scene.scenario.writes().length, 1);
  }),

  proof('both hear everything: each change is written once, each word is said once', async (scene, random) => {
    await Promise.all([scene.start(), scene.start()]);
    const { slack, writes } = scene.scenario;
    slack.delivery.duplicates = random.integer(2, 5);
    const names = ['acme-shop/live', 'acme-shop/staging', 'acme-blog/live', 'acme-blog/staging', 'acme-docs/live'];
    await Promise.all(names.map((name) => clear(scene, name)));
    await scene.atRest();
    assert.deepEqual(
      names.map((name) => writes(name).length),
      [1, 1, 1, 1, 1],
    );
    for (const number of [1, 2, 3, 4, 5]) {
      assert.equal(threadsOf(scene.scenario, number).length, 1, `cards of #${number}`);
      const sentOrDone = allToldOf(scene, number).match(/^Sent\. The host accepted it|^✅ Done after/gm);
      assert.equal(sentOrDone?.length, 1, `what is said of #${number}: ${allToldOf(scene, number)}`);
    }
  }),
];

import assert from 'node:assert/strict';
import { randomFrom } from '../../src/playground/hosting/random.ts';
import { startPair, type Pair } from '../postgres-pair.ts';
import { findPostgres } from '../postgres-server.ts';
import { openFaultyConnection, type FaultyConnection } from '../stories/faulty-connection.ts';
import { ids, patienceMs } from '../stories/scenario.ts';
import { waitingPush } from './push.ts';
import { newestIn, threadsOf } from './round-outcome.ts';
import { eventually, withScene, type Scene } from './scene.ts';
import { byPeople } from './trouble/troubles.ts';

/** A primary is lost, and its standby takes over. */
type Failover = {
  readonly replication: 'synchronous' | 'behind';
  /** Two replicas live through it, or one dies with the primary. */
  readonly bots: 'two live on' | 'one starts again';
};

/** A change when the primary was lost, and its required outcome: `N written, state`. */
type Stand = { readonly number: number; readonly what: string; readonly where: string; readonly must: string };

/** The outcome of each of them. */
export type FailoverResult = Failover & { readonly came: readonly (Stand & { readonly came: string })[] };

export const failovers: readonly Failover[] = [
  { replication: 'synchronous', bots: 'two live on' },
  { replication: 'synchronous', bots: 'one starts again' },
  { replication: 'behind', bots: 'two live on' },
  { replication: 'behind', bots: 'one starts again' },
];

export const nameOf = ({ replication, bots }: Failover): string =>
  `a standby takes over, replication ${replication}, the bots: ${bots}: nothing is sent until a person acts`;

const timed = 'north-bakery/staging';

/** The required outcomes. The timer created #8. */
function stands({ replication, bots }: Failover): readonly Stand[] {
  const isWhole = replication === 'synchronous';
  const lives = bots === 'two live on';
  const again = isWhole ? '1 written, done' : lives ? '1 written, unknown' : '1 written, asked again';
  const lost = isWhole ? '1 written, done' : '1 written, not known';
  return [
    { number: 1, what: 'waits', where: 'acme-shop/live', must: '0 written, asked again' },
    { number: 2, what: 'waits; approved, sent and done last', where: 'acme-blog/live', must: again },
    { number: 3, what: 'approved; sent and done last', where: 'acme-docs/live', must: again },
    { number: 4, what: 'timed access; taken off last', where: timed, must: '2 written, done' },
    {
      number: 5,
      what: 'needs no approval, not sent yet; sent and done last',
      where: 'north-bakery/live',
      must: isWhole ? '1 written, done' : '1 written, unknown',
    },
    {
      number: 6,
      what: 'being sent',
      where: 'lumen-studio/live',
      must: lives ? '1 written, done' : '1 written, unknown',
    },
    { number: 7, what: 'asked for, sent and done last', where: 'harbor-events/live', must: lost },
    {
      number: 9,
      what: 'needs no approval, asked for last, not sent yet',
      where: 'harbor-events/staging',
      must: isWhole ? '0 written, unknown' : '0 written, not known',
    },
  ];
}

/** Plays one failover; rejects if anything is not as it must be. */
export async function playFailover(failover: Failover): Promise<FailoverResult> {
  const pair = await startPair(findPostgres() ?? '');
  const wire = await openFaultyConnection(pair.primary.url);
  try {
    return await withScene(wire.url, (scene) => play(scene, pair, wire, failover), byPeople);
  } finally {
    wire.close();
    await pair.close();
  }
}

async function play(scene: Scene, pair: Pair, wire: FaultyConnection, failover: Failover): Promise<FailoverResult> {
  const { scenario } = scene;
  await scene.start();
  if (failover.bots === 'two live on') await scene.start();
  await upToTheLoss(scene, pair, failover);
  const sent = scenario.writes().length;
  if (failover.bots === 'one starts again') await scenario.kill();
  wire.cut();
  await pair.primary.kill();
  await pair.promote();
  wire.turnTo(pair.standby.url);
  if (failover.bots === 'one starts again') await scene.start();
  await eventually('noticed', async () => ((await isPaused(scene)) ? '' : 'nothing is paused'));
  scenario.hosting.faults.release();
  await scene.atRest();
  const came = await allOf(scene, stands(failover));
  assert.equal(scenario.writes().length, sent, 'something was sent without a person');
  for (const { number, came: end } of came) isTold(scene, number, end);
  await goesOn(scene);
  return { ...failover, came };
}

/** Up to the moment at which the primary is lost. */
async function upToTheLoss(scene: Scene, pair: Pair, { replication }: Failover): Promise<void> {
  const { scenario, rows, write } = scene;
  const random = randomFrom('failover');
  if (replication === 'synchronous') await pair.replicateFirst();
  for (let count = 0; count < 3; count += 1) await waitingPush(scene, random);
  await asks(scene, `allowlist add ${timed} 198.51.100.4 --for 5m`);
  await scene.atRest();
  await pause(scene);
  await approve(scene, 3);
  await asks(scene, 'cache clear north-bakery/live');
  await eventually('said', async () => {
    const owed = await rows('select key from messages where due_at is not null');
    return owed.length === 0 ? '' : `${owed.length} messages are owed`;
  });
  await write(`update changes set due_at = 9000000000000 where number in (3, 5)`);
  await resume(scene);
  // Its answer comes when the standby has taken over.
  scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 2 * patienceMs });
  await asks(scene, 'cache clear lumen-studio/live');
  await eventually('replicated', async () => {
    const [row] = await pair.standby.asked('select state from changes where number = 6');
    const isHeld = scenario.writes('lumen-studio/live').length > 0;
    return isHeld && row?.['state'] === 'sending' ? '' : 'it is not being sent yet';
  });
  if (replication === 'behind') await pair.stopReplication();
  await lastMoments(scene);
}

/** What a standby that is behind never hears of. */
async function lastMoments(scene: Scene): Promise<void> {
  const { rows, write } = scene;
  const done = (count: number): Promise<void> =>
    scene.soon('done', async () => {
      const ended = await rows(`select number from changes where state = 'done'`);
      return ended.length === count
        ? ''
        : `done are only ${ended.map(({ number }) => `#${String(number)}`).join(', ')}`;
    });
  await approve(scene, 2);
  await write(`update changes set due_at = 1 where number in (3, 5)`);
  await asks(scene, 'cache clear harbor-events/live');
  await done(5);
  await write(`update timers set due_at = 1 where ended_at is null`);
  await done(6);
  await pause(scene);
  await asks(scene, 'cache clear harbor-events/staging');
}

/** People compare, approve what was not done, and resume: that is sent once, and nothing else. */
async function goesOn(scene: Scene): Promise<void> {
  const { scenario, rows, write } = scene;
  const sent = scenario.writes().length;
  await approve(scene, 1);
  await resume(scene);
  await scene.soon('sent', async () => {
    // What is on the list is read three times before the access counts as ended.
    await write(`update timers set due_at = 1 where owner is null and ended_at is null`);
    const open = await rows(`select id from timers where ended_at is null`);
    const state = await stateOf(scene, 1);
    return state === 'done' && open.length === 0 ? '' : `#1 is ${String(state)}, and ${open.length} timers are open`;
  });
  await scene.atRest();
  assert.equal(scenario.writes('acme-shop/live').length, 1);
  assert.equal(scenario.writes().length, sent + 1);
  const [newest] = await rows('select max(number) as number from changes');
  const before = Number(newest?.['number']);
  await asks(scene, 'cache clear acme-shop/staging');
  const [given] = await rows('select max(number) as number from changes');
  // Cards of lost changes have numbers that are not given again.
  assert.ok(
    Number(given?.['number']) >= before + 1_000 || before >= 1_000,
    `its number is ${String(given?.['number'])}`,
  );
}

/** What came of all of them, once it is as it must be: each replica adds what it remembers. */
async function allOf(scene: Scene, all: readonly Stand[]): Promise<FailoverResult['came']> {
  let came: FailoverResult['came'] = [];
  await eventually('as it must be', async () => {
    came = await Promise.all(all.map(async (one) => ({ ...one, came: await cameOf(scene, one) })));
    return came
      .flatMap(({ number, came, must }) => (came === must ? [] : `#${number}: ${came}, not ${must}`))
      .join('; ');
  });
  await scene.atRest();
  return came;
}

async function cameOf(scene: Scene, { number, where }: Stand): Promise<string> {
  const [row] = await scene.rows(`select state, lost_at from changes where number = ${number}`);
  const isAgain = row?.['state'] === 'waiting' && row['lost_at'] !== null;
  const state = row === undefined ? 'not known' : isAgain ? 'asked again' : String(row['state']);
  return `${scene.scenario.writes(where).length} written, ${state}`;
}

/** What its thread must say. */
function isTold({ scenario }: Scene, number: number, came: string): void {
  const thread = threadsOf(scenario, number).join('\n');
  if (came.endsWith('asked again')) {
    assert.match(thread, /I'm asking again, and earlier approvals no longer count.*may have been done already/s);
    assert.match(thread, /^⏳ .*Waiting for approval again/s);
  }
  if (came.endsWith('unknown')) assert.match(thread, /⚠️ @.*Outcome unknown/);
  assert.doesNotMatch(thread, /⛔|1970/);
}

/** Ana types it; resolves when it is saved. */
async function asks(scene: Scene, words: string): Promise<void> {
  const before = await newestIn(scene);
  await scene.scenario.slack.command(ids.ana, 'C0ACME', `/site ${words}`);
  await eventually('asked', async () => ((await newestIn(scene)) > before ? '' : `${words} is not saved`));
}

/** Chi approves it with the button of its card. */
async function approve(scene: Scene, number: number): Promise<void> {
  const { slack } = scene.scenario;
  const card = slack
    .messages({ channel: 'C0ACME', as: ids.chi })
    .findLast(
      ({ text, controls }) => text.includes(`· #${number}\n`) && controls.some(({ label }) => label === 'Approve'),
    );
  if (card === undefined) throw new Error(`#${number} has no card to approve`);
  await slack.click(ids.chi, card, { label: 'Approve' });
  await eventually('approved', async () => {
    const state = await stateOf(scene, number);
    return state === 'waiting' ? `#${number} waits` : '';
  });
}

const stateOf = async ({ rows }: Scene, number: number): Promise<unknown> =>
  (await rows(`select state from changes where number = ${number}`))[0]?.['state'];

const pause = ({ write }: Scene): Promise<unknown> =>
  write(`insert into kv (key, value, at) values ('pause', '{"by":"U03CHI","name":"Chi","at":1}', 1)`);
const resume = ({ write }: Scene): Promise<unknown> => write(`delete from kv where key = 'pause'`);
/** Whether it has paused by itself. */
const isPaused = async ({ rows }: Scene): Promise<boolean> =>
  (await rows(`select 1 as found from messages where key like 'ops:lost:timeline:%'`)).length > 0;

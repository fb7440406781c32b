import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { build, bundle } from '../../../deploy/build.ts';
import { randomFrom } from '../../../src/playground/hosting/random.ts';
import { freshDatabase } from '../../postgres.ts';
import { startPostgres } from '../../postgres-server.ts';
import { openScenario, type Scenario } from '../../stories/scenario.ts';
import { underWay } from '../scene.ts';
import { askAll } from './asking.ts';
import { allChanges, outcomeOf, type FireChange, type FireOutcome } from './outcome.ts';
import { startFleet } from './replicas.ts';
import { startTrouble, type TroubleCounts } from './trouble.ts';
import { fireWorld, policy, type World } from './world.ts';

type FireOptions = {
  readonly seed: string;
  /** How many actions have to be acked. */
  readonly actions: number;
  /** Whether Slack's rates hold, in the stand-in and in the bot. */
  readonly atTrueRates: boolean;
  /** Ends leases after ten seconds, and those of dead replicas at once, instead of after a minute. */
  readonly endsLeases: boolean;
};

export type FireResult = FireOutcome & {
  readonly options: FireOptions;
  readonly counts: Readonly<TroubleCounts>;
  /** How replicas ended that were not killed. */
  readonly ownEnds: readonly string[];
  /** Seconds from the first action to the last ack, and from there until all was settled and said. */
  readonly askedS: number;
  readonly settledS: number;
  /** What `sitehand audit verify` said, if the trail did not verify. */
  readonly trail: string | undefined;
};

const replicas = 3;
/** Environments, of which some are used up by actions that are not acked. The bots read their list again and again. */
const spotsPerAction = 1.2;
/** How much may be under way before people wait, so that the trouble meets work and not a backlog. */
const openShare = 25;
const [minOpen, maxOpen] = [20, 150];
/** Slack says of a hundred people a minute who they are, at each send too, and of fifty channels. */
const peopleAtTrueRates = 6;
const pauseMsAtTrueRates = 2_000;
const [channels, channelsAtTrueRates] = [50, 4];
const lookMs = 250;
/** How long the rest may take to be settled after the last death, in ms. */
const settleWithinMs = 1_800_000;

/** Three replicas on one PostgreSQL, while they are killed and it is restarted. */
export async function runFire(options: FireOptions, binaries: string): Promise<FireResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-fire-'));
  // Acked commands have to survive a crash of the server.
  const server = await startPostgres(binaries, ['synchronous_commit=on']);
  try {
    await Promise.all([
      build(folder),
      bundle(options.atTrueRates ? 'src/main.ts' : 'test/prove/fire/bot.ts', join(folder, 'main.js')),
    ]);
    const url = (await freshDatabase(server.url)).href;
    const world = worldFor(options);
    const scenario = await openScenario(scenarioOf(options, world, folder, url));
    try {
      return await burn(options, world, { scenario, url, folder, restart: (signal) => server.restart(signal) });
    } finally {
      await scenario.close();
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function worldFor({ actions, atTrueRates }: FireOptions): World {
  const people = atTrueRates ? peopleAtTrueRates : Math.max(20, Math.ceil(actions / 25));
  return fireWorld(actions * spotsPerAction, people, atTrueRates ? channelsAtTrueRates : channels);
}

const scenarioOf = ({ atTrueRates }: FireOptions, { plan, seed }: World, folder: string, url: string) =>
  ({
    ownProcess: 'all',
    start: false,
    policy,
    hosting: { plan, durations: { 'cache:clear': 1_000 }, journalLimit: 1_000_000 },
    slack: { seed, rateLimits: atTrueRates, ackTimeoutMs: 3_000 },
    environment: { DATABASE_URL: url },
    program: {
      words: ['--max-semi-space-size=4', '--import', './src/node-version.js', join(folder, 'main.js')],
      environment: { NODE_COMPILE_CACHE: join(folder, 'compiled') },
    },
  }) as const;

type Fire = {
  readonly scenario: Scenario;
  readonly url: string;
  readonly folder: string;
  readonly restart: (signal: 'INT' | 'QUIT') => Promise<void>;
};

async function burn(options: FireOptions, world: World, { scenario, url, folder, restart }: Fire): Promise<FireResult> {
  const { atTrueRates, actions } = options;
  const random = randomFrom(options.seed);
  const fleet = await startFleet(scenario, replicas);
  const trouble = startTrouble({
    fleet,
    restart,
    random,
    killEveryMs: 4_000,
    restartEveryMs: 6_000,
    settled: () => settledIn(url),
    onDeath: (pid) => (options.endsLeases ? endLeases(url, pid) : Promise.resolve()),
  });
  const startedAt = performance.now();
  const most = Math.min(maxOpen, Math.max(minOpen, actions / openShare));
  const room = async (): Promise<void> => {
    while (await openIn(url).then((open) => open > most)) await wait(lookMs);
  };
  const asking = {
    slack: scenario.slack,
    spots: world.spots,
    actions,
    ...(atTrueRates ? { atOnce: 1, pauseMs: pauseMsAtTrueRates } : { atOnce: 12, pauseMs: 0 }),
    room: shareLooks(room),
  };
  const [answer] = await Promise.allSettled([askAll(asking)]);
  await trouble.end();
  if (answer.status === 'rejected') throw answer.reason;
  const asked = answer.value;
  const ackedAt = performance.now();
  await fleet.allReady();
  await settled(url, options);
  const settledAt = performance.now();
  const changes = await rows<FireChange>(url, allChanges);
  const result = {
    ...outcomeOf(scenario, asked, changes),
    options,
    counts: trouble.counts,
    ownEnds: fleet.ownEnds(),
    askedS: (ackedAt - startedAt) / 1_000,
    settledS: (settledAt - ackedAt) / 1_000,
    trail: await trailTrouble(folder, scenario.environment),
  };
  fleet.close();
  return result;
}

/** Callers at the same time share one look. */
function shareLooks(look: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= look().finally(() => (running = undefined)));
}

const settledIn = async (url: string): Promise<number> =>
  (await rows(url, 'select 1 from changes where settled_at is not null')).length;
const openIn = async (url: string): Promise<number> => (await rows(url, underWay)).length;

async function settled(url: string, { endsLeases }: FireOptions): Promise<void> {
  const until = performance.now() + settleWithinMs;
  while ((await openIn(url)) > 0) {
    if (performance.now() > until) return;
    if (endsLeases) for (const statement of endOldLeases) await rows(url, statement);
    await wait(lookMs);
  }
}

/** Work that a live replica gave up when PostgreSQL was away also keeps its lease. */
const isOld = (since: string): string => `${since} < extract(epoch from clock_timestamp()) * 1000 - 10000`;
const endOldLeases = [
  `update changes set lease_until = 1, due_at = 1 where state = 'sending' and ${isOld('sent_at')}`,
  `update changes set lease_until = 1 where state <> 'sending' and ${isOld('lease_until - 60000')}`,
  `update inbox set lease_until = 1 where closed_at is null and ${isOld('received_at')}`,
];

/** Reads rows, again while PostgreSQL is away. */
async function rows<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  for (;;) {
    const client = new Client({ connectionString: url });
    // Without a listener the end of the server would end this process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(sql)).rows;
    } catch {
      await wait(lookMs);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Ends what a dead replica has leased, by the name in its sign of life. */
async function endLeases(url: string, pid: number): Promise<void> {
  const [dead] = await rows<{ owner: string }>(
    url,
    `select substr(key, 9) as owner from kv where key like 'replica:%' and value like '%:${pid}"%'`,
  );
  if (dead === undefined) return;
  const [owner, ended] = [`owner = '${dead.owner}'`, `lease_until = 1`];
  await rows(url, `update changes set ${ended}, due_at = 1 where ${owner}`);
  await rows(url, `update messages set ${ended} where ${owner}`);
  await rows(url, `update inbox set ${ended} where ${owner} and closed_at is null`);
}

/** What the package's own check says, if it is not that all is as it was written. */
async function trailTrouble(folder: string, environment: Scenario['environment']): Promise<string | undefined> {
  const verify = [join(folder, 'sitehand.js'), 'audit', 'verify'];
  return promisify(execFile)(process.execPath, verify, { env: environment, cwd: folder }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

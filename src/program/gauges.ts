import type { Client } from '../hosting/client.ts';
import type { LogOutput } from '../base/log.ts';
import type { Gauge, Sample } from '../base/metrics.ts';
import { version } from '../talk/build-info.ts';
import type { Policy } from '../policy/rules.ts';
import type { Load } from '../base/semaphore.ts';
import { auditOutLag } from '../storage/audit.ts';
import type { Database } from '../storage/database.ts';
import { pauseKeys, pauseScopes, readKvs } from '../storage/kv.ts';
import { countStates, oldestWork, toReview } from '../storage/open-work.ts';
import { openStates } from '../words/states.ts';
import { within } from '../base/time-limit.ts';

/** What `/metrics` reads at each scrape, in addition to counters: the state of the database, the policy and the queues. */

type GaugesContext = {
  readonly database: Database;
  /** Where the audit trail is sent outside the database, if anywhere. */
  readonly auditOut: { readonly id: string } | undefined;
  readonly policy: { readonly current: () => Policy; readonly isBroken: () => boolean };
  readonly hosting: Pick<Client, 'load'>;
  /** The queues of people's work. */
  readonly turns: Readonly<Record<'usual' | 'urgent' | 'reports', { readonly load: () => Load }>>;
  /** What the log could not write. */
  readonly logLoss: LogOutput['loss'];
  /** How long rate limits at Slack still hold messages back, in milliseconds. */
  readonly slackRestMs: () => number;
};

/** How long the database's figures are reused, so that many scrapes cost no more than one. */
const freshMs = 5_000;
/** How long a scrape waits for the database. */
const patienceMs = 2_000;

export function gaugesOf(context: GaugesContext): readonly Gauge[] {
  const { policy, hosting, turns, logLoss, slackRestMs } = context;
  return [
    ...databaseGauges(context),
    {
      name: 'sitehand_policy_info',
      help: 'The policy in force, by the beginning of its hash; always 1',
      labels: ['hash'],
      read: async () => [{ labels: { hash: policy.current().hash.slice(0, 8) }, value: 1 }],
    },
    gaugeOf('sitehand_policy_broken', '1 while the policy file cannot be used and the last good policy applies', () =>
      Number(policy.isBroken()),
    ),
    {
      name: 'sitehand_places',
      help: 'Places for work that runs at once: those that are free, and the work that waits for one',
      labels: ['for', 'state'],
      read: async () => [
        ...loadSamples('host reads', hosting.load()),
        ...loadSamples('usual work', turns.usual.load()),
        ...loadSamples('urgent work', turns.urgent.load()),
        ...loadSamples('reports', turns.reports.load()),
      ],
    },
    gaugeOf(
      'sitehand_slack_wait_seconds',
      'How long rate limits still hold back messages to Slack; 0 if they do not',
      () => slackRestMs() / 1_000,
    ),
    gaugeOf(
      'sitehand_log_lost_lines',
      'Lines of the log that could not be written, since the start',
      () => logLoss().lines,
    ),
    buildInfo(context.database.kind),
  ];
}

const buildInfo = (database: string): Gauge => ({
  name: 'sitehand_build_info',
  help: 'What is running; always 1',
  labels: ['version', 'node', 'database'],
  read: async () => [{ labels: { version, node: process.versions.node, database }, value: 1 }],
});

const gaugeOf = (name: string, help: string, value: () => number): Gauge => ({
  name,
  help,
  read: async () => [{ value: value() }],
});

const loadSamples = (work: string, { free, waiting }: Load): readonly Sample[] => [
  { labels: { for: work, state: 'free' }, value: free },
  { labels: { for: work, state: 'waiting' }, value: waiting },
];

/** While the database does not answer, only `up` has a value. */
function databaseGauges(context: Pick<GaugesContext, 'database' | 'auditOut'>): readonly Gauge[] {
  const { read, fromState } = stateOf(context);
  return [
    {
      name: 'sitehand_database_up',
      help: '1 if the database answers and takes writes, 0 if not',
      read: async () => [{ value: (await read()) === undefined || context.database.refusesWrites() ? 0 : 1 }],
    },
    {
      name: 'sitehand_changes',
      help: 'Changes that are not settled',
      labels: ['state'],
      read: fromState(({ counts }) => openStates.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }))),
    },
    {
      name: 'sitehand_changes_to_review',
      help: 'Changes sent by break-glass that are over, and that nobody has reviewed',
      read: fromState(({ unreviewed }) => [{ value: unreviewed }]),
    },
    {
      name: 'sitehand_oldest_seconds',
      help: 'How long the oldest change, timer, queued request or watch has been due, a message owed, a delivery open, an audit line not sent on',
      labels: ['queue'],
      read: fromState(({ waitedMs }) =>
        Object.entries(waitedMs).map(([queue, ms]) => ({ labels: { queue }, value: ms / 1_000 })),
      ),
    },
    {
      name: 'sitehand_audit_out_lines',
      help: 'Lines of the audit trail that the place it is sent to has not taken yet',
      read: fromState(({ out }) => out && [{ value: out.lines }]),
    },
    {
      name: 'sitehand_sending_paused',
      help: '1 while all sending is paused, or that of callers',
      labels: ['scope'],
      read: fromState(({ paused }) => paused),
    },
  ];
}

type State = Awaited<ReturnType<typeof readState>>;

/** What the database says, read again once it is old; undefined: it does not answer. */
function stateOf(context: Pick<GaugesContext, 'database' | 'auditOut'>) {
  const read = remembered(() => within(patienceMs, readState(context)));
  const fromState = (samples: (state: State) => readonly Sample[] | undefined) => async () => {
    const state = await read();
    return state && samples(state);
  };
  return { read, fromState };
}

/** One query after the other, so that a scrape takes few connections. */
async function readState({ database, auditOut }: Pick<GaugesContext, 'database' | 'auditOut'>) {
  const { db } = database;
  const now = await database.now();
  const counts = await countStates(db);
  const { count: unreviewed } = await toReview(db);
  const since = Object.entries(await oldestWork(db, now));
  const ages = since.map(([queue, at = now]): [string, number] => [queue, Math.max(0, now - at)]);
  const out = auditOut && (await auditOutLag(db, auditOut.id, now));
  const waitedMs = { ...Object.fromEntries(ages), ...(out && { 'audit out': out.oldestMs }) };
  const kept = new Set((await readKvs(db, Object.values(pauseKeys))).map(({ key }) => key));
  const paused = pauseScopes.map((scope) => ({ labels: { scope }, value: Number(kept.has(pauseKeys[scope])) }));
  return { counts, unreviewed, waitedMs, out, paused };
}

/** Reads again once the last reading is `freshMs` old; undefined: the last reading failed. */
function remembered<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  let last: { readonly at: number; readonly value: Promise<T | undefined> } | undefined;
  return () => {
    const at = performance.now();
    if (last === undefined || at - last.at > freshMs) last = { at, value: read().catch(() => undefined) };
    return last.value;
  };
}

import { accountOf } from './speaker.ts';
import type { EnvironmentResult } from '../commands/kit/report.ts';
import type { LoudestError, NewestBackup, SiteVerdict, StatusPart } from '../commands/kit/site-status.ts';
import type { CheckPlan } from '../commands/kit/sources.ts';
import { newestBackup } from '../commands/backups/newest.ts';
import { loudestError } from '../commands/logs/loudest.ts';
import type { HostReader } from '../hosting/contract/call.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { JustBegun } from '../base/caches.ts';
import { impressionIn, type SiteReading } from '../site-check/reading.ts';
import { canonicalId } from '../policy/memberships.ts';
import { listChanges } from '../storage/changes.ts';
import { heldLock } from '../storage/locks.ts';
import { queueOf } from '../storage/queue.ts';
import type { Person } from '../access/access-check.ts';
import { freezesAt } from '../access/freeze-words.ts';
import { targetKey } from '../access/targets.ts';
import type { Text } from '../words/text.ts';
import type { Sight } from '../access/sight.ts';
import { siteCheckFor } from '../send/check-plan.ts';
import { openAbout, type OpenAbout } from '../decide/open-changes.ts';
import { lockInfoOf, pausesFor, type Asking, type LockInfo, type Pauses } from '../decide/admin-actions.ts';
import { listedChange, type ListedChange } from './changes-pages.ts';
import { eachFor, failedPart, partWithin, withheldPart } from './each-environment.ts';
import { timersFor, type TimerLine } from '../waiting/timer-list.ts';
import type { PipelineContext } from './context.ts';
import { hourMs } from '../words/duration.ts';

/** The state of one environment for one person. Its parts are read at the same time, independently. */

/** The time for one part. After that, the card is shown without it. */
const partMs = 2_000;
/** When the readings of a site end, counted from the question. */
const verdictMs = 24_000;
/** How many changes are read to find the newest settled ones that a person may see. */
const maxRead = 50;
const maxSettled = 3;

/** The state of an environment, part by part, as one person may see it. Times are epoch milliseconds. */
export type SiteStatus = {
  readonly site: StatusPart<FirstReading>;
  /** Makes more readings until there is a verdict, within 24 s of the question; undefined: the first one is enough. */
  readonly verdict: (() => Promise<SiteVerdict>) | undefined;
  readonly work: StatusPart<SiteWork>;
  readonly backup: StatusPart<NewestBackup>;
  readonly errors: StatusPart<LoudestError>;
  /** The newest settled changes, newest first. `more`: there may be older ones. */
  readonly changes: StatusPart<{ readonly lines: readonly ListedChange[]; readonly more: boolean }>;
  /** Timed access, earliest end first. `more`: there may be later ones. */
  readonly access: StatusPart<{ readonly lines: readonly TimerLine[]; readonly more: boolean }>;
  readonly pauses: StatusPart<Pauses>;
  /** The freezes that hold it now or within a day. */
  readonly freezes: readonly Text[];
};

/** The status of one of many environments, without a reading of its site and its log. */
export type BriefStatus = { readonly work: SiteWork; readonly backup: StatusPart<NewestBackup> };

type NotChecked = Extract<CheckPlan, { readonly kind: 'cannot be checked' }>;

/** One reading of the site itself, or why it can't be checked. `instead`: where the request went instead of the site. */
export type FirstReading =
  | NotChecked
  | { readonly kind: 'read'; readonly reading: SiteReading; readonly instead: string | undefined };

/** What is happening on an environment. */
export type SiteWork = {
  readonly lock: { readonly info: LockInfo; readonly since: number } | undefined;
  /** Changes that are not settled, newest first. */
  readonly open: readonly ListedChange[];
  /** How many more unsettled changes there are that this person may not see. */
  readonly hidden: number;
  /** How many requests wait in its queue. */
  readonly queued: number;
  /** Whether there may be more changes than were counted. */
  readonly more: boolean;
};

/** The state of an environment. Resolves within about two seconds, with whatever could be read by then. */
export async function statusOf(
  context: PipelineContext,
  { person, sight }: Asking,
  env: Environment,
): Promise<SiteStatus> {
  const now = Date.now();
  const part = partsOf(context, { person, sight }, env);
  const { statusParts: shared } = context;
  const checking = checkOf(context, person, env);
  const [site, work, backup, errors, changes, access, pauses] = await Promise.all([
    part('check', checking.once),
    part('status', async () => workOf(context, sight, env, await openAbout(context.database.db))),
    part('backups list', (read) => newestBackup(read, env), shared.backup),
    part('logs', (read) => loudestError(read, env, { from: now - hourMs, now, alias: context.alias }), shared.errors),
    part('changes', () => settledOf(context, sight, env)),
    part('timers', () => timersFor(context, sight, env)),
    part('status', () => pausesFor(context, sight)),
  ]);
  const freezes = freezesAt(context.policy(), [env], now);
  return { site, verdict: checking.verdictAfter(site), work, backup, errors, changes, access, pauses, freezes };
}

/** What can be read quickly about many environments. Resolves in two minutes at most; rejects with `NotAdmitted`. */
export async function briefStatusOf(
  context: PipelineContext,
  { person, sight }: Asking,
  all: readonly Environment[],
): Promise<readonly EnvironmentResult<BriefStatus>[]> {
  const each = eachFor(context, person, sight);
  const paths = ['status', 'backups list'];
  const backups = await each({ paths, all, work: (env, read) => newestBackup(read, env) });
  const about = await openAbout(context.database.db);
  const briefs: EnvironmentResult<BriefStatus>[] = [];
  for (const { env, part: backup } of backups) {
    const part = withheldPart(sight, 'status', env) ?? {
      kind: 'found' as const,
      found: { work: await workOf(context, sight, env, about), backup },
    };
    briefs.push({ env, part });
  }
  return briefs;
}

/**
 * Reads the site itself once. If that reading is bad or not done when the card goes out, two more follow. The first
 * reading is not cancelled then, because it counts for the verdict.
 */
function checkOf(context: PipelineContext, person: Person, env: Environment) {
  const { planFor, read, readOn, instead } = siteCheckFor(context, accountOf(person));
  const plan = planFor(env);
  const signal = AbortSignal.timeout(verdictMs);
  let first: Promise<SiteReading> | undefined;
  const once = async (): Promise<FirstReading> => {
    if (plan.kind === 'cannot be checked') return plan;
    first = read(plan, { signal });
    return { kind: 'read', reading: await first, instead };
  };
  const verdictAfter = (site: StatusPart<FirstReading>): SiteStatus['verdict'] => {
    const isBad = site.kind === 'found' && site.found.kind === 'read' && impressionIn(site.found.reading) === 'bad';
    const reading = first;
    if (plan.kind !== 'pages' || reading === undefined || (site.kind !== 'late' && !isBad)) return undefined;
    return async () => ({ plan, instead, ...(await readOn(plan, await reading, { signal })) });
  };
  return { once, verdictAfter };
}

/** Reads one part, if the person may run its command. Never rejects, and ends in time. */
function partsOf(context: PipelineContext, { person, sight }: Pick<Asking, 'person' | 'sight'>, env: Environment) {
  return async <T>(
    path: string,
    work: (read: HostReader) => Promise<T>,
    shared?: JustBegun<StatusPart<T>>,
  ): Promise<StatusPart<T>> => {
    const withheld = withheldPart(sight, path, env);
    if (withheld) return withheld;
    const found = shared?.find(env.id);
    if (found) return found;
    // Each part has its own turn at the host, so that a hanging part doesn't delay another.
    const account = `${canonicalId(context.policy(), accountOf(person))} status ${path}`;
    const reading = partWithin(
      partMs,
      (late) => work((call) => context.read(call, account, late)),
      (error) => failedPart(context, `reading a status: ${path}`, error),
    );
    shared?.keep(env.id, reading);
    return reading;
  };
}

async function workOf(context: PipelineContext, sight: Sight, env: Environment, about: OpenAbout): Promise<SiteWork> {
  const { db } = context.database;
  const target = targetKey(env);
  const [held, found, queue] = await Promise.all([
    context.database.now().then((now) => heldLock(db, target, now)),
    about(env),
    queueOf(db, target),
  ]);
  const open = found.open.filter(sight.reader('changes'));
  return {
    lock: held && { info: lockInfoOf(held), since: held.taken_at },
    open: open.map(listedChange),
    hidden: found.open.length - open.length,
    queued: queue.length,
    more: found.more,
  };
}

async function settledOf(context: PipelineContext, sight: Sight, env: Environment) {
  const found = await listChanges(context.database.db, { target: targetKey(env), isOpen: false, limit: maxRead });
  const settled = found.filter(sight.reader('changes'));
  return {
    lines: settled.slice(0, maxSettled).map(listedChange),
    more: settled.length > maxSettled || found.length === maxRead,
  };
}

import { accountOf } from './speaker.ts';
import { fieldsOf } from '../storage/parse-json.ts';
import type { LogPeak, LogPeaks } from '../commands/kit/log-query.ts';
import type { StatusPart } from '../commands/kit/site-status.ts';
import { getLogs, logFiles } from '../hosting/contract/environment.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { linesOfChanges, listAudit, listPauses, type AuditLine } from '../storage/audit.ts';
import { changesNumbered, type Change } from '../storage/changes.ts';
import { pauseKeys, pauseScopes, type PauseScope } from '../storage/kv.ts';
import { type ReadHandle } from '../storage/schema.ts';
import { joined, plain, say, type Text } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { targetKey } from '../access/targets.ts';
import type { MayRead } from '../access/visibility.ts';
import { parseDetails } from '../audit/audit-anchor.ts';
import { markOf, stateText, eventInWords } from '../change/states-and-events.ts';
import { pinnedCardOf } from '../change/pin.ts';
import { glassMark } from '../access/break-glass.ts';
import { glassLine } from '../change/post-review.ts';
import { reasonText } from '../access/reason.ts';
import { keptReadingsOf, readingsInShort, type SiteReadings } from '../change/site-readings.ts';
import type { Asking } from '../decide/admin-actions.ts';
import type { PipelineContext } from './context.ts';
import { failedPart, withheldPart, withheldText } from './each-environment.ts';

/** What happened to an environment: its changes, locks, pauses, and the peaks of its error log. */

/** How many changes and locks are shown: the newest. */
const maxChanges = 100;
const maxHolds = 100;
const maxMoments = 40;
/** How many domains of the site are included. */
const maxDomains = 50;
const batch = 500;
/** How many lines of the trail are read for one target. */
const maxRead = 5_000;
/** One more than is shown, to detect that there are too many. */
const maxPauses = maxHolds + 1;
const maxStory = 5_000;
const maxLogLines = 20_000;
const maxTitleLength = 200;
/** No date is later. An altered line may have any number. */
const endOfTime = 8_640_000_000_000_000;

/** A Slack user id or `sitehand`, with the name at that time, if it is known. */
export type NamedActor = {
  readonly id: string;
  readonly name: string | undefined;
  readonly caller?: string | undefined;
};

/** A step of a change in the audit trail: it was requested, approved, sent. */
type ChangeMoment = { readonly at: number; readonly who: NamedActor; readonly says: string };

export type TimeLineEntry =
  | {
      readonly kind: 'change';
      /** When it was sent or, if it was not sent, when it was requested. */
      readonly at: number;
      readonly number: number;
      readonly title: string;
      readonly requester: NamedActor;
      /** Who handed the request on to the requester. */
      readonly handedOnBy: NamedActor | undefined;
      readonly reason: Text | undefined;
      readonly approvers: readonly NamedActor[];
      /** Its symbol, and its state in a sentence; what it skipped in an emergency, and its review. */
      readonly mark: string;
      readonly outcome: Text;
      /** Its site before and after, if that was read; follows *it*. */
      readonly site: Text | undefined;
      /** From the send to the end; undefined if it was not sent, or the end is unknown. */
      readonly tookMs: number | undefined;
      /** All its lines in the trail, oldest first: the first 40, and how many more there are. */
      readonly moments: readonly ChangeMoment[];
      readonly moreMoments: number;
    }
  /** A lock or a pause. `says` follows the name; `until`: when it ends by itself. */
  | {
      readonly kind: 'lock';
      readonly at: number;
      readonly who: NamedActor;
      readonly says: string;
      readonly reason: string | undefined;
      readonly until: number | undefined;
    }
  | ({ readonly kind: 'peak'; readonly at: number } & LogPeak);

export type TimeLine = {
  readonly since: number;
  readonly until: number;
  /** Oldest first. */
  readonly entries: readonly TimeLineEntry[];
  /** Why changes are not among the entries; undefined: they are. */
  readonly withoutChanges: Text | undefined;
  /** Whether older changes, locks, pauses or steps of changes were left out. */
  readonly more: boolean;
  /** The domains of its site, and how many of them had their changes read. */
  readonly domains: { readonly all: number; readonly read: number };
  /** The error log in that span; its peaks are among the entries. */
  readonly log: StatusPart<Omit<LogPeaks, 'peaks'>>;
};

/** From `since` (epoch ms) until now. Leaves out what this person may not read. */
export async function timeLineFor(
  context: PipelineContext,
  { person, sight }: Pick<Asking, 'person' | 'sight'>,
  env: Environment,
  since: number,
): Promise<TimeLine> {
  const [now, { log, peaks }] = await Promise.all([
    context.database.now(),
    logOf(context, { person, sight }, env, since),
  ]);
  const { db } = context.database;
  const found: TargetTrail[] = [];
  const domains = domainsOf(context, person, env);
  const read = domains.slice(0, maxDomains);
  for (const target of [targetKey(env), ...read]) found.push(await trailOf(db, target, since));
  const lines = found.flatMap((one) => one.lines);
  const changes = await changesIn(db, sight.reader('changes'), lines);
  const holds = [
    ...lines.filter(({ event }) => ['lock', 'unlock', 'force_unlock'].includes(event)).map(lockEntryOf),
    ...(await lockBefore(db, targetKey(env), since)),
    ...(await pausesIn(db, since, sight.mayAny())),
  ].toSorted(byTime);
  const entries = [...changes.entries, ...holds.slice(-maxHolds), ...peaks].toSorted(byTime);
  const more = changes.more || holds.length > maxHolds || found.some((one) => one.more);
  const withoutChanges = withheldText(sight, 'changes', env);
  return { since, until: now, entries, withoutChanges, more, domains: { all: domains.length, read: read.length }, log };
}

const byTime = (one: TimeLineEntry, other: TimeLineEntry): number => one.at - other.at;

/** The domains of the site: changes of them can break it too. */
function domainsOf({ names }: PipelineContext, person: Person, { site }: Environment): readonly string[] {
  const domains = names(person).domains.filter((one) => site !== undefined && one.site?.name === site.name);
  return domains.map(targetKey);
}

/** `more`: there may be older lines in the span. */
type TargetTrail = { readonly lines: readonly AuditLine[]; readonly more: boolean };

/** The lines about a target since then. Lines are read in their own order, and their times follow it. */
async function trailOf(db: ReadHandle, target: string, since: number): Promise<TargetTrail> {
  const lines: AuditLine[] = [];
  let beforeSeq: number | undefined;
  while (lines.length < maxRead) {
    const some = await listAudit(db, { target, limit: batch, beforeSeq });
    lines.push(...some.filter(({ at }) => at >= since));
    const last = some.at(-1);
    if (last === undefined || some.length < batch || last.at < since) return { lines, more: false };
    beforeSeq = last.seq;
  }
  return { lines, more: true };
}

async function changesIn(db: ReadHandle, mayRead: MayRead, lines: readonly AuditLine[]) {
  const numbers = [...new Set(lines.flatMap(({ change }) => change ?? []))].toSorted((one, other) => other - one);
  const found: Change[] = [];
  for (let from = 0; from < numbers.length && found.length <= maxChanges; from += maxChanges) {
    const some = await changesNumbered(db, numbers.slice(from, from + maxChanges));
    found.push(...some.filter(mayRead).toSorted((one, other) => other.number - one.number));
  }
  const shown = found.slice(0, maxChanges);
  const shownNumbers = shown.map(({ number }) => number);
  const steps = await linesOfChanges(db, shownNumbers, { limit: maxStory });
  const story = Map.groupBy(steps, ({ change }) => change);
  const readings = await keptReadingsOf(db, shownNumbers);
  const handers = await handersOf(db, shown);
  const entries = shown.map((change) => {
    const { number, handed_on_by: by } = change;
    const more = { readings: readings.get(number), handedOnBy: by === null ? undefined : handers.get(by) };
    return changeEntry(change, story.get(number) ?? [], more);
  });
  return { entries, more: found.length > maxChanges || steps.length === maxStory };
}

/** Who handed these changes on, by id, with the name from their newest line. */
async function handersOf(db: ReadHandle, changes: readonly Change[]): Promise<ReadonlyMap<string, NamedActor>> {
  const ids = new Set(changes.flatMap(({ handed_on_by: by }) => by ?? []));
  const found = [...ids].map(async (id) => {
    const [line] = await listAudit(db, { actor: id, limit: 1 });
    return [id, line === undefined ? { id, name: undefined } : whoOf(line)] as const;
  });
  return new Map(await Promise.all(found));
}

type Extras = { readonly readings: SiteReadings | undefined; readonly handedOnBy: NamedActor | undefined };

function changeEntry(change: Change, story: readonly AuditLine[], { readings, handedOnBy }: Extras): TimeLineEntry {
  const { sent_at, settled_at, state, created_at } = change;
  const requester = { id: change.requester, name: change.requester_name, caller: change.caller ?? undefined };
  const who = (line: AuditLine): NamedActor => (line.actor === requester.id ? requester : whoOf(line));
  const moments = story.map((line): ChangeMoment => ({ at: line.at, who: who(line), says: eventInWords(line.event) }));
  const approvals = story.filter(({ event, actor }) => ['vote', 'approve'].includes(event) && actor !== 'sitehand');
  const glass = glassLine(change);
  return {
    kind: 'change',
    at: sent_at ?? created_at,
    number: change.number,
    title: plain(pinnedCardOf(change).title).slice(0, maxTitleLength),
    requester,
    handedOnBy,
    reason: reasonText(change),
    approvers: [...new Map(approvals.map((line) => [line.actor, who(line)])).values()],
    mark: markOf(change),
    outcome: joined([stateText(change), glass && say`${glassMark} ${glass}`], ' · '),
    site: readings && readingsInShort(readings),
    tookMs:
      sent_at === null || settled_at === null || !['done', 'failed'].includes(state)
        ? undefined
        : Math.max(0, settled_at - sent_at),
    moments: moments.slice(0, maxMoments),
    moreMoments: Math.max(0, moments.length - maxMoments),
  };
}

function whoOf({ actor, details }: AuditLine): NamedActor {
  const { name, caller } = parseDetails(details);
  return { id: actor, name, caller };
}

function lockEntryOf(line: AuditLine): Extract<TimeLineEntry, { kind: 'lock' }> {
  const { until } = fieldsOf(line.details);
  return {
    kind: 'lock',
    at: line.at,
    who: whoOf(line),
    says: eventInWords(line.event),
    reason: parseDetails(line.details).reason,
    until: typeof until === 'number' && Math.abs(until) < endOfTime ? until : undefined,
  };
}

/** The person's lock that was in force when the span began. */
async function lockBefore(db: ReadHandle, target: string, since: number): Promise<readonly TimeLineEntry[]> {
  const [lock] = await listAudit(db, { target, event: 'lock', until: since, limit: 1 });
  const [unlock] = await listAudit(db, { target, event: 'unlock', until: since, limit: 1 });
  if (lock === undefined || (unlock !== undefined && unlock.seq > lock.seq)) return [];
  const entry = lockEntryOf(lock);
  return entry.until !== undefined && entry.until <= since ? [] : [entry];
}

/** The pauses since then, and those in force at the start. Their reasons can name any site. */
async function pausesIn(db: ReadHandle, since: number, withReasons: boolean): Promise<readonly TimeLineEntry[]> {
  const found = await Promise.all(pauseScopes.map((scope) => pausesOf(db, scope, since)));
  return found
    .flat()
    .map(lockEntryOf)
    .map((entry) => (withReasons ? entry : { ...entry, reason: undefined }));
}

async function pausesOf(db: ReadHandle, scope: PauseScope, since: number): Promise<readonly AuditLine[]> {
  const lines = await listPauses(db, scope, maxPauses);
  const inside = lines.filter(({ at }) => at >= since);
  const before = lines[inside.length];
  return [...inside, ...(before?.event === pauseKeys[scope] ? [before] : [])];
}

/** Reads the log once, if the person may read it. If the host fails, the other entries are still shown. */
async function logOf(
  context: PipelineContext,
  { person, sight }: Pick<Asking, 'person' | 'sight'>,
  env: Environment,
  since: number,
): Promise<{ readonly log: TimeLine['log']; readonly peaks: readonly TimeLineEntry[] }> {
  const withheld = withheldPart(sight, 'logs', env);
  if (withheld) return { log: withheld, peaks: [] };
  // A log has the host's times, so use the machine's clock: ours follows jumps only slowly.
  const now = Date.now();
  const asked = { env_id: env.id, file_name: logFiles.error, lines: maxLogLines, from: new Date(since).toISOString() };
  try {
    const text = await context.read(getLogs(asked), accountOf(person));
    const found = await context.logs.peaks({ text, wanted: maxLogLines, span: { from: since, to: now }, now });
    const { peaks, ...log } = found;
    return {
      log: { kind: 'found', found: log },
      peaks: peaks.map((peak) => ({ kind: 'peak', at: peak.from, ...peak })),
    };
  } catch (error) {
    return { log: failedPart(context, 'reading the error log for a time line', error), peaks: [] };
  }
}

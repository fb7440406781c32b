import { catalogue } from '../commands/index.ts';
import type { CheckPlan } from '../commands/kit/sources.ts';
import { sinceArg } from '../commands/kit/values/times.ts';
import { findChange, isBatch, type Change } from '../storage/changes.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { code, joined, say } from '../words/text.ts';
import { TooLate, within } from '../base/time-limit.ts';
import { listedAs, namesWith } from '../access/visibility.ts';
import { storedTargets } from '../access/targets.ts';
import { runButton, type Button } from '../change/buttons.ts';
import {
  findingsOf,
  shortReading,
  keepReadings,
  keptReadings,
  verdictInWords,
  type SiteReadings,
} from '../change/site-readings.ts';
import { siteCheckFor } from './check-plan.ts';
import { snapshotOf } from '../change/pin.ts';
import { listingMs } from '../change/recheck.ts';
import { reparse } from '../language/reparse.ts';
import type { SendContext } from './context.ts';

/**
 * Readings of a site before and after a change that can break it. They decide nothing about the change: if they fail,
 * the log says so, and the change goes on as it would without them.
 */

/** How long a reading may delay a send, and a little less, so that there is time to save it. */
const beforeMs = 3_000;
const readingMs = 2_700;
/** A reading from before the send is reused if it is younger than this, for example when the send is tried again. */
const freshMs = 20_000;
/** If a change ended earlier than this, its site isn't read: the readings would be about something else. */
const justNowMs = 60_000;
/** How many changes are checked at once, including those that turn out not to have ended. */
const maxRunning = 40;

/** Whether what this change does can break a site. */
export function mayBreakSite({ command }: Pick<Change, 'command'>): boolean {
  const action = catalogue.get(command);
  return action?.shape === 'action' && action.mayBreakSite === true;
}

/** Reads the site once before the change, and saves the reading. Takes three seconds at most. Never rejects. */
export async function checkBefore(context: SendContext, change: Change): Promise<void> {
  if (!mayBreakSite(change) || isBatch(change)) return;
  await within(beforeMs, readBefore(context, change)).catch((error: unknown) => {
    if (!(error instanceof TooLate)) context.onTrouble(`reading the site before #${change.number}`, error);
  });
}

async function readBefore(context: SendContext, change: Change): Promise<void> {
  const { database, siteCheck } = context;
  const plan = planFor(context, change);
  if (plan?.kind !== 'pages') return;
  const { readings: kept } = await keptReadings(database.db, change.number);
  if (kept.before && (await database.now()) - kept.before.at < freshMs) return;
  const before = shortReading(await siteCheck.read(plan, { deadlineMs: readingMs, onBehalfOf: change.requester }));
  if (before === undefined) return;
  await database.transactionWithoutFsync(async (tx) => {
    // Drop a late reading: it may already show the change's effect.
    if ((await findChange(tx, change.number))?.sent_at !== null) return;
    const { readings, stored } = await keptReadings(tx, change.number);
    await keepReadings(tx, change.number, { ...readings, before }, { stored, at: await database.now(tx) });
  });
}

/** The pages of the change's target, according to the host and the policy now. */
function planFor(context: SendContext, change: Change): CheckPlan | undefined {
  const [stored] = storedTargets(change);
  const target = stored && (listedAs(context.names(undefined), stored) ?? stored);
  if (target?.kind !== 'environment' && target?.kind !== 'domain') return undefined;
  return siteCheckFor(context, change.requester).planFor(target);
}

/** Reads sites after changes, independently of the worker's steps. */
type ChecksAfter = {
  /** Call it after a step, with the change as it was before. Reads the site if the change has now ended. */
  readonly stepped: (before: Change) => void;
  readonly running: ReadonlySet<Promise<void>>;
};

/** `onTold` is called when a message may be due. */
export function createChecksAfter(context: SendContext, onTold: () => void): ChecksAfter {
  const running = new Set<Promise<void>>();
  return {
    running,
    stepped: (before) => {
      const mayBeOver = before.state === 'approved' || before.state === 'sending' || before.state === 'accepted';
      if (!mayBeOver || !mayBreakSite(before) || running.size >= maxRunning) return;
      const check = checkAfter(context, before.number)
        .catch((error: unknown) => context.onTrouble(`reading the site after #${before.number}`, error))
        .finally(() => {
          running.delete(check);
          onTold();
        });
      running.add(check);
    },
  };
}

/** Makes three readings, and replies once if people should know about them. A series that is cut off is not repeated. */
async function checkAfter(context: SendContext, number: number): Promise<void> {
  const { database, siteCheck } = context;
  const change = await findChange(database.db, number);
  if (change === undefined || !isJustOver(change, await database.now())) return;
  // So that a domain that the change added, or that the host has verified since then, is read too.
  if (planFor(context, change)?.kind === 'pages') await context.freshenNames(listingMs);
  const plan = planFor(context, change);
  if (plan?.kind === 'cannot be checked') {
    // The others of its batch may wait for that.
    if (change.batch !== null) await noteAfter(context, number, { notChecked: plan.why });
    return;
  }
  if (plan === undefined || !(await noteAfter(context, number, 'begun'))) return;
  const limits = { onBehalfOf: change.requester };
  const first = await siteCheck.read(plan, limits);
  const series = await siteCheck.readOn(plan, first, limits);
  await exclusiveTransaction(database, async (tx, at) => {
    const { readings, stored } = await keptReadings(tx, number);
    const after = findingsOf(series, readings.before);
    if (after === undefined || readings.after !== 'begun') return;
    const found = { ...readings, after };
    if (!(await keepReadings(tx, number, found, { stored, at }))) return;
    const text = verdictInWords(change.target_name, change.risk, found);
    if (text === undefined) return;
    const instead = siteCheck.instead && say`I asked ${code(siteCheck.instead)} in place of the site.`;
    const reply = { text: joined([text, instead]), buttons: buttonsOf(context, change) };
    await context.changeStore.remark(tx, change, 'site_checked', { by: 'sitehand', at, details: found, reply });
  });
}

/** Whether it was sent, and has just ended or become unknown. */
function isJustOver({ state, sent_at, settled_at, lost_at }: Change, now: number): boolean {
  const isOver = settled_at !== null && ['accepted', 'done', 'failed'].includes(state);
  const since = isOver ? settled_at : state === 'unknown' ? lost_at : null;
  return sent_at !== null && since !== null && now - since < justNowMs;
}

/**
 * Notes that the only series of this change begins, before anything is read, so that no replica and no restart repeats
 * it; or that there is none. False: that was noted before.
 */
const noteAfter = (
  { database }: SendContext,
  number: number,
  after: NonNullable<SiteReadings['after']>,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const { readings, stored } = await keptReadings(tx, number);
    if (readings.after !== undefined) return false;
    return keepReadings(tx, number, { ...readings, after }, { stored, at: await database.now(tx) });
  });

/** Helpful next steps: the log since the change and the status of an environment, another check of a domain. */
function buttonsOf(context: SendContext, change: Change): readonly Button[] {
  const [target] = storedTargets(change);
  if (target?.kind !== 'environment' && target?.kind !== 'domain') return [];
  const sentAt = change.sent_at ?? change.created_at;
  if (target.kind === 'domain') return [runButton({ label: 'Check again', args: ['check', target.id] })];
  const label = labelOfLog(context, change, sentAt) ?? 'Error log since then';
  return [
    runButton({ label, args: ['logs', target.id, 'error', sinceArg(sentAt)] }),
    runButton({ label: 'Status', args: ['status', target.id] }),
  ];
}

/** Checks a site that this change can break. */
export function checkButtons(change: Change): readonly Button[] {
  const [target] = storedTargets(change);
  const isSite = target?.kind === 'environment' || target?.kind === 'domain';
  return isSite && mayBreakSite(change) ? [runButton({ label: 'Check the site', args: ['check', target.id] })] : [];
}

/** The label that the command gives to the error log under its last reply. */
function labelOfLog(context: SendContext, change: Change, sentAt: number): string | undefined {
  const reparsed = reparse(change, namesWith(context, change));
  const of = reparsed && { input: reparsed.resolved.input, snapshot: snapshotOf(change), sentAt };
  return of && reparsed.action.next?.(of).find(({ args }) => args[0] === 'logs')?.label;
}

import { hostname } from 'node:os';
import { lineFor } from '../base/beside.ts';
import { counted } from '../commands/kit/page.ts';
import { ConfigMistakes } from '../base/config.ts';
import { errorMessage } from '../base/errors.ts';
import { createLog, type Logger, logTo, type LogOutput } from '../base/log.ts';
import type { PublishResult } from '../audit/audit-anchor.ts';
import { tellOps } from '../post/ops-channel-health.ts';
import { PolicyMistakes, mistakeLine as mistakeInWords } from '../policy/yaml-document.ts';
import type { PolicyEvents } from '../policy/watch.ts';
import { scrub } from '../base/secret.ts';
import { type Jump, aliveKey } from '../storage/clock.ts';
import type { Database, DatabaseOptions } from '../storage/database.ts';
import { abandoned } from '../storage/inbox.ts';
import { readKv, writeKv } from '../storage/kv.ts';
import { code, joined, say, time, type Text } from '../words/text.ts';

/** What the log and the ops channel are told about the process itself. */

/** Tells the ops channel. A second text under the same key replaces the first. */
type Tell = (key: string, text: Text) => void;

/** `onReload` is called once another policy applies. */
export const policyNotices = (log: Logger, tell: Tell, onReload: () => void): Omit<PolicyEvents, 'record'> => ({
  onUnrecorded: ({ hash }, error) =>
    log.error({ err: error, policy: hash.slice(0, 8) }, 'the policy cannot be recorded; the former one still applies'),
  onReload: ({ hash }) => {
    onReload();
    log.info({ policy: hash.slice(0, 8) }, 'the policy was reloaded');
    tell(`policy:${hash}`, say`The policy was reloaded and applies from now on (${code(hash.slice(0, 8))}).`);
  },
  onBroken: (mistakes) => {
    log.error({ mistakes }, 'the policy file cannot be used; the last good one still applies');
    const lines = joined(mistakes.slice(0, 10).map(mistakeInWords), '\n');
    tell('policy:broken', say`⚠️ **The policy file cannot be used; the last good one still applies.**\n${lines}`);
  },
});

export const databaseNotices = (
  log: Logger,
  tell: Tell,
): Required<Pick<DatabaseOptions, 'onFatal' | 'onWarning' | 'onJump'>> => ({
  // The only place where a running process ends itself: without the database, nothing it does can be trusted.
  onFatal: (error) => {
    end(log, `Sitehand ends: ${error.message}`, error.cause);
  },
  onWarning: (warning) => log.warn(warning),
  onJump: (jump) => {
    log.warn(jump, 'the clock jumped');
    tell(`clock:${jump.other}`, clockWords(jump));
  },
});

/** The message to the ops channel about a clock jump. */
function clockWords({ kind, clock, other }: Jump): Text {
  const [says, is] = [time(clock, 'date'), time(other, 'date')];
  switch (kind) {
    case 'jumped':
      return say`⚠️ **The clock jumped:** it says ${says}, but I had counted to ${is}. I keep my own count, so nothing expires early or late, and move closer to the clock by 36 s an hour. If the clock is ahead and right, stop me (all replicas) for a minute, then start me again.`;
    case 'behind':
      return say`⚠️ **The clock is behind:** it says ${says}, but the database already has times up to ${is}. I started from there and move closer to the clock by 36 s an hour.`;
    case 'far ahead':
      return say`⚠️ **The database has a time more than a day ahead:** ${is}, while the clock says ${says}. I'm going by the clock. If the clock is wrong, correct it and restart me.`;
  }
}

/** Shorter absences are ordinary restarts and are not reported. */
const worthTellingMs = 20_000;

/** How often the current time is saved as a sign of life. */
export const aliveEveryMs = 15_000;

/**
 * Saves the current time. The next start measures its absence from it, and other processes start their clocks by it. It
 * is also the write that shows when a database takes writes again.
 */
export async function noteAlive(database: Database): Promise<void> {
  await database.transactionThatWrites(async (tx) => {
    const at = await database.now(tx);
    await writeKv(tx, { key: aliveKey, value: String(database.clockAhead()), at });
  });
}

/** The report after an absence: how long it was, and what was under way. Call it before leases are taken over. */
export async function absenceReport(database: Database): Promise<Text | undefined> {
  const now = await database.now();
  const seen = await readKv(database.db, aliveKey);
  if (seen === undefined || now - seen.at < worthTellingMs) return undefined;
  const open = await database.db
    .selectFrom('changes')
    .select(['number', 'state'])
    .where('settled_at', 'is', null)
    .where('due_at', 'is not', null)
    .orderBy('number', 'desc')
    .limit(100)
    .execute();
  const unknown = open
    .filter(({ state }) => state === 'sending' || state === 'unknown')
    .map(({ number }) => `#${number}`);
  const continuing = open.length - unknown.length;
  const lost = (await abandoned(database.db, Number.MAX_SAFE_INTEGER)).length;
  return joined([
    say`I was away ${time(seen.at)}–${time(now)}.`,
    continuing > 0 ? `${counted(continuing, 'change continues', 'changes continue')}.` : undefined,
    unknown.length > 0 ? `Unknown: ${unknown.slice(0, 10).join(', ')}.` : undefined,
    lost > 0 ? `I'm telling ${counted(lost, 'person', 'people')} that their command was lost.` : undefined,
  ]);
}

/** The log is separate evidence: if it is stored elsewhere, it has what could be removed from the database. */
export function logHead(log: Logger, result: PublishResult | undefined): void {
  if (result?.kind === 'published') log.info({ trail: result.head }, 'the audit trail ends here');
  if (result?.kind === 'altered')
    log.error({ trail: { seq: result.seq, why: result.why } }, 'the audit trail was altered: this line is wrong');
}

/** The last words of a process, in the log and on standard error, because one of them may be full. */
function end(log: Logger, says: string, error?: unknown): never {
  log.fatal({ err: error }, says);
  sayElsewhere(`${says}${error === undefined ? '' : `: ${scrub(errorMessage(error))}`}\n`);
  process.exit(1);
}

const sayElsewhere = (says: string): void => void process.stderr.write(says);

/**
 * The log of a bot, on standard output. Uncaught errors and rejections are logged, without secrets, and end the process
 * with 1. So does an event loop that runs empty; otherwise the process would end silently with 0.
 */
export function openLog(level: string): { readonly log: Logger; readonly logLoss: LogOutput['loss'] } {
  // Each failed write has its callback, too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const output = logTo(process.stdout, sayElsewhere);
  const log = createLog(level, output);
  process.on('uncaughtException', (error) => end(log, 'Sitehand ends: unexpected error', error));
  process.on('beforeExit', () => end(log, 'Sitehand ends: nothing is left to wait for'));
  return { log, logLoss: output.loss };
}

/** How often it is checked whether the log loses lines. */
export const logEveryMs = 5_000;

/**
 * Tells the ops channel once that the log loses lines, and once that it is over; then the log says how many it lacks.
 * Call the result every `logEveryMs`.
 */
export function createLogWatch(database: Database, log: Logger, loss: LogOutput['loss']): () => Promise<void> {
  let known = 0;
  let tried: number | undefined;
  let key: string | undefined;
  return async () => {
    const { lines, why = '', isLosing } = loss();
    if (lines === known) return;
    const lost = lines - known;
    const machine = code(hostname());
    if (key === undefined) {
      const begins = `log:${await database.now()}`;
      await tellOps(
        database,
        begins,
        say`⚠️ **I can't write my log** on ${machine} (${why}). I go on working, and count the lines that are lost. Please make room for it, or see why nobody reads it.`,
      );
      key = begins;
    }
    if (lines === tried && !isLosing) {
      await tellOps(database, key, say`I can write my log on ${machine} again. It lacks ${counted(lost, 'line')}.`);
      [known, tried, key] = [lines, undefined, undefined];
      return;
    }
    tried = lines;
    log.error({ lost, why }, 'lines of this log could not be written and are lost');
  };
}

/** The message for a failed start: wrong settings as a list, everything else as a sentence. */
export function failure(error: unknown): string {
  if (error instanceof ConfigMistakes) {
    const list = error.mistakes.map((mistake) => `  ${mistake}`).join('\n');
    return `Sitehand was not started. These settings are not right:\n${list}\nTo be asked for them: ${lineFor('setup')}\nTo try it without an account: ${lineFor('playground')}\n`;
  }
  if (error instanceof PolicyMistakes) return `Sitehand was not started. ${error.message}\n`;
  return `Sitehand was not started: ${error instanceof Error ? error.message : String(error)}\n`;
}

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { auditExport } from '../commands/builtin/audit/export.ts';
import { catalogue } from '../commands/index.ts';
import { findingPage, type Finding } from '../audit/finding.ts';
import { textsIn } from '../commands/kit/page.ts';
import { momentAt } from '../commands/kit/values/times.ts';
import {
  auditKeyOf,
  auditKeysOf,
  readTrailConfig,
  type EnvironmentVariables,
  type TrailConfig,
} from '../base/config.ts';
import { Refusal, type Args } from '../base/errors.ts';
import { parseArgs } from '../language/parse.ts';
import { headOf, exportLine, wholeTrail } from '../audit/audit-query.ts';
import { confirmTrail, findingOf } from '../audit/audit-anchor.ts';
import { createChangeStore } from '../change/change-store.ts';
import { openDatabase, openToRead, sqlitePath } from '../storage/database.ts';
import { isReadable } from '../storage/sqlite.ts';
import { clockOf } from '../storage/clock.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { joined, plain } from '../words/text.ts';
import { failureMessage, exitCodeOf, exitCodes, out, type Out, whoRunsThis } from './output.ts';

/**
 * The audit trail without Slack, for people on the machine: `verify`, or `export csv|jsonl [--since 7d]` to standard
 * output. Both can run beside a bot and write nothing to the database; `confirm` adds a line, on SQLite without a bot.
 */

/** `write` resolves once the reader can take more: a trail may be larger than the memory. */
type TrailOut = Pick<Out, 'complain'> & { readonly write: (text: string) => Promise<unknown> };

const trailOut: TrailOut = {
  write: async (text) => {
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  complain: out.complain,
};

/** Runs the command. Resolves with the exit code; never rejects. */
export async function audit(
  words: Args,
  environment?: EnvironmentVariables,
  { write, complain }: TrailOut = trailOut,
): Promise<number> {
  const isConfirm = words.join(' ') === 'confirm';
  try {
    const config = readTrailConfig(environment);
    return await (isConfirm ? confirm(config, write) : run(words, config, write));
  } catch (error) {
    const [what, then] = isConfirm
      ? ['The trail could not be confirmed', 'Run verify to see how it stands.']
      : ['The trail could not be read', 'Nothing was changed.'];
    complain(`${failureMessage(error, what, then)}\n`);
    return exitCodes.wrong;
  }
}

async function run(words: Args, { databaseUrl, ...keys }: TrailConfig, write: TrailOut['write']): Promise<number> {
  const { path, given } = parseArgs(['audit', ...words], catalogue);
  const { format, since } = auditExport.fields;
  const asked = given['format'];
  if (path === 'audit' || (path === 'audit export' && asked === undefined)) {
    throw new Refusal('Use verify, confirm, export csv or export jsonl; an export takes --since 7d. Nothing was read.');
  }
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const from = given['since'] && momentAt(since.read(given['since']), Date.now(), zone);
  const kind = asked && format.read(asked);
  await using db = await openExisting(databaseUrl);
  if (kind === undefined) return await verify(db, auditKeysOf(keys), write);
  let head = headOf(kind);
  for await (const entries of wholeTrail(db, from)) {
    await write(head + entries.map((one) => exportLine(kind, one)).join(''));
    head = '';
  }
  return exitCodes.fine;
}

/**
 * Opens the database. A missing or unreadable file throws `Refusal`, or it would be opened as an empty, unaltered
 * trail.
 */
export async function openExisting(url: string): Promise<Awaited<ReturnType<typeof openToRead>>> {
  const file = sqlitePath(url);
  if (file !== undefined && !existsSync(file)) {
    throw new Refusal(`I can't find the database file ${resolve(file)}. Nothing was read, and nothing was changed.`, {
      hint: 'Set DATABASE_URL to the value the bot uses, like sqlite:/srv/sitehand/data/sitehand.db, or run this in its folder.',
    });
  }
  if (file !== undefined && !isReadable(file)) {
    throw new Refusal(`I'm not allowed to read the database file ${resolve(file)}. Nothing was read.`, {
      hint: 'Run this as the user who runs the bot.',
    });
  }
  return openToRead(url);
}

/** Confirms the trail as it stands, and writes what was found in it. Throws `Refusal` if there is no database. */
async function confirm(config: TrailConfig, write: TrailOut['write']): Promise<number> {
  await (await openExisting(config.databaseUrl)).destroy();
  const database = await openDatabase(config.databaseUrl);
  try {
    const { installation } = database;
    const changeStore = createChangeStore({ auditKey: auditKeyOf(config), installation, onEvent: () => undefined });
    const context = { database, changeStore, auditKeys: auditKeysOf(config) };
    const finding = await confirmTrail(context, whoRunsThis());
    const then = finding.verdict.kind === 'proven' ? 'There is nothing to confirm.' : confirmedNow;
    await write(`${plain(findingPage(finding).title)}\n${then}\n`);
    return exitCodes.fine;
  } finally {
    await database.close();
  }
}

const confirmedNow =
  'You have confirmed it as it stands. A new line of the trail says so; the bot tells the ops channel, at its next start if it is not running.';

async function verify(db: ReadHandle, keys: readonly Buffer[], write: TrailOut['write']): Promise<number> {
  const finding = await findingOf(db, keys, await clockOf(db));
  // The exit code says it too, even if nobody reads the output.
  await write(`${inLines(finding)}\n`).catch(() => undefined);
  return exitCodeOf[finding.verdict.kind];
}

/** The result of verifying, one or two sentences per line, without a line break at the end. */
export function inLines(finding: Finding): string {
  const { title, parts } = findingPage(finding);
  return plain(joined([title, ...textsIn(parts)], '\n'));
}

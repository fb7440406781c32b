import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { auditExport } from '../commands/builtin/audit/export.ts';
import { findingPage } from '../commands/builtin/audit/verify.ts';
import { catalogue } from '../commands/index.ts';
import type { Finding } from '../commands/kit/audit.ts';
import { textsIn } from '../commands/kit/page.ts';
import { momentAt } from '../commands/kit/values/times.ts';
import { auditKeysOf, readTrailConfig, type EnvironmentVariables, type TrailConfig } from '../config.ts';
import { Refusal, type Args } from '../errors.ts';
import { parseArgs } from '../pipeline/language/parse.ts';
import { headOf, exportLine } from '../pipeline/audit/audit-export.ts';
import { wholeTrail } from '../pipeline/audit/audit-query.ts';
import { findingOf } from '../pipeline/audit/audit-anchor.ts';
import { openToRead, sqlitePath } from '../storage/database.ts';
import { isReadable } from '../storage/private-files.ts';
import { clockOf } from '../storage/time.ts';
import type { ReadHandle } from '../storage/tx.ts';
import { joined, plain } from '../text.ts';
import { failureMessage } from './failure.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { out, type Out } from './output.ts';

/**
 * The audit trail without Slack, for people on the machine: `verify`, or `export csv|jsonl [--since 7d]` to standard
 * output. It can run beside a bot, and writes nothing to the database.
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
  try {
    return await run(words, readTrailConfig(environment), write);
  } catch (error) {
    complain(`${failureMessage(error, 'The trail could not be read', 'Nothing was changed.')}\n`);
    return exitCodes.wrong;
  }
}

async function run(words: Args, { databaseUrl, ...keys }: TrailConfig, write: TrailOut['write']): Promise<number> {
  const { path, given } = parseArgs(['audit', ...words], catalogue);
  const { format, since } = auditExport.fields;
  const asked = given['format'];
  if (path === 'audit' || (path === 'audit export' && asked === undefined)) {
    throw new Refusal('Use verify, export csv or export jsonl; an export takes --since 7d. Nothing was read.');
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

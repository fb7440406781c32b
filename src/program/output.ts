import { ConfigMistakes } from '../base/config.ts';
import { errorCode, errorMessage, Refusal, attempt } from '../base/errors.ts';
import { scrub } from '../base/secret.ts';
import { sqliteCode } from '../storage/sqlite.ts';
import { joined, plain } from '../words/text.ts';
import { hostname, userInfo } from 'node:os';

/** Standard output and standard error. `isTerminal`: what is written can be drawn over. */
export type Out = {
  readonly write: (text: string) => unknown;
  readonly complain: (text: string) => unknown;
  readonly isTerminal?: boolean;
};

export const out: Out = {
  write: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
};

/**
 * Exit codes of these programs: all is fine; something needs a look; nothing was done, because of wrong words or
 * settings; something is unknown, and nothing is worse; Ctrl-C.
 */
export const exitCodes = { fine: 0, look: 1, wrong: 2, unknown: 3, interrupted: 130 } as const;

/** What the audit trail proves, as an exit code. */
export const exitCodeOf = { proven: exitCodes.fine, altered: exitCodes.look, unproven: exitCodes.unknown } as const;

/** The message for a failure, without a final line break. `what` failed, if it was unexpected. `then`: a sentence. */
export function failureMessage(error: unknown, what: string, then: string): string {
  // Closing something failed too; report the first failure.
  if (error instanceof SuppressedError) return failureMessage(error.suppressed, what, then);
  if (error instanceof ConfigMistakes) {
    return `These environment variables are not right:\n${error.mistakes.map((mistake) => `  ${mistake}`).join('\n')}`;
  }
  if (error instanceof Refusal) return plain(joined([error.says, error.hint]));
  if (isDiskFull(error)) return `${what}: there is no space left on the disk. ${then}`;
  if (isReadOnly(error))
    return `${what}: SQLite keeps files beside a database, and this user may not write them. ${then} ${asTheBot}`;
  const why = scrub(errorMessage(error)).replace(/\.$/, '');
  return `${what}: ${why}. ${then}`;
}

const asTheBot = 'Run this as the user who runs the bot, or copy the file to a folder of your own.';

/** SQLite's result code, in the lowest byte, for a file that it may not write. */
const sqliteReadOnly = 8;
const isReadOnly = (error: unknown): boolean => (sqliteCode(error) & 0xff) === sqliteReadOnly;

/** SQLite's result code for a full disk, and PostgreSQL's. */
const [sqliteFull, postgresFull] = [13, '53100'];

/** Whether the disk was full, so that nothing was committed. */
export const isDiskFull = (error: unknown): boolean =>
  sqliteCode(error) === sqliteFull || [postgresFull, 'ENOSPC', 'EDQUOT'].includes(errorCode(error));

/** The user of this machine: `deploy@web1`; a user without a name is given by number. */
export const whoRunsThis = (): string =>
  `${attempt(() => userInfo().username) ?? `user ${process.getuid?.()}`}@${hostname()}`;

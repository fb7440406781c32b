import { ConfigMistakes } from '../base/config.ts';
import { errorCode, errorMessage, Refusal } from '../base/errors.ts';
import { scrub } from '../base/secret.ts';
import { sqliteCode } from '../storage/sqlite.ts';
import { joined, plain } from '../words/text.ts';

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

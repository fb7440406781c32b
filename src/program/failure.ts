import { ConfigMistakes } from '../config.ts';
import { Refusal } from '../errors.ts';
import { scrub } from '../secret.ts';
import { joined, plain } from '../text.ts';

/** The message for a failure, without a line break at the end. `what` failed, for an unforeseen one; `then`: a sentence. */
export function failureOf(error: unknown, what: string, then: string): string {
  if (error instanceof ConfigMistakes) {
    return `These environment variables are not right:\n${error.mistakes.map((mistake) => `  ${mistake}`).join('\n')}`;
  }
  if (error instanceof Refusal) return plain(joined([error.says, error.hint]));
  if (isDiskFull(error)) return `${what}: there is no space left on the disk. ${then}`;
  const why = scrub(error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  return `${what}: ${why}. ${then}`;
}

/** SQLite's result code for a full disk, and PostgreSQL's. */
const [sqliteFull, postgresFull] = [13, '53100'];

/** Whether the disk had no room, so that nothing was committed. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && error.errcode === sqliteFull) return true;
  return 'code' in error && [postgresFull, 'ENOSPC', 'EDQUOT'].includes(String(error.code));
}

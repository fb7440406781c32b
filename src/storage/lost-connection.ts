import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../errors.ts';

/** The connection to PostgreSQL was lost: what that means for the work that needed it, and when it is back. */

/** The commit got no answer: it may or may not have been done. */
export class CommitUnanswered extends Error {
  override readonly name = 'CommitUnanswered';

  constructor(cause: unknown) {
    super('the commit got no answer, so it may or may not have been done', { cause });
  }
}

const lookEveryMs = 250;
/** PostgreSQL ends the connection, crashes, or does not take one yet; or anything of class 08, connection exceptions. */
const codes = /^(57P0[123]|08...)$/;
/** The connection ended, or the server cannot be reached, or its name cannot be resolved. */
const socketCodes =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOENT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN)$/;
/** What pg says without a code. */
const sentences =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether a statement or a new connection failed because the connection to PostgreSQL was lost or could not be opened, so
 * that a transaction it belonged to is rolled back. False for a commit without an answer.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (sentences.test(error.message)) return true;
  const code = errorCode(error);
  return ('severity' in error && codes.test(code)) || socketCodes.test(code);
}

/** Waits until the database answers; false if it does not within so many milliseconds. */
export async function isBack({ now }: { readonly now: () => Promise<number> }, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  const answers = (): Promise<boolean> =>
    now().then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (performance.now() >= until) return false;
    await wait(lookEveryMs, undefined, { ref: false });
  }
  return true;
}

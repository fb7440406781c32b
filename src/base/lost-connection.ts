import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from './errors.ts';

/** What tells that the connection to PostgreSQL was lost, and when it is back. */

/** The commit got no answer: it may or may not have happened. */
export class CommitUnanswered extends Error {
  override readonly name = 'CommitUnanswered';

  constructor(cause: unknown) {
    super('the commit got no answer, so it may or may not have been done', { cause });
  }
}

const lookEveryMs = 250;
/** PostgreSQL ends the connection, crashes, or does not take one yet; or any connection exception (class 08). */
const codes = /^(57P0[123]|08...)$/;
/** The connection ended, or the server cannot be reached, or its name cannot be resolved. */
const socketCodes =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOENT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN)$/;
/** Messages of pg that come without a code. */
const sentences =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether a statement or a new connection failed because PostgreSQL was lost or could not be reached, so that its
 * transaction is rolled back. False for a commit without an answer.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (sentences.test(error.message)) return true;
  const code = errorCode(error);
  return ('severity' in error && codes.test(code)) || socketCodes.test(code);
}

/** Waits until the database answers; false if it does not within `withinMs`. */
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

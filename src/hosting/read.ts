import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { glance, isPage, jsonOf, OddBody, restOf, saidIn, textOf } from './answer.ts';
import { following, type Read, type Reader } from './contract/call.ts';
import { inDialect, type Dialect } from './dialect.ts';
import { failureOf, failureOfStatus, mayPass, type Failure } from './failure.ts';
import { HostTrouble } from './trouble.ts';
import { NotAdmitted, createSemaphore, type Semaphore } from '../semaphore.ts';
import { headersFor, target, type Wire } from './wire.ts';

/** Bounds of reading; times in milliseconds. */
export type ReadBudget = {
  readonly tries: number;
  /** A further try begins no later than this after the first began. */
  readonly withinMs: number;
  /** The first pause is random up to this, each further one up to twice as long. */
  readonly pauseMs: number;
  readonly connectMs: number;
  /** Silence before the answer, or between its parts. */
  readonly silenceMs: number;
  /** One try from its beginning to its end. */
  readonly tryMs: number;
  /** Of an answer, on the wire and unfolded; 20,000 log lines fit. */
  readonly bytes: number;
  readonly connections: number;
  /** Of these, so many for what people ask for, and so many for one of them: the rest is for changes under way. */
  readonly forPeople: number;
  readonly forEach: number;
  /** And the last so many of them only for those who have none. */
  readonly forIdle: number;
  /** And so many for operations that the host has accepted. */
  readonly following: number;
  /** So many answers of more than a megabyte at a time, one for each person. */
  readonly long: number;
  readonly waiting: number;
  readonly waitMs: number;
};
export const readBudget: ReadBudget = {
  tries: 3,
  withinMs: 4_000,
  pauseMs: 250,
  connectMs: 4_000,
  silenceMs: 10_000,
  tryMs: 30_000,
  bytes: 16_777_216,
  connections: 12,
  forPeople: 6,
  forEach: 2,
  forIdle: 2,
  following: 3,
  long: 2,
  waiting: 200,
  waitMs: 15_000,
};

type Reading = {
  readonly wire: Wire;
  readonly dialect: Dialect;
  readonly budget: ReadBudget;
  readonly now: () => number;
  readonly random: () => number;
};
type Try<R> = { readonly value: R } | { readonly failure: Failure };

/** Sends reads: repeats what may pass, gives up with `HostTrouble`. `close` ends those under way. */
export function createReading(of: Reading): { readonly read: Reader; close(): Promise<void> } {
  const { budget } = of;
  const pool = new Pool(of.wire.origin, {
    connections: budget.connections,
    allowH2: false,
    headersTimeout: budget.silenceMs,
    bodyTimeout: budget.silenceMs,
    connect: { timeout: budget.connectMs },
  });
  const closing = new AbortController();
  const { waiting, waitMs } = budget;
  const forAll = createSemaphore({ most: budget.connections, waiting, waitMs });
  const forPeople = createSemaphore({
    most: budget.forPeople,
    maxEach: budget.forEach,
    kept: budget.forIdle,
    waiting,
    waitMs,
  });
  const forFollowing = createSemaphore({ most: budget.following, waiting, waitMs });
  // On its way to a value a long answer is there four times over.
  const long = createSemaphore({ most: budget.long, maxEach: 1, waiting, waitMs });

  async function read<R>(call: Read<R>, onBehalfOf?: string): Promise<R> {
    const own = onBehalfOf === following ? forFollowing : forPeople;
    const inTurn: Semaphore = onBehalfOf === undefined ? forAll : (work) => own(() => forAll(work), onBehalfOf);
    const hold: Hold = () =>
      new Promise((resolve, reject) => {
        long(() => new Promise<void>((done) => resolve(done)), onBehalfOf).catch(reject);
      });
    const began = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await inTurn(() => once(of, pool, call, closing.signal, hold)).catch(noTurn);
      if ('value' in outcome) return outcome.value;
      const { failure } = outcome;
      const elapsedMs = Math.round(performance.now() - began);
      const rest = failure.retryAfterMs ?? of.random() * budget.pauseMs * 2 ** (attempts - 1);
      const again = attempts < budget.tries && mayPass(failure) && elapsedMs + rest <= budget.withinMs;
      if (!again || closing.signal.aborted) throw new HostTrouble(failure, { attempts, elapsedMs });
      await pause(rest, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    read,
    async close() {
      closing.abort();
      await pool.destroy();
    },
  };
}

/** A busy house is not made less busy by asking again. */
function noTurn(error: unknown): { readonly failure: Failure } {
  if (!(error instanceof NotAdmitted)) throw error;
  return { failure: { kind: 'no turn', says: error.message, cause: error } };
}

/** Takes the place of a long answer, when there is one; resolves with what gives it back. */
type Hold = () => Promise<() => void>;

async function once<R>(of: Reading, pool: Pool, asked: Read<R>, closing: AbortSignal, hold: Hold): Promise<Try<R>> {
  let release = (): void => undefined;
  const call = inDialect(asked, of.dialect);
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  try {
    const answer = await pool.request({
      method: call.method,
      path: target(of.wire, call.path, call.query),
      headers: headersFor(of.wire, body, 'gzip'),
      body,
      signal: AbortSignal.any([closing, AbortSignal.timeout(of.budget.tryMs)]),
    });
    const { statusCode: status, headers } = answer;
    if (!isAnswer(call, status)) {
      const body = await glance(answer);
      if (status < 500 && status !== 429 && isPage(body))
        return { failure: { kind: 'odd answer', status, says: `a page answered ${status} instead of the host` } };
      return { failure: failureOfStatus(status, saidIn(body), restOf(headers['retry-after'], of.now())) };
    }
    const text = await textOf(answer, of.budget.bytes, async () => {
      release = await hold();
    });
    return understood(call, status, text);
  } catch (error) {
    if (error instanceof NotAdmitted) return noTurn(error);
    if (error instanceof OddBody) return { failure: { kind: 'odd answer', says: error.message, cause: error } };
    return { failure: failureOf(error) };
  } finally {
    release();
  }
}

const isAnswer = (call: Read<unknown>, status: number): boolean =>
  call.answers ? call.answers.includes(status) : status >= 200 && status < 300;

/** Reads the body into what the contract says of it. */
function understood<R>(call: Read<R>, status: number, text: string): Try<R> {
  const body = jsonOf(text);
  if (body === undefined && !call.answers) {
    return { failure: { kind: 'odd answer', status, says: 'the answer is not JSON' } };
  }
  const says = `the answer is not what ${call.section} describes`;
  try {
    const read = call.reply.safeParse(call.answers ? { status, body } : body);
    if (read.success) return { value: read.data };
    return { failure: { kind: 'odd answer', status, says, cause: read.error } };
  } catch (error) {
    // A tree so deep that reading it exhausts the stack.
    return { failure: { kind: 'odd answer', status, says, cause: error } };
  }
}

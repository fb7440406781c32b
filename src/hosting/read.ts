import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { boundedConnector } from '../base/connections.ts';
import {
  readExcerpt,
  isPageInstead,
  jsonOf,
  OddBody,
  retryAfterOf,
  textOf,
  contradictionIn,
  wordsIn,
  wordsOf,
} from './answer.ts';
import { following, watching, type Read, type HostReader } from './contract/call.ts';
import { inDialect, type Dialect } from './dialect.ts';
import {
  hostFailureOf,
  failureOfStatus,
  isTransient,
  meaningOf,
  noRoom,
  type HostFailure,
  HostTrouble,
} from './failure.ts';
import type { Rate } from './rate.ts';
import { NotAdmitted, createSemaphore, type Load, type Semaphore, shareOf } from '../base/semaphore.ts';
import { startDeadline } from '../base/time-limit.ts';
import { headersFor, requestTarget, type HostConnection } from './wire.ts';

/** Limits for reads; times in milliseconds. */
export type ReadBudget = {
  readonly tries: number;
  /** The last attempt starts no later than this after the first. */
  readonly withinMs: number;
  /** The first pause is random up to this; the limit doubles with each further one. */
  readonly pauseMs: number;
  readonly connectMs: number;
  /** How long the host may be silent before or within an answer. */
  readonly silenceMs: number;
  /** One attempt from start to end. */
  readonly tryMs: number;
  /** The size of an answer, on the wire and unpacked; 20,000 log lines fit. */
  readonly bytes: number;
  /** Shared by all replicas, like the next five: each process gets its share, at least one of each except `forIdle`. */
  readonly connections: number;
  /** How many connections serve people's requests, and how many one person gets. The rest is for changes. */
  readonly forPeople: number;
  readonly forEach: number;
  /** How many of those are reserved for people without a running read. */
  readonly forIdle: number;
  /** How many serve operations that the host has accepted. */
  readonly following: number;
  /** How many serve watches. */
  readonly watching: number;
  /** How many answers of more than a megabyte are read at a time, one per person. */
  readonly long: number;
  readonly waiting: number;
  readonly waitMs: number;
  /** What they may use of the requests a minute. The rest is for writes. */
  readonly reports: Allowance;
  readonly readsForChanges: Allowance;
};
/** A part (0 to 1) of this process's share of the requests a minute, and how long one waits (ms) if that is used up. */
type Allowance = { readonly part: number; readonly waitMs: number };
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
  watching: 1,
  long: 2,
  waiting: 200,
  waitMs: 15_000,
  // Shorter than any report waits for an answer, so that it hears of this, and not that the host is late.
  reports: { part: 0.75, waitMs: 1_500 },
  readsForChanges: { part: 0.9, waitMs: 15_000 },
};

type ReaderOptions = {
  readonly wire: HostConnection;
  readonly dialect: Dialect;
  readonly budget: ReadBudget;
  readonly replicas: () => number;
  readonly random: () => number;
  readonly rate: Rate;
};
type Attempt<R> = { readonly value: R } | { readonly failure: HostFailure };

/** `load`: free connections, and all reads that wait. `close` ends running reads. */
type Reader = { readonly read: HostReader; readonly load: () => Load; close(): Promise<void> };

/** Sends reads. Retries failures that may pass, then rejects with `HostTrouble`. */
export function createReader(options: ReaderOptions): Reader {
  const { budget, replicas } = options;
  const pool = poolFor(options);
  const closing = new AbortController();
  const { waiting, waitMs } = budget;
  const turns = turnsAmong(budget, replicas);
  // A long answer is in memory four times while it is parsed.
  const long = createSemaphore({ most: budget.long, maxEach: 1, waiting, waitMs });

  async function read<R>(call: Read<R>, onBehalfOf?: string, cancel?: AbortSignal): Promise<R> {
    const longTurn: LongTurn = () =>
      new Promise((resolve, reject) => {
        long(() => new Promise<void>((done) => resolve(done)), onBehalfOf).catch(reject);
      });
    const ending = cancel === undefined ? closing.signal : AbortSignal.any([closing.signal, cancel]);
    const admitted = admissionFor(options, turns, call, { onBehalfOf, ending });
    const began = performance.now();
    // The last failure that is an answer. If the caller waits no longer, it says more than that.
    let answered = cancelled;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await admitted(async () =>
        // The read may have been cancelled while it waited.
        cancel?.aborted ? { failure: cancelled } : attemptRead(options, pool, call, ending, longTurn),
      ).catch(noTurn);
      if ('value' in outcome) return outcome.value;
      if (outcome.failure.status !== undefined) answered = outcome.failure;
      const failure = cancel?.aborted ? answered : outcome.failure;
      const elapsedMs = Math.round(performance.now() - began);
      const rest = failure.retryAfterMs ?? options.random() * budget.pauseMs * 2 ** (attempts - 1);
      const again = attempts < budget.tries && isTransient(failure) && elapsedMs + rest <= budget.withinMs;
      if (again) await pause(rest, undefined, { signal: ending }).catch(() => undefined);
      if (!again || ending.aborted) throw new HostTrouble(failure, { attempts, elapsedMs });
    }
  }

  return {
    read,
    load: () => loadOf(turns),
    async close() {
      closing.abort();
      await pool.destroy();
    },
  };
}

/**
 * How each attempt begins: with its turn and, once it has that, with room among the requests of a minute. Whoever waits
 * for room has no turn meanwhile, so that those with another allowance pass.
 */
function admissionFor(
  options: ReaderOptions,
  turns: ReturnType<typeof turnsAmong>,
  { isForChange }: Pick<Read<unknown>, 'isForChange'>,
  { onBehalfOf, ending }: { readonly onBehalfOf: string | undefined; readonly ending: AbortSignal },
) {
  const { budget, rate } = options;
  const isReport = onBehalfOf !== undefined && onBehalfOf !== following && !isForChange;
  const { part, waitMs } = isReport ? budget.reports : budget.readsForChanges;
  const turn = turnFor(turns, onBehalfOf);
  return async <T extends object>(begin: () => Promise<T>): Promise<T | Failed> => {
    for (let left = waitMs; ;) {
      const outcome = await turn(async () => {
        const by = isReport ? onBehalfOf : undefined;
        const restMs = rate.restMs(part, by);
        if (restMs > 0 && !ending.aborted) return { restMs };
        if (!ending.aborted) rate.note(by);
        return begin();
      });
      if (!('restMs' in outcome)) return outcome;
      const { restMs } = outcome;
      left -= restMs;
      if (left < 0) return { failure: noRoom(restMs) };
      await turns.forRoom(() => pause(restMs, undefined, { signal: ending }).catch(() => undefined));
    }
  };
}

type Failed = { readonly failure: HostFailure };

const poolFor = ({ wire, budget }: ReaderOptions): Pool =>
  new Pool(wire.origin, {
    connections: budget.connections,
    headersTimeout: budget.silenceMs,
    bodyTimeout: budget.silenceMs,
    connect: boundedConnector(budget.bytes, budget.connectMs),
  });

/** The turns of reads. The number of replicas may change at any time. */
function turnsAmong(budget: ReadBudget, replicas: () => number) {
  const { waiting, waitMs } = budget;
  const mine = (whole: number): number => shareOf(whole, replicas());
  return {
    forAll: createSemaphore(() => ({ most: mine(budget.connections), waiting, waitMs })),
    forPeople: createSemaphore(() => ({
      most: mine(budget.forPeople),
      maxEach: mine(budget.forEach),
      kept: Math.floor(budget.forIdle / replicas()),
      waiting,
      waitMs,
    })),
    forFollowing: createSemaphore(() => ({ most: mine(budget.following), waiting, waitMs })),
    forWatching: createSemaphore(() => ({ most: mine(budget.watching), waiting, waitMs })),
    /** These wait for time to pass, not for one another. */
    forRoom: createSemaphore({ most: waiting, waiting: 0, waitMs }),
  };
}

const loadOf = (turns: ReturnType<typeof turnsAmong>): Load => ({
  free: turns.forAll.load().free,
  waiting: Object.values(turns).reduce((sum, { load }) => sum + load().waiting, 0),
});

/** A turn among all reads, and before it one among those of the same kind, or of the same person. */
function turnFor(
  { forAll, forPeople, forFollowing, forWatching }: ReturnType<typeof turnsAmong>,
  onBehalfOf: string | undefined,
): Semaphore {
  if (onBehalfOf === undefined) return forAll;
  const own = onBehalfOf === following ? forFollowing : onBehalfOf === watching ? forWatching : forPeople;
  return (work) => own(() => forAll(work), onBehalfOf);
}

/** No retry: it would only make the queue longer. */
function noTurn(error: unknown): Failed {
  if (!(error instanceof NotAdmitted)) throw error;
  return { failure: { kind: 'no turn', says: error.message, cause: error } };
}

/** Waits until a long answer may be read; resolves with the function that ends that turn. */
type LongTurn = () => Promise<() => void>;

async function attemptRead<R>(
  { wire, dialect, budget }: ReaderOptions,
  pool: Pool,
  read: Read<R>,
  ending: AbortSignal,
  longTurn: LongTurn,
): Promise<Attempt<R>> {
  let release = (): void => undefined;
  const call = inDialect(read, dialect);
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  using late = startDeadline(budget.tryMs);
  try {
    const answer = await pool.request({
      method: call.method,
      path: requestTarget(wire, call.path, call.query),
      headers: headersFor(wire, body, 'gzip'),
      body: body ?? null,
      signal: AbortSignal.any([ending, late.signal]),
    });
    const { statusCode: status, headers } = answer;
    if (!isAnswer(call, status)) {
      const body = await readExcerpt(answer);
      if (isPageInstead(status, body))
        return { failure: { kind: 'odd answer', status, says: `a page answered ${status} instead of the host` } };
      const retryAfterMs = retryAfterOf(headers['retry-after'], Date.now());
      return { failure: contradiction(status, jsonOf(body)) ?? failureOfStatus(status, wordsIn(body), retryAfterMs) };
    }
    const text = await textOf(answer, budget.bytes, async () => {
      release = await longTurn();
    });
    return parsedReply(call, status, text);
  } catch (error) {
    if (error instanceof NotAdmitted) return noTurn(error);
    if (error instanceof OddBody) return { failure: { kind: 'odd answer', says: error.message, cause: error } };
    return { failure: hostFailureOf(error) };
  } finally {
    release();
  }
}

/** The caller no longer waits for the answer. */
const cancelled: HostFailure = { kind: 'time-out', says: 'the host did not answer in time' };

const isAnswer = (call: Read<unknown>, status: number): boolean =>
  call.answers ? call.answers.includes(status) : status >= 200 && status < 300;

/** The failure of an answer whose body and status mean different things. */
function contradiction(status: number, body: unknown): HostFailure | undefined {
  const says = contradictionIn(body, status, meaningOf);
  return says === undefined ? undefined : { kind: 'odd answer', status, says, words: wordsOf(body) };
}

/** Parses the body with the contract's schema. */
function parsedReply<R>(call: Read<R>, status: number, text: string): Attempt<R> {
  const body = jsonOf(text);
  if (body === undefined && !call.answers) {
    return { failure: { kind: 'odd answer', status, says: 'the answer is not JSON' } };
  }
  const failure = contradiction(status, body);
  if (failure) return { failure };
  try {
    return { value: call.reply.parse(call.answers ? { status, body } : body) };
  } catch (error) {
    // The answer has another shape, or is nested so deeply that parsing it overflows the stack.
    const says = `the answer is not what ${call.section} describes`;
    return { failure: { kind: 'odd answer', status, says, cause: error } };
  }
}

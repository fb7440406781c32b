import { randomUUID } from 'node:crypto';
import type { Waiters } from './waiters.ts';
import { errorBody, Refused } from './refused.ts';
import type { Reply } from './reply.ts';
import type { Timers } from './timers.ts';

/** Operation kinds by id prefix, with default durations in ms (section 4; the last two are not in the document). */
export const defaultDurations = {
  'sites:add-domain': 5_000,
  'domains:update-dns-record': 5_000,
  'site:clone': 30_000,
  'environments:push': 20_000,
  'environments:delete': 5_000,
  'cdn:update-image-optimization': 5_000,
  'cache:clear': 4_000,
  'wp-themes:bulk-update': 5_000,
  'sites:restart-php': 5_000,
  'backups:add-manual': 5_000,
} as const;

/** A kind of operation. */
export type OperationKind = keyof typeof defaultDurations;
/** The duration of each kind, in milliseconds. */
export type Durations = Record<OperationKind, number>;
/** How an operation ends; `hang` means never. */
export const outcomes = ['finish', 'fail', 'hang'] as const;
/** One of `outcomes`. */
export type Outcome = (typeof outcomes)[number];

/** An accepted operation and its progress; times in epoch milliseconds. */
export type Operation = {
  readonly id: string;
  readonly kind: OperationKind;
  readonly startedAt: number;
  state: 'running' | 'finished' | 'failed';
  settledAt?: number;
};

/** What an operation does to the world: `finish` if it succeeds (throwing makes it fail), `fail` if not. */
export type Work = { finish(): void; fail?(): void };

const maxRemembered = 1_000;
const maxPlanned = 100;

/** Everything answered with 202: started at once, ended by a timer. The newest 1,000 are kept. */
export class Operations {
  readonly durations: Durations;
  /** How many milliseconds after the 202 an operation is still unknown. */
  notKnownFor: number;
  readonly #planned: { kind: OperationKind; outcome: Outcome }[] = [];
  readonly #started = new Map<string, Operation>();
  readonly #timers: Timers;
  readonly #waiters: Waiters;
  readonly #now: () => number;

  constructor(given: {
    durations: Durations;
    notKnownFor: number;
    timers: Timers;
    waiters: Waiters;
    now: () => number;
  }) {
    this.durations = given.durations;
    this.notKnownFor = given.notKnownFor;
    this.#timers = given.timers;
    this.#waiters = given.waiters;
    this.#now = given.now;
  }

  /** Plans how the next unplanned operation of a kind ends; at most 100 plans. */
  plan(kind: OperationKind, outcome: Outcome): void {
    if (this.#planned.length >= maxPlanned) throw new RangeError(`at most ${maxPlanned} outcomes can be planned`);
    this.#planned.push({ kind, outcome });
  }

  /** The planned outcomes that are not used yet, in order. */
  planned(): readonly { readonly kind: OperationKind; readonly outcome: Outcome }[] {
    return this.#planned;
  }

  /** Accepts work and returns the 202 acknowledgement of section 4. */
  start(kind: OperationKind, work: Work): Reply {
    if (this.#started.size >= maxRemembered) this.#forgetOne();
    const reply = accepted(kind);
    const operation: Operation = { id: reply.body.operation_id, kind, startedAt: this.#now(), state: 'running' };
    this.#started.set(operation.id, operation);
    const outcome = this.#nextOutcome(kind);
    if (outcome !== 'hang') this.#timers.after(this.durations[kind], () => this.#settle(operation, outcome, work));
    return reply;
  }

  /** The answer to `GET /operations/{id}`: 404 while unknown, 202 running, 200 finished, 500 failed. */
  status(id: string): Reply {
    const operation = this.#started.get(id);
    if (operation === undefined || this.#now() - operation.startedAt < this.notKnownFor) {
      return { status: 404, body: errorBody(404) };
    }
    if (operation.state === 'running') return { status: 202, body: { message: 'In progress', status: 202 } };
    if (operation.state === 'failed') return { status: 500, body: errorBody(500) };
    return { status: 200, body: { message: 'Finished', status: 200, data: null } };
  }

  /** All remembered operations, oldest first. */
  list(): Operation[] {
    return [...this.#started.values()];
  }

  #nextOutcome(kind: OperationKind): Outcome {
    const at = this.#planned.findIndex((plan) => plan.kind === kind);
    const [plan] = at < 0 ? [] : this.#planned.splice(at, 1);
    return plan?.outcome ?? 'finish';
  }

  #settle(operation: Operation, outcome: Outcome, work: Work): void {
    operation.state = outcome === 'finish' && succeeded(work) ? 'finished' : 'failed';
    if (operation.state === 'failed') work.fail?.();
    operation.settledAt = this.#now();
    this.#waiters.notify();
  }

  #forgetOne(): void {
    const settled = this.list().find((operation) => operation.state !== 'running');
    if (settled === undefined) throw new Refused('failure', `${maxRemembered} operations are running`);
    this.#started.delete(settled.id);
  }
}

/** The asynchronous acknowledgement of section 4, with a new id. */
export function accepted(kind: OperationKind) {
  return { status: 202, body: { message: `Accepted: ${kind}`, status: 202, operation_id: `${kind}-${randomUUID()}` } };
}

/** Only an error of the simulated world makes an operation fail. A bug of the stand-in must surface. */
function succeeded(work: Work): boolean {
  try {
    work.finish();
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

import { type Fields, nonEmptyTextOf } from './json-fields.ts';
import { Impossible } from './refused.ts';

/** The kinds of fault. `lost` does what was asked and loses the answer; `off` is a server without the method. */
const KINDS = ['error', 'status', 'rate_limited', 'reset', 'html', 'lost', 'off', 'delay'] as const;

/** A fault to play. */
export type Fault = {
  /** A method's name, `response_url`, `upload`, or `*` for all. */
  readonly method: string;
  readonly kind: (typeof KINDS)[number];
  /** Only for calls that name this channel. */
  readonly channel?: string;
  /** Only for calls that ask about this user group. */
  readonly usergroup?: string;
  /** How often; absent means until removed. */
  readonly times?: number;
  /** Slack's error string, for `error`. */
  readonly error?: string;
  /** HTTP status, for `status`, `html` and `lost` (which resets the connection without one). */
  readonly status?: number;
  /** The Retry-After header's text, for `rate_limited`; absent means no header. */
  readonly retryAfter?: string;
  /** Milliseconds to wait first. */
  readonly delayMs?: number;
};

/** A fault being played; `released` ends its delay early. */
export type ActiveFault = Fault & { readonly released: AbortSignal };

/** A fault waiting to be played. Its id is unique while the stand-in runs. */
type QueuedFault = Fault & { readonly id: number };

/** The faults waiting to be played, oldest first. */
export type Faults = {
  /** At most 200 at a time. */
  add(fault: Fault): QueuedFault;
  list(): readonly QueuedFault[];
  /** Removes the fault with that id, or all without an id. False if there was none. */
  remove(id?: number): boolean;
  /** Ends all current delays, so those calls are answered at once. */
  release(): void;
  /** The fault to play for this call, counted down. */
  next(
    method: string,
    about?: { readonly channel?: string | undefined; readonly usergroup?: string | undefined },
  ): ActiveFault | undefined;
};

const LIMIT = 200;

/** An empty list of faults. */
export function createFaults(): Faults {
  const waiting: { fault: Fault; id: number; left: number }[] = [];
  let added = 0;
  let gate = new AbortController();
  const shown = ({ fault, id, left }: (typeof waiting)[number]): QueuedFault =>
    Number.isFinite(left) ? { ...fault, id, times: left } : { ...fault, id };
  return {
    add(fault) {
      if (waiting.length >= LIMIT) throw new Impossible(`more than ${LIMIT} faults`);
      const one = { fault, id: (added += 1), left: fault.times ?? Number.POSITIVE_INFINITY };
      waiting.push(one);
      return shown(one);
    },
    list: () => waiting.map((each) => shown(each)),
    remove(id) {
      if (id === undefined) return waiting.splice(0).length > 0;
      const index = waiting.findIndex((each) => each.id === id);
      return index >= 0 && waiting.splice(index, 1).length > 0;
    },
    release() {
      gate.abort();
      gate = new AbortController();
    },
    next(method, about = {}) {
      const index = waiting.findIndex(
        ({ fault }) =>
          (fault.method === '*' || fault.method === method) &&
          (fault.channel === undefined || fault.channel === about.channel) &&
          (fault.usergroup === undefined || fault.usergroup === about.usergroup),
      );
      const found = waiting[index];
      if (found === undefined) return undefined;
      found.left -= 1;
      if (found.left <= 0) waiting.splice(index, 1);
      return { ...found.fault, released: gate.signal };
    },
  };
}

/** Reads a fault from JSON. Throws `Impossible` with a sentence if it is not one. */
export function faultOf(body: Fields): Fault {
  const method = nonEmptyTextOf(body['method']);
  const kind = KINDS.find((each) => each === body['kind']);
  if (method === undefined) throw new Impossible('a fault needs the name of a method, or *');
  if (kind === undefined) throw new Impossible(`a fault's kind is one of ${KINDS.join(', ')}`);
  const error = nonEmptyTextOf(body['error']);
  if (kind === 'error' && error === undefined) throw new Impossible("a fault of kind error needs Slack's error string");
  const channel = nonEmptyTextOf(body['channel']);
  const usergroup = nonEmptyTextOf(body['usergroup']);
  const retryAfter =
    typeof body['retryAfter'] === 'number' ? `${body['retryAfter']}` : nonEmptyTextOf(body['retryAfter']);
  return {
    method,
    kind,
    ...(channel === undefined ? {} : { channel }),
    ...(usergroup === undefined ? {} : { usergroup }),
    ...(error === undefined ? {} : { error }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...wholes(body, { times: 1, status: 200, delayMs: 0 }),
  };
}

function wholes(body: Fields, least: Readonly<Record<string, number>>): { [name: string]: number } {
  const numbers: { [name: string]: number } = {};
  for (const [name, min] of Object.entries(least)) {
    const value = body[name];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min)
      throw new Impossible(`${name} is a whole number of at least ${min}`);
    numbers[name] = value;
  }
  return numbers;
}

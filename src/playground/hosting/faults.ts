import { z } from 'zod';

const wait = z.int().min(0).max(600_000);
const bytes = z
  .int()
  .min(1)
  .max(2 ** 31)
  .default(200_000_000);

const maxText = 32 * 1024 * 1024;

/** Which requests a fault affects, and how often. All fields must match; `*` is one path segment, `**` any number. */
const shared = {
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
  path: z.string().startsWith('/').max(500).optional(),
  section: z.string().max(10).optional(),
  /** How many requests it affects before it is used up. */
  times: z.union([z.int().min(1).max(100_000), z.literal('always')]).default(1),
  /** How many matching requests pass unharmed first. */
  skip: z.int().min(0).max(100_000).default(0),
  /** Milliseconds between the request and the fault. */
  ms: wait.default(0),
  /** Whether the request still takes effect. A delayed request always does. */
  applied: z.boolean().default(false),
};

/** The schema of a fault; anything else is refused with a sentence per mistake. */
export const faultShape = z.discriminatedUnion('kind', [
  z.strictObject({ ...shared, kind: z.literal('delay'), ms: wait }),
  z.strictObject({
    ...shared,
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/)).default({}),
    /** The body as JSON, as text, or as bytes in base64; without any of them it is empty. */
    body: z.unknown().optional(),
    text: z.string().max(maxText).optional(),
    base64: z.base64().max(maxText).optional(),
  }),
  /** A gateway's HTML page: the service has not seen the request, or its answer was lost. */
  z.strictObject({ ...shared, kind: z.literal('gateway'), status: z.int().min(200).max(599).default(502) }),
  z.strictObject({ ...shared, kind: z.literal('hang') }),
  z.strictObject({
    ...shared,
    kind: z.literal('reset'),
    at: z.enum(['before-headers', 'after-status-line', 'after-headers', 'mid-body']),
  }),
  z.strictObject({ ...shared, kind: z.literal('broken-json') }),
  z.strictObject({ ...shared, kind: z.literal('huge-body'), bytes }),
  z.strictObject({ ...shared, kind: z.literal('gzip-bomb'), bytes }),
  z.strictObject({ ...shared, kind: z.literal('slow-body'), everyMs: z.int().min(1).max(60_000).default(200) }),
  z.strictObject({ ...shared, kind: z.literal('slow-headers'), everyMs: z.int().min(1).max(60_000).default(200) }),
  /** Informational answers without end, as fast as they are taken. */
  z.strictObject({ ...shared, kind: z.literal('endless-103') }),
  /** The normal answer, with ids in upper case, as another machine of the service may spell them. */
  z.strictObject({ ...shared, kind: z.literal('capital-ids') }),
  z.strictObject({
    ...shared,
    kind: z.literal('odd-202'),
    shape: z.enum(['no-id', 'null-id', 'empty-id', 'number-id', 'odd-id', 'no-body', 'answered-200']),
  }),
]);

/** A fault as requested. */
export type FaultRequest = z.input<typeof faultShape>;
/** A fault in force. */
export type Fault = z.output<typeof faultShape> & { readonly id: number; met: number };

const maxFaults = 200;

/** The faults in force, oldest first. The first one that matches a request is played. */
export class Faults {
  #inForce: Fault[] = [];
  #lastId = 0;
  #gate = Promise.withResolvers<void>();

  /** Puts a fault in force. Throws zod's error if it is invalid, `RangeError` beyond 200. */
  add(request: FaultRequest): Fault {
    const parsed = faultShape.parse(request);
    if (this.#inForce.length >= maxFaults) throw new RangeError(`at most ${maxFaults} faults can be in force`);
    this.#lastId += 1;
    const fault: Fault = { ...parsed, id: this.#lastId, met: 0 };
    this.#inForce.push(fault);
    return fault;
  }

  /** The faults in force. `met` counts matching requests, including skipped ones. */
  list(): readonly Readonly<Fault>[] {
    return this.#inForce;
  }

  /** Removes one fault, or all without an id. Returns whether there was any. */
  remove(id?: number): boolean {
    const before = this.#inForce.length;
    this.#inForce = id === undefined ? [] : this.#inForce.filter((fault) => fault.id !== id);
    return this.#inForce.length < before;
  }

  /** Ends all current delays, so those requests are answered at once. */
  release(): void {
    this.#gate.resolve();
    this.#gate = Promise.withResolvers<void>();
  }

  /** Resolves when the current delays are ended early. */
  untilReleased(): Promise<void> {
    return this.#gate.promise;
  }

  /** The fault to play on this request, if any. It is counted, and removed once used up. */
  take(method: string, path: string, section: string | undefined): Fault | undefined {
    for (const fault of this.#inForce) {
      if (!isFor(fault, method, path, section)) continue;
      fault.met += 1;
      if (fault.met <= fault.skip) continue;
      if (fault.times !== 'always' && fault.met >= fault.skip + fault.times) this.remove(fault.id);
      return fault;
    }
    return undefined;
  }
}

function isFor(fault: Fault, method: string, path: string, section: string | undefined): boolean {
  return (
    (fault.method === undefined || fault.method === method) &&
    (fault.section === undefined || fault.section === section) &&
    (fault.path === undefined || matches(fault.path.split('/'), path.split('/')))
  );
}

function matches([wanted, ...wantedRest]: readonly string[], segments: readonly string[]): boolean {
  if (wanted === undefined) return segments.length === 0;
  if (wanted === '**')
    return wantedRest.length === 0 || segments.some((_, at) => matches(wantedRest, segments.slice(at)));
  const [segment, ...rest] = segments;
  return segment !== undefined && (wanted === '*' || wanted === segment) && matches(wantedRest, rest);
}

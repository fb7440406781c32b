import { z } from 'zod';
import { parseJson } from '../slack/json-fields.ts';
import type { Operations } from './operations.ts';
import { type ErrorStatus, Refused } from './refused.ts';
import type { Reply } from './reply.ts';
import type { World } from './world.ts';

/** The endpoints beyond the document, each of which can be switched off. */
export const optionalEndpoints = [
  'operations',
  'sites',
  'validate',
  'restartPhp',
  'manualBackups',
  'environmentThemes',
] as const;
/** One of `optionalEndpoints`. */
export type OptionalEndpoint = (typeof optionalEndpoints)[number];

/** Which names the service uses where the document leaves them open: its printed ones, or the public service's. */
export type Dialect = 'document' | 'kinsta';

/** What a route can read and change. `now` is in epoch milliseconds. */
export type Host = {
  readonly world: World;
  readonly operations: Pick<Operations, 'start' | 'status'>;
  readonly seed: string;
  readonly dialect: Dialect;
  /** Logs ignore the requested span and search and return their newest lines, as older public versions did. */
  readonly ignoresLogSpan?: boolean;
  readonly now: () => number;
};

/** One endpoint: its section (`beyond` if it has none), address, listed errors and answer. */
export type Route = {
  readonly section: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly errors: readonly ErrorStatus[];
  readonly optional?: OptionalEndpoint;
  answer(call: Call, host: Host): Reply;
};

/** The parts of a request that a route reads. Readers throw `Refused` for invalid parts. */
export class Call {
  /** The path's one variable segment, decoded; empty if it has none. */
  readonly id: string;
  readonly #query: URLSearchParams;
  readonly #contentType: string;
  readonly #body: Buffer;

  constructor(id: string, query: URLSearchParams, contentType: string, body: Buffer) {
    this.id = id;
    this.#query = query;
    this.#contentType = contentType;
    this.#body = body;
  }

  /** The id in the path, which must be a UUID (section 2). */
  uuid(): string {
    return shaped(z.guid(), this.id, 'address');
  }

  /** The query, one value per name. */
  query<T>(shape: z.ZodType<T>): T {
    return shaped(shape, Object.fromEntries(this.#query), 'address');
  }

  /** The JSON body; it must be declared as JSON (section 4). */
  body<T>(shape: z.ZodType<T>): T {
    if (!/^application\/json\s*(;|$)/i.test(this.#contentType)) {
      throw new Refused('malformed', 'the body must be application/json');
    }
    return shaped(shape, parsed(this.#body), 'malformed');
  }

  /** The JSON body, or the shape's reading of an empty object if there is none. */
  bodyIfAny<T>(shape: z.ZodType<T>): T {
    return this.#body.length === 0 ? shaped(shape, {}, 'malformed') : this.body(shape);
  }
}

function parsed(body: Buffer): unknown {
  const value = parseJson(body.toString());
  if (value === undefined) throw new Refused('malformed', 'the body is not JSON');
  return value;
}

function shaped<T>(shape: z.ZodType<T>, value: unknown, reason: 'malformed' | 'address'): T {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const wrong = result.error.issues.slice(0, 10).map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Refused(reason, wrong);
}

/** A UUID in a body or query. */
export const uuid = z.guid();
/** A whole number in a query. */
export const digits = z
  .string()
  .regex(/^\d{1,9}$/, 'a whole number')
  .transform(Number);
/** The two directions of a sorted list. */
export const direction = z.enum(['ascend', 'descend']);

/** A slice of a list; without a limit, to its end. */
export function paged<T>(list: readonly T[], offset = 0, limit = list.length): T[] {
  return list.slice(offset, offset + limit);
}

import { z } from 'zod';
import { operationId, uuid } from './fields.ts';

/** Calls to the host as values: what is sent, and how an endpoint of the document makes one. */

/** Query and body values as they are sent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request that only reads, safe to repeat. `R` is the type of its parsed answer. */
export type Read<R> = {
  readonly kind: 'read';
  readonly section: string;
  readonly method: 'GET';
  /** The path below the base address with encoded ids: `/sites/environments/…/backups`. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: Json;
  /** Statuses, including success, that count as an answer, not trouble; `reply` then parses `{ status, body }`. */
  readonly answers?: readonly number[];
  readonly reply: z.ZodType<R>;
  /** A read that a change needs, which does not wait behind reports. */
  readonly isForChange?: true;
};

/** A request that changes something, as a value: it can be shown, stored and approved. Only `execute.ts` sends it. */
export type Write = {
  readonly kind: 'write';
  readonly section: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
};

/**
 * Only sends reads, so any code may have it. Reads for a person, for `following` or for `watching` are limited; leave
 * `onBehalfOf` out for checks before a send and for listings. `cancel` ends the read. Rejects with `HostTrouble`.
 */
export type HostReader = <R>(call: Read<R>, onBehalfOf?: string, cancel?: AbortSignal) => Promise<R>;

/** The `onBehalfOf` of operations that the host has accepted: they can wait; checks before a send can't. */
export const following = 'following';

/** The `onBehalfOf` for watches: they can wait longest. */
export const watching = 'watching';

/** The names allowed in braces in a path, and their values. */
const pathFields = {
  id: uuid,
  env_id: uuid,
  site_id: uuid,
  site_domain_id: uuid,
  domain_id: uuid,
  operation_id: operationId,
} as const;

type Fields = Readonly<Record<string, z.ZodType<Json | undefined>>>;
type QueryFields = Readonly<Record<string, z.ZodType<string | number | boolean | undefined>>>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** A path template with known names only; any other does not compile. */
type Template<Path extends string> = NamesIn<Path> extends keyof typeof pathFields ? Path : never;
/** The parameters for these fields; none without fields. */
type ParametersFor<F> = F extends Fields
  ? { readonly [K in keyof F as undefined extends z.input<F[K]> ? never : K]: z.input<F[K]> } & {
      readonly [K in keyof F as undefined extends z.input<F[K]> ? K : never]?: z.input<F[K]>;
    }
  : unknown;
/** The parameters of an endpoint: names of its path, query and body side by side. */
type Parameters<Path extends string, Q, B> = Readonly<Record<NamesIn<Path>, string>> &
  ParametersFor<Q> &
  ParametersFor<B>;

type Outline = {
  /** The section of the document: `4.17`; a name for endpoints beyond the document. */
  readonly section: string;
  /** All statuses in the document, success first. */
  readonly statuses: readonly number[];
  /** Not in the document: used only if the service has it. */
  readonly optional?: true;
};

/** What the document says about an endpoint, as values for catalogues, tables and tests. */
export type EndpointInfo = Outline & {
  readonly method: 'GET' | Write['method'];
  readonly path: string;
  readonly query: readonly string[];
  readonly body: readonly string[];
  /** The prefix of the operation ids in its 202 answers. */
  readonly operation?: string;
};

/** Declares a read endpoint. Calling it checks the parameters (`TypeError`) and returns the request as a value. */
export function readEndpoint<
  const Path extends string,
  R,
  Q extends QueryFields | undefined = undefined,
  B extends Fields | undefined = undefined,
>(
  of: Outline & {
    readonly path: Template<Path>;
    readonly query?: Q;
    readonly body?: B;
    readonly answers?: readonly number[];
    readonly reply: z.ZodType<R>;
  },
): ((parameters: Parameters<Path, Q, B>) => Read<R>) & EndpointInfo {
  const about = outlined('GET', of);
  const answers = of.answers && { answers: of.answers };
  const read = (parameters: Parameters<Path, Q, B>): Read<R> => {
    const request = checked(about, of, parameters);
    return { kind: 'read', section: of.section, method: 'GET', ...request, ...answers, reply: of.reply };
  };
  return Object.assign(read, about);
}

/**
 * Declares an endpoint that changes something. Calling it checks the parameters (`TypeError`, so a malformed call can
 * never be pinned) and returns the request as a value. `unsound` explains what is wrong with a combination of fields.
 */
export function writeEndpoint<const Path extends string, B extends Fields | undefined = undefined>(
  of: Outline & {
    readonly method: Write['method'];
    readonly path: Template<Path>;
    readonly body?: B;
    readonly operation?: string;
    readonly unsound?: (parameters: Parameters<Path, undefined, B>) => string | undefined;
  },
): ((parameters: Parameters<Path, undefined, B>) => Write) & EndpointInfo {
  const about: EndpointInfo = { ...outlined(of.method, of), ...(of.operation && { operation: of.operation }) };
  const write = (parameters: Parameters<Path, undefined, B>): Write => {
    const request = checked(about, of, parameters);
    const wrong = of.unsound?.(parameters);
    if (wrong !== undefined) throw new TypeError(`${titleOf(about)}: ${wrong}`);
    return { kind: 'write', section: of.section, method: of.method, ...request };
  };
  return Object.assign(write, about);
}

type Shapes = { readonly path: string; readonly query?: QueryFields | undefined; readonly body?: Fields | undefined };

const titleOf = (about: EndpointInfo): string => `${about.section} ${about.method} ${about.path}`;

function outlined(method: EndpointInfo['method'], of: Outline & Shapes): EndpointInfo {
  const { section, statuses, path, query = {}, body = {} } = of;
  const optional = of.optional && { optional: of.optional };
  return { section, method, path, query: Object.keys(query), body: Object.keys(body), statuses, ...optional };
}

type Checked = { readonly path: string; readonly query?: Query; readonly body?: Readonly<Record<string, Json>> };

function checked(about: EndpointInfo, { path, query, body }: Shapes, parameters: object): Checked {
  const title = titleOf(about);
  const given = new Map<string, unknown>(Object.entries(parameters));
  const inPath = Object.fromEntries(Object.entries(pathFields).filter(([name]) => path.includes(`{${name}}`)));
  const known = new Set([inPath, query ?? {}, body ?? {}].flatMap((fields) => Object.keys(fields)));
  const unknown = [...given.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new TypeError(`${title}: there is no ${unknown}`);
  const ids = valuesOf(title, inPath, given);
  return {
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? '')),
    ...(query && { query: valuesOf(title, query, given) }),
    ...(body && { body: valuesOf(title, body, given) }),
  };
}

/** The values in the order of the declaration, so that the same call always has the same text. */
function valuesOf<V>(
  title: string,
  fields: Readonly<Record<string, z.ZodType<V | undefined>>>,
  given: ReadonlyMap<string, unknown>,
): Record<string, V> {
  const values: Record<string, V> = {};
  for (const [name, field] of Object.entries(fields)) {
    const read = field.safeParse(given.get(name));
    if (!read.success) throw new TypeError(`${title}: ${name}: ${z.prettifyError(read.error)}`);
    if (read.data !== undefined) values[name] = read.data;
  }
  return values;
}

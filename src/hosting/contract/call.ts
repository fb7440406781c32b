import type { z } from 'zod';

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

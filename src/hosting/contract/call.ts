import type { z } from 'zod';

/** Query and body values as they go on the wire. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request that only reads. `R` is what its answer is read into; safe to repeat. */
export type Read<R> = {
  readonly kind: 'read';
  readonly section: string;
  readonly method: 'GET';
  /** Below the base address, ids already encoded: `/sites/environments/…/backups`. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: Json;
  /** Statuses, success among them, that are an answer and not trouble; `reply` then reads `{ status, body }`. */
  readonly answers?: readonly number[];
  readonly reply: z.ZodType<R>;
};

/** A request that changes something, as a value: it can be shown, hashed, stored and approved; only one door sends it. */
export type Write = {
  readonly kind: 'write';
  readonly section: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
};

/**
 * Everybody may hold this: it sends reads and nothing else. Somebody on whose behalf it is asked has few at a time, and so
 * has `following`; nobody is named where what is not sent yet, or a listing, needs it. Rejects with `HostTrouble`.
 */
export type Reader = <R>(call: Read<R>, onBehalfOf?: string) => Promise<R>;

/** On whose behalf operations are looked at that the host has accepted: they can wait, and what is to be sent cannot. */
export const following = 'following';

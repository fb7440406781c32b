import type { Environment } from '../../hosting/contract/target.ts';

/** The requested span of time, in epoch milliseconds. */
export type Span = { readonly from?: number | undefined; readonly to?: number | undefined };

/** The input of `logs`. */
export type Asked = {
  readonly env: Environment;
  readonly log: 'error' | 'access' | 'cache';
  readonly since: readonly string[];
  readonly until: readonly string[];
  readonly lines: number | undefined;
  readonly search: string | undefined;
  readonly errors: boolean;
  readonly full: boolean;
};

/** A change of an environment: when it was sent (epoch ms), its number, and what it did. */
export type Happened = { readonly at: number; readonly number: number; readonly says: string };

/** A log as the host sent it, and what was requested. Plain data, so it can be passed to another thread. */
export type LogQuery = {
  readonly text: string;
  readonly asked: Asked;
  /** How many lines were requested; if the host sent that many, it may have more. */
  readonly wanted: number;
  /** The maximum number of lines to show. */
  readonly most: number;
  readonly span: Span;
  readonly now: number;
};

/** The changes sent for the environment since then (epoch ms), oldest first. */
export type Recall = (since: number) => Promise<readonly Happened[]>;

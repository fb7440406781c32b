import type { Environment } from '../../hosting/contract/target.ts';

/** What was asked for, in epoch milliseconds. */
export type Span = { readonly from?: number | undefined; readonly to?: number | undefined };

/** What was asked of a log. */
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

/** Something that Sitehand did to an environment: when it was sent, which change it was, and what it did. */
export type Happened = { readonly at: number; readonly number: number; readonly says: string };

/** A log as it came, and what was asked of it: plain data, which can be handed to another thread. */
export type LogQuery = {
  readonly text: string;
  readonly asked: Asked;
  /** How many lines the host was asked for: where it sent as many, it may have more. */
  readonly wanted: number;
  /** Lines that are shown at most. */
  readonly most: number;
  readonly span: Span;
  readonly now: number;
  /** An IANA name. */
  readonly zone: string;
};

/** What was sent for the environment since then (epoch ms), oldest first. */
export type Recall = (since: number) => Promise<readonly Happened[]>;

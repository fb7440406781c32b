import type { Fields } from '../slack/json-fields.ts';

/** What the page's server sends, as far as the page reads it; what the Slack stand-in sends is in `slack/shapes.ts`. */

/** A request the hosting API received; `at` in epoch milliseconds. */
export type Entry = {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly section?: string;
  readonly state: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly fault?: string;
};

/** What Slack delivered to the bot; `at` in epoch milliseconds, `ms` until the ack, `by` a name or empty. */
export type Delivered = {
  readonly number: number;
  readonly attempt: number;
  readonly at: number;
  readonly by: string;
  readonly did: string;
  readonly acked: boolean;
  readonly ms: number;
  readonly failure?: string;
};

/** One of the bot's changes and its audit lines, oldest first; `at` in epoch milliseconds, `by` a Slack id or `sitehand`. */
export type BotChange = {
  readonly number: number;
  readonly command: string;
  readonly target: string;
  readonly state: string;
  readonly steps: readonly { readonly event: string; readonly at: number; readonly by: string }[];
};

/** A fault in force. */
export type Fault = { readonly id: number } & Fields;

/** The bot's process. */
export type BotState = {
  readonly state: 'starting' | 'ready' | 'exited';
  readonly pid: number | undefined;
  /** How it ended; `code` and `signal` are both null if it could not be started. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  /** Its policy file, from the folder in which the playground was started. */
  readonly policy: string;
  /** Its newest 500 lines. */
  readonly log: readonly string[];
};

/** A run of a program that asks the bot: its newest lines, and how it ended; without `code` it still runs. */
export type ProgramRun = { readonly lines: readonly string[]; readonly code?: number };
export type ProgramRuns = Readonly<Partial<Record<'pipeline' | 'agent', ProgramRun>>>;

/** The outcome of a person's action; `shown` is a line that only the client shows. */
export type Outcome = { readonly shown?: string };

/** An event in the workspace; `detail` names its subject. */
export type WorkspaceEvent = { readonly kind: string; readonly detail: Fields };

import type { Fields } from '../slack/json-fields.ts';

/** The shapes of what the page's server sends, as far as the page reads them. */

/** A person in the workspace. */
export type Person = {
  readonly id: string;
  readonly name: string;
  readonly real_name: string;
  readonly display_name: string;
  readonly title: string;
  readonly is_bot: boolean;
  readonly is_restricted: boolean;
  readonly is_ultra_restricted: boolean;
  readonly is_stranger: boolean;
  readonly deleted: boolean;
};

/** A user group. */
export type Group = { readonly id: string; readonly handle: string };

/** A channel, or a direct message. */
export type Channel = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  readonly members: readonly string[];
  readonly archived: boolean;
  readonly shared: boolean;
};

/** An input's value or error, by block and action id. */
export type Control = {
  readonly block_id: string;
  readonly action_id: string;
  readonly value: unknown;
  readonly error?: string;
};

/** A message as the acting person sees it; `ts` is seconds with six digits. */
export type Message = {
  readonly channel: string;
  readonly ts: string;
  readonly author: string;
  readonly notification: string;
  readonly ephemeral: boolean;
  readonly edited: boolean;
  readonly replies: number;
  readonly controls: readonly Control[];
  readonly files: readonly string[];
  readonly blocks: readonly Fields[];
  readonly attachments: readonly Fields[];
};

/** A modal or an App Home. */
export type View = {
  readonly id: string;
  readonly title: string;
  readonly submit?: string;
  readonly controls: readonly Control[];
  readonly blocks: readonly Fields[];
};

/** A person's open modals, topmost last, and their App Home. */
export type Views = { readonly modals: readonly View[]; readonly home?: View };

/** A file with its content as text; `size` in bytes. */
export type SharedFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly size: number;
  readonly text: string;
  readonly channels: readonly string[];
};

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
  readonly envelope: string;
  readonly attempt: number;
  readonly at: number;
  readonly by: string;
  readonly did: string;
  readonly acked: boolean;
  readonly ms: number;
  readonly failure?: string;
};

/** One of the bot's changes: its state and audit lines, oldest first; `at` in epoch milliseconds. */
export type BotChange = {
  readonly number: number;
  readonly command: string;
  readonly target: string;
  readonly state: string;
  readonly steps: readonly { readonly event: string; readonly at: number; readonly by: string }[];
};

/** A fault in force. */
export type Fault = { readonly id: number } & Fields;

/** A problem of the app that the Slack stand-in found. */
export type Problem = { readonly at: number; readonly kind: string; readonly text: string };

/** The bot's process. */
export type BotState = {
  readonly state: 'starting' | 'ready' | 'exited';
  readonly pid?: number;
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
  readonly log: readonly string[];
};

/** The outcome of a person's action; `shown` is a line that only the client shows. */
export type Outcome = { readonly shown?: string };

/** An event in the workspace; `detail` names its subject. */
export type WorkspaceEvent = { readonly kind: string; readonly detail: Fields };

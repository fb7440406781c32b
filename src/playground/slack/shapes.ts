import type { Fields } from './json-fields.ts';

/** A member, a stranger who shares a channel with the workspace, or the app's bot user. Field names are Slack's. */
export type Person = {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly real_name: string;
  readonly display_name: string;
  readonly title: string;
  readonly tz: string;
  readonly tz_label: string;
  /** Seconds east of UTC. */
  readonly tz_offset: number;
  readonly is_bot: boolean;
  readonly is_restricted: boolean;
  readonly is_ultra_restricted: boolean;
  readonly is_stranger: boolean;
  readonly deleted: boolean;
  /** The Enterprise Grid workspaces that the person belongs to; only for people of a grid. */
  readonly enterprise_user?: {
    readonly id: string;
    readonly enterprise_id: string;
    readonly enterprise_name: string;
    readonly is_admin: boolean;
    readonly is_owner: boolean;
    readonly teams: readonly string[];
  };
};

/** A user group, written `@handle` in messages. */
export type Group = {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
  /** Unix seconds. */
  readonly updated: number;
  /** Unix seconds of its disabling; a disabled group can be enabled again. */
  readonly deleted?: number;
};

/** A channel, or a direct message between its members. */
export type Channel = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  readonly members: readonly string[];
  readonly archived: boolean;
  /** Shared with another organisation. */
  readonly shared: boolean;
  /** Another organisation is invited and has not joined yet. */
  readonly invited?: boolean;
  /** Who may post; absent means everybody. The app is never among the exceptions. */
  readonly posting?: Posting;
  /** Whether a reply to a deleted message is refused, and not posted in the channel itself. */
  readonly strictThreads?: boolean;
};

/** Posting rules of a channel: nobody, replies only, or no replies. */
export const POSTING = ['everyone', 'read_only', 'thread_only', 'non_threadable'] as const;
export type Posting = (typeof POSTING)[number];

/** Input values by block id and action id, in the form of Slack's `state.values`. */
export type Values = ReadonlyMap<string, ReadonlyMap<string, Fields>>;

/** A message as the workspace keeps it. `onlyFor` makes it ephemeral. */
export type Message = {
  readonly channel: string;
  readonly ts: string;
  readonly author: string;
  readonly text: string;
  readonly blocks: readonly Fields[];
  readonly attachments: readonly Fields[];
  readonly metadata: Fields | undefined;
  readonly files: readonly string[];
  readonly threadTs: string | undefined;
  readonly onlyFor: string | undefined;
  readonly edited: string | undefined;
  readonly deleted: boolean;
  /** Each person's values of the message's inputs. */
  readonly values: ReadonlyMap<string, Values>;
};

/** A modal or an App Home as one person sees it. `content` is what the app sent. */
export type View = {
  readonly id: string;
  readonly person: string;
  readonly content: Fields;
  readonly hash: string;
  readonly rootId: string;
  readonly previousId: string | undefined;
  readonly values: Values;
  /** Errors under inputs, by block id. */
  readonly errors: Readonly<Record<string, string>>;
};

/** An element to press or fill in. `value` is a button's value or an input's content. */
export type VisibleControl = {
  readonly type: string;
  readonly label: string;
  readonly block_id: string;
  readonly action_id: string;
  readonly value: unknown;
  readonly options?: readonly string[];
  readonly url?: string;
  readonly style?: string;
  readonly confirm?: string;
  readonly error?: string;
};

/** A message as one person sees it; `text` is what they read, without markup. */
export type VisibleMessage = {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts: string | undefined;
  readonly author: string;
  readonly text: string;
  /** The notification: the message's own text, as the app sent it. */
  readonly notification: string;
  readonly ephemeral: boolean;
  readonly edited: boolean;
  readonly replies: number;
  readonly controls: readonly VisibleControl[];
  readonly files: readonly string[];
  readonly blocks: readonly Fields[];
  readonly attachments: readonly Fields[];
};

/** A modal or App Home as its person sees it. */
export type VisibleView = {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly submit: string | undefined;
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly text: string;
  readonly controls: readonly VisibleControl[];
  readonly blocks: readonly Fields[];
};

/** A person's open modals, topmost last, and their App Home. */
export type VisibleViews = { readonly modals: readonly VisibleView[]; readonly home: VisibleView | undefined };

/** A file a person can see, with its content as text; `size` in bytes. */
export type VisibleFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly size: number;
  readonly text: string;
  readonly channels: readonly string[];
};

/** One Web API call. `result` is `ok`, Slack's error string, or the fault that was played. */
export type Call = {
  readonly at: number;
  readonly method: string;
  readonly args: Fields;
  readonly token: 'bot' | 'app' | 'none' | 'wrong';
  readonly status: number;
  readonly result: string;
};

/** A problem for the app's author: a missing ack, an ack that Slack would not understand, a refused call. */
export type Problem = { readonly at: number; readonly kind: string; readonly text: string };

/** A line that only the client shows, such as "operation_timeout" after an unanswered command. */
export type Notice = { readonly at: number; readonly person: string; readonly text: string };

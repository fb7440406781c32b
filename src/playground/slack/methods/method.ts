import { type Fields, textOf } from '../json-fields.ts';
import { Refused } from '../refused.ts';
import type { Channel, Person } from '../shapes.ts';
import { type Workspace, directMessage } from '../workspace.ts';
import { BOT_USER } from '../seed.ts';

/** What a method gets besides its arguments. */
export type Context = {
  readonly workspace: Workspace;
  /** Without a trailing slash. */
  readonly baseUrl: () => string;
  readonly scopes: ReadonlySet<string>;
  /** The address of a new Socket Mode connection. */
  readonly openSocket: () => string;
};

/** A Web API method: its token, its scope and its function. Refusals are thrown. */
export type Method = {
  readonly token: 'bot' | 'app';
  readonly scope?: string;
  readonly run: (context: Context, args: Fields) => Fields;
};

/** Methods by name. */
export type Methods = { readonly [name: string]: Method };

/** A required argument. Refuses `invalid_arguments`, naming it. */
export function required(args: Fields, name: string): string {
  const value = textOf(args[name]);
  if (value === '') throw new Refused('invalid_arguments', [`[ERROR] missing required field: ${name}`]);
  return value;
}

/** A channel that the bot can see. Refuses `channel_not_found` for private channels and DMs it is not in. */
export function visibleChannel(workspace: Workspace, id: string): Channel {
  const channel = workspace.channels.get(id);
  if (channel === undefined || (channel.kind !== 'public' && !channel.members.includes(BOT_USER)))
    throw new Refused('channel_not_found');
  return channel;
}

/** A channel to post to, or a person for their DM. Also refuses `is_archived` and `not_in_channel`. */
export function writableChannel({ workspace, scopes }: Context, id: string): Channel {
  if (workspace.people.has(id) && id !== BOT_USER) return directMessage(workspace, id);
  const channel = visibleChannel(workspace, id);
  if (channel.archived) throw new Refused('is_archived');
  if (!channel.members.includes(BOT_USER) && !scopes.has('chat:write.public')) throw new Refused('not_in_channel');
  return channel;
}

/** A person. Refuses `user_not_found`. */
export function knownPerson(workspace: Workspace, id: string): Person {
  const person = workspace.people.get(id);
  if (person === undefined) throw new Refused('user_not_found');
  return person;
}

/** One page of a list: `limit` (default 100, at most 1,000) items from `cursor` on. Refuses `invalid_cursor`. */
export function page<T>(items: readonly T[], args: Fields): { readonly items: readonly T[]; readonly next: Fields } {
  const limit = Math.min(Math.max(Number(args['limit'] ?? 100) || 100, 1), 1000);
  const from = Number(Buffer.from(textOf(args['cursor']), 'base64url').toString() || 0);
  if (!Number.isInteger(from) || from < 0) throw new Refused('invalid_cursor');
  const to = from + limit;
  const cursor = to < items.length ? Buffer.from(String(to)).toString('base64url') : '';
  return { items: items.slice(from, to), next: { response_metadata: { next_cursor: cursor } } };
}

import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Channel, Person } from '../pipeline/authorise.ts';

/** Who somebody is, right now, as Slack tells. */
export type People = {
  /** From memory where it is not older than a minute; undefined: Slack did not answer in time. */
  readonly known: (id: string, team?: string) => Promise<Person | undefined>;
  /** Asked of Slack now, people and groups. */
  readonly fresh: (id: string, team?: string) => Promise<Person | undefined>;
  /** Who is in a Slack user group, from memory where it is young; undefined: Slack did not answer. */
  readonly membersOf: (group: string) => Promise<readonly string[] | undefined>;
  readonly channel: (id: string) => Promise<Channel>;
  /** Slack said that a user group has other members now. */
  readonly groupChanged: (group: string) => void;
};

export type PeopleOptions = {
  readonly client: WebClient;
  /** The workspace that the bot is installed in. */
  readonly team: string;
  /** Slack user groups that the policy mentions. */
  readonly groups: () => readonly string[];
  readonly now: () => number;
  /** Told once of each thing that Slack does not let us ask. */
  readonly onMissing: (what: string) => void;
  /** Told whether Slack still takes our token, whenever it is asked something. */
  readonly onToken: (isTaken: boolean) => void;
};

const userReply = z.object({
  user: z.object({
    id: z.string(),
    team_id: z.string().optional(),
    name: z.string().optional(),
    real_name: z.string().optional(),
    tz: z.string().optional(),
    deleted: z.boolean().optional(),
    is_bot: z.boolean().optional(),
    is_restricted: z.boolean().optional(),
    is_ultra_restricted: z.boolean().optional(),
    is_stranger: z.boolean().optional(),
    profile: z.object({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
    enterprise_user: z.object({}).optional(),
  }),
});
const groupReply = z.object({ users: z.array(z.string()) });
const channelReply = z.object({
  channel: z.object({ is_ext_shared: z.boolean().optional(), is_pending_ext_shared: z.boolean().optional() }),
});

const freshMs = 60_000;
/** One click asks about several people; Slack tells of user groups twenty times a minute in all. */
const askedJustNowMs = 1_000;
/** Answers kept; the oldest go first. */
const mostKept = 5_000;
/** Methods that a workspace, or a token, may lack for good: then what they would tell is taken as not so. */
const lacking =
  /unknown_method|missing_scope|not_allowed_token_type|paid_teams_only|feature_not_enabled|method_deprecated/;

type User = z.infer<typeof userReply>['user'];
type Ask = <T>(
  method: string,
  args: Record<string, unknown>,
  schema: z.ZodType<T>,
) => Promise<T | 'lacking' | undefined>;

/** What Slack says of a token that it does not take any more. */
const revoked = /invalid_auth|token_revoked|token_expired|account_inactive|not_authed/;

/** Asks Slack about people, groups and channels, and remembers the answers for a minute. */
export function createPeople(options: PeopleOptions): People {
  const { team, groups, now } = options;
  const ask = asking(options);
  const users = memory<User>(now);
  const members = memory<readonly string[]>(now);
  const channels = memory<Channel>(now);

  const userOf = async (id: string): Promise<User | undefined> => {
    const reply = await ask('users.info', { user: id }, userReply);
    return typeof reply === 'object' ? users.keep(id, reply.user) : undefined;
  };
  const membersOf = async (group: string): Promise<readonly string[] | undefined> => {
    const reply = await ask('usergroups.users.list', { usergroup: group }, groupReply);
    if (reply === undefined) return undefined;
    return members.keep(group, reply === 'lacking' ? [] : reply.users);
  };
  const person = async (id: string, isFresh: boolean, from = team): Promise<Person | undefined> => {
    const wanted = groups();
    const [user, ...lists] = await Promise.all([
      (isFresh ? undefined : users.get(id)) ?? userOf(id),
      ...wanted.map((group) => members.get(group, isFresh ? askedJustNowMs : freshMs) ?? membersOf(group)),
    ]);
    if (user === undefined || lists.includes(undefined)) return undefined;
    return {
      id,
      name: user.profile?.display_name || user.real_name || user.name || id,
      team: user.team_id ?? from,
      standing: from === team ? standingOf(user, team) : 'stranger',
      groups: wanted.filter((_, index) => lists[index]?.includes(id)),
      zone: user.tz ?? 'UTC',
    };
  };
  const channelOf = async (id: string): Promise<Channel> => {
    const reply = await ask('conversations.info', { channel: id }, channelReply);
    if (typeof reply !== 'object') return { id, shared: undefined };
    const { is_ext_shared: shared, is_pending_ext_shared: pending } = reply.channel;
    return channels.keep(id, { id, shared: Boolean(shared || pending) });
  };
  return {
    known: (id, from) => person(id, false, from),
    fresh: (id, from) => person(id, true, from),
    membersOf: async (group) => members.get(group) ?? membersOf(group),
    channel: async (id) => (/^[DU]/.test(id) ? { id, shared: false } : (channels.get(id) ?? channelOf(id))),
    groupChanged: (group) => members.forget(group),
  };
}

/** Asks one thing; `lacking` where this workspace or token will never answer it, undefined where it did not now. */
function asking({ client, onMissing, onToken }: PeopleOptions): Ask {
  const missing = new Set<string>();
  // Many who ask the same while it is being asked share the answer: Slack tells of user groups twenty times a minute.
  const flying = new Map<string, Promise<unknown>>();
  const call = (method: string, args: Record<string, unknown>): Promise<unknown> => {
    const key = JSON.stringify([method, args]);
    const answer = flying.get(key) ?? client.apiCall(method, args).finally(() => flying.delete(key));
    flying.set(key, answer);
    return answer;
  };
  return async (method, args, schema) => {
    try {
      const answer = schema.parse(await call(method, args));
      onToken(true);
      return answer;
    } catch (error) {
      if (revoked.test(String(error))) onToken(false);
      if (!lacking.test(String(error))) return undefined;
      if (!missing.has(method)) onMissing(method);
      missing.add(method);
      return 'lacking';
    }
  };
}

function standingOf(user: User, team: string): Person['standing'] {
  if (user.deleted) return 'deactivated';
  if (user.is_bot || user.id === 'USLACKBOT') return 'bot';
  const elsewhere = user.team_id !== undefined && user.team_id !== team && user.enterprise_user === undefined;
  if (user.is_stranger || elsewhere) return 'stranger';
  return user.is_restricted || user.is_ultra_restricted ? 'guest' : 'member';
}

type Memory<T> = {
  /** What is not older than `ageMs`; left out: a minute. */
  get: (id: string, ageMs?: number) => T | undefined;
  keep: (id: string, value: T) => T;
  forget: (id: string) => void;
};

function memory<T>(now: () => number): Memory<T> {
  const kept = new Map<string, { readonly value: T; readonly at: number }>();
  return {
    get: (id, ageMs = freshMs) => {
      const found = kept.get(id);
      return found && now() - found.at < ageMs ? found.value : undefined;
    },
    keep: (id, value) => {
      kept.delete(id);
      kept.set(id, { value, at: now() });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
      return value;
    },
    forget: (id) => void kept.delete(id),
  };
}

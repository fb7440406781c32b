import { z } from 'zod';
import type { Channel, Person } from '../access/access-check.ts';
import { isDirect } from '../access/assert-channel.ts';
import type { ChangeContext } from '../change/context.ts';
import type { ChannelLook } from '../post/messenger.ts';
import type { Member as PolicyPerson } from '../policy/rules.ts';
import { createBoundedCall, NoAnswer, shareCalls, type BoundedCallOptions, type BoundedCall } from './calls.ts';
import type { Bot } from './app-checks.ts';
import { createUserGroups, type Purpose, type GroupAnswer, type UserGroupOptions } from './user-groups.ts';
import { BoundedMap } from '../base/caches.ts';
import { hourMs, minuteMs } from '../words/duration.ts';
import { within } from '../base/time-limit.ts';

/**
 * Asks who a person is and in which of these Slack user groups. `team`: the team or enterprise in the delivery, which
 * can only make them a stranger. Undefined if Slack did not answer in time. A group that Slack does not answer for is
 * in none of the lists.
 */
type AskPerson = ChangeContext['personOf'];

/** Who people are, according to Slack. */
export type People = ChannelMembers & {
  /** Cached for at most a minute. */
  readonly personOf: AskPerson;
  /** For what is shown or suggested: groups may be some minutes old. */
  readonly glanceAt: AskPerson;
  /**
   * Asks Slack now. An answer may be 15 seconds old for groups with `fresh`, and also for accounts with `recent`: a
   * batch asks about the same people for each change.
   */
  readonly whoIs: ChangeContext['whoIs'];
  /** The members of a Slack user group, from the cache if fresh. Undefined if Slack did not say. */
  readonly membersOf: (group: string, isGlance?: boolean) => Promise<readonly string[] | undefined>;
  /** Why Slack did not list a user group when last asked. */
  readonly groupTrouble: (group: string) => string | undefined;
  /** Where the sender of a delivery is from: the enterprise if it is not ours, else the team. */
  readonly originOf: (named: { team?: string | undefined; enterprise?: string | undefined }) => string | undefined;
  readonly channelOf: (id: string) => Promise<Channel>;
  /** Slack reported that a user group's members changed. */
  readonly groupChanged: (group: string) => void;
};

type PeopleOptions = BoundedCallOptions &
  Pick<UserGroupOptions, 'onGroup' | 'replicas'> & {
    readonly bot: Pick<Bot, 'team' | 'enterprise'>;
    /** All Slack user ids of the person behind this one. */
    readonly idsOf: (id: string) => readonly string[];
    /** Looks up a channel; rejects if Slack does not answer. */
    readonly lookAt: (channel: string) => Promise<ChannelLook>;
    /** Monotonic milliseconds. */
    readonly now: () => number;
  };

export const userShape = z.object({
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
  enterprise_user: z.object({ teams: z.array(z.string()).optional() }).optional(),
});
const userReply = z.object({ user: userShape });
const groupReply = z.object({ users: z.array(z.string()) });

/** How old an answer about an account may be, by purpose, in milliseconds. */
const accountAgeMs = { decisive: 0, fresh: 0, recent: 15_000, usual: 60_000, glance: 60_000 } as const satisfies Record<
  Purpose,
  number
>;
/** How many users are cached; the oldest are dropped first. */
const maxKept = 5_000;

type User = z.infer<typeof userShape>;

/** Asks Slack about people and groups, and caches people for a minute. */
export function createPeople(options: PeopleOptions): People {
  const { now, idsOf, onGroup, replicas, lookAt } = options;
  const { team, enterprise: ourEnterprise } = options.bot;
  const ask = createBoundedCall(options);
  const accountOf = createAccounts(ask, now);
  const groups = createUserGroups({
    question: async (usergroup) => groupAnswerOf(await ask('usergroups.users.list', { usergroup }, groupReply)),
    now,
    replicas,
    onGroup,
  });
  const who =
    (purpose: Purpose): AskPerson =>
    async (id, groupIds, from = team) => {
      const [user, ...lists] = await Promise.all([
        accountOf(id, purpose),
        ...groupIds.map(async (group) => [group, await groups.ask(group, purpose)] as const),
      ]);
      return user && personFrom(user, { id, team, from, ...membershipsIn(lists, id, idsOf(id)) });
    };
  return {
    personOf: who('usual'),
    glanceAt: who('glance'),
    whoIs: (id, groupIds, from, how) => who(how ?? 'decisive')(id, groupIds, from),
    membersOf: async (group, isGlance = false) => {
      const answer = await groups.ask(group, isGlance ? 'glance' : 'usual');
      return answer.kind === 'members' ? answer.ids : undefined;
    },
    // Slack may leave an id out, or send an empty one.
    originOf: (named) =>
      (named.enterprise && named.enterprise !== ourEnterprise ? named.enterprise : named.team) || undefined,
    channelOf: async (id) => {
      if (isDirect(id)) return { id, shared: false };
      return channelFrom(id, await lookAt(id).catch(() => undefined));
    },
    ...createChannelMembers(ask, now),
    groupTrouble: groups.troubleOf,
    groupChanged: groups.changed,
  };
}

/** Finds accounts, in the cache if young enough for the purpose. Undefined if Slack did not answer. */
function createAccounts(ask: ReturnType<typeof createBoundedCall>, now: () => number) {
  const users = new BoundedMap<string, { readonly user: User; readonly at: number }>(maxKept);
  const userOf = shareCalls(async (id): Promise<User | undefined> => {
    const reply = await ask('users.info', { user: id }, userReply);
    if (reply instanceof NoAnswer) return undefined;
    users.set(id, { user: reply.user, at: now() });
    return reply.user;
  });
  return (id: string, purpose: Purpose): User | Promise<User | undefined> => {
    const found = users.get(id);
    return found && now() - found.at < accountAgeMs[purpose] ? found.user : userOf(id);
  };
}

const channelFrom = (id: string, look: ChannelLook | undefined): Channel => ({
  id,
  shared: look?.kind === 'seen' ? look.shared : undefined,
});

type PersonFacts = PolicyPerson & { readonly team: string; readonly from: string };

const personFrom = (user: User, { id, team, from, ...groups }: PersonFacts): Person => ({
  id,
  name: user.profile?.display_name || user.real_name || user.name || id,
  team: user.team_id ?? from,
  standing: from === team ? userStanding(user, team) : 'stranger',
  ...groups,
  zone: user.tz ?? 'UTC',
});

type GroupAnswers = readonly (readonly [group: string, answer: GroupAnswer])[];

/** Which of these groups somebody is in, by this id or another of theirs. Unanswered groups are in none. */
function membershipsIn(lists: GroupAnswers, id: string, ids: readonly string[]): Omit<PolicyPerson, 'id'> {
  const groupsWhere = (fits: (members: readonly string[]) => boolean): readonly string[] =>
    lists.flatMap(([group, answer]) => (answer.kind === 'members' && fits(answer.ids) ? [group] : []));
  const joined = (members: readonly string[]): boolean => ids.some((one) => members.includes(one));
  return {
    groups: groupsWhere((members) => members.includes(id)),
    joinedGroups: groupsWhere((members) => !members.includes(id) && joined(members)),
    otherGroups: groupsWhere((members) => !members.includes(id) && !joined(members)),
  };
}

function groupAnswerOf(reply: z.infer<typeof groupReply> | NoAnswer): GroupAnswer {
  if (!(reply instanceof NoAnswer)) return { kind: 'members', ids: reply.users };
  const { errorCode: why = 'no answer', isLasting, restMs } = reply;
  return { kind: 'not told', why, isLasting, restMs };
}

export function userStanding(user: User, team: string): Person['standing'] {
  if (user.deleted) return 'deactivated';
  if (user.is_bot || user.id === 'USLACKBOT') return 'bot';
  // In an Enterprise Grid all workspaces share the Grid. Only people whose own list has this workspace belong to it.
  const isOurs = user.team_id === team || user.enterprise_user?.teams?.includes(team);
  if (user.is_stranger || !isOurs) return 'stranger';
  return user.is_restricted || user.is_ultra_restricted ? 'guest' : 'member';
}

/** Who is in which channel: that a form or a button names a channel gives nobody the right to be answered there. */
type ChannelMembers = {
  /** Whether this person is in this channel; undefined: Slack doesn't say. */
  readonly isIn: (person: string, channel: string) => Promise<boolean | undefined>;
  /** Call it when they type something there. */
  readonly typedIn: (person: string, channel: string) => void;
};

/** How long somebody counts as being where they typed: longer than a form stays open. */
const typedMs = hourMs;
/** How long an answer is waited for: a form waits for it before its ack. It is kept for the next time if it comes late. */
const patienceMs = 800;
/** How long an answer stays fresh. */
const freshMs = minuteMs;
/** How many people in channels are kept; the oldest are dropped first. */
const maxChannelsKept = 5_000;
const pageSize = 999;
const maxPages = 5;

const reply = z.object({
  channels: z.array(z.object({ id: z.string() })),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

/** `now`: monotonic milliseconds. */
function createChannelMembers(ask: BoundedCall, now: () => number): ChannelMembers {
  const typed = new BoundedMap<string, number>(maxChannelsKept);
  const answers = new BoundedMap<string, { readonly isIn: boolean; readonly at: number }>(maxChannelsKept);
  const look = createLook(ask, now);
  const lookOnce = shareCalls(async (key): Promise<boolean | undefined> => {
    const [person = '', channel = ''] = key.split(' ');
    const isIn = await look(person, channel);
    if (isIn !== undefined) answers.set(key, { isIn, at: now() });
    return isIn;
  });
  return {
    isIn: async (person, channel) => {
      const key = `${person} ${channel}`;
      const at = typed.get(key);
      if (at !== undefined && now() - at < typedMs) return true;
      const known = answers.get(key);
      if (known && now() - known.at < freshMs) return known.isIn;
      return within(patienceMs, lookOnce(key)).catch(() => undefined);
    },
    typedIn: (person, channel) => typed.set(`${person} ${channel}`, now()),
  };
}

/** Asks Slack, page by page. While it says to rest, nothing is asked. */
function createLook(ask: BoundedCall, now: () => number): ChannelMembers['isIn'] {
  let restUntil = Number.NEGATIVE_INFINITY;
  return async (user, channel) => {
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      if (now() < restUntil) return undefined;
      const query = { user, types: 'public_channel,private_channel', limit: pageSize, ...(cursor && { cursor }) };
      const answer = await ask('users.conversations', query, reply);
      if (answer instanceof NoAnswer) {
        restUntil = now() + (answer.restMs ?? 0);
        return undefined;
      }
      if (answer.channels.some(({ id }) => id === channel)) return true;
      cursor = answer.response_metadata?.next_cursor ?? '';
      if (cursor === '') return false;
    }
    return undefined;
  };
}

import { z } from 'zod';
import type { Channel, Person } from '../../pipeline/access/authorise.ts';
import type { ChannelLook } from '../../pipeline/messages/messenger.ts';
import type { Person as PolicyPerson } from '../../policy/rules.ts';
import { asking, NoAnswer, shared, type Questions } from './bounded-calls.ts';
import type { Bot } from './token.ts';
import { createUserGroups, type Purpose, type Told, type UserGroupOptions } from './user-groups.ts';

/**
 * Asks who somebody is, and in which of these Slack user groups. `from`: where a delivery says they are from, which can
 * only make a stranger of them. Undefined: Slack did not answer in time; what it does not tell of a group is not known of them.
 */
type Who = (id: string, groups: readonly string[], from?: string) => Promise<Person | undefined>;

/** Who somebody is, right now, as Slack tells. */
export type People = {
  /** From memory where it is not older than a minute. */
  readonly known: Who;
  /** For what is shown or suggested: groups from memory, where they were heard of in the last minutes. */
  readonly glanced: Who;
  /** Asked of Slack now. */
  readonly asked: Who;
  /** As that; but groups only where they were not asked about in the last 15 seconds. */
  readonly fresh: Who;
  /** Who is in a Slack user group, from memory where it is young; undefined: Slack did not tell. */
  readonly membersOf: (group: string, isGlance?: boolean) => Promise<readonly string[] | undefined>;
  /** Why Slack did not tell who is in a user group when it was asked last. */
  readonly groupTrouble: (group: string) => string | undefined;
  /** Where a delivery says that somebody is from: the enterprise where it names another one than ours, else the team. */
  readonly originOf: (named: { team?: string | undefined; enterprise?: string | undefined }) => string | undefined;
  readonly channel: (id: string) => Promise<Channel>;
  /** Slack said that a user group has other members now. */
  readonly groupChanged: (group: string) => void;
};

export type PeopleOptions = Questions &
  Pick<UserGroupOptions, 'onGroup'> & {
    readonly bot: Pick<Bot, 'team' | 'enterprise'>;
    /** Every Slack user id of the person behind this one. */
    readonly idsOf: (id: string) => readonly string[];
    /** How a channel is seen now; rejects where Slack does not say. */
    readonly lookAt: (channel: string) => Promise<ChannelLook>;
    /** Milliseconds of a clock that never jumps. */
    readonly now: () => number;
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
    enterprise_user: z.object({ teams: z.array(z.string()).optional() }).optional(),
  }),
});
const groupReply = z.object({ users: z.array(z.string()) });

const freshMs = 60_000;
/** Answers kept; the oldest go first. */
const maxKept = 5_000;

type User = z.infer<typeof userReply>['user'];

/** Asks Slack about people and groups, and remembers the answers for a minute. */
export function createPeople(options: PeopleOptions): People {
  const { now, idsOf, onGroup, lookAt } = options;
  const { team, enterprise: ours } = options.bot;
  const ask = asking(options);
  const users = memory(now);
  const groups = createUserGroups({
    question: async (usergroup) => toldBy(await ask('usergroups.users.list', { usergroup }, groupReply)),
    now,
    onGroup,
  });

  const userOf = shared(async (id): Promise<User | undefined> => {
    const reply = await ask('users.info', { user: id }, userReply);
    return reply instanceof NoAnswer ? undefined : users.keep(id, reply.user);
  });
  const who =
    (purpose: Purpose): Who =>
    async (id, wanted, from = team) => {
      const [user, ...lists] = await Promise.all([
        (purpose === 'decisive' || purpose === 'fresh' ? undefined : users.get(id)) ?? userOf(id),
        ...wanted.map(async (group) => [group, await groups.ask(group, purpose)] as const),
      ]);
      return user && personFrom(user, { id, team, from, ...membershipsIn(lists, id, idsOf(id)) });
    };
  const channelOf = async (id: string): Promise<Channel> => {
    const look = await lookAt(id).catch(() => undefined);
    return { id, shared: look?.kind === 'seen' ? look.shared : undefined };
  };
  return {
    known: who('usual'),
    glanced: who('glance'),
    asked: who('decisive'),
    fresh: who('fresh'),
    membersOf: async (group, isGlance = false) => {
      const told = await groups.ask(group, isGlance ? 'glance' : 'usual');
      return told.kind === 'members' ? told.ids : undefined;
    },
    originOf: (named) => (named.enterprise === undefined || named.enterprise === ours ? named.team : named.enterprise),
    channel: async (id) => (/^[DU]/.test(id) ? { id, shared: false } : channelOf(id)),
    groupTrouble: groups.troubleOf,
    groupChanged: groups.changed,
  };
}

type Around = PolicyPerson & { readonly team: string; readonly from: string };

const personFrom = (user: User, { id, team, from, ...groups }: Around): Person => ({
  id,
  name: user.profile?.display_name || user.real_name || user.name || id,
  team: user.team_id ?? from,
  standing: from === team ? standingOf(user, team) : 'stranger',
  ...groups,
  zone: user.tz ?? 'UTC',
});

type Lists = readonly (readonly [group: string, told: Told])[];

/** Which of these groups somebody is in, with the id they act with or with another one; of what is not told: neither. */
function membershipsIn(lists: Lists, id: string, ids: readonly string[]): Omit<PolicyPerson, 'id'> {
  const those = (fits: (members: readonly string[]) => boolean): readonly string[] =>
    lists.flatMap(([group, told]) => (told.kind === 'members' && fits(told.ids) ? [group] : []));
  const joined = (members: readonly string[]): boolean => ids.some((one) => members.includes(one));
  return {
    groups: those((members) => members.includes(id)),
    joinedGroups: those((members) => !members.includes(id) && joined(members)),
    otherGroups: those((members) => !members.includes(id) && !joined(members)),
  };
}

function toldBy(reply: z.infer<typeof groupReply> | NoAnswer): Told {
  if (!(reply instanceof NoAnswer)) return { kind: 'members', ids: reply.users };
  const { word: why = 'no answer', isLasting, restMs } = reply;
  return { kind: 'not told', why, isLasting, restMs };
}

function standingOf(user: User, team: string): Person['standing'] {
  if (user.deleted) return 'deactivated';
  if (user.is_bot || user.id === 'USLACKBOT') return 'bot';
  // Of an Enterprise Grid, whose every company has it: only whose own list has this workspace belongs to it.
  const isOurs = user.team_id === team || user.enterprise_user?.teams?.includes(team);
  if (user.is_stranger || !isOurs) return 'stranger';
  return user.is_restricted || user.is_ultra_restricted ? 'guest' : 'member';
}

type Users = {
  get: (id: string) => User | undefined;
  keep: (id: string, user: User) => User;
};

/** What is not older than a minute. */
function memory(now: () => number): Users {
  const kept = new Map<string, { readonly user: User; readonly at: number }>();
  return {
    get: (id) => {
      const found = kept.get(id);
      return found && now() - found.at < freshMs ? found.user : undefined;
    },
    keep: (id, user) => {
      kept.delete(id);
      kept.set(id, { user, at: now() });
      const [oldest] = kept.keys();
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
      return user;
    },
  };
}

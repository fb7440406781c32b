import type { Target } from '../hosting/contract/target.ts';
import type { NameOverrides } from '../hosting/names.ts';
import { type Glob, type Pattern, matches, matchesSeen } from './pattern.ts';
import type { FreezeTime } from './freeze-time.ts';
import { hourMs } from '../words/duration.ts';

/**
 * What each part of the policy says, and what it means where it says nothing: rules, of which the strictest approval
 * counts, channels, and environments.
 */

/** An environment that the file names because the hosting API does not. */
type EnvironmentOverride = NameOverrides['environments'][number] & {
  /** Undefined: the names under `live:` decide. */
  readonly live?: boolean | undefined;
};

/** The settings of one channel. */
type ChannelBounds = {
  /** Only these sites may be discussed here; undefined: any. */
  readonly sites?: readonly Glob[] | undefined;
  /** The channel that cards go to instead. */
  readonly cards?: string | undefined;
};

export type Channels = {
  readonly bounds: ReadonlyMap<string, ChannelBounds>;
  readonly denied: ReadonlySet<string>;
  /** The ops channel: gets faults, unknown outcomes and policy changes. */
  readonly ops: string | undefined;
};

/** What is expected of the environments that `where` covers. Undefined: this entry doesn't say. */
export type SiteExpectations = {
  readonly where: Pattern;
  /** Whether these environments are not checked. */
  readonly isOff: boolean;
  /** Paths of the pages to read. */
  readonly paths?: readonly string[] | undefined;
  /** Texts that must each be on at least one of these pages. */
  readonly must?: readonly string[] | undefined;
  /** Names of the environment, if the host does not say. */
  readonly domains?: readonly string[] | undefined;
};

/** The classes a rule can name instead of commands. */
export const classes = ['read', 'routine', 'sensitive', 'destructive'] as const;
type Class = (typeof classes)[number];

/** A command as the rules see it. `named`: no class covers it, so a rule must name it (`audit`, `pause`, …). */
export type PolicyCommand = {
  readonly path: string;
  readonly risk: Class | 'named';
  /** An emergency brake: an unknown membership counts as an `allow`, not as a `deny`. */
  readonly brake?: true;
  /** The path of a command that includes it: a rule that names that one means this too. */
  readonly within?: string;
  /** It only takes access away: no freeze holds it. */
  readonly neverFrozen?: true;
};
/** Every command there is. */
export type Catalogue = readonly PolicyCommand[];

/**
 * Somebody who asks or approves: their Slack user id and the current Slack user groups. A group in none of the three
 * lists is unknown: Slack was not asked or gave no answer.
 */
export type Member = {
  readonly id: string;
  /** Groups that contain the id they act with. */
  readonly groups: readonly string[];
  /** Groups that contain only another of their ids (see `people:`). A `deny` counts these groups, an `allow` doesn't. */
  readonly joinedGroups?: readonly string[];
  /** Groups that contain none of their ids. */
  readonly otherGroups?: readonly string[];
  /** The program through which they ask, by the hash of its key. It may do only what both may. */
  readonly caller?: Calling | undefined;
};

/** A caller, and the SHA-256 of the key it used (hex). */
export type Calling = {
  readonly name: string;
  readonly key: string;
  /** What the request is called in the log and the trail. */
  readonly as?: string;
  /** Its `Idempotency-Key` and the hash of its body, so that the same request makes one change. */
  readonly request?: { readonly id: string; readonly body: string };
};

/** A program that asks for a person, as the policy file describes it. */
export type Caller = {
  readonly name: string;
  /** SHA-256 of each key, hex. */
  readonly keys: ReadonlySet<string>;
  /** Slack id of the person for whom it asks. */
  readonly for: string;
  /** Slack ids and names of groups: everybody who can read or trigger a key. None of them decides what it asks for. */
  readonly operators: readonly string[];
  /** Where its cards are posted. */
  readonly channel: string;
  /** From then on its keys are refused, epoch ms. */
  readonly expires: number;
};

/** How a rule names a caller in `to`. */
export const callerPrefix = 'caller:';

/** One target of a command. `read`: the change only reads it, like the source of a push. */
export type Aim = { readonly target: Target; readonly access: 'change' | 'read' };

/**
 * Names of groups and of callers (`caller:NAME`), or everyone who may use Sitehand at all (never guests, bots or
 * strangers). No caller is part of `everyone`; but what denies everyone denies the person for whom it asks, and both are
 * asked (`decideAccess`).
 */
export type Audience = 'everyone' | readonly string[];

/** A regular expression that has to be found in the reason, and the link that what was found becomes (`$0`, `$1`, …). */
export type ReasonMatch = { readonly match: string; readonly link?: string | undefined };

/** Whether a reason is needed. Matches: it is, and each of them has to be found in it. */
export type NeededReason = 'required' | 'optional' | readonly ReasonMatch[];

/** These groups can approve as well, from `after` milliseconds after asking on. */
export type Escalation = { readonly after: number; readonly to: readonly string[] };

/** The approval a rule asks for before a change is sent. `expires` is in milliseconds. */
export type Approval = {
  /** Groups whose members may approve. `allowed`: anybody whom a rule allows the same command on the same target. */
  readonly by: 'allowed' | readonly string[];
  /** Groups whose members are notified of a request; undefined: those who may approve. */
  readonly notify?: readonly string[] | undefined;
  readonly escalate?: Escalation | undefined;
  readonly count: number;
  readonly expires: number;
  readonly reason: NeededReason;
};

/** A rule as shown to people: the line it begins in and its shortened text. */
export type RuleRef = { readonly line: number; readonly text: string };

export type Rule = RuleRef & {
  readonly effect: 'allow' | 'deny';
  readonly column: number;
  /** Classes and paths of commands, as written. */
  readonly what: ReadonlySet<string>;
  readonly to: Audience;
  /** Undefined: everywhere. */
  readonly where: readonly Pattern[] | undefined;
  /** Undefined: the rule doesn't say. `none`: the rule says `none`. */
  readonly approval: 'none' | Approval | undefined;
  /** Whether a batch sends to one environment first. */
  readonly canary: boolean;
  /** How long a batch may begin changes after its start, in milliseconds; undefined: the rule does not say. */
  readonly batchValidity: number | undefined;
  /** Whether those whom it allows may skip approval and freezes in an emergency; undefined: not by this rule. */
  readonly breakGlass: BreakGlass | undefined;
};

/**
 * `looked at`: where the policy names somebody else who could approve, and so can review it afterwards. `alone`: only
 * where it names nobody else.
 */
export const breakGlassWays = ['looked at', 'alone'] as const;
export type BreakGlass = (typeof breakGlassWays)[number];

/** A time in which changes are held, whatever rules allow. It allows nothing. */
export type Freeze = Pick<Rule, 'line' | 'column' | 'where'> & {
  readonly name: string;
  readonly reason?: string | undefined;
  /** Classes and paths of commands; undefined: whatever changes something. */
  readonly what: ReadonlySet<string> | undefined;
  readonly time: FreezeTime;
  /** Groups and callers that it does not hold, and the approval that they need as well. */
  readonly except?: { readonly to: readonly string[]; readonly approval: 'none' | Approval } | undefined;
};

/** The policy file, read and checked. */
export type Policy = {
  /** SHA-256 of the text, hex. */
  readonly hash: string;
  readonly text: string;
  readonly catalogue: Catalogue;
  /** The environments that count as live. */
  readonly live: readonly Pattern[];
  /** Name → Slack user ids and user-group ids. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** Slack user id → every id of the same person, for people with several. */
  readonly people: ReadonlyMap<string, readonly string[]>;
  /** Name → the caller. */
  readonly callers: ReadonlyMap<string, Caller>;
  readonly rules: readonly Rule[];
  readonly freezes: readonly Freeze[];
  /** Name → the environments in the set. */
  readonly sets: ReadonlyMap<string, readonly Pattern[]>;
  readonly channels: Channels;
  /** What is expected of sites when they are checked, in file order; `off`: no site is checked. */
  readonly checks: 'off' | readonly SiteExpectations[];
  readonly overrides: Pick<NameOverrides, 'sites'> & { readonly environments: readonly EnvironmentOverride[] };
};

/** Whether the rule names this command's path, one that includes it, or its class. No rule can name the class `named`. */
export function namesCommand(
  { what }: { readonly what: Rule['what'] },
  { path, within, risk }: PolicyCommand,
): boolean {
  return what.has(path) || what.has(risk) || (within !== undefined && what.has(within));
}

/** Whether the command changes something at the host. */
export const isWrite = ({ risk }: PolicyCommand): boolean => risk !== 'read' && risk !== 'named';

/** Whether the rules know this right only by the class *read*, so that it is the right to read. */
export const isReadingAlone = ({ rules }: Policy, { path, risk }: PolicyCommand): boolean =>
  risk === 'read' && !rules.some(({ what }) => what.has(path));

/** How many approvals a change needs by default, and whether it needs a reason. */
export const defaultApprovals = 1;
export const defaultReason = 'optional';
/** How long a change waits for approval by default, in milliseconds. */
export const defaultExpiryMs = hourMs;

/** How long a batch may begin changes after its start by default, in milliseconds. */
export const defaultBatchValidityMs = 30 * 60_000;

/**
 * Whether these sites may be discussed in a channel. `denied`: no site may. `outside`: the channel is bound to other
 * sites. An `undefined` name is an unknown site, which is outside every binding.
 */
export function channelRule(
  policy: Policy,
  channel: string,
  sites: readonly (string | undefined)[],
): 'ok' | 'denied' | 'outside' {
  if (policy.channels.denied.has(channel)) return 'denied';
  const bound = policy.channels.bounds.get(channel)?.sites;
  const inside = (site: string | undefined) => site !== undefined && bound?.some((glob) => matches(glob, site));
  return !bound || sites.every(inside) ? 'ok' : 'outside';
}

/** The channel that gets the cards for commands in this channel. */
export function cardsChannel(policy: Policy, channel: string): string {
  return policy.channels.bounds.get(channel)?.cards ?? channel;
}

/** What counts as live if the file doesn't say. */
export const liveByDefault = ['*/live'];

/** What is known about an environment. */
export type KnownEnvironment = {
  readonly id?: string;
  /** Names of the site and of the environment within it; undefined: unknown. */
  readonly site: string | undefined;
  readonly name: string | undefined;
  /** Whether the name shows reliably which kind of environment it is. */
  readonly kindKnown: boolean;
};

/** Whether an environment counts as live: by its override, else by `live:`. Unknown counts as live. */
export function isLive(policy: Policy, environment: KnownEnvironment): boolean {
  const override = policy.overrides.environments.find(({ id }) => id === environment.id)?.live;
  if (override !== undefined) return override;
  const { site, name, kindKnown } = environment;
  return !kindKnown || site === undefined || name === undefined || isNamedLive(policy.live, site, name);
}

/** Whether an entry of `live:` covers these names. */
export function isNamedLive(live: Policy['live'], site: string, name: string): boolean {
  return live.some(
    (entry) => entry.kind === 'environment' && matchesSeen(entry.site, site) && matchesSeen(entry.environment, name),
  );
}

/** `count` people of these groups; `allowed`: people whom a rule allows the same command on the same target. */
export type Requirement = {
  readonly by: 'allowed' | readonly string[];
  readonly count: number;
  /** Groups whose members are notified of a request; missing: those who may approve. */
  readonly notify?: readonly string[];
  readonly escalate?: Escalation;
};

/** The approval a change needs, as plain data stored with it. `expires` is in milliseconds after asking. */
export type Needed = {
  /** All must be met. One person may count towards several. */
  readonly requirements: readonly Requirement[];
  readonly expires: number;
  readonly reason: NeededReason;
};

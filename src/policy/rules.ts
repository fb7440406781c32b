import type { Target } from '../hosting/contract/target.ts';
import type { Glob, Pattern } from './pattern.ts';

/** An environment that the file names itself, because the hosting API cannot: UUID → site and name. */
export type PinnedEnvironment = {
  readonly id: string;
  readonly site: string;
  readonly name: string;
  /** Undefined: the names under `live:` decide. */
  readonly live: boolean | undefined;
};

/** A site that the file names itself, with the UUIDs of its environments. */
export type PinnedSite = { readonly id: string; readonly name: string; readonly environments: readonly string[] };

/** What the directory takes from the file. */
export type Pins = { readonly environments: readonly PinnedEnvironment[]; readonly sites: readonly PinnedSite[] };

/** What the file says about one channel. */
export type ChannelBounds = {
  /** Only these sites may be spoken of here; undefined: any. */
  readonly sites: readonly Glob[] | undefined;
  /** The channel that cards go to instead. */
  readonly cards: string | undefined;
};

export type Channels = {
  readonly bounds: ReadonlyMap<string, ChannelBounds>;
  readonly denied: ReadonlySet<string>;
  /** Where faults, unknown outcomes and changes of the policy are told. */
  readonly ops: string | undefined;
};

/** The classes a rule can name instead of commands. */
export const CLASSES = ['read', 'routine', 'sensitive', 'destructive'] as const;
type Class = (typeof CLASSES)[number];

/** What the rules know of a command. `named`: no class covers it, a rule has to spell it out (`audit`, `pause`, …). */
export type Command = {
  readonly path: string;
  readonly risk: Class | 'named';
  /** Stops things where nobody can be asked first: whoever may be allowed it is. */
  readonly emergency?: true;
};
/** Every command there is. */
export type Catalogue = readonly Command[];

/**
 * Somebody who asks or approves: Slack user id, and ids of Slack user groups as they are right now. A group in none of
 * the three lists was not asked about, or could not be: then it is not known whether they are in it.
 */
export type Person = {
  readonly id: string;
  /** Those they are in with the id they act with. */
  readonly groups: readonly string[];
  /** Those that only another id of theirs is in, as `people:` joins them: a `deny` reaches them, no `allow` does. */
  readonly joinedGroups?: readonly string[];
  /** Those that none of their ids is in. */
  readonly otherGroups?: readonly string[];
};

/** One thing a command is about; `read` is asked for what a change only reads (the source of a push). */
export type Aim = { readonly target: Target; readonly access: 'change' | 'read' };

/** Names of groups, or everyone who may use Sitehand at all (never guests, bots or strangers). */
export type Audience = 'everyone' | readonly string[];

/** What a rule asks for before a change is sent. `expires` is in milliseconds. */
export type Approval = {
  /** Groups, any of whose people may approve; `allowed`: whoever a rule allows the same command on the same target. */
  readonly by: 'allowed' | readonly string[];
  readonly count: number;
  readonly expires: number;
  readonly reason: 'required' | 'optional';
};

/** Names a rule to a person: the line it begins in, and what it says, shortened. */
export type RuleRef = { readonly line: number; readonly text: string };

export type Rule = RuleRef & {
  readonly effect: 'allow' | 'deny';
  readonly column: number;
  /** Classes and paths of commands, as written. */
  readonly what: ReadonlySet<string>;
  readonly to: Audience;
  /** Undefined: everywhere. */
  readonly where: readonly Pattern[] | undefined;
  /** Undefined: the rule does not say; `none` was written out. */
  readonly approval: 'none' | Approval | undefined;
};

/** The policy file, read and checked. */
export type Policy = {
  /** SHA-256 of the text, hex. */
  readonly hash: string;
  readonly text: string;
  readonly catalogue: Catalogue;
  /** What counts as live. */
  readonly live: readonly Pattern[];
  /** Name → Slack user ids and user-group ids. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** Slack user id → every id of the same person, for those who have several. */
  readonly people: ReadonlyMap<string, readonly string[]>;
  readonly rules: readonly Rule[];
  readonly channels: Channels;
  readonly pins: Pins;
};

/** Whether the rule speaks of this command, by its path or by its class; `named` is none that a rule can write. */
export function speaksOf(rule: Rule, command: Command): boolean {
  return rule.what.has(command.path) || rule.what.has(command.risk);
}

const HOUR = 3_600_000;
/** How long a wish waits for approval where the rule does not say, in milliseconds. */
export const DEFAULT_EXPIRY = HOUR;

/** Holds for a destructive command where a rule allows it without a word about approval. */
const SOMEBODY_ELSE: Approval = { by: 'allowed', count: 1, expires: DEFAULT_EXPIRY, reason: 'optional' };

/** What an allowing rule asks for before this command is sent. */
export function approvalBy(rule: Rule, command: Command): 'none' | Approval {
  return rule.approval ?? (command.risk === 'destructive' ? SOMEBODY_ELSE : 'none');
}

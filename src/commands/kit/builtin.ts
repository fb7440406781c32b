import type { Environment, Domain, NamedSite } from '../../hosting/contract/target.ts';
import type { Words } from '../../errors.ts';
import type { Text } from '../../text.ts';
import type { Fields, Input } from './fields.ts';
import type { LockInfo } from './lock-info.ts';
import type { Page } from './page.ts';
import type { Finding, TrailFile, TrailFilter, TrailLine } from './audit.ts';

/** What a desk command may ask of Sitehand; the pipeline implements it for one person in one place. */
export type QueryService = {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly groups: readonly string[];
    readonly zone: string;
  };
  readonly now: number;
  /**
   * Every command, in the catalogue's order, and whether this person may run it somewhere; `unknown`: the Slack user
   * groups on which alone that depends, where Slack does not tell who is in them.
   */
  commands(): readonly {
    readonly path: string;
    readonly summary: string;
    readonly usage: string;
    /** The whole command as somebody would type it; a command about Sitehand itself has none. */
    readonly example: string | undefined;
    readonly mayRun: boolean;
    readonly unknown: readonly string[];
  }[];
  /** What this person may read and can name. */
  names(): {
    readonly environments: readonly Environment[];
    readonly domains: readonly Domain[];
    readonly at: number | undefined;
    /** Whether the host has told of environments at all. */
    readonly isListed: boolean;
    readonly trouble: Text | undefined;
  };
  /** A change that this person may read: its card's facts and its history, oldest first. */
  change(number: number): Promise<ChangeStory | undefined>;
  /** Changes that this person may read, newest first; `more`: there are, or may be, older ones. */
  changes(filter: ChangeFilter): Promise<{ readonly lines: readonly ChangeLine[]; readonly more: boolean }>;
  /** Access that ends by itself, of what this person may read, the next end first; `more`: there may be further ends. */
  timers(env: Environment | undefined): Promise<{ readonly lines: readonly TimerLine[]; readonly more: boolean }>;
  /** The timer of that change, also where it is over; undefined where there is none that this person may read. */
  timer(change: number): Promise<TimerLine | undefined>;
  /** Whether somebody (left out: this person) may say these words, and what decides it; nothing of them runs. */
  can(words: Words, person: string | undefined): Promise<Ability>;
  /** The trail that this person may read, newest first; `more`: there are, or may be, older lines. */
  trail(filter: TrailFilter): Promise<{ readonly lines: readonly TrailLine[]; readonly more: boolean }>;
  /** Holds the whole trail against its hashes and against the head that was told last. */
  verify(): Promise<Finding>;
  /** The trail that this person may read as a file, its newest lines where it is too long; written down itself. */
  takeAway(format: 'csv' | 'jsonl', since: number | undefined): Promise<TrailFile>;
  /** Names of the policy's groups this person is in, whether policy knows them at all, and Slack user groups that are not told. */
  standing(): { readonly groups: readonly string[]; readonly known: boolean; readonly unknown: readonly string[] };
  /** Locks an environment in this person's name, for so many milliseconds or until it is unlocked; `done` false: `hold` kept it. */
  lock(
    env: Environment,
    why: string,
    forMs: number | undefined,
  ): Promise<{ readonly done: boolean; readonly hold: LockInfo }>;
  /** Takes away the lock that a person holds; `done` false: a change holds it, or, without `hold`, nobody. */
  unlock(env: Environment): Promise<{ readonly done: boolean; readonly hold: LockInfo | undefined }>;
  /** Takes away the lock of a change that is unknown or settled, from this environment alone; the change stays as it is. */
  forceUnlock(env: Environment): Promise<Forced>;
  /** Stops all sends of all replicas, with how many changes that holds back and how many the host has; `done` false: they were stopped already. */
  pause(why: string | undefined): Promise<Paused>;
  /** Lets sends go on; resolves with the pause that is over, if there was one, and with how many changes it held back. */
  resume(): Promise<Pick<Paused, 'pause' | 'held' | 'named'> | undefined>;
  /** Looks whether everything works that Sitehand stands on; tells nothing that a reader may not know. */
  health(): Promise<readonly Check[]>;
  /** What this installation is. */
  edition(): Edition;
  /** The site that this channel is bound to. */
  bound(): Promise<Bound | undefined>;
  /** Binds this channel to a site and announces it; false: it was bound to it already. */
  use(site: NamedSite): Promise<boolean>;
  /** Ends the binding; resolves with it, if there was one. */
  forget(): Promise<Bound | undefined>;
};

/** A site that a channel is bound to, by its name, and the Slack user id of who bound it. */
export type Bound = { readonly name: string; readonly by: string };

/** How one thing stands that Sitehand needs; `ok` undefined: nobody can say; `hint`: what to do where it is not well. */
export type Check = {
  readonly what: string;
  readonly ok: boolean | undefined;
  readonly says: Text;
  readonly hint?: Text;
};

/** Which Sitehand this is. */
export type Edition = {
  readonly version: string;
  readonly licence: string;
  /** How the hosting API is spoken to. */
  readonly dialect: string;
  /** The kind of database. */
  readonly database: string;
  /** Tells this database from any other. */
  readonly installation: string;
};

/** Which changes to list. */
export type ChangeFilter = {
  readonly env: Environment | undefined;
  readonly mine: boolean;
  readonly waiting: boolean;
};

/** A change in a list; `asker` is a Slack user id, `at` epoch milliseconds. */
export type ChangeLine = {
  readonly number: number;
  /** Its mark and its state. */
  readonly state: string;
  readonly title: string;
  readonly asker: string;
  readonly at: number;
};

/** Access that ends by itself. Times are epoch milliseconds. */
export type TimerLine = {
  /** The change that granted it. */
  readonly change: number;
  readonly env: { readonly id: string; readonly name: string };
  readonly addresses: readonly string[];
  /** Slack user id of who asked. */
  readonly requester: string;
  readonly endsAt: number;
  /** How it stands, where there is more to say than when it ends. */
  readonly standing: Text | undefined;
  /** How it ended; undefined: it is open. */
  readonly over: string | undefined;
  /** The change that is taking the addresses away. */
  readonly removal: number | undefined;
  /** The words of the command that takes them away now. */
  readonly remove: Words;
};

/** A rule of the policy, by the line it begins in. */
export type RuleLine = { readonly line: number; readonly text: string };

/** Whether somebody may run a command on something, and what decides it. */
export type Ability = {
  readonly person: { readonly id: string; readonly name: string };
  readonly path: string;
  /** The class of the command; `named`: a rule has to name it. */
  readonly risk: string;
  /** What it would be about; undefined: nothing in particular. */
  readonly target: string | undefined;
  readonly answer:
    | { readonly kind: 'for everybody' }
    | { readonly kind: 'allowed'; readonly rules: readonly RuleLine[]; readonly approval: 'none' | Approving }
    | { readonly kind: 'denied'; readonly rule: RuleLine; readonly whoMay: readonly string[] }
    | { readonly kind: 'no rule'; readonly lets: readonly RuleLine[]; readonly whoMay: readonly string[] }
    /** Guests, bots and strangers: no rule is read for them. */
    | { readonly kind: 'not welcome'; readonly why: string }
    | { readonly kind: 'hidden'; readonly what: string }
    /** It depends on who is in these Slack user groups, and Slack does not tell. */
    | { readonly kind: 'unknown'; readonly userGroups: readonly string[] };
};

/** The approval that the rules want. `expires` is in milliseconds. */
export type Approving = {
  readonly asks: readonly {
    readonly count: number;
    readonly people: number;
    readonly groups: readonly string[];
    /** Slack user groups of theirs whose members are not known. */
    readonly userGroups?: readonly string[];
  }[];
  /** Who that is, by name. */
  readonly who: Text;
  readonly expires: number;
  readonly reason: 'required' | 'optional';
};

/** What came of taking the lock of a change away. `stands`: how the change stands, a sentence. */
export type Forced =
  | { readonly kind: 'not locked' }
  | { readonly kind: 'held by a person'; readonly hold: LockInfo }
  | { readonly kind: 'under way'; readonly change: number; readonly stands: Text }
  | {
      readonly kind: 'freed';
      readonly change: number;
      readonly stands: Text;
      /** Until when its write can still arrive at the host, epoch ms; undefined: it cannot. */
      readonly arrives: number | undefined;
      /** Ids of the environments that it still locks. */
      readonly others: readonly string[];
    };

/** That nothing is sent: since when, by whom (Slack user id, or `sitehand`, and the name as it was), and why. */
export type Pause = {
  readonly by: string;
  readonly name: string;
  readonly why: string | undefined;
  readonly at: number;
};

/**
 * What came of pausing: `done` false: it was paused already; how many changes that holds back, the first few of them that
 * this person may read, and how many the host has.
 */
export type Paused = {
  readonly done: boolean;
  readonly pause: Pause;
  readonly held: number;
  readonly named: readonly Pick<ChangeLine, 'number' | 'title'>[];
  readonly atHost: number;
};

/** The life of a change, told for one reader. */
export type ChangeStory = {
  readonly title: Text;
  readonly facts: readonly (readonly [label: string, value: Text])[];
  readonly events: readonly { readonly at: number; readonly actor: string; readonly says: Text }[];
};

/** What a desk command answers. */
export type BuiltinAnswer = Page | { readonly instead: Words };

/** A command about Sitehand itself. `right`: any reader, or only whom a rule names the command itself. */
export type Builtin<F extends Fields> = {
  readonly shape: 'builtin';
  readonly summary: string;
  readonly button: string;
  readonly right: 'anyone' | 'read' | 'named';
  /** It changes something: it is written down before it is acked, and done once however often it is delivered. */
  readonly changes?: true;
  /** It stops things or lets them go on: whatever else is under way, there is a place for it. */
  readonly urgent?: true;
  /** It stops things: whoever may be allowed it is, where it is not known who is in a Slack user group. */
  readonly emergency?: true;
  /** It shows what somebody may do at all: what was heard of their Slack user groups a while ago is good enough for it. */
  readonly glances?: true;
  /** It shows what there is: the host is asked anew first, for a moment. */
  readonly freshens?: true;
  /** It concerns everything there is: a rule that is bound to some places does not allow it. */
  readonly everywhere?: true;
  /** A flag that is a right of its own: a rule has to name it with its command, as in `unlock --force`. */
  readonly ownRight?: keyof F & string;
  readonly fields: F;
  /** A page, or the words of another command, which is run in its place with the rights of whoever spoke. */
  answer(of: { readonly input: Input<F>; readonly queryService: QueryService }): Promise<BuiltinAnswer> | BuiltinAnswer;
};

/** Declares a desk command. */
export function builtin<const F extends Fields>(of: Omit<Builtin<F>, 'shape'>): Builtin<F> {
  return { shape: 'builtin', ...of };
}

/** Any desk command. */
export type AnyBuiltin = Builtin<Fields>;

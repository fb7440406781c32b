import type { Environment, Domain, NamedSite } from '../../hosting/contract/target.ts';
import type { Args } from '../../base/errors.ts';
import type { Text } from '../../words/text.ts';
import type { Examples } from './action.ts';
import type { Fields, Input } from './fields.ts';
import type { ListedChange, Pause, TimerLine } from './change-lines.ts';
import type { LockInfo } from './lock-info.ts';
import type { Page } from './page.ts';
import type { TimeLine } from './time-line.ts';
import type { WatchService } from './watch.ts';
import type { EnvironmentResult } from './report.ts';
import type { BriefStatus, SiteStatus } from './site-status.ts';
import type { Finding, TrailFile, TrailFilter, TrailLine } from './audit.ts';

/** What a built-in may use of Sitehand; the pipeline implements it for one person in one channel. */
export type QueryService = WatchService & {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly groups: readonly string[];
    readonly zone: string;
  };
  readonly now: number;
  /** What this person may read. `at`: when the host listed it, epoch ms. */
  names(): {
    readonly environments: readonly Environment[];
    readonly domains: readonly Domain[];
    /** For which environment a domain of this name is, where the host says so. */
    readonly domainHomes: readonly { readonly name: string; readonly environmentId: string }[];
    readonly at: number | undefined;
    /** Whether the host has listed environments at all. */
    readonly isListed: boolean;
    readonly trouble: Text | undefined;
  };
  /** The facts and the history (oldest first) of a change; undefined if this person may not read it. */
  change(number: number): Promise<ChangeStory | undefined>;
  /** Changes that this person may read, newest first. `more`: there may be older ones. */
  changes(filter: ChangesQuery): Promise<{ readonly lines: readonly ListedChange[]; readonly more: boolean }>;
  /** Timed access that this person may read, earliest end first. `more`: there may be later ones. */
  timers(env: Environment | undefined): Promise<{ readonly lines: readonly TimerLine[]; readonly more: boolean }>;
  /** The timer of a change, even if it is over; undefined if this person may not read it or there is none. */
  timer(change: number): Promise<TimerLine | undefined>;
  /** The trail lines that this person may read, newest first. `more`: there may be older ones. */
  trail(filter: TrailFilter): Promise<{ readonly lines: readonly TrailLine[]; readonly more: boolean }>;
  /** Checks the whole trail against its hashes and against the head that was published last. */
  verify(): Promise<Finding>;
  /** The trail lines that this person may read, as a file; only the newest if it is too long. The export is audited. */
  exportTrail(format: 'csv' | 'jsonl', since: number | undefined): Promise<TrailFile>;
  /** What happened to an environment since `since` (epoch ms), limited to what this person may read. */
  timeLine(env: Environment, since: number): Promise<TimeLine>;
  /** As `timeLine`, as a Markdown file; without the oldest entries if it is too long. The export is audited. */
  exportTimeLine(
    env: Environment,
    since: number,
  ): Promise<{ readonly file: { readonly name: string; readonly content: string }; readonly line: TimeLine }>;
  /** Locks an environment for `forMs`, or until it is unlocked. `says`: who locks it already, so nothing was done. */
  lock(
    env: Environment,
    why: string,
    forMs: number | undefined,
  ): Promise<{ readonly done: true; readonly lock: LockInfo } | { readonly done: false; readonly says: Text }>;
  /** Removes a person's lock. `done` is false if a change holds it, or, without `lock`, if there is no lock. */
  unlock(env: Environment): Promise<{ readonly done: boolean; readonly lock: LockInfo | undefined }>;
  /** Removes the lock of an unknown or settled change from this environment only; the change itself is untouched. */
  forceUnlock(env: Environment): Promise<ForceUnlockResult>;
  /** The queues that this person may see, each in order, and their own places. `more`: there are more. */
  queue(env: Environment | undefined): Promise<{ readonly lines: readonly QueueLine[]; readonly more: boolean }>;
  /** Gives up a place of this person; resolves with its request, or undefined if they have no such place. */
  leaveQueue(place: number): Promise<Pick<QueueLine, 'what' | 'target'> | undefined>;
  /** Stops the sends of all replicas; `done` is false if they were already stopped. */
  pause(why: string | undefined): Promise<PauseResult>;
  /** Ends the pause that began at `began` (epoch ms). By default the oldest, except one left over when another ended. */
  resume(began: number | undefined): Promise<ResumeResult>;
  /** The state of an environment. Resolves within about two seconds, with whatever could be read by then. */
  status(env: Environment): Promise<SiteStatus>;
  /** What can be read quickly about many environments. Resolves in two minutes at most; rejects with `NotAdmitted`. */
  briefStatus(all: readonly Environment[]): Promise<readonly EnvironmentResult<BriefStatus>[]>;
  /** Whether this person is known to be allowed to run a command on an environment. */
  mayRunOn(path: string, env: Environment): boolean;
  /** The environments that this person used last, newest first. */
  recent(): Promise<readonly Environment[]>;
  /** The site that this channel is bound to. */
  bound(): Promise<ChannelBinding | undefined>;
  /** Binds this channel to a site and announces it; false if it was already bound to it. */
  use(site: NamedSite): Promise<boolean>;
  /** Ends the binding; resolves with it, or undefined if there was none. */
  forget(): Promise<ChannelBinding | undefined>;
};

/** The site that a channel is bound to. */
export type ChannelBinding = {
  /** Its id, or its name where the host lists no sites. */
  readonly site: string;
  readonly name: string;
  /** Slack user id of the person who bound it. */
  readonly by: string;
};

export type ChangesQuery = {
  readonly env: Environment | undefined;
  readonly mine: boolean;
  readonly waiting: boolean;
};

/** The result of removing a change's lock. `stands` is a sentence about the state of the change. */
export type ForceUnlockResult =
  | { readonly kind: 'not locked' }
  | { readonly kind: 'held by a person'; readonly lock: LockInfo }
  | { readonly kind: 'under way'; readonly change: number; readonly stands: Text }
  | {
      readonly kind: 'freed';
      readonly change: number;
      readonly stands: Text;
      /** Until when its write can still reach the host, epoch ms; undefined: it can't. */
      readonly arrives: number | undefined;
      /** Ids of the environments that it still locks. */
      readonly others: readonly string[];
      /** The numbers of other changes that still lock this environment. */
      readonly still: readonly number[];
    };

/** A request that waits for a lock on `target`. `number`: the number of its place; times in epoch ms. */
export type QueueLine = {
  readonly number: number;
  readonly target: string;
  readonly what: Text;
  readonly requester: string;
  readonly isOwn: boolean;
  /** The change that held the lock when it joined; undefined: a person did. */
  readonly behind: number | undefined;
  readonly isTurn: boolean;
  readonly until: number;
};

/** The result of resuming: the pause that it ended, if any, and what was held back. `left`: the pause still in force. */
export type ResumeResult = Pick<PauseResult, 'held' | 'named'> & Readonly<Record<'ended' | 'left', Pause | undefined>>;

/**
 * The result of pausing. `done` is false if it was already paused. `held` counts the changes held back, `named` has the
 * first few that this person may read, and `atHost` counts those the host already has.
 */
export type PauseResult = {
  readonly done: boolean;
  readonly pause: Pause;
  readonly held: number;
  readonly named: readonly Pick<ListedChange, 'number' | 'title'>[];
  readonly atHost: number;
};

/** The history of a change, written for one reader. */
export type ChangeStory = {
  readonly title: Text;
  readonly facts: readonly (readonly [label: string, value: Text])[];
  /** A batch: a line for each environment. */
  readonly items?: readonly Text[];
  readonly events: readonly { readonly at: number; readonly actor: string; readonly says: Text }[];
};

export type BuiltinAnswer = Page | { readonly instead: Args };

/** A command about Sitehand itself. `right`: everybody, any reader, or only people with a rule that names it. */
export type Builtin<F extends Fields> = {
  readonly shape: 'builtin';
  readonly summary: string;
  readonly button: string;
  /** Left out if nothing can follow its path. */
  readonly examples?: Examples;
  /** What else people call it, as in an action. */
  readonly also?: string;
  readonly right: 'anyone' | 'read' | 'named';
  /** It changes something: saved before the ack, and run once even if it is delivered twice. */
  readonly changes?: true;
  /** It stops or resumes things, so it has its own lane and doesn't wait behind other work. */
  readonly urgent?: true;
  /** It stops things: allowed even if the right depends on a Slack user group whose members are unknown. */
  readonly emergency?: true;
  /** Other commands whose results it shows too, each only on targets on which the person may run that command. */
  readonly shows?: readonly string[];
  /** It only shows what people may do, so slightly old answers about Slack user groups are good enough. */
  readonly glances?: true;
  /** It lists what exists: the host's lists are briefly refreshed first. */
  readonly freshens?: true;
  /** It affects everything: a rule that is limited to some targets does not allow it. */
  readonly everywhere?: true;
  /** A flag that needs a right of its own: a rule has to name it with the command, as in `unlock --force`. */
  readonly ownRight?: keyof F & string;
  readonly fields: F;
  /** Returns a page, or the arguments of another command to run instead, with this person's rights. */
  answer?(of: {
    readonly input: Input<F>;
    readonly queryService: QueryService;
  }): Promise<BuiltinAnswer> | BuiltinAnswer;
};

export function builtin<const F extends Fields>(of: Omit<Builtin<F>, 'shape'>): Builtin<F> {
  return { shape: 'builtin', ...of };
}

export type AnyBuiltin = Builtin<Fields>;

import type { Environment, Domain } from '../hosting/contract/target.ts';
import { person, say, time, type Text } from '../text.ts';
import type { Fields, Input } from './fields.ts';
import type { Page } from './page.ts';

/** What a desk command may ask of Sitehand; the pipeline implements it for one person in one place. */
export type Office = {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly groups: readonly string[];
    readonly zone: string;
  };
  readonly now: number;
  /** Commands that this person may run somewhere, in the catalogue's order. */
  commands(): readonly {
    readonly path: string;
    readonly summary: string;
    readonly usage: string;
    readonly mayRun: boolean;
  }[];
  /** What this person may read and can name. */
  names(): {
    readonly environments: readonly Environment[];
    readonly domains: readonly Domain[];
    readonly at: number | undefined;
    readonly trouble: Text | undefined;
  };
  /** A change that this person may read: its card's facts and its history, oldest first. */
  change(number: number): Promise<ChangeStory | undefined>;
  /** Changes that this person may read, newest first; `more`: there are, or may be, older ones. */
  changes(filter: ChangeFilter): Promise<{ readonly lines: readonly ChangeLine[]; readonly more: boolean }>;
  /** Names of the policy's groups this person is in, and whether policy knows them at all. */
  standing(): { readonly groups: readonly string[]; readonly known: boolean };
  /** Locks an environment in this person's name, for so many milliseconds or until it is unlocked; `done` false: `hold` kept it. */
  lock(env: Environment, why: string, forMs: number | undefined): Promise<{ readonly done: boolean; readonly hold: Hold }>;
  /** Takes away the lock that a person holds; `done` false: a change holds it, or, without `hold`, nobody. */
  unlock(env: Environment): Promise<{ readonly done: boolean; readonly hold: Hold | undefined }>;
  /** Stops all sends of all replicas; `done` false: they were stopped already. */
  pause(why: string | undefined): Promise<{ readonly done: boolean; readonly pause: Pause }>;
  /** Lets sends go on; resolves with the pause that is over, if there was one. */
  resume(): Promise<Pause | undefined>;
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

/** What keeps changes away from a target. Times are epoch milliseconds; without `until` it lasts until it is freed. */
export type Hold = {
  readonly by: { readonly change: number } | { readonly person: string };
  readonly why: string;
  readonly until: number | undefined;
};

/** That nothing is sent: since when, by whom (Slack user id and the name as it was), and why. */
export type Pause = {
  readonly by: string;
  readonly name: string;
  readonly why: string | undefined;
  readonly at: number;
};

/** The life of a change, told for one reader. */
export type ChangeStory = {
  readonly title: Text;
  readonly facts: readonly (readonly [label: string, value: Text])[];
  readonly events: readonly { readonly at: number; readonly actor: string; readonly says: Text }[];
};

/** A command about Sitehand itself. `right`: any reader, or only whom a rule names the command itself. */
export type Desk<F extends Fields> = {
  readonly shape: 'desk';
  readonly summary: string;
  readonly button: string;
  readonly right: 'anyone' | 'read' | 'named';
  /** It changes something: it is written down before it is acked, and done once however often it is delivered. */
  readonly changes?: true;
  /** It concerns everything there is: a rule that is bound to some places does not allow it. */
  readonly everywhere?: true;
  readonly fields: F;
  answer(of: { readonly input: Input<F>; readonly office: Office }): Promise<Page> | Page;
};

/** Declares a desk command. */
export function desk<const F extends Fields>(of: Omit<Desk<F>, 'shape'>): Desk<F> {
  return { shape: 'desk', ...of };
}

/** Who keeps changes away, why and until when, to stand after *is*: `held by #1042`, `locked by @Ben until 15:40 (“release”)`. */
export function heldBy({ by, why, until }: Hold): Text {
  if ('change' in by) return say`held by #${by.change}`;
  const end = until === undefined ? '' : say` until ${time(until, 'date')}`;
  return say`locked by ${person(by.person)}${end} (“${why}”)`;
}

/** Any desk command. */
export type AnyDesk = Desk<Fields>;

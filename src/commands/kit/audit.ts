import type { Environment } from '../../hosting/contract/target.ts';

/** The audit trail as commands see it. */

/** Which lines to list: about an environment, since a time (epoch ms), by a Slack user id. */
export type TrailFilter = {
  readonly env: Environment | undefined;
  readonly since: number | undefined;
  readonly by: string | undefined;
};

/** A line of the trail: who did what, and why it was allowed. */
export type TrailLine = {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Slack user id, or `sitehand`. */
  readonly actor: string;
  /** The actor's name at that time. */
  readonly name: string | undefined;
  /** What was done; a clause that follows a name. */
  readonly says: string;
  readonly change: number | undefined;
  /** The command of that change. */
  readonly command: string | undefined;
  readonly target: string | undefined;
  readonly reason: string | undefined;
  /** Lines of the rules that allowed it, and the hash of their policy file. */
  readonly rules: readonly number[];
  readonly policy: string | undefined;
  readonly fingerprint: string | undefined;
  /** Names of people who had approved by then. */
  readonly approvers: readonly string[];
  /** What the host answered. */
  readonly receipt: string | undefined;
};

export type TrailFile = {
  readonly name: string;
  readonly content: string;
  readonly lines: number;
  /** Older lines were left out. */
  readonly more: boolean;
};

/** Lines `from` to `to`, inclusive, that are not provable, and why. `key` is the id of the key they name. */
export type TrailGap = {
  readonly from: number;
  readonly to: number;
  readonly why: 'no key' | 'unknown key' | 'former key' | 'replaced key' | 'unknown seal' | 'not confirmed' | 'no line';
  readonly key?: string;
};

/** What verifying the trail showed. Times are epoch milliseconds. */
export type Finding = {
  readonly verdict:
    | { readonly kind: 'proven'; readonly lines: number; readonly head: TrailHead }
    /** No line is wrong, but not every line is provable. */
    | {
        readonly kind: 'unproven';
        readonly lines: number;
        readonly head: TrailHead;
        readonly gaps: readonly TrailGap[];
      }
    /** `seq` is the first wrong line, `why` a clause without a full stop. */
    | { readonly kind: 'altered'; readonly seq: number; readonly why: string };
  /** When the first line was written. */
  readonly since: number | undefined;
  /** The head that was published last, and when. */
  readonly published: (TrailHead & { readonly at: number }) | undefined;
  /** The newest line in which a person of the machine (`by`) confirmed the lines before it, although `found`. */
  readonly confirmed?: { readonly seq: number; readonly at: number; readonly by: string; readonly found: string };
  /** When the database was last restored (`at`), and to which state (`from`). */
  readonly restored?: { readonly at: number; readonly from: number };
  /** The id of the chain's key; undefined if the chain is a plain hash. */
  readonly key: string | undefined;
};

/** The end of the trail: the number of its newest line, and its hash. */
export type TrailHead = { readonly seq: number; readonly hash: string };

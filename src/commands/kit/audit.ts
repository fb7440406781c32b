import type { Environment } from '../../hosting/contract/target.ts';

/** The audit trail as commands speak of it. */

/** Which lines of the trail to list: about an environment, since a moment (epoch ms), by a Slack user id. */
export type TrailFilter = {
  readonly env: Environment | undefined;
  readonly since: number | undefined;
  readonly by: string | undefined;
};

/** A line of the trail: what somebody did, and on what grounds. */
export type TrailLine = {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Slack user id, or `sitehand`. */
  readonly actor: string;
  /** The name as it was. */
  readonly name: string | undefined;
  /** What was done, to stand after a name. */
  readonly says: string;
  readonly change: number | undefined;
  readonly target: string | undefined;
  readonly reason: string | undefined;
  /** Lines of the rules that allowed it, and the hash of the policy they stand in. */
  readonly rules: readonly number[];
  readonly policy: string | undefined;
  readonly fingerprint: string | undefined;
  /** Who had approved by then, by name. */
  readonly approvers: readonly string[];
  /** What the host answered. */
  readonly receipt: string | undefined;
};

/** The trail as a file. */
export type TrailFile = {
  readonly name: string;
  readonly content: string;
  readonly lines: number;
  /** Older lines were left out. */
  readonly more: boolean;
};

/** Lines of the trail, the last one included, that cannot be proven, and why; `key` is the id of the key they name. */
export type TrailGap = {
  readonly from: number;
  readonly to: number;
  readonly why:
    | 'no key'
    | 'unknown key'
    | 'former key'
    | 'replaced key'
    | 'unknown seal'
    | 'not filed'
    | 'never told'
    | 'no line';
  readonly key?: string;
};

/** What verifying the trail showed. Times are epoch milliseconds. */
export type Finding = {
  readonly verdict:
    | {
        readonly kind: 'proven';
        readonly lines: number;
        readonly head: TrailHead;
        /** The line that was the first with a key, where others stand before it. */
        readonly seal: { readonly seq: number; readonly at: number } | undefined;
      }
    /** Nothing of it is wrong, and not all of it can be proven. */
    | {
        readonly kind: 'unproven';
        readonly lines: number;
        readonly head: TrailHead;
        readonly gaps: readonly TrailGap[];
      }
    /** `seq` is the first line that is wrong, `why` a clause without a full stop. */
    | { readonly kind: 'altered'; readonly seq: number; readonly why: string };
  /** When the first line was written. */
  readonly since: number | undefined;
  /** The head that was told last, and when. */
  readonly witnessed: (TrailHead & { readonly at: number }) | undefined;
  /** The id of the key that the chain is made with; undefined: it is a plain hash. */
  readonly key: string | undefined;
};

/** Where the trail ends: the number of its newest line, and its hash. */
export type TrailHead = { readonly seq: number; readonly hash: string };

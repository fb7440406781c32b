import type { Generated } from 'kysely';

/**
 * A watch tells a channel about new kinds of errors in the log of an environment. A digest, also a row here, tells once
 * a week about the state of several environments.
 */
export type WatchTable = {
  id: Generated<number>;
  kind: Generated<'errors' | 'digest'>;
  /** `environment:<id>` for a watch, `digest` for a digest. */
  target_key: string;
  /** JSON: the whole environment as it was when the watch was started; for a digest, an array of environments. */
  target: string;
  /** Only lines with these words count; null: all lines do. */
  match: string | null;
  /** Who started it: Sitehand reads with this person's rights. */
  requester: string;
  requester_name: string;
  /** Where it tells: a channel, or the requester's direct messages. */
  channel: string;
  /** When it stays silent: `22:00-07:00` in the time zone `zone` (IANA name); null: never. */
  quiet: string | null;
  zone: string;
  created_at: number;
  ends_at: number;
  /** Up to when the log was read; for a digest, when the digest was started. */
  read_to: number;
  /** When the last read began. For a digest: since when it can't be told; null: it can. */
  tried_at: number | null;
  /** JSON: what was told, what is held back, and what is in the way; for a digest, its sites. */
  progress: string;
  /** When it is due next; null once it is over. */
  due_at: number | null;
  ended_at: number | null;
  end_reason: 'over' | 'stopped' | 'not_allowed' | 'gone' | 'no_channel' | null;
  owner: string | null;
  lease_until: number | null;
};

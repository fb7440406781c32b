import type { Generated } from 'kysely';

/** A watch: tells a channel about new kinds of errors in the log of an environment, or once a week about some of them. */
export type WatchTable = {
  id: Generated<number>;
  kind: Generated<'errors' | 'digest'>;
  /** `environment:<id>`; `digest` for a digest. */
  target_key: string;
  /** JSON: the whole environment as it was when the watch was started; for a digest, an array of them. */
  target: string;
  /** Only lines with these words count; null: all do. */
  match: string | null;
  /** Who started it: it reads with their rights. */
  requester: string;
  requester_name: string;
  /** The channel that is told; or the requester, by direct messages. */
  channel: string;
  /** `22:00-07:00` in the time zone `zone` (IANA name): nothing is told then; null: it is told at any time. */
  quiet: string | null;
  zone: string;
  created_at: number;
  ends_at: number;
  /** Up to when the log was read; for a digest, when it was started. */
  read_to: number;
  /** When a read was last begun; for a digest, since when it can't be told; null: it can. */
  tried_at: number | null;
  /** JSON: what was told, what is held back, and what is in the way; for a digest, the sites that it is about. */
  progress: string;
  /** When it reads next; null once it is over. */
  due_at: number | null;
  ended_at: number | null;
  end_reason: 'over' | 'stopped' | 'not_allowed' | 'gone' | 'no_channel' | null;
  owner: string | null;
  lease_until: number | null;
};

import type { Generated } from 'kysely';
import { z } from 'zod';

/** What waits until it is due: requests in queues, requests handed on to others, watches of logs, digests, and reviews. */
export type WaitingTable = {
  /** What people type to leave, or to stop it. No number is given twice, whatever the kind. */
  id: Generated<number>;
  kind: WaitingKind;
  /** Of a handed-on request: a restored database never gives out the same one again. */
  uuid: string | null;
  /**
   * `queue`: the key of the locked target; requests for one key are one queue, oldest first. `watch`:
   * `environment:<id>`. `hand_on`: JSON: the command's arguments, with ids instead of names, without a reason.
   * `digest`, `post_review`: the kind.
   */
  target: string;
  /** Who asked for it. Sitehand acts and reads with this person's rights. */
  requester: string;
  created_at: number;
  expires_at: number;
  /** `queue`: since when its requester may review it; null: no turn yet, or it is submitted without a review. */
  turn_at: number | null;
  /** `watch`: when the last read began. `digest`: since when it can't be told; null: it can. */
  tried_at: number | null;
  /** When it is looked at next, which may be long before `expires_at`; null once it has ended. For all but the first of a queue: when it expires. */
  due_at: number | null;
  ended_at: number | null;
  owner: string | null;
  lease_until: number | null;
  /** JSON: the rest, by the kind; see `dataOf`. Only the owner writes it, and whoever ends the row. */
  data: string;
};

export type WaitingKind = keyof typeof shapes;

/** The requester's name at the time of the request, and the channel where it tells, or where its card will belong. */
const asked = { requester_name: z.string(), channel: z.string() };

const shapes = {
  queue: z.object({
    ...asked,
    requester_team: z.string(),
    target_name: z.string(),
    /** Path of the command. */
    command: z.string(),
    risk: z.enum(['routine', 'sensitive', 'destructive']),
    /** JSON: the command's arguments, with ids instead of names, and its reason. */
    args: z.string(),
    /** JSON array of whole targets, as in a change. */
    targets: z.string(),
    /** The change that held the lock when it joined; null: a person did. */
    behind: z.number().nullable(),
    /** Failed attempts to submit it. */
    attempts: z.number(),
  }),
  hand_on: z.object({
    /** Path of the command. */
    command: z.string(),
    /** JSON Text: what is asked for, and by whom. */
    says: z.string(),
    /** JSON: the messages that offer it, with their keys, kinds and recipients. */
    posted: z.string(),
    /** Who ran it as a change of their own, and that change; null: nobody. */
    used_by: z.string().nullable(),
    change: z.number().nullable(),
  }),
  watch: z.object({
    ...asked,
    /** JSON array: the whole environment as it was when the watch was started. */
    targets: z.string(),
    /** Only lines with these words count; null: all lines do. */
    match: z.string().nullable(),
    /** When it stays silent: `22:00-07:00` in the time zone `zone` (IANA name); null: never. */
    quiet: z.string().nullable(),
    zone: z.string(),
    /** Up to when the log was read. */
    read_to: z.number(),
    /** JSON: what was told, what is held back, and what is in the way. */
    progress: z.string(),
  }),
  /** Reminds of a change sent by break-glass until somebody has reviewed it. */
  post_review: z.object({ change: z.number() }),
  digest: z.object({
    ...asked,
    /** JSON array: its environments as they were when it was started. */
    targets: z.string(),
    /** JSON array: the sites of which it tells all environments. */
    sites: z.string(),
    zone: z.string(),
  }),
};

export type DataOf = { readonly [K in WaitingKind]: z.infer<(typeof shapes)[K]> };

/** What `data` holds. Versions that run beside each other must have the same fields: one drops what it doesn't know. */
export const dataOf: { readonly [K in WaitingKind]: z.ZodType<DataOf[K]> } = shapes;

import { randomUUID } from 'node:crypto';
import { readHours, hoursEnd } from '../commands/kit/values/hours.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { enqueueMessage } from '../storage/messages.ts';
import type { Tx } from '../storage/schema.ts';
import { endWaiting, releaseWaiting, type Digest, type Watch } from '../storage/waiting.ts';
import { code, plain, say, type Text } from '../words/text.ts';
import { assertChannel, mayHear, isDirect } from '../access/assert-channel.ts';
import { listedAs } from '../access/visibility.ts';
import type { Note } from '../change/card.ts';
import type { SendContext } from '../send/context.ts';
import * as notes from './watch-notes.ts';
import { environmentsThen, placeTrouble, type WatchStanding } from './standing.ts';
import { Refusal } from '../base/errors.ts';

/** What waits goes on or ends, and tells: in its channel, or its owner. */

/** How a watch or a digest goes on; its messages and where they go; its audit line, with `details` and `why`. */
export type WatchStep = {
  readonly patch?: Partial<Pick<Watch, 'progress' | 'read_to' | 'tried_at'>>;
  /** When it is due again (epoch ms); undefined: it is over. */
  readonly dueAt?: number;
  readonly notes?: readonly Note[];
  readonly place?: NotePlace;
  readonly event?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly why?: Text;
};

/** Nothing is told or recorded if the watch was stopped or claimed by another replica meanwhile. */
export async function moveWatch(context: SendContext, watch: Watch | Digest, step: WatchStep): Promise<void> {
  const { patch = {}, dueAt, notes: told = [], place, event, details, why } = step;
  await exclusiveTransaction(context.database, async (tx, at) => {
    const moved =
      dueAt === undefined
        ? endWaiting(tx, watch, at, { isMine: true, patch })
        : releaseWaiting(tx, watch, dueAt, patch);
    if ((await moved) === undefined) return;
    for (const note of told) await enqueueNote(context, tx, watch, note, quietEnd(watch, at) ?? at, place);
    if (event === undefined) return;
    const reason = why && { reason: plain(why) };
    const all = { ...auditDetails(watch), ...details, ...reason };
    await context.changeStore.note(tx, { event, by: 'sitehand', at, about: environmentsThen(watch), details: all });
  });
}

/**
 * Where a message of a watch goes, and what it is about: by default its environments as of its start. `key`: the message
 * edits an earlier one in the channel with that key.
 */
type NotePlace = { readonly to?: 'owner'; readonly key?: string; readonly about?: readonly Environment[] };

/**
 * Queues a message of a watch to its channel or, if that is asked for or the channel may not hear of what it is about, to
 * its owner. `at` (epoch ms) may be later than now.
 */
export async function enqueueNote(
  { policy, names }: Pick<SendContext, 'policy' | 'names'>,
  tx: Tx,
  watch: Watch | Digest,
  note: Note,
  at: number,
  { to, key = `watch:${watch.id}:${randomUUID()}`, about = environmentsThen(watch) }: NotePlace = {},
): Promise<void> {
  const { requester, channel } = watch;
  const listed = names(undefined);
  const now = about.map((one) => listedAs(listed, one) ?? one);
  const isToPerson = to === 'owner' || isDirect(channel) || !mayHear(policy(), channel, now);
  await enqueueMessage(tx, {
    ...(isToPerson
      ? { key: `${key}:${requester}`, kind: 'direct', recipient: requester }
      : { key, kind: 'notice', recipient: channel }),
    about: JSON.stringify(now),
    body: JSON.stringify(note),
    at,
  });
}

export const auditDetails = (watch: Watch | Digest) => ({
  watch: watch.id,
  channel: watch.channel,
  owner: watch.requester,
});

/** Ends a watch or a digest that may not go on. News that wasn't told is dropped: the owner may no longer read it. */
export const endLost = (
  context: SendContext,
  watch: Watch | Digest,
  { reason, why }: Extract<WatchStanding, { kind: 'lost' }>,
): Promise<void> =>
  moveWatch(context, watch, {
    notes: [notes.endedNote(watch, why)],
    event: `${watch.kind}_end`,
    why,
    ...(reason === 'no_channel' && { place: { to: 'owner' } }),
  });

/** When quiet hours end (epoch ms); undefined: it is not in them. */
export const quietEnd = (watch: Watch | Digest, now: number): number | undefined =>
  watch.kind === 'digest' || watch.quiet === null
    ? undefined
    : hoursEnd(readHours('Quiet hours', watch.quiet), now, watch.zone);

/** Where a watch tells. In direct messages, or outside a channel, that is the person. */
export const placeOf = (channel: string | undefined, person: string): string =>
  channel === undefined || isDirect(channel) ? person : channel;

export async function assertPlace(context: SendContext, place: string, envs: readonly Environment[]): Promise<void> {
  assertChannel(context.policy(), await context.channelOf(place), envs);
  const look = await context.lookAt(place).catch(() => undefined);
  const wrong = look === undefined || look.kind === 'no scope' ? undefined : placeTrouble(look);
  if (wrong === undefined) return;
  throw new Refusal(say`${{ channel: place }} ${wrong}, so I can't tell it anything. Nothing was done.`, {
    hint: say`Type ${code('/invite')} and my name there first, or ask me in a direct message.`,
  });
}

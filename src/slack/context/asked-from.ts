import { BoundedMap } from '../../base/bounded-map.ts';
import { minuteMs } from '../../words/duration.ts';
import type { PostContext } from '../../post/context.ts';
import type { createEphemeral, ReplyTarget } from '../../slack-api/ephemeral.ts';
import { drawNote } from '../../block-kit/blocks.ts';

/** Where changes were asked for, so that their requesters hear of them there while Slack takes their cards nowhere. */
export type AskedFrom = {
  readonly keep: (change: number, from: ReplyTarget) => void;
  /** Tells the requester once while the change is open, and once when it is settled. */
  readonly onUntold: PostContext['onUntold'];
};

/** How many changes are remembered, and for how long: as long as Slack takes answers to a command. */
const maxKept = 1_000;
const keptForMs = 30 * minuteMs;

/** Starts empty. What this process did not take itself, it does not tell: the message is kept in any case. */
export function createAskedFrom(answer: ReturnType<typeof createEphemeral>, ticks: () => number): AskedFrom {
  const kept = new BoundedMap<number, { readonly from: ReplyTarget; readonly told: Set<boolean> }>(maxKept);
  return {
    keep: (change, { person, channel, thread, responseUrl, since }) =>
      void kept.set(change, { from: { person, channel, thread, responseUrl, since }, told: new Set() }),
    onUntold: ({ number, settled_at }, note) => {
      const asker = kept.get(number);
      const isSettled = settled_at !== null;
      if (asker === undefined || ticks() - asker.from.since > keptForMs || asker.told.has(isSettled)) return;
      asker.told.add(isSettled);
      // The next attempt of the card tells again.
      answer(asker.from, drawNote(note)).catch(() => asker.told.delete(isSettled));
    },
  };
}

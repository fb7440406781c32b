import { BoundedMap } from '../base/caches.ts';

/** What one process remembers about its posts, so that people and places get fair turns. */
export type PostQueues = {
  /** When each requester last had a message posted or edited (epoch ms), so that others go first next time. */
  readonly served: BoundedMap<string, number>;
  /** For each place with work under way: the number of messages, and when the last one is done. */
  readonly lines: Map<string, { readonly messages: number; readonly end: Promise<void> }>;
  /** The number of messages of all `lines` together. */
  underWay: number;
  /** True while the process stops: nothing new is started. */
  isOver: boolean;
};

/** How many requesters `served` remembers. */
const maxServed = 32;

export const createPostQueues = (): PostQueues => ({
  served: new BoundedMap(maxServed),
  lines: new Map(),
  underWay: 0,
  isOver: false,
});

/** Runs `draw`, which handles `messages` messages, after everything that is already under way at that place. */
export async function enqueueAt(
  turns: PostQueues,
  place: string,
  messages: number,
  draw: () => Promise<void>,
): Promise<void> {
  const before = turns.lines.get(place);
  const end = before === undefined ? draw() : before.end.then(draw, draw);
  turns.lines.set(place, { messages: (before?.messages ?? 0) + messages, end });
  turns.underWay += messages;
  try {
    await end;
  } finally {
    turns.underWay -= messages;
    const current = turns.lines.get(place);
    if (current?.end === end) turns.lines.delete(place);
    else if (current) turns.lines.set(place, { ...current, messages: current.messages - messages });
  }
}

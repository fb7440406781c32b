import type { Change } from '../storage/changes.ts';
import type { Note } from '../change/card.ts';
import type { ChangeContext } from '../change/context.ts';
import type { PostQueues } from './fair-order.ts';
import type { ChannelLook, Messenger } from './messenger.ts';

/** What this room works with, besides what those before it need. */
export type PostContext = ChangeContext & {
  /** This process: owner of what it posts and sends. */
  readonly owner: string;
  /** Only this room posts with it; what others have to say is a row. */
  readonly messenger: Messenger;
  /** False while Slack is known to refuse our token; nothing is posted then. */
  readonly isTaken: () => boolean;
  /** Looks at a channel. Rejects if Slack does not answer. */
  readonly lookAt: (channel: string) => Promise<ChannelLook>;
  /** Called with the number of a change whose card is about to be posted or edited. */
  readonly onCard: (change: number) => void;
  /** Called with what the requester of a change should hear in another way: Slack has taken its card nowhere yet. */
  readonly onUntold: (change: Pick<Change, 'number' | 'settled_at'>, note: Note) => void;
  /** Called for failures that are tried again, or that hold nothing up. */
  readonly onTrouble: (what: string, error: unknown) => void;
};

/** What the sender of messages works with besides: what it remembers of its posts, and whom it tells. */
export type SenderContext = PostContext & {
  readonly turns: PostQueues;
  /** Called when the ops channel starts or stops accepting posts. */
  readonly onOps: () => void;
  /** Called with the milliseconds until a place that is rate-limited takes its next message. */
  readonly onPace: (afterMs: number) => void;
};

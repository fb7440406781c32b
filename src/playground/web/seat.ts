import type { Directory } from './directory.ts';
import type { Outcome } from './shapes.ts';

/** What is looked at in a channel. */
export type Tab = 'messages' | 'home' | 'files';

/** Who sits at the page, where they look, and how they act. */
export type Seat = {
  readonly me: string;
  readonly channel: string;
  readonly thread: string | undefined;
  readonly tab: Tab;
  readonly directory: Directory;
  /** Does something through the control API as `me`, once a confirm dialog is agreed to; undefined if it was not done, which is told. */
  act(what: string, body: object, confirm?: unknown): Promise<Outcome | undefined>;
  /** Shows what went wrong, or what only a client says, as one line. */
  tell(trouble: unknown): void;
  /** Looks elsewhere. */
  go(where: Partial<Pick<Seat, 'me' | 'channel' | 'thread' | 'tab'>>): void;
};

import type { Directory } from './directory.ts';
import type { Outcome } from './shapes.ts';

/** The tabs of a channel. */
export type Tab = 'messages' | 'home' | 'files';

/** The acting person, the place they look at, and how they act. */
export type Session = {
  readonly me: string;
  readonly channel: string;
  readonly thread: string | undefined;
  readonly tab: Tab;
  readonly directory: Directory;
  /** Channels with messages that the person has not seen. */
  readonly unread: ReadonlySet<string>;
  /** Acts as `me` through the control API, after any confirm dialog. Undefined if declined or if an error was shown. */
  act(action: string, body: object, confirm?: unknown): Promise<Outcome | undefined>;
  /** Shows an error or a client's own notice as one line. */
  showError(error: unknown): void;
  /** Goes to another place. */
  go(where: Partial<Pick<Session, 'me' | 'channel' | 'thread' | 'tab'>>): void;
};

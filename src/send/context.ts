import type { Opened } from '../hosting/send.ts';
import type { LogReader } from '../commands/logs/run-analysis.ts';
import type { Channel } from '../access/access-check.ts';
import type { Outcome } from '../change/write-result.ts';
import type { AuditContext } from '../audit/context.ts';
import type { SendHistory } from './send-history.ts';

/** What this room works with, besides what those before it need. */
export type SendContext = AuditContext & {
  /** The one door for writes: opens a connection on which one write can be sent. Only `execute.ts` uses it. */
  readonly send: { readonly open: () => Promise<Opened> };
  /** A monotonic clock in milliseconds. It is checked in addition to the wall clock. */
  readonly ticks: () => number;
  readonly wall: () => number;
  readonly history: SendHistory;
  readonly logs: Omit<LogReader, 'close'>;
  /** Whether the host's rate of log reads has room for a watch now. */
  readonly hasLogRoom: () => boolean;
  /** Called for every answer before it is saved: number and version of the change as sent, its request, the outcome. */
  readonly onAnswer: (answer: {
    readonly change: number;
    readonly version: number;
    readonly request?: string;
    readonly outcome: Outcome;
  }) => void;
  /** Whether a channel is shared with another organisation. */
  readonly channelOf: (id: string) => Promise<Channel>;
  /** Called when something was saved that the worker should pick up. */
  readonly onSaved: () => void;
};

import type { Opened } from '../../hosting/send.ts';
import type { ChangesContext } from '../changes/context.ts';
import type { Outcome } from '../changes/write-result.ts';
import type { SendHistory } from './send-history.ts';

/** What this folder needs beyond the context of the changes room. */
export type StepsContext = ChangesContext & {
  /** The one door for writes: opens a connection that can send one write. Only `execute.ts` uses it. */
  readonly send: { readonly open: () => Promise<Opened> };
  /** A monotonic clock in milliseconds. It is checked in addition to the wall clock. */
  readonly ticks: () => number;
  readonly wall: () => number;
  /** The id of this process: it owns what it sends. */
  readonly owner: string;
  readonly history: SendHistory;
  /** Called for every answer before it is saved: number and version of the change as sent, its request, the outcome. */
  readonly onAnswer: (answer: {
    readonly change: number;
    readonly version: number;
    readonly request?: string;
    readonly outcome: Outcome;
  }) => void;
  /** Called when something was saved that the worker should pick up. */
  readonly onSaved: () => void;
  /** Called when a receipt couldn't be saved yet, and for other failures. */
  readonly onTrouble: (what: string, error: unknown) => void;
};

import type { Fields } from '../json.ts';

/** Something that is brought to the app, whatever it holds. `id` is the same on each re-delivery. */
export type Carried = {
  readonly id: string;
  readonly kind: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: unknown;
  /** Whether what the app puts into its ack is read. */
  readonly wantsAnswer: boolean;
};

/** Something the workspace tells the app. */
export type Envelope = Carried & { readonly payload: Fields };

/** What became of a delivery. `ack` is what the app put into its acknowledgement: JSON, text, or undefined. */
export type Acknowledged = {
  readonly acked: boolean;
  /** Milliseconds until the ack, or until nobody waited any longer. */
  readonly ms: number;
  readonly ack: unknown;
  /** Why there was no ack. */
  readonly failure?: 'not_connected' | 'timeout' | `http_${number}` | 'unreachable';
};

/** Delivers one envelope once. `attempt` is 0 at first. */
export type Channel = (envelope: Carried, attempt: number) => Promise<Acknowledged>;

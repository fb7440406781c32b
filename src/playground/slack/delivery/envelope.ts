import type { Fields } from '../json-fields.ts';

/** One delivery to the app. `id` stays the same on re-delivery. */
export type RawEnvelope = {
  readonly id: string;
  readonly kind: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: unknown;
  /** Whether the content of the app's ack is read. */
  readonly wantsAnswer: boolean;
};

/** A well-formed delivery of the workspace. */
export type Envelope = RawEnvelope & { readonly payload: Fields };

/** The outcome of a delivery. `ack` is the ack's content: JSON, text, or undefined. */
export type DeliveryResult = {
  readonly acked: boolean;
  /** Milliseconds until the ack, or until the wait ended. */
  readonly ms: number;
  readonly ack: unknown;
  /** Why there was no ack. */
  readonly failure?: 'not_connected' | 'timeout' | `http_${number}` | 'unreachable';
};

/** Delivers one envelope once. `attempt` is 0 at first. */
export type Transport = (envelope: RawEnvelope, attempt: number) => Promise<DeliveryResult>;

import { channel } from 'node:diagnostics_channel';

/**
 * The points between a click and the last message where the process may die, each with different work half done.
 * Production does not listen to them. `npm run prove` does, and kills the process there.
 */
export type Failpoint =
  /** `kept`: a delivery is in the inbox, not acked yet. `acked`: it is acked. */
  | 'kept'
  | 'acked'
  /** A new change is pinned and confirmed: before it is saved, and after. */
  | 'request checked'
  | 'request saved'
  /** Rights and drift are checked for a click: before anything is saved, and after. */
  | 'click checked'
  | 'click saved'
  /** The worker has checked everything again; has its connection; has saved `sending` but written nothing. */
  | 'rechecked'
  | 'opened'
  | 'sending saved'
  /** The host has answered: before the answer is saved, and after. */
  | 'answered'
  | 'answer saved'
  /** A read showed enough to settle a change: before that is saved, and after. */
  | 'seen'
  | 'settled'
  /** A message is about to be posted or edited; Slack has accepted it; its place is saved. */
  | 'posting'
  | 'posted'
  | 'noted';

/** How a message is drawn; `says` is the beginning of its text. */
export type Drawing = { readonly how: 'post' | 'edit'; readonly says: string };

/** The channel for the points, as `{ point, of, how, says }`. */
export const failpointChannel = channel('sitehand.point');

/**
 * Publishes that the process is at this point. `of` names the change, delivery, message or person; `drawing` tells the steps of
 * one message apart. Costs nothing without a listener.
 */
export function failpoint(point: Failpoint, of: string | number, drawing?: () => Drawing): void {
  if (failpointChannel.hasSubscribers) failpointChannel.publish({ point, of: String(of), ...drawing?.() });
}

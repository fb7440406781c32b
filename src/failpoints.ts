import { channel } from 'node:diagnostics_channel';

/**
 * The places between a click and the last word where a process may die: each leaves something else half done.
 * Nobody listens in production. `npm run prove` does, and kills the process right there.
 */
export type Failpoint =
  /** A delivery is in the inbox, and not acked yet; then acked. */
  | 'kept'
  | 'acked'
  /** Rights and drift are checked for a click, and nothing of it is saved; then it is. */
  | 'click checked'
  | 'click saved'
  /** The worker has asked everything once more; has its connection; has saved `sending`, and written nothing yet. */
  | 'rechecked'
  | 'opened'
  | 'sending saved'
  /** The host has answered, and nothing of it is saved; then it is. */
  | 'answered'
  | 'answer saved'
  /** A look at the host showed enough to settle it, and nothing is saved; then it is. */
  | 'seen'
  | 'settled'
  /** A message is about to be posted or edited; Slack has taken it; its place is saved. */
  | 'posting'
  | 'posted'
  | 'noted';

/** What is being done with a message: `says` is how its words begin. */
export type Drawing = { readonly how: 'post' | 'edit'; readonly says: string };

/** The channel on which the points are published, as `{ point, of, how, says }`. */
export const failpointChannel = channel('sitehand.point');

/**
 * Says that the process is at this point; `of` names the change, delivery or message, `drawing` tells apart the steps of
 * one message. Costs nothing while nobody listens.
 */
export function failpoint(point: Failpoint, of: string | number, drawing?: () => Drawing): void {
  if (failpointChannel.hasSubscribers) failpointChannel.publish({ point, of: String(of), ...drawing?.() });
}

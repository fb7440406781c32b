import { namesOf } from '../access/freeze-words.ts';
import { aboutOf } from '../access/targets.ts';
import { namesWith } from '../access/visibility.ts';
import { reparse } from '../language/reparse.ts';
import { freezesFrom } from '../policy/freezes.ts';
import type { Change } from '../storage/changes.ts';
import { say, type Text } from '../words/text.ts';
import type { SendContext } from './context.ts';

/** When what a freeze holds goes on, and what of a batch it ends. */

/** A freeze lasts for hours, and each look asks Slack and the host. */
const lookAgainMs = 5 * 60_000;

/** When what a freeze holds is looked at again, epoch ms: the policy may change before the freeze ends. */
export const lookAgainInFreeze =
  ({ expires_at }: Pick<Change, 'expires_at'>, { until = Infinity }: { readonly until: number | undefined }) =>
  (now: number): number =>
    Math.min(until, now + lookAgainMs, expires_at);

/** The freezes whose beginning ended the time of a batch, in words; undefined: none did. */
export function cutShortBy(context: SendContext, batch: Change): Text | undefined {
  const reparsed = reparse(batch, namesWith(context, batch));
  if (reparsed === undefined) return undefined;
  const { asked } = aboutOf(reparsed.resolved, context.company());
  const found = freezesFrom(context.policy(), asked, batch.expires_at);
  return found.length === 0 ? undefined : say`**A freeze has begun:** ${namesOf(found)}.`;
}

import type { Offer } from '../base/errors.ts';
import { canonicalArgs, type Resolved } from '../language/resolve.ts';

/** The button that asks people who may run it. Not for a handed-on request or a dry run. */
export function handOnOffer(resolved: Resolved): readonly Offer[] {
  const { reason, dryRun, handedOn } = resolved.parsed;
  if (dryRun || handedOn !== undefined) return [];
  return [{ label: 'Ask somebody who may', args: canonicalArgs(resolved, { reason, handOn: true }) }];
}

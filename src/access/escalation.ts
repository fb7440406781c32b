import type { Escalation } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { showDuration, wholeMinute } from '../words/duration.ts';
import { bold, either, say, time, type Text } from '../words/text.ts';
import { askedAt } from './authorization.ts';

/** From when on others can approve as well, in words. */

/** Says when, this long (ms) after asking; undefined: not in its time. */
export type When = (after: number) => Text | undefined;

/** Of what was not asked for yet, and would wait this long (ms). */
export const afterAsking =
  (expires: number): When =>
  (after) =>
    after < expires ? say`after ${showDuration(after)}` : undefined;

/** Of a stored change. */
export const fromWhen =
  (change: Change): When =>
  (after) => {
    const at = askedAt(change) + after;
    return at < change.expires_at ? say`from ${time(wholeMinute(at))}` : undefined;
  };

/** `(from 14:35 also heads)`; undefined: nobody, or not in its time. */
export function alsoLater(escalate: Escalation | undefined, when: When | undefined): Text | undefined {
  const from = escalate && when?.(escalate.after);
  return from && say`(${from} also ${either(escalate.to.map(bold))})`;
}

/** For somebody whose approval counts only this long (ms) after asking; undefined: not in its time, or never. */
export function notYet(change: Change, after: number): Text | undefined {
  const from = fromWhen(change)(after);
  return from && say`You can ${from} on, if it still waits then.`;
}

import { randomBytes } from 'node:crypto';
import { setBounded } from './journal.ts';
import { Refused } from './refused.ts';

/** The person a trigger belongs to; `viewId` if they acted inside a modal. */
type Trigger = { readonly person: string; readonly viewId: string | undefined };

/** The short-lived trigger ids that let an app open a modal. */
export type Triggers = {
  issue(person: string, viewId?: string): string;
  /** Uses up a trigger. Refuses `invalid_trigger_id`, `expired_trigger_id` (3 s) and `exchanged_trigger_id`. */
  exchange(id: string): Trigger;
};

const LIFE_MS = 3000;
const KEPT = 1000;

/** Triggers by a clock in milliseconds; the newest 1,000 are kept. */
export function createTriggers(now: () => number): Triggers {
  const issued = new Map<string, Trigger & { readonly until: number; used: boolean }>();
  return {
    issue(person, viewId) {
      const id = `${now()}.${issued.size + 1}.${randomBytes(12).toString('hex')}`;
      setBounded(issued, id, { person, viewId, until: now() + LIFE_MS, used: false }, KEPT);
      return id;
    },
    exchange(id) {
      const trigger = issued.get(id);
      if (trigger === undefined) throw new Refused('invalid_trigger_id');
      if (now() > trigger.until) throw new Refused('expired_trigger_id');
      if (trigger.used) throw new Refused('exchanged_trigger_id');
      trigger.used = true;
      return trigger;
    },
  };
}

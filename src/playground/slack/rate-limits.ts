import { setBounded } from './journal.ts';

/** Counts calls. Returns the seconds to wait, or undefined if the call may pass. */
export type RateLimits = (method: string, channel: string | undefined) => number | undefined;

const MINUTE = 60_000;

/** Calls allowed in a window of milliseconds. https://docs.slack.dev/apis/web-api/rate-limits */
const LIMITS: Readonly<Record<string, { readonly calls: number; readonly per: number; readonly perChannel?: true }>> = {
  'chat.postMessage': { calls: 1, per: 1000, perChannel: true },
  'chat.update': { calls: 50, per: MINUTE },
  'chat.delete': { calls: 50, per: MINUTE },
  'chat.postEphemeral': { calls: 100, per: MINUTE },
  'views.open': { calls: 100, per: MINUTE },
  'views.push': { calls: 100, per: MINUTE },
  'views.update': { calls: 100, per: MINUTE },
  'views.publish': { calls: 100, per: MINUTE },
  'users.info': { calls: 100, per: MINUTE },
  'users.conversations': { calls: 50, per: MINUTE },
  'users.list': { calls: 20, per: MINUTE },
  'usergroups.list': { calls: 20, per: MINUTE },
  'usergroups.users.list': { calls: 20, per: MINUTE },
  'conversations.info': { calls: 50, per: MINUTE },
  'conversations.list': { calls: 20, per: MINUTE },
  'conversations.open': { calls: 50, per: MINUTE },
};

const KEPT = 1000;

/** Slack's own limits, by a clock in milliseconds. */
export function createRateLimits(now: () => number): RateLimits {
  const recent = new Map<string, readonly number[]>();
  return (method, channel) => {
    const limit = LIMITS[method];
    if (limit === undefined) return undefined;
    const key = limit.perChannel ? `${method} ${channel ?? ''}` : method;
    const calls = (recent.get(key) ?? []).filter((at) => at > now() - limit.per);
    const oldest = calls[0];
    if (oldest !== undefined && calls.length >= limit.calls)
      return Math.max(1, Math.ceil((oldest + limit.per - now()) / 1000));
    setBounded(recent, key, [...calls, now()], KEPT);
    return undefined;
  };
}

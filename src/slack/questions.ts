import { ErrorCode, type WebClient } from '@slack/web-api';
import type { z } from 'zod';
import { isCoded, platformError } from './thread.ts';

/** Questions to Slack that are not answered are answers as well: they never reject. */

/** Why Slack does not answer. */
export class NoAnswer {
  /** Slack's word for it; undefined: nobody answered. */
  readonly word: string | undefined;
  /** Slack will say the same again, until somebody mends it. */
  readonly isLasting: boolean;
  /** For so many milliseconds Slack wants to be left alone. */
  readonly restMs: number | undefined;

  constructor(word?: string, restMs?: number) {
    this.word = word;
    this.isLasting = word !== undefined && !passing.has(word) && !revoked.has(word);
    this.restMs = restMs;
  }
}

/** Slack's words for what may be otherwise in a moment. */
const passing = new Set([
  'accesslimited',
  'fatal_error',
  'internal_error',
  'rate_limited',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);
/** What Slack says of a token that it does not take any more. */
const revoked = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);
/** Methods that a workspace, or a token, may lack for good. */
const lacking = new Set([
  'feature_not_enabled',
  'method_deprecated',
  'missing_scope',
  'not_allowed_token_type',
  'paid_teams_only',
  'plan_upgrade_required',
  'unknown_method',
]);
/** Where Slack does not say for how long it wants to be left alone, and where it says too much. */
const usualRestMs = 30_000;
const longestRestMs = 300_000;

export type Questions = {
  readonly client: WebClient;
  /** Told once of each method that Slack does not let us ask. */
  readonly onMissing: (method: string) => void;
  /** Told whether Slack still takes our token, whenever it is asked something. */
  readonly onToken: (isTaken: boolean) => void;
};

export type Ask = <T>(method: string, args: Record<string, unknown>, schema: z.ZodType<T>) => Promise<T | NoAnswer>;

/** Asks one thing of Slack; never rejects. */
export function asking({ client, onMissing, onToken }: Questions): Ask {
  const missing = new Set<string>();
  return async (method, args, schema) => {
    try {
      const answer = schema.parse(await client.apiCall(method, args));
      onToken(true);
      return answer;
    } catch (error) {
      const none = noAnswer(error);
      const { word = '' } = none;
      if (revoked.has(word)) onToken(false);
      if (lacking.has(word) && !missing.has(method)) {
        missing.add(method);
        onMissing(method);
      }
      return none;
    }
  };
}

function noAnswer(error: unknown): NoAnswer {
  if (!isCoded(error) || error.code !== ErrorCode.RateLimitedError) return new NoAnswer(platformError(error));
  const seconds = 'retryAfter' in error ? Number(error.retryAfter) : Number.NaN;
  const restMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1_000, longestRestMs) : usualRestMs;
  return new NoAnswer('ratelimited', restMs);
}

/** Many who ask the same while it is being asked share the answer. */
export function shared<T>(ask: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const flying = new Map<string, Promise<T>>();
  return (id) => {
    const answer = flying.get(id) ?? ask(id).finally(() => flying.delete(id));
    flying.set(id, answer);
    return answer;
  };
}

import type { WebClient } from '@slack/web-api';
import type { z } from 'zod';
import { isLacking, refusalOf, type Refused } from './api-errors.ts';
import { platformError, restAskedBy } from './messenger.ts';

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
    this.isLasting = word !== undefined && (isLacking(word) || isOfThis(refusalOf(word)));
    this.restMs = restMs;
  }
}

/** Where Slack does not say for how long it wants to be left alone. */
const defaultRestMs = 30_000;

/** Neither the moment nor the token is to blame, but what was asked for. */
const isOfThis = (kind: Refused): boolean => kind === 'drawing' || kind === 'gone';

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
      if (refusalOf(word) === 'token') onToken(false);
      if (isLacking(word) && !missing.has(method)) {
        missing.add(method);
        onMissing(method);
      }
      return none;
    }
  };
}

function noAnswer(error: unknown): NoAnswer {
  const restMs = restAskedBy(error, defaultRestMs);
  return restMs === undefined ? new NoAnswer(platformError(error)) : new NoAnswer('ratelimited', restMs);
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

import { BoundedMap } from '../base/caches.ts';
import { shareOf } from '../base/semaphore.ts';
import { minuteMs } from '../words/duration.ts';

/** Slack's answer about a user group: its members, or why Slack doesn't list them. */
export type GroupAnswer =
  | { readonly kind: 'members'; readonly ids: readonly string[] }
  | {
      readonly kind: 'not told';
      readonly why: string;
      /** Whether Slack will repeat this answer until somebody fixes the cause. If false, it may answer in a moment. */
      readonly isLasting: boolean;
      /** How long Slack wants no questions about any group, in milliseconds. */
      readonly restMs?: number | undefined;
    };

/**
 * Why we ask. `decisive`: somebody approves, or an approved change is sent. `fresh`: a change without approval is sent.
 * `recent`: one of the many changes of a batch is sent. `usual`: a request comes in. `glance`: something is shown or suggested.
 */
export type Purpose = 'decisive' | 'fresh' | 'recent' | 'usual' | 'glance';

/** The members of Slack user groups. */
type UserGroups = {
  readonly ask: (group: string, purpose: Purpose) => Promise<GroupAnswer>;
  /** Why the last question failed; undefined if it succeeded, or if there was none. */
  readonly troubleOf: (group: string) => string | undefined;
  /** Slack reported a change: the cached answer is dropped. */
  readonly changed: (group: string) => void;
};

export type UserGroupOptions = {
  /** Asks Slack; never rejects. */
  readonly question: (group: string) => Promise<GroupAnswer>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** How many processes share Slack's rates. */
  readonly replicas: () => number;
  /** Called with every lasting answer: the error code, or undefined if Slack listed the `members`. */
  readonly onGroup: (group: string, trouble: string | undefined, members?: readonly string[]) => void;
};

/**
 * Per purpose: the maximum age of an answer in milliseconds, and how many questions all replicas together may have
 * asked in the last minute for another one to be allowed. Slack allows 20 a minute; decisions may use most of them.
 */
const bounds = {
  decisive: { ageMs: 0, questions: 18 },
  fresh: { ageMs: 15_000, questions: 18 },
  recent: { ageMs: 15_000, questions: 13 },
  usual: { ageMs: 60_000, questions: 13 },
  glance: { ageMs: 600_000, questions: 9 },
} as const satisfies Record<Purpose, unknown>;
/** A passing error is asked about again after this time. */
const momentMs = 3_000;

/** How many answers are cached; the oldest are dropped first. */
const maxKept = 500;

const tooOften: GroupAnswer = { kind: 'not told', why: 'asked too often', isLasting: false };
const paused: GroupAnswer = { kind: 'not told', why: 'ratelimited', isLasting: false };

type Entry = { readonly askedAt: number; readonly answer: Promise<GroupAnswer>; settled?: GroupAnswer };

function isUsable({ askedAt, settled }: Entry, ageMs: number, now: number): boolean {
  // Still pending: share it.
  if (settled === undefined) return true;
  const isPassing = settled.kind === 'not told' && !settled.isLasting;
  return now - askedAt <= (isPassing ? Math.min(ageMs, momentMs) : ageMs);
}

/** Limits the rate of questions, caches answers, and shares one pending question among all who wait. */
export function createUserGroups({ question, now, replicas, onGroup }: UserGroupOptions): UserGroups {
  const cache = new BoundedMap<string, Entry>(maxKept);
  let questionTimes: readonly number[] = [];
  let restsUntil = -Infinity;

  const askSlack = (group: string): Promise<GroupAnswer> => {
    const entry: Entry = { askedAt: now(), answer: question(group) };
    questionTimes = [...questionTimes, entry.askedAt];
    cache.set(group, entry);
    void entry.answer.then((answer) => {
      entry.settled = answer;
      if (answer.kind === 'members') onGroup(group, undefined, answer.ids);
      else if (answer.isLasting) onGroup(group, answer.why);
      else if (answer.restMs !== undefined) restsUntil = Math.max(restsUntil, now() + answer.restMs);
    });
    return entry.answer;
  };
  const ask = async (group: string, purpose: Purpose): Promise<GroupAnswer> => {
    const { ageMs, questions } = bounds[purpose];
    const known = cache.get(group);
    if (known && isUsable(known, ageMs, now())) return known.answer;
    if (now() < restsUntil) return paused;
    questionTimes = questionTimes.filter((at) => now() - at < minuteMs);
    return questionTimes.length < shareOf(questions, replicas()) ? askSlack(group) : tooOften;
  };
  const troubles = new BoundedMap<string, string>(maxKept);
  return {
    ask: async (group, purpose) => {
      const answer = await ask(group, purpose);
      if (answer.kind === 'members') troubles.delete(group);
      else troubles.set(group, answer.why);
      return answer;
    },
    troubleOf: (group) => troubles.get(group),
    changed: (group) => void cache.delete(group),
  };
}

/** What Slack says of a user group: who is in it, or its word for why it does not say. */
export type Told =
  | { readonly kind: 'members'; readonly ids: readonly string[] }
  | {
      readonly kind: 'not told';
      readonly why: string;
      /** It will say the same again, until somebody mends it; else it may be otherwise in a moment. */
      readonly isLasting: boolean;
      /** For so many milliseconds it wants to be asked of no group. */
      readonly restMs?: number | undefined;
    };

/**
 * For what it is asked. `decisive`: somebody approves, or what was approved is sent; `fresh`: something that needed no
 * approval is sent; `usual`: something is asked for; `glance`: something is shown or suggested.
 */
export type Purpose = 'decisive' | 'fresh' | 'usual' | 'glance';

/** Who is in which Slack user group. */
export type UserGroups = {
  readonly ask: (group: string, purpose: Purpose) => Promise<Told>;
  /** Why whoever asked last was not told; undefined: they were, or nobody asked. */
  readonly troubleOf: (group: string) => string | undefined;
  /** Slack said that something has changed: what was heard before is not used any more. */
  readonly changed: (group: string) => void;
};

export type UserGroupOptions = {
  /** Asks Slack; never rejects. */
  readonly question: (group: string) => Promise<Told>;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Told of every answer of Slack that is not for the moment only: its word for why it does not tell, or undefined. */
  readonly onGroup: (group: string, trouble: string | undefined) => void;
};

/**
 * How old an answer may be, in milliseconds since it was asked for, and how many questions of the last minute may have
 * been asked when one more is. Slack answers 20 in a minute; whoever decides is not to wait for whoever looks.
 */
const bounds = {
  decisive: { ageMs: 0, questions: 18 },
  fresh: { ageMs: 15_000, questions: 18 },
  usual: { ageMs: 60_000, questions: 13 },
  glance: { ageMs: 600_000, questions: 9 },
} as const satisfies Record<Purpose, unknown>;
const minuteMs = 60_000;
/** What is wrong for a moment only is asked about again after this. */
const momentMs = 3_000;

/** Answers kept; the oldest go first. */
const maxKept = 500;

const tooOften: Told = { kind: 'not told', why: 'asked too often', isLasting: false };
const paused: Told = { kind: 'not told', why: 'ratelimited', isLasting: false };

type Heard = { readonly askedAt: number; readonly answer: Promise<Told>; told?: Told };

/** Asks at most so often, remembers answers, and asks once for all who wait for the same. */
export function createUserGroups({ question, now, onGroup }: UserGroupOptions): UserGroups {
  const interaction = new Map<string, Heard>();
  let asked: readonly number[] = [];
  let restsUntil = -Infinity;

  const isUsable = ({ askedAt, told }: Heard, ageMs: number): boolean => {
    // Not answered yet: whoever comes waits for it too.
    if (told === undefined) return true;
    const isForNow = told.kind === 'not told' && !told.isLasting;
    return now() - askedAt <= (isForNow ? Math.min(ageMs, momentMs) : ageMs);
  };
  const put = (group: string): Promise<Told> => {
    const one: Heard = { askedAt: now(), answer: question(group) };
    asked = [...asked, one.askedAt];
    interaction.delete(group);
    interaction.set(group, one);
    const [oldest] = interaction.keys();
    if (interaction.size > maxKept && oldest !== undefined) interaction.delete(oldest);
    void one.answer.then((told) => {
      one.told = told;
      if (told.kind === 'members') onGroup(group, undefined);
      else if (told.isLasting) onGroup(group, told.why);
      else if (told.restMs !== undefined) restsUntil = Math.max(restsUntil, now() + told.restMs);
    });
    return one.answer;
  };
  const ask = async (group: string, purpose: Purpose): Promise<Told> => {
    const { ageMs, questions } = bounds[purpose];
    const known = interaction.get(group);
    if (known && isUsable(known, ageMs)) return known.answer;
    if (now() < restsUntil) return paused;
    asked = asked.filter((at) => now() - at < minuteMs);
    return asked.length < questions ? put(group) : tooOften;
  };
  const troubles = new Map<string, string>();
  return {
    ask: async (group, purpose) => {
      const told = await ask(group, purpose);
      if (told.kind === 'members') troubles.delete(group);
      else if (troubles.has(group) || troubles.size < maxKept) troubles.set(group, told.why);
      return told;
    },
    troubleOf: (group) => troubles.get(group),
    changed: (group) => void interaction.delete(group),
  };
}

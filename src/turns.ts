/** No turn came: too many wait already, of this one's or of everybody's, or it took too long. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
  /** What is in the way: only what they have under way themselves, or what everybody has. */
  readonly why: 'own' | 'all' | 'late';

  constructor(why: NoTurn['why']) {
    super(why === 'late' ? 'no turn came in time' : 'too many wait already');
    this.why = why;
  }
}

export type TurnLimits = {
  /** So many works run at once, */
  readonly most: number;
  /** and so many of them for one and the same. */
  readonly mostEach?: number;
  /** So many wait, */
  readonly waiting: number;
  /** and so many of them for one and the same, */
  readonly waitingEach?: number;
  /** so many milliseconds at most. */
  readonly waitMs: number;
};

/** Runs the work when its turn comes, for somebody; rejects with `NoTurn`, or as the work does. */
export type Turns = <T>(work: () => Promise<T>, who?: string) => Promise<T>;

/** What somebody has under way, and what of theirs waits, oldest first. */
type Line = { running: number; readonly queue: Set<() => void> };

/**
 * Lets a number of works run at once, and others wait. Of one and the same it is first come first served; among several
 * whoever has least under way goes first.
 */
export function turns({ most, mostEach = most, waiting, waitingEach = waiting, waitMs }: TurnLimits): Turns {
  /** Only of those who have something here; whoever has had a turn goes to the end. */
  const lines = new Map<string, Line>();
  let [running, queued] = [0, 0];

  const begin = (who: string, line: Line): void => {
    running += 1;
    line.running += 1;
    lines.delete(who);
    lines.set(who, line);
  };
  /** Whoever has least under way, and of those who waited longest for a turn. */
  const next = (): void => {
    if (running >= most || queued === 0) return;
    const [chosen] = [...lines]
      .filter(([, line]) => line.queue.size > 0 && line.running < mostEach)
      .toSorted(([, one], [, other]) => one.running - other.running);
    if (chosen === undefined) return;
    const [who, line] = chosen;
    const [first] = line.queue;
    begin(who, line);
    first?.();
    next();
  };
  const turn = (line: Line): Promise<void> =>
    new Promise((resolve, reject) => {
      if (line.queue.size >= waitingEach) return reject(new NoTurn('own'));
      if (queued >= waiting) return reject(new NoTurn('all'));
      const leave = (): void => {
        clearTimeout(timer);
        line.queue.delete(go);
        queued -= 1;
      };
      const timer = setTimeout(() => {
        leave();
        reject(new NoTurn('late'));
      }, waitMs);
      const go = (): void => {
        leave();
        resolve();
      };
      queued += 1;
      line.queue.add(go);
    });

  return async (work, who = '') => {
    const line = lines.get(who) ?? { running: 0, queue: new Set() };
    lines.set(who, line);
    const tidy = (): void => {
      if (line.running === 0 && line.queue.size === 0 && lines.get(who) === line) lines.delete(who);
    };
    try {
      // Whoever ends hands the place to the next in line, so that nobody can slip in between.
      if (running < most && line.running < mostEach && line.queue.size === 0) begin(who, line);
      else await turn(line);
    } catch (error) {
      tidy();
      throw error;
    }
    try {
      return await work();
    } finally {
      running -= 1;
      line.running -= 1;
      next();
      tidy();
    }
  };
}

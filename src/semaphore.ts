/** No turn came: too many wait already, of this one's or of everybody's, or it took too long. */
export class NotAdmitted extends Error {
  override readonly name = 'NoTurn';
  /** What is in the way: only what they have under way themselves, or what everybody has. */
  readonly why: 'own' | 'all' | 'late';

  constructor(why: NotAdmitted['why']) {
    super(why === 'late' ? 'no turn came in time' : 'too many wait already');
    this.why = why;
  }
}

export type SemaphoreLimits = {
  /** So many works run at once, */
  readonly most: number;
  /** and so many of them for one and the same. */
  readonly maxEach?: number;
  /** and the last so many only for those who have none; */
  readonly kept?: number;
  /** so many wait, */
  readonly waiting: number;
  /** and so many of them for one and the same, */
  readonly waitingEach?: number;
  /** so many milliseconds at most. */
  readonly waitMs: number;
};

/** Runs the work when its turn comes, for somebody; rejects with `NoTurn`, or as the work does. */
export type Semaphore = <T>(work: () => Promise<T>, who?: string) => Promise<T>;

/** What somebody has under way, and what of theirs waits, oldest first. */
type Line = { running: number; readonly queue: Set<() => void> };

/** Everybody's: only of those who have something here; whoever has had a turn goes to the end. */
type Hall = { readonly lines: Map<string, Line>; running: number; queued: number };

/**
 * Lets a number of works run at once, and others wait. Of one and the same it is first come first served; among several
 * whoever has least under way goes first. `behind`: who several of those that are named are in truth.
 */
export function createSemaphore(limits: SemaphoreLimits, behind = (who: string): string => who): Semaphore {
  const hall: Hall = { lines: new Map(), running: 0, queued: 0 };
  const { lines } = hall;
  return async (work, named = '') => {
    const who = behind(named);
    const line = lines.get(who) ?? { running: 0, queue: new Set() };
    lines.set(who, line);
    const tidy = (): void => {
      if (line.running === 0 && line.queue.size === 0 && lines.get(who) === line) lines.delete(who);
    };
    try {
      // Whoever ends hands the place to the next in line, so that nobody can slip in between.
      if (mayBegin(hall, line, limits) && line.queue.size === 0) begin(hall, who, line);
      else await turn(hall, line, limits);
    } catch (error) {
      tidy();
      throw error;
    }
    try {
      return await work();
    } finally {
      hall.running -= 1;
      line.running -= 1;
      next(hall, limits);
      tidy();
    }
  };
}

const mayBegin = ({ running }: Hall, line: Line, { most, maxEach = most, kept = 0 }: SemaphoreLimits): boolean =>
  running < most && line.running < maxEach && (line.running === 0 || running < most - kept);

function begin(hall: Hall, who: string, line: Line): void {
  hall.running += 1;
  line.running += 1;
  hall.lines.delete(who);
  hall.lines.set(who, line);
}

/** Resolves when the turn has come. */
function turn(hall: Hall, line: Line, { waiting, waitingEach = waiting, waitMs }: SemaphoreLimits): Promise<void> {
  return new Promise((resolve, reject) => {
    if (line.queue.size >= waitingEach) return reject(new NotAdmitted('own'));
    if (hall.queued >= waiting) return reject(new NotAdmitted('all'));
    const leave = (): void => {
      clearTimeout(timer);
      line.queue.delete(go);
      hall.queued -= 1;
    };
    const timer = setTimeout(() => {
      leave();
      reject(new NotAdmitted('late'));
    }, waitMs);
    const go = (): void => {
      leave();
      resolve();
    };
    hall.queued += 1;
    return line.queue.add(go);
  });
}

/** Lets in whoever has least under way, and of those who waited longest for a turn. */
function next(hall: Hall, limits: SemaphoreLimits): void {
  while (hall.running < limits.most && hall.queued > 0) {
    const [chosen] = [...hall.lines]
      .filter(([, line]) => line.queue.size > 0 && mayBegin(hall, line, limits))
      .toSorted(([, one], [, other]) => one.running - other.running);
    const [go] = chosen?.[1].queue ?? [];
    if (chosen === undefined || go === undefined) return;
    begin(hall, ...chosen);
    go();
  }
}

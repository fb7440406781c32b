/** The work was not started: too much was waiting (this person's or everybody's), or its turn did not come in time. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted';
  /** `own`: the person's own work is in the way. `all`: everybody's work is. `late`: the wait was too long. */
  readonly why: 'own' | 'all' | 'late';

  constructor(why: NotAdmitted['why']) {
    super(why === 'late' ? 'no turn came in time' : 'too many are already waiting');
    this.why = why;
  }
}

type SemaphoreLimits = {
  /** How many pieces of work run at once. */
  readonly most: number;
  /** How many of them per key. */
  readonly maxEach?: number;
  /** How many places are reserved for keys without running work. */
  readonly kept?: number;
  /** How many may wait. */
  readonly waiting: number;
  /** How many of them per key. */
  readonly waitingEach?: number;
  /** How long each may wait, in milliseconds. */
  readonly waitMs: number;
};

/** Runs the work when it is the turn of `account`. Rejects with `NotAdmitted`, or as the work does. */
export type Semaphore = <T>(work: () => Promise<T>, account?: string) => Promise<T>;

/** How many places are free now, and how much work waits for one. */
export type Load = { readonly free: number; readonly waiting: number };

/** The state of one key: running work, and waiting work, oldest first. */
type KeyState = { running: number; readonly queue: Set<() => void> };

/** The shared state. It only has keys with work; a key moves to the end after its turn. */
type State = { readonly keys: Map<string, KeyState>; running: number; queued: number };

/**
 * Limits how much work runs at once; the rest waits. The work of one key runs in order; the key with the least running
 * work goes first. `behind` maps an account to its person. Limits may be a function, called whenever they apply.
 */
export function createSemaphore(
  given: SemaphoreLimits | (() => SemaphoreLimits),
  behind = (account: string): string => account,
): Semaphore & { readonly load: () => Load } {
  const limits = typeof given === 'function' ? given : () => given;
  const state: State = { keys: new Map(), running: 0, queued: 0 };
  const { keys } = state;
  const run: Semaphore = async (work, account = '') => {
    const key = behind(account);
    const own = keys.get(key) ?? { running: 0, queue: new Set() };
    keys.set(key, own);
    const cleanUp = (): void => {
      if (own.running === 0 && own.queue.size === 0 && keys.get(key) === own) keys.delete(key);
    };
    try {
      // Finished work passes its place to the next one in line, so that newcomers can't jump the queue.
      if (mayBegin(state, own, limits()) && own.queue.size === 0) start(state, key, own);
      else await waitForTurn(state, own, limits());
    } catch (error) {
      cleanUp();
      throw error;
    }
    try {
      return await work();
    } finally {
      state.running -= 1;
      own.running -= 1;
      admitNext(state, limits());
      cleanUp();
    }
  };
  return Object.assign(run, {
    load: () => ({ free: Math.max(0, limits().most - state.running), waiting: state.queued }),
  });
}

const mayBegin = ({ running }: State, own: KeyState, { most, maxEach = most, kept = 0 }: SemaphoreLimits): boolean =>
  running < most && own.running < maxEach && (own.running === 0 || running < most - kept);

function start(state: State, key: string, own: KeyState): void {
  state.running += 1;
  own.running += 1;
  state.keys.delete(key);
  state.keys.set(key, own);
}

/** Resolves when it is this work's turn; rejects with `NotAdmitted`. */
function waitForTurn(
  state: State,
  own: KeyState,
  { waiting, waitingEach = waiting, waitMs }: SemaphoreLimits,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (own.queue.size >= waitingEach) return reject(new NotAdmitted('own'));
    if (state.queued >= waiting) return reject(new NotAdmitted('all'));
    const leave = (): void => {
      clearTimeout(timer);
      own.queue.delete(admit);
      state.queued -= 1;
    };
    const timer = setTimeout(() => {
      leave();
      reject(new NotAdmitted('late'));
    }, waitMs);
    const admit = (): void => {
      leave();
      resolve();
    };
    state.queued += 1;
    return own.queue.add(admit);
  });
}

/** Admits the key with the least running work; if several have the least, the one that has waited longest. */
function admitNext(state: State, limits: SemaphoreLimits): void {
  while (state.running < limits.most && state.queued > 0) {
    const [chosen] = [...state.keys]
      .filter(([, own]) => own.queue.size > 0 && mayBegin(state, own, limits))
      .toSorted(([, one], [, other]) => one.running - other.running);
    const [admit] = chosen?.[1].queue ?? [];
    if (chosen === undefined || admit === undefined) return;
    start(state, ...chosen);
    admit();
  }
}

/** One replica's share of what Slack or the host allows all replicas together: a whole number, at least 1. */
export const shareOf = (whole: number, replicas: number): number => Math.max(1, Math.floor(whole / replicas));

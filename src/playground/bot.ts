import { type BotProcess, type BotProgram, type Exit, spawnBot } from './bot-process.ts';
import type { BotState } from './web/shapes.ts';

/** The bot in its own process. It can be killed and restarted; the stand-ins keep running. */
export type Bot = {
  readonly pid: number | undefined;
  /** Resolves when the current process ends. A restart replaces it. */
  readonly exited: Promise<Exit>;
  state(): BotState;
  /** Resolves once the bot is ready, has exited or has taken longer than 30 s; `state` says which. */
  started(): Promise<void>;
  /** Ends the bot gracefully if it runs, then starts it. A second call joins the first. Resolves as `started` does. */
  restart(): Promise<void>;
  /** Sends a signal if the bot runs. Does not wait. */
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL after 12 s. The bot cannot be restarted afterwards. */
  close(): Promise<void>;
};

/** How to run a bot. */
export type BotOptions = BotProgram & {
  /** Resolves when the bot can be reached. `signal` ends the wait. */
  readonly reachable: (signal: AbortSignal) => Promise<void>;
  /** Resolves when all connections of an exited bot are closed. */
  readonly gone: () => Promise<void>;
  readonly onLine: (line: string) => void;
  readonly onChanged: (state: BotState) => void;
};

const LINES = 500;
const START_MS = 30_000;

type Run = BotProcess & { readonly started: Promise<void> };

/** Starts the bot. It ends with this process, unless this process is killed with SIGKILL. */
export function startBot(options: BotOptions): Bot {
  const tracker = createStateTracker(options.onChanged);
  const run = (): Run => {
    const child = spawnBot(options, (line) => {
      tracker.add(line);
      options.onLine(line);
    });
    tracker.enter({ state: 'starting', pid: child.pid, exit: undefined });
    return { ...child, started: follow(child, tracker.enter, options.reachable) };
  };
  let current = run();
  let closed = false;
  let restarting: Promise<void> | undefined;
  const killAtExit = (): void => current.kill('SIGKILL');
  process.once('exit', killAtExit);

  async function endAndRun(): Promise<void> {
    await current.end();
    await options.gone();
    if (closed) return;
    current = run();
    await current.started;
  }

  return {
    get pid() {
      return current.pid;
    },
    get exited() {
      return current.exited;
    },
    state: tracker.state,
    started: () => current.started,
    restart: () => (restarting ??= endAndRun().finally(() => (restarting = undefined))),
    kill: (signal) => current.kill(signal),
    async close() {
      closed = true;
      await current.end();
      process.off('exit', killAtExit);
    },
  };
}

type StateTracker = {
  readonly state: () => BotState;
  readonly add: (line: string) => void;
  readonly enter: (now: Omit<BotState, 'log'>) => void;
};

/** Keeps the bot's state and its newest lines. */
function createStateTracker(onChanged: BotOptions['onChanged']): StateTracker {
  const log: string[] = [];
  let present: Omit<BotState, 'log'> = { state: 'starting', pid: undefined, exit: undefined };
  const state = (): BotState => ({ ...present, log: [...log] });
  return {
    state,
    add(line) {
      log.push(line);
      if (log.length > LINES) log.shift();
    },
    enter(now) {
      present = now;
      onChanged(state());
    },
  };
}

/** Reports when the process is ready and when it exits. Resolves at the first of these, or after 30 s. */
async function follow(
  { pid, exited }: BotProcess,
  enter: StateTracker['enter'],
  reachable: BotOptions['reachable'],
): Promise<void> {
  const over = new AbortController();
  const ended = exited.then((exit) => {
    over.abort();
    enter({ state: 'exited', pid: undefined, exit });
  });
  const ready = reachable(over.signal).then(
    () => over.signal.aborted || enter({ state: 'ready', pid, exit: undefined }),
    () => ended,
  );
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, START_MS);
  await Promise.race([ready, ended, tooLong]);
  clearTimeout(timer);
}

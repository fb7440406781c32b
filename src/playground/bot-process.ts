import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** How a process ended: its exit code, or the signal that ended it. Both are null if it could not be started. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** One run of the bot. */
export type BotProcess = {
  readonly pid: number | undefined;
  readonly exited: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL after 12 s. Resolves when it has exited. */
  end(): Promise<void>;
};

const GRACE_MS = 12_000;

/** What to run: words for Node, in this folder, with only this environment. */
export type BotProgram = {
  readonly words: readonly string[];
  /** Has no `.env`, which `sitehand start` would read. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
};

/** Runs a program. `onLine` gets each line it prints. */
export function spawnBot({ words, folder, environment }: BotProgram, onLine: (line: string) => void): BotProcess {
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: Ctrl-C in a terminal must reach only this process, which then ends the bot once.
    detached: true,
  });
  for (const input of [child.stdout, child.stderr]) createInterface({ input, crlfDelay: Infinity }).on('line', onLine);
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  child.once('exit', (code, signal) => resolve({ code, signal }));
  child.once('error', (error) => {
    onLine(error.message);
    if (child.pid === undefined) resolve({ code: null, signal: null });
  });
  return {
    pid: child.pid,
    exited,
    kill: (signal) => void child.kill(signal),
    async end() {
      child.kill('SIGTERM');
      // A stopped process handles SIGTERM only after SIGCONT.
      child.kill('SIGCONT');
      const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

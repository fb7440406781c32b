import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';

/** How long anything in a story may take, in milliseconds: on a busy machine the slowest takes half of it. */
export const patienceMs = 25_000;

// A story is a few such steps; whatever does not come says itself what came instead, before this.
if (process.env['VITEST']) vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** How a process of the bot ended. */
export type Exit = { readonly code: number | null; readonly signal: string | null };

/** One process of the real bot. */
export type Bot = {
  /** Resolves when it knows the names of all sites; rejects with its last words when it ends before. */
  readonly ready: Promise<void>;
  readonly port: () => number;
  readonly pid: number;
  /** Resolves when the process is gone, whoever ended it. */
  readonly ended: Promise<Exit>;
  /** Sends the signal and resolves when the process is gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<Exit>;
};

/** Starts the bot with these environment variables alone; `onLine` gets all it prints. */
export function startBot(env: Readonly<Record<string, string>>, onLine: (line: string) => void): Bot {
  const child = spawn(process.execPath, ['--import', './src/node-version.js', 'src/main.ts'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  const said: string[] = [];
  const { promise: told, resolve: tell } = Promise.withResolvers<number>();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      onLine(line);
      said.push(line);
      const port = /"port":(\d+),.*Sitehand is ready/.exec(line)?.[1];
      if (port !== undefined) tell(Number(port));
    });
  }
  let port = 0;
  const ready = Promise.race([
    told.then(async (at) => answersReady((port = at))),
    exited.then(({ code, signal }) => {
      throw new Error(`the bot ended with ${code ?? signal}:\n${said.slice(-30).join('\n')}`);
    }),
  ]);
  // A bot that is not waited for may end unheard.
  ready.catch(() => undefined);
  return { ready, port: () => port, pid: child.pid ?? 0, ended: exited, end: (signal) => (child.kill(signal), exited) };
}

/** Resolves when the bot says that it is ready: it knows the names of all sites. */
async function answersReady(port: number): Promise<void> {
  const until = performance.now() + patienceMs;
  while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) {
    if (performance.now() > until) throw new Error('the bot did not become ready');
  }
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode };
}

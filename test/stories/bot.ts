import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { inject } from 'vitest';
import { readConfig } from '../../src/base/config.ts';
import { createLog, logTo } from '../../src/base/log.ts';
import { start } from '../../src/main.ts';
import { resourceAt } from '../lazy-resource.ts';
import { patienceMs } from '../patience.ts';

/** How a bot's process ended. */
export type Exit = { readonly code: number | null; readonly signal: string | null };

/** A running real bot. */
export type Bot = {
  /** Resolves when it is connected, whether or not it knows the host's sites yet. Rejects as `ready` does. */
  readonly connected: Promise<unknown>;
  /** Resolves when it knows the names of all sites. Rejects with its last lines if it ends before. */
  readonly ready: Promise<void>;
  readonly port: () => number;
  readonly pid: () => number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<Exit>;
  /** Sends the signal and resolves when the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<Exit>;
  /** Ends it as fast as possible. */
  readonly close: () => Promise<Exit>;
};

/**
 * No person has to read along, and the stand-in enforces rate limits only on request, so polls and posts can be fast.
 */
const pace = { postEveryMs: 0, editsPerMinute: 10_000, channelsForMs: 0, renewEveryMs: 50, homeEveryMs: 100 };

/**
 * Starts the bot in the test's own process with only these environment variables, which saves a second. It can be
 * stopped but not killed. Its caches in memory use the clock `now` (epoch ms). `onLine` throws for a line that the log
 * can't take.
 */
export function startBotHere(
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
  now: () => number,
): Bot {
  const write = (line: string, onWritten: (error?: Error) => void): void => {
    try {
      for (const one of line.trim().split('\n')) onLine(one);
      onWritten();
    } catch (error) {
      onWritten(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const output = logTo({ writableLength: 0, write }, () => {});
  const log = createLog(env['LOG_LEVEL'] ?? 'info', output);
  const running = Promise.resolve().then(() => start(readConfig(env), { log, logLoss: output.loss, pace, now }));
  let port = 0;
  const ready = running.then(async (bot) => answersReady((port = bot.port)));
  ready.catch(() => undefined);
  const { promise: ended, resolve } = Promise.withResolvers<Exit>();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<Exit> => {
    stopping ??= running.then((bot) => bot.stop()).catch(() => undefined);
    void stopping.then(() => resolve({ code: 0, signal: null }));
    return ended;
  };
  const end = (signal: NodeJS.Signals): Promise<Exit> => (signal === 'SIGKILL' ? notItsOwn() : stop());
  return { connected: running, ready, port: () => port, pid: notItsOwn, ended, end, close: stop };
}

const notItsOwn = (): never => {
  throw new Error('this bot has no process of its own');
};

/** The arguments of `npm start`, without reading `.env`. */
const asStarted = (file: string): readonly string[] => [
  '--max-semi-space-size=4',
  '--import',
  './src/node-version.js',
  file,
];

/** How to run a bot in its own process: Node's arguments (or another command's), additional variables, and the folder. */
export type Program = {
  readonly command?: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
};

/** The program that `npm start` runs. */
export const sources: Program = { words: asStarted('src/main.ts') };

/**
 * The sources bundled in one file, which starts in half the time. `npm run prove` runs without Vitest and has no such
 * file.
 */
export async function programOf(): Promise<Program> {
  if (!process.env['VITEST']) return sources;
  const file = await resourceAt(inject('bundledBot'));
  return { words: asStarted(file), environment: { NODE_COMPILE_CACHE: join(dirname(file), 'compiled') } };
}

/** Starts it in its own process with only these environment variables. `onLine` gets each line it prints. */
export function startBot(
  { command = process.execPath, words, environment, folder }: Program,
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): Bot {
  const child = spawn(command, words, {
    env: { ...environment, ...env },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  const lines: string[] = [];
  const { promise: listening, resolve: onPort } = Promise.withResolvers<number>();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      onLine(line);
      lines.push(line);
      const port = /"port":(\d+),.*Sitehand is ready/.exec(line)?.[1];
      if (port !== undefined) onPort(Number(port));
    });
  }
  let port = 0;
  const connected = Promise.race([
    listening.then((at) => (port = at)),
    exited.then(({ code, signal }) => {
      throw new Error(`the bot ended with ${code ?? signal}:\n${lines.slice(-30).join('\n')}`);
    }),
  ]);
  const ready = connected.then(answersReady);
  // A test may not wait for `ready`; its rejection must not be unhandled then.
  ready.catch(() => undefined);
  const end = (signal: NodeJS.Signals): Promise<Exit> => (child.kill(signal), exited);
  const pid = (): number => child.pid ?? notItsOwn();
  return { connected, ready, port: () => port, pid, ended: exited, end, close: () => end('SIGKILL') };
}

/** Resolves when the bot is ready, that is, knows the names of all sites. */
async function answersReady(port: number): Promise<void> {
  const until = performance.now() + patienceMs;
  const readyz = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
  for (let says = await readyz(); !/^ready\b/.test(says) || says.includes('not been listed'); says = await readyz()) {
    if (performance.now() > until) throw new Error('the bot did not become ready');
    // Without a pause, polling would keep a bot busy while its host lists nothing.
    await wait(100);
  }
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode };
}

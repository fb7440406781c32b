import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { start } from '../../src/main.ts';

/**
 * How long anything in a story may take, in milliseconds: nothing takes a tenth of it, unless the machine is busy. Whoever
 * is not held to the time of a test can wait longer, and does.
 */
export const patienceMs = process.env['VITEST'] ? 60_000 : 120_000;

/** How a process of the bot ended. */
export type Exit = { readonly code: number | null; readonly signal: string | null };

/** The real bot, running. */
export type Bot = {
  /** Resolves when it is connected, whatever it knows of the host by then; rejects as `ready` does. */
  readonly connected: Promise<unknown>;
  /** Resolves when it knows the names of all sites; rejects with its last words when it ends before. */
  readonly ready: Promise<void>;
  readonly port: () => number;
  readonly pid: () => number;
  /** Resolves when the process is gone, whoever ended it. */
  readonly ended: Promise<Exit>;
  /** Sends the signal and resolves when the process is gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<Exit>;
  /** Ends it in the quickest way there is. */
  readonly close: () => Promise<Exit>;
};

/** Nobody reads along, and the stand-in counts only where it is told to. */
const pace = { postEveryMs: 0, editsPerMinute: 10_000, channelsForMs: 0, renewEveryMs: 50, homeEveryMs: 100 };

/**
 * Starts the bot with these environment variables alone in the process of the test: a second of work less than a process
 * of its own. It cannot be killed, only stopped. By `now` (epoch ms) it keeps what is in no database.
 */
export function startBotHere(
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
  now: () => number,
): Bot {
  const log = createLog(env['LOG_LEVEL'] ?? 'info', { write: (line) => onLine(line.trimEnd()) });
  const running = Promise.resolve().then(() => start(readConfig(env), { log, pace, now }));
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

/** Starts the bot in a process of its own with these environment variables alone; `onLine` gets all it prints. */
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
  const connected = Promise.race([
    told.then((at) => (port = at)),
    exited.then(({ code, signal }) => {
      throw new Error(`the bot ended with ${code ?? signal}:\n${said.slice(-30).join('\n')}`);
    }),
  ]);
  const ready = connected.then(answersReady);
  // A bot that is not waited for may end unheard.
  ready.catch(() => undefined);
  const end = (signal: NodeJS.Signals): Promise<Exit> => (child.kill(signal), exited);
  const pid = (): number => child.pid ?? notItsOwn();
  return { connected, ready, port: () => port, pid, ended: exited, end, close: () => end('SIGKILL') };
}

/** Resolves when the bot says that it is ready: it knows the names of all sites. */
async function answersReady(port: number): Promise<void> {
  const until = performance.now() + patienceMs;
  while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) {
    if (performance.now() > until) throw new Error('the bot did not become ready');
    // Asked without a pause, a bot whose host lists nothing would do little else than answer.
    await wait(100);
  }
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode };
}

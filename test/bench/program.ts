import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { build } from '../../deploy/build.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';

const root = path.resolve(import.meta.dirname, '../..');
const startsWithinMs = 20_000;

/** A bot in its own process, on the last core if there are several; the load comes from the others. */
export type Program = {
  readonly url: string;
  /** From spawning to its first answer, in ms. */
  readonly startMs: number;
  /** Resident memory now, in MB. */
  readonly residentMb: () => number;
  /** Its peak resident memory, in MB. */
  readonly peakMb: () => number;
  /** What it holds after garbage collection; only if it was started with `probe`. */
  readonly holds: () => Promise<Held>;
  readonly stop: () => Promise<void>;
};

/** Bytes on the heap, open timers, sockets and the like, and `listeners` on the process. */
export type Held = { readonly heap: number; readonly resources: number; readonly listeners: number };

type Environment = Readonly<Record<string, string>>;
type ProgramOptions = {
  /** What Node runs, and in which folder; by default the project's. */
  readonly words: readonly string[];
  readonly folder?: string;
  /** A path that answers other than 503 once it is ready. */
  readonly ready: string;
  readonly environment: Environment;
} & ProgramLimits;

/** `probe`: it can say what it holds. `heapMb`: the most memory for old objects, in MB; by default, Node decides. */
export type ProgramLimits = { readonly probe?: true; readonly heapMb?: number };

/** As the package starts itself: a small new space, because long answers would make it grow for good. */
const flags = readFileSync(path.join(root, 'deploy/sitehand.js'), 'utf8').match(/--max-\S+/g) ?? [];

/** The package's program, built once a run. */
const packaged = (): Promise<string> => (built ??= buildPackage());
let built: Promise<string> | undefined;
async function buildPackage(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sitehand-package-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  await build(folder);
  return path.join(folder, 'sitehand.js');
}

/** Starts Sitehand as people run it, from its package. */
export async function startPackage(environment: Environment, more: ProgramLimits = {}): Promise<Program> {
  const program = await packaged();
  const words = [program, 'start'];
  return startProgram({ words, folder: path.dirname(program), ready: '/readyz', environment, ...more });
}

/** Starts the smallest bot on Bolt. */
export const startBare = (environment: Environment): Promise<Program> =>
  startProgram({ words: ['--import', './src/node-version.js', 'test/bench/bare.ts'], ready: '/', environment });

/** All cores, as before one was reserved. */
export const cores = availableParallelism();
const pinned = existsSync('/usr/bin/taskset') ? ['/usr/bin/taskset', '-c'] : [];

/** Keeps this process off the last core, which the measured programs use alone, or lets it back. */
export function keepOffTheLastCore(isOff: boolean): void {
  if (cores < 2 || pinned.length === 0) return;
  spawnSync('/usr/bin/taskset', ['-a', '-p', '-c', `0-${cores - (isOff ? 2 : 1)}`, String(process.pid)]);
}

/** Starts it; resolves at its first answer. Rejects if there is none within 20 s, or if it ends. */
async function startProgram({
  words,
  folder = root,
  ready,
  environment,
  probe,
  heapMb,
}: ProgramOptions): Promise<Program> {
  const port = await freePort();
  const node = [
    process.execPath,
    ...flags,
    ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]),
    ...(probe ? ['--expose-gc', '--import', path.join(root, 'test/bench/probe.ts')] : []),
    ...words,
  ];
  const [name = '', ...args] = pinned.length > 0 && cores > 1 ? [...pinned, String(cores - 1), ...node] : node;
  const began = performance.now();
  const child = spawn(name, args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...environment,
      PORT: String(port),
      HOST: '127.0.0.1',
    },
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await answering(`${url}${ready}`, began + startsWithinMs);
  const startMs = performance.now() - began;
  const megabytes = (name: 'VmRSS' | 'VmHWM'): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  return {
    url,
    startMs,
    residentMb: () => megabytes('VmRSS'),
    peakMb: () => megabytes('VmHWM'),
    async holds() {
      child.send('hold');
      const held = await new Promise<unknown>((resolve) => child.once('message', resolve));
      if (!isHeld(held)) throw new Error('the probe did not answer');
      return held;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const isHeld = (value: unknown): value is Held =>
  typeof value === 'object' && value !== null && 'heap' in value && 'resources' in value && 'listeners' in value;

async function answering(url: string, until: number): Promise<void> {
  for (;;) {
    const answered = await request(url).then(
      async ({ body, statusCode }) => (await body.dump(), statusCode !== 503),
      () => false,
    );
    if (answered) return;
    if (performance.now() > until) throw new Error(`nothing answers at ${url}`);
    await wait(2);
  }
}

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { lazyResource } from './lazy-resource.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An address that answers with the server's URL, without a database. The first request starts the server. */
    postgres: string;
  }
}

/** A running server; `url` ends where the database's name begins. */
type Server = {
  readonly url: string;
  /** Ends it with `INT` (orderly) or `QUIT` (as in a crash), and starts it again. Resolves when it takes connections. */
  restart(signal: 'INT' | 'QUIT'): Promise<void>;
  stop(): Promise<void>;
};

/** The folder with `initdb` and `postgres`, searched in PATH and Debian's places; undefined if there is none. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = canRead(debian) ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one)) : [];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...versions.map((one) => join(debian, one, 'bin'))];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => canRun(join(folder, name))));
}

/**
 * Starts a server with an empty data folder, reachable through a socket in its own temporary folder. `settings`
 * (`name=value`) come after the usual ones, which trade safety in a power cut for speed.
 */
export async function startPostgres(binaries: string, settings: readonly string[] = []): Promise<Server> {
  const more = settings.flatMap((setting) => ['-c', setting]);
  const server = await startServer('postgres', postgres, [binaries, ...more], 'ready to accept connections');
  return { ...server, url: `postgres://sitehand@localhost/?host=${encodeURIComponent(server.folder)}` };
}

const postgres = {
  prepare: `
  binaries=$2
  shift 2
  "$binaries/initdb" -D "$folder/files" -U sitehand -A trust -E UTF8 --locale=C --no-sync >&2 || exit 1`,
  run: `"$binaries/postgres" -D "$folder/files" -k "$folder" -c listen_addresses= -c fsync=off \\
      -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off -c shared_buffers=16MB \\
      -c max_connections=200 -c deadlock_timeout=100ms "$@"`,
};

/** Parts of a shell script. `$folder` and `$1` are the server's own temporary folder, followed by the arguments. */
type Script = { readonly prepare: string; readonly run: string };

/**
 * Runs a server by a shell script, as an unprivileged user; resolves once the server says that it is `ready`. The shell
 * stops the server and removes the folder when its input closes, so that the server never outlives this process.
 */
export async function startServer(
  name: string,
  { prepare, run }: Script,
  args: readonly string[],
  ready: string,
): Promise<Omit<Server, 'url'> & { readonly folder: string }> {
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), `sitehand-${name}-`));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const keeper = spawn('/bin/sh', ['-c', `folder=$1${prepare}${keeping(run)}`, 'sh', folder, ...args], {
    ...user,
    cwd: folder,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'pipe'],
    // Ctrl-C is for the test run, which then stops the server at the right time.
    detached: true,
  });
  const gone = once(keeper, 'exit');
  const said: string[] = [];
  const lines = createInterface(keeper.stderr);
  let isReady = Promise.withResolvers<boolean>();
  lines.on('line', (line) => {
    if (said.length < 100) said.push(line);
    if (line.includes(ready)) isReady.resolve(true);
  });
  lines.on('close', () => isReady.resolve(false));
  const stop = async (): Promise<void> => {
    keeper.stdin.end();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  const restart: Server['restart'] = async (signal) => {
    isReady = Promise.withResolvers();
    keeper.stdin.write(`${signal}\n`);
    if (!(await isReady.promise)) throw new Error(`${name} did not start again`);
  };
  if (await isReady.promise) return { folder, restart, stop };
  await stop();
  throw new Error(`${name} did not start:\n${said.join('\n')}`);
}

const keeping = (run: string): string => `
  signal=
  while
    ${run} &
    server=$!
    read -r signal
  do
    kill -"$signal" "$server"
    wait "$server"
  done
  kill -INT "$server"
  wait "$server"
  rm -rf "$folder"`;

/** PostgreSQL and PgBouncer refuse to run as root, so they run as Debian's user for it, or as nobody. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const name = ['postgres', 'nobody'].find((name) => id('-u', name) !== undefined) ?? 'nobody';
  return { uid: id('-u', name) ?? 65_534, gid: id('-g', name) ?? 65_534 };
}

function id(which: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [which, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}

/** Whether this file can be run. */
export const canRun = (path: string): boolean => allows(path, constants.X_OK);
const canRead = (path: string): boolean => allows(path, constants.R_OK);

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Vitest's global set-up: one server per run, started when the first test asks for it and stopped at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await lazyResource(async () => {
    const binaries = findPostgres();
    if (binaries === undefined) throw new Error('no PostgreSQL is installed');
    const server = await startPostgres(binaries);
    return { answer: server.url, remove: () => server.stop() };
  });
  project.provide('postgres', address);
  return close;
}

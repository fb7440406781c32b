import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { unprivileged } from './postgres-server.ts';

/** A server of the pair. */
type PairServer = {
  /** The URL of its database `postgres`. */
  readonly url: string;
  /** Runs one statement on a connection of its own. */
  readonly asked: (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** SIGKILL of the server and all that it started; resolves when it has ended. */
  readonly kill: () => Promise<void>;
  /** Starts it again after that. */
  readonly start: () => Promise<void>;
};

/** A primary and its streaming standby, which can be read. */
export type Pair = {
  readonly primary: PairServer;
  readonly standby: PairServer;
  /** From now on no commit is answered before the standby has it on disk. */
  readonly replicateFirst: () => Promise<void>;
  /** The standby receives nothing any more: what the primary commits from now on is lost with it. */
  readonly stopReplication: () => Promise<void>;
  /** The standby becomes a primary, on a new timeline. */
  readonly promote: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Starts both in one temporary folder, without the network. Their files go when `close` is called. */
export async function startPair(binaries: string): Promise<Pair> {
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-pair-'));
  const own = (path: string): string => {
    if (user !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  own(folder);
  const run = (program: string, ...args: readonly string[]): unknown =>
    execFileSync(program, args, {
      ...user,
      cwd: folder,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      stdio: 'pipe',
    });
  const place = (name: string): string => {
    const at = join(folder, name);
    mkdirSync(at);
    return own(at);
  };
  const [one, two] = [place('one'), place('two')];
  const files = join(one, 'files');
  run(join(binaries, 'initdb'), '-D', files, '-U', 'sitehand', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  // A copy of the files of a server that does not run is as good as a base backup.
  run('cp', '-R', '-p', files, two);
  run('touch', join(two, 'files', 'standby.signal'));
  appendFileSync(join(two, 'files', 'postgresql.auto.conf'), `primary_conninfo = 'host=${one} user=sitehand'\n`);
  const primary = serverIn(binaries, one, user);
  const standby = serverIn(binaries, two, user);
  await Promise.all([primary.start(), standby.start()]);
  const replicas = (count: number, which: string): Promise<void> =>
    until(async () => (await primary.asked(`select 1 from pg_stat_replication where ${which}`)).length === count);
  await replicas(1, `state = 'streaming'`);
  return {
    primary,
    standby,
    replicateFirst: async () => {
      await primary.asked(`alter system set synchronous_standby_names = '*'`);
      await primary.asked('select pg_reload_conf()');
      await replicas(1, `sync_state = 'sync'`);
    },
    stopReplication: async () => {
      await standby.asked(`alter system set primary_conninfo = ''`);
      await standby.asked('select pg_reload_conf()');
      await replicas(0, 'true');
    },
    promote: async () => void (await standby.asked('select pg_promote()')),
    close: async () => {
      await Promise.all([primary.kill(), standby.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Nothing tells when a server has noticed the other. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('the servers of the pair did not find each other');
    await wait(20);
  }
}

const settings = 'listen_addresses= fsync=off full_page_writes=off autovacuum=off shared_buffers=16MB'
  .split(' ')
  .flatMap((one) => ['-c', one]);

function serverIn(binaries: string, folder: string, user: ReturnType<typeof unprivileged>): PairServer {
  const url = `postgres://sitehand@localhost/postgres?host=${encodeURIComponent(folder)}`;
  let kill = async (): Promise<void> => undefined;
  const start = async (): Promise<void> => {
    const args = [binaries, '-D', join(folder, 'files'), '-k', folder, ...settings];
    const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
    const keeper = spawn('/bin/sh', ['-c', keeping, ...args], { ...user, env, stdio: ['pipe', 'ignore', 'pipe'] });
    const gone = once(keeper, 'exit');
    kill = async () => {
      kill = async () => undefined;
      keeper.stdin.end();
      await gone;
    };
    const said: string[] = [];
    const isReady = await new Promise<boolean>((resolve) => {
      const lines = createInterface(keeper.stderr);
      lines.on('line', (line) => {
        if (said.length < 100) said.push(line);
        if (line.includes('ready to accept')) resolve(true);
        if (line.includes('database system is shut down')) resolve(false);
      });
      lines.on('close', () => resolve(false));
    });
    if (isReady) return;
    await kill();
    throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`);
  };
  return { url, asked: (statement) => asked(url, statement), kill: () => kill(), start };
}

/** A server ends with this shell, which ends when its input closes. Its children notice that it is gone. */
const keeping = `
  "$0/postgres" "$@" &
  server=$!
  read -r _
  kill -KILL "$server"
  wait "$server"
  exit 0`;

async function asked(url: string, statement: string): ReturnType<PairServer['asked']> {
  const client = new Client({ connectionString: url });
  // The server may end in the middle of it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** An empty folder to run the bot in, and that of its database. `release` removes what is temporary. */
export type Folders = { readonly work: string; readonly data: string; release(): Promise<void> };

/** Makes temporary folders; `kept`, created if needed, is the database's instead. Rejects with the system's error. */
export async function openFolders(kept?: string): Promise<Folders> {
  const work = await mkdtemp(join(tmpdir(), 'sitehand-playground-'));
  const removal = { recursive: true, force: true } as const;
  const removeAtExit = (): void => rmSync(work, removal);
  process.once('exit', removeAtExit);
  const data = kept === undefined ? join(work, 'data') : resolve(kept);
  await mkdir(data, { recursive: true, mode: 0o700 });
  return {
    work,
    data,
    async release() {
      await rm(work, removal);
      process.off('exit', removeAtExit);
    },
  };
}

/** Below those that the system itself gives to connections and to servers without a port of their own. */
const ports = { from: 20_000, to: 32_000 } as const;
const maxTries = 20;

/** A free port on loopback; another process may take it before you do. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(ports.from, ports.to);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if (tries === maxTries) throw error;
    }
  }
}

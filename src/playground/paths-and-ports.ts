import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
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

/** A free port on loopback; another process may take it before you do. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', done);
  });
  const address = server.address();
  await new Promise<void>((done) => {
    server.close(() => done());
  });
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

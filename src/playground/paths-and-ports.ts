import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, independent of the working directory. */
export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** A folder for the bot's database. `release` removes it if it is a temporary one. */
export type DataFolder = { readonly path: string; release(): Promise<void> };

/** A fresh temporary folder, or the one at `kept`, created if needed. Rejects with the system's error. */
export async function openDataFolder(kept?: string): Promise<DataFolder> {
  if (kept === undefined) {
    const path = await mkdtemp(join(tmpdir(), 'sitehand-playground-'));
    const removal = { recursive: true, force: true } as const;
    const removeAtExit = (): void => rmSync(path, removal);
    process.once('exit', removeAtExit);
    return {
      path,
      async release() {
        await rm(path, removal);
        process.off('exit', removeAtExit);
      },
    };
  }
  const path = resolve(kept);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return { path, release: () => Promise.resolve() };
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

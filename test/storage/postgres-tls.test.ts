import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { selfSigned } from '../hosting/certificate.ts';
import { findPostgres, startPostgres, unprivileged } from '../postgres-server.ts';
import { noPostgres, postgresRuns } from '../postgres.ts';

/** What `sslmode` does, on a server that takes TLS and plain connections alike. */
describe.runIf(postgresRuns)(`PostgreSQL with TLS${noPostgres}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let port: number;
  beforeAll(async () => {
    const made = selfSigned();
    writeFileSync(cert, made.cert);
    writeFileSync(key, made.key, { mode: 0o600 });
    const owner = unprivileged();
    if (owner) for (const path of [folder, cert, key]) chownSync(path, owner.uid, owner.gid);
    port = await freePort();
    const tls = ['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`];
    server = await startPostgres(findPostgres() ?? '', ['listen_addresses=127.0.0.1', `port=${port}`, ...tls]);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Whether the server says that a connection with this query is encrypted. */
  async function isEncrypted(query: string): Promise<boolean | undefined> {
    const database = await openDatabase(`postgres://sitehand@localhost:${port}/postgres?${query}`);
    try {
      const own = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      return await database.transaction(async (tx) => (await own.execute(tx)).rows[0]?.ssl);
    } finally {
      await database.close();
    }
  }

  test.each([
    ['sslmode=verify-full&sslrootcert=ROOT', true],
    ['sslmode=no-verify', true],
    ['uselibpqcompat=true&sslmode=prefer', true],
    ['sslmode=disable', false],
    ['', false],
  ])('%s: encrypted %s', async (query, encrypted) => {
    expect(await isEncrypted(query.replace('ROOT', encodeURIComponent(cert)))).toBe(encrypted);
  });

  test.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'sslmode=%s does not connect to a certificate of an unknown authority',
    async (mode) => {
      await expect(isEncrypted(`sslmode=${mode}`)).rejects.toThrow(/cannot be opened: self-signed certificate/);
    },
  );
});

import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { protectionOf } from '../../src/base/addresses.ts';

/** How `pg` itself would connect. */
function byPg(url: string): string {
  const { ssl } = new Client(url) as { readonly ssl: unknown };
  if (typeof ssl !== 'object' || ssl === null) return ssl === true ? 'verified' : 'none';
  return 'rejectUnauthorized' in ssl && ssl.rejectUnauthorized === false ? 'unverified' : 'verified';
}

describe('PostgreSQL on another machine is protected as pg reads its address', () => {
  const modes = ['', 'disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify', 'typo'];
  const root = `sslrootcert=${import.meta.filename}`;
  const queries = modes.flatMap((mode) =>
    ['', 'uselibpqcompat=true', root, `uselibpqcompat=true&${root}`, 'ssl=0', 'ssl=true', 'ssl=no-verify']
      .concat('sslnegotiation=direct', 'ssl=1&sslnegotiation=direct', 'sslmode=disable')
      .map((more) => [mode && `sslmode=${mode}`, more].filter((part) => part !== '').join('&')),
  );
  test.each(queries)('%s', (query) => {
    const url = `postgres://bot:word@db.example.com/sitehand?${query}`;
    let wanted: string;
    try {
      wanted = byPg(url);
    } catch {
      // It refuses to connect like that.
      return;
    }
    expect(protectionOf(url)).toBe(wanted);
  });
});

test.each([
  ['postgres://bot@localhost/x', true],
  ['postgres://bot@LOCALHOST:5432/x', true],
  ['postgres://bot@127.1/x', true],
  ['postgres://bot@[::1]/x', true],
  ['postgres://bot@%2Fvar%2Frun%2Fpostgresql/x', true],
  ['postgres://bot@db.example.com/x?host=/var/run/postgresql', true],
  ['postgres://bot@/x?host=::1', true],
  ['postgres:///x', false],
  ['postgres://bot:word@/x', false],
  ['postgres://bot@localhost/x?host=db.example.com', false],
  ['postgres://bot:word@/x?host=10.0.0.7', false],
  ['postgres://bot:word@/x?host=/var/run/postgresql', true],
  ['postgresql://bot@database/x', false],
  ['postgres://bot@[fd12::7]/x', false],
  ['postgres://bot@localhost.example/x', false],
])('%s: on this machine %s', (url, isHere) => {
  expect(protectionOf(url)).toBe(isHere ? 'on this machine' : 'none');
});

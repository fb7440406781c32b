import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SeenMessage } from '../../src/playground/slack/reads.ts';
import { freshPostgres, postgresRuns } from '../postgres.ts';
import { ids, openHouse, patienceMs, type House } from './house.ts';
import { layWire, lineOf, type Wire } from './wire.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN, U05FAY]
  leads: [U03CHI, U04DEE]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, 'allowlist add'], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
channels:
  ops: C0OPS
`;
const noDatabase = 'My database does not answer. Nothing was done.';
const finished = 'the host reports it finished';

/** Looks again until it does not throw: nothing tells of what is written in the database. */
const soon = <T>(look: () => Promise<T>): Promise<T> => vi.waitFor(look, { timeout: patienceMs, interval: 100 });

describe.skipIf(!postgresRuns)('PostgreSQL in trouble (PostgreSQL is not installed)', () => {
  let house: House;
  let wire: Wire;
  let sql: Client;
  beforeAll(async () => {
    const url = await freshPostgres();
    wire = await layWire(url);
    sql = new Client({ connectionString: url });
    await sql.connect();
    const durations = { 'cache:clear': 0, 'environments:push': 0 };
    house = await openHouse({ policy, hosting: { durations }, environment: { DATABASE_URL: wire.url } });
  });
  afterEach(() => {
    wire.mend();
    house.hosting.faults.remove();
  });
  afterAll(async () => {
    await house.close();
    wire.close();
    await sql.end();
  });

  const rows = async (text: string): Promise<readonly Record<string, unknown>[]> => (await sql.query(text)).rows;
  const stateOf = async (number: number): Promise<unknown> =>
    (await rows(`select state from changes where number = ${number}`))[0]?.['state'];
  /** What a change or a delivery in nobody's hands waits for otherwise: up to a minute. */
  const endLeases = async (): Promise<void> => {
    await sql.query(`update changes set lease_until = 1 where owner is not null and state <> 'sending'`);
    await sql.query(`update messages set lease_until = 1 where owner is not null`);
    await sql.query(`update inbox set lease_until = 1 where closed_at is null`);
  };
  const endSending = (): Promise<unknown> =>
    sql.query(`update changes set lease_until = 1, due_at = 1 where state = 'sending'`);
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${house.port()}/readyz`)).status;
  const isReady = (): Promise<void> => soon(async () => expect(await ready()).toBe(200));
  const toldThat = ({ replies }: { replies: () => readonly SeenMessage[] }, words: string): number =>
    replies().filter(({ text }) => text.includes(words)).length;
  /** What is written to the host after this. */
  const writesFromHere = (): (() => number) => {
    const before = house.writes().length;
    return () => house.writes().length - before;
  };
  const clear = '/site cache clear acme-shop/staging';

  test('promise 1: away while the host has a write, and back: not ready meanwhile; the answer is kept, and told once', async () => {
    const written = writesFromHere();
    house.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 600 });
    const change = await house.person('ana').asks(clear);
    await house.hosting.until(() => written() || undefined, patienceMs);
    wire.cut();
    expect(await ready()).toBe(503);
    const said = await house.person('ben').says(clear);
    expect(said.outcome.ms).toBeLessThan(3_000);
    await said.hears(noDatabase);
    await wait(1_000);
    expect(await stateOf(change.number)).toBe('sending');
    wire.mend();
    await isReady();
    await endLeases();
    await change.tells(finished);
    expect(toldThat(change, 'The host accepted it')).toBe(1);
    expect(written()).toBe(1);
  });

  test('promise 8: silent, and no connection ends: each command is acked and refused; minutes of silence cost seconds', async () => {
    const written = writesFromHere();
    wire.silence();
    const said = await Promise.all(['ana', 'ben', 'fay'].map((name) => house.person(name === 'ana' ? 'ana' : 'ben').says(clear)));
    for (const { outcome } of said) expect(outcome.ms).toBeLessThan(3_000);
    await Promise.all(said.map(({ hears }) => hears(noDatabase)));
    wire.mend();
    const began = performance.now();
    await isReady();
    expect(performance.now() - began).toBeLessThan(12_000);
    const change = await house.person('ana').asks(clear);
    await change.tells(finished);
    expect(written()).toBe(1);
  });

  test('promise 1: it ends every connection again and again while ten changes run: none is lost, none is sent twice', async () => {
    await sql.query(`insert into settings (key, value, at) values ('pause', 'a test', 1)`);
    const sites = ['acme-shop', 'acme-blog', 'acme-docs', 'bakery', 'florist'];
    const names = house.hosting.world.environments().map(({ siteId, name }) => `${siteId}/${name}`);
    expect(names.length).toBeGreaterThan(sites.length);
  });
});

export { ids, lineOf };

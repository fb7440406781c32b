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
    const said = await Promise.all(
      ['ana', 'ben', 'fay'].map((name) => house.person(name === 'ana' ? 'ana' : 'ben').says(clear)),
    );
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

  test('promise 1: every connection is ended again and again while ten changes run: none is lost, none is sent twice', async () => {
    const written = writesFromHere();
    await sql.query(`insert into settings (key, value, at) values ('pause', 'a test', 1)`);
    const ana = house.person('ana');
    const sites = ['acme-shop', 'acme-blog', 'acme-docs', 'acme-lab', 'north-bakery'];
    const names = house.hosting.world.sites.slice(0, 5).flatMap(({ name }) => [`${name}/live`, `${name}/staging`]);
    expect(sites).toHaveLength(5);
    const before = house.hosting.journal.entries().length;
    for (const name of names) await ana.says(`/site cache clear ${name}`, ana.direct);
    const mine = `from changes where number > (select max(number) - 10 from changes)`;
    await soon(async () => expect(await rows(`select 1 ${mine} and state = 'approved'`)).toHaveLength(10));
    await sql.query(`delete from settings where key = 'pause'`);
    for (let times = 0; times < 12; times += 1) {
      await sql.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'sitehand' and datname = current_database()`,
      );
      await sql.query(`update changes set due_at = 1 where state = 'approved' and owner is null`);
      await endLeases();
      await wait(300);
    }
    await isReady();
    await soon(async () => {
      await endLeases();
      expect(await rows(`select number, state ${mine} and state in ('approved', 'sending', 'accepted')`)).toEqual([]);
      expect(await rows(`select key from messages where due_at is not null`)).toEqual([]);
    });
    console.log(
      await rows(`select number, state ${mine}`),
      written(),
      house.slack.messages({ channel: ana.direct, as: ana.id }).map((m) => m.text.split('\n')[0]),
    );
    console.log(
      names.map((name) => house.writes(name).length),
      before,
    );
  });

  describe('loses a commit: the bot cannot know whether it was done', () => {
    test('promise 1: of sending, done: nothing is sent, and it is called unknown', async () => {
      const written = writesFromHere();
      const lost = wire.lose('answer', lineOf('send'));
      const change = await house.person('ana').asks(clear);
      await lost;
      expect(await stateOf(change.number)).toBe('sending');
      await endSending();
      await change.tells('Outcome unknown');
      await change.shows('⚠️');
      expect(written()).toBe(0);
    });

    test('promise 1: of sending, not done: it is sent once, later', async () => {
      const written = writesFromHere();
      const lost = wire.lose('commit', lineOf('send'));
      const change = await house.person('ana').asks(clear);
      await lost;
      await wait(300);
      expect(await stateOf(change.number)).toBe('approved');
      expect(written()).toBe(0);
      await endLeases();
      await change.tells(finished);
      expect(written()).toBe(1);
    });

    test.each(['answer', 'commit'] as const)('promise 1: of the receipt (%s): saved and told once', async (what) => {
      const written = writesFromHere();
      const lost = wire.lose(what, lineOf('accept'));
      const change = await house.person('ana').asks(clear);
      await lost;
      await change.tells(finished);
      expect(toldThat(change, 'The host accepted it')).toBe(1);
      expect(toldThat(change, 'came late')).toBe(0);
      expect(written()).toBe(1);
    });

    test('of a receipt that says unknown: the alarm is given once', async () => {
      const written = writesFromHere();
      house.hosting.faults.add({ kind: 'status', method: 'POST', status: 500 });
      const lost = wire.lose('answer', lineOf('lose'));
      const change = await house.person('ana').asks(clear);
      await lost;
      await change.tells('Outcome unknown');
      await wait(500);
      expect(toldThat(change, 'Outcome unknown')).toBe(1);
      expect(written()).toBe(1);
    });

    test('of the delivery: nothing is done, which its sender hears, and nothing is left open', async () => {
      const written = writesFromHere();
      const lost = wire.lose('answer', ['insert into "inbox"']);
      const said = await house.person('ana').says(clear);
      await lost;
      await said.hears(noDatabase);
      await endLeases();
      await soon(async () => expect(await rows(`select key from inbox where closed_at is null`)).toEqual([]));
      expect(written()).toBe(0);
    });

    test('of a new change: it is there, it is sent once, and nobody hears that nothing was done', async () => {
      const written = writesFromHere();
      const lost = wire.lose('answer', lineOf('asked'));
      const said = await house.person('ana').says(clear);
      await lost;
      await house.hosting.until(() => written() || undefined, patienceMs);
      await wait(500);
      expect(said.heard().map(({ text }) => text)).toEqual([]);
      expect(written()).toBe(1);
    });

    test('of a new change from a form: the form says its number, not that nothing was sent', async () => {
      const written = writesFromHere();
      const ben = house.person('ben');
      await ben.says('/site allowlist add acme-blog/live 198.51.100.4');
      await ben.form('List before');
      const lost = wire.lose('answer', lineOf('asked'));
      const change = await ben.confirms();
      await lost;
      await ben.form(`#${change.number} is on its way`);
      await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(written()).toBe(1);
    });

    test('of an approval, done: it counts once, and is sent once', async () => {
      const written = writesFromHere();
      const change = await house.person('ana').wants('/site push acme-docs/live acme-docs/staging --database');
      const lost = wire.lose('answer', lineOf('approve'));
      const said = await house.person('chi').clicks(change.card(), 'Approve');
      await lost;
      await change.tells(finished);
      expect(said.heard().filter(({ text }) => /nothing/i.test(text))).toEqual([]);
      expect(toldThat(change, 'Approved by @Chi')).toBe(1);
      expect(written()).toBe(1);
    });

    test('of an approval, not done: the approver hears it and clicks again', async () => {
      const written = writesFromHere();
      const change = await house.person('ana').wants('/site push acme-shop/live acme-shop/staging --database');
      const lost = wire.lose('commit', lineOf('approve'));
      const said = await house.person('chi').clicks(change.card(), 'Approve');
      await lost;
      await said.hears('nothing was sent by it');
      expect(await stateOf(change.number)).toBe('waiting');
      await house.person('chi').clicks(change.card(), 'Approve');
      await change.tells(finished);
      expect(written()).toBe(1);
    });
  });
});

export { ids };

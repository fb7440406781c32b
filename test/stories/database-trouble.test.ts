import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshPostgres, postgresRuns } from '../postgres.ts';
import { ids, openHouse, patienceMs, type House } from './house.ts';
import { taleAt, type Tale } from './people.ts';
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
`;
const clear = '/site cache clear acme-shop/staging';
const noDatabase = 'My database does not answer. Nothing was done.';
const finished = 'the host reports it finished';
const accepted = 'The host accepted it';

/** Looks again until it does not throw: nothing tells of what is written in a database or a log. */
const soon = <T>(look: () => Promise<T> | T): Promise<T> => vi.waitFor(look, { timeout: patienceMs, interval: 100 });
/** How often the thread says that. */
const times = ({ replies }: Tale, words: string): number => replies().filter(({ text }) => text.includes(words)).length;
/** How much is written to the host after this. */
function writesFromHere({ writes }: House): () => number {
  const before = writes().length;
  return () => writes().length - before;
}

describe.skipIf(!postgresRuns)('PostgreSQL in trouble (PostgreSQL is not installed)', () => {
  let house: House;
  let wire: Wire;
  let sql: Client;
  let written: () => number;
  beforeAll(async () => {
    const url = await freshPostgres();
    wire = await layWire(url);
    sql = new Client({ connectionString: url });
    await sql.connect();
    const durations = { 'cache:clear': 0, 'environments:push': 0 };
    house = await openHouse({ policy, hosting: { durations }, environment: { DATABASE_URL: wire.url } });
  });
  beforeEach(() => {
    written = writesFromHere(house);
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

  const rows = async (text: string): Promise<readonly Record<string, unknown>[]> =>
    (await sql.query<Record<string, unknown>>(text)).rows;
  const none = (text: string): Promise<void> => soon(async () => expect(await rows(text)).toEqual([]));
  const stateOf = async (number: number): Promise<unknown> =>
    (await rows(`select state from changes where number = ${number}`))[0]?.['state'];
  /** Whatever was begun and came to nothing is taken up again now, and not within a minute. */
  const endLeases = async (): Promise<void> => {
    await sql.query(`update changes set lease_until = 1 where owner is not null and state <> 'sending'`);
    await sql.query(`update inbox set lease_until = 1 where closed_at is null`);
  };
  const endSending = (): Promise<unknown> =>
    sql.query(`update changes set lease_until = 1, due_at = 1 where state = 'sending'`);
  /** Nothing that the bot has to say is unsaid. */
  const allSaid = (): Promise<void> => none(`select key from messages where due_at is not null`);
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${house.port()}/readyz`)).status;
  const isReady = (): Promise<void> => soon(async () => expect(await ready()).toBe(200));

  test('promise 1: away while the host has a write, and back: not ready meanwhile; the answer is kept, and told once', async () => {
    house.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 600 });
    const change = await house.person('ana').asks(clear);
    await house.hosting.until(() => written() || undefined, patienceMs);
    wire.cut();
    expect(await ready()).toBe(503);
    const said = await house.person('ben').says(clear);
    expect(said.outcome.ms).toBeLessThan(3_000);
    await said.hears(noDatabase);
    await soon(() => expect(house.log()).toContain(`trouble while saving what came of #${change.number}`));
    expect(await stateOf(change.number)).toBe('sending');
    wire.mend();
    await isReady();
    await change.tells(finished);
    expect(times(change, accepted)).toBe(1);
    expect(written()).toBe(1);
  });

  test('promise 8: silent, with no connection ended: commands are acked and refused, and it goes on within seconds of its return', async () => {
    wire.silence();
    const said = await Promise.all([house.person('ana').says(clear), house.person('ben').says(clear)]);
    for (const { outcome } of said) expect(outcome.ms).toBeLessThan(3_000);
    await Promise.all(said.map(({ hears }) => hears(noDatabase)));
    expect(await ready()).toBe(503);
    wire.mend();
    await isReady();
    await soon(async () => {
      const again = await house.person('fay').says(clear);
      expect(again.heard()).toEqual([]);
      await vi.waitFor(() => expect(written()).toBe(1), { timeout: 3_000 });
    });
    await allSaid();
    expect(written()).toBe(1);
  });

  test('promise 1: every connection is ended again and again while ten changes run: none is lost, none is sent twice', async () => {
    await sql.query(`insert into settings (key, value, at) values ('pause', 'a test', 1)`);
    const people = [house.person('ana'), house.person('ben'), house.person('fay')] as const;
    const places = [
      ...people.map((one) => [one, one.direct] as const),
      [people[0], 'C0ACME'],
      [people[1], 'C0OPS'],
    ] as const;
    const sites = house.hosting.world.sites.map(({ name }) => name).filter((name) => name !== 'acme-shop');
    const names = sites.flatMap((site) => [`${site}/live`, `${site}/staging`]);
    expect(names).toHaveLength(10);
    await Promise.all(
      names.map((name, at) => {
        const [who, where] = places[at % places.length] ?? places[0];
        return who.says(`/site cache clear ${name}`, where);
      }),
    );
    const those = `from changes where target_name not like 'acme-shop/%'`;
    await soon(async () => expect(await rows(`select 1 ${those} and state = 'approved'`)).toHaveLength(10));
    await sql.query(`delete from settings where key = 'pause'`);
    await sql.query(`update changes set due_at = 1 where state = 'approved'`);
    for (let ended = 0; ended < 10; ended += 1) {
      await sql.query(
        `select pg_terminate_backend(pid), pg_sleep(0.3) from pg_stat_activity
          where application_name = 'sitehand' and datname = current_database()`,
      );
    }
    await isReady();
    await soon(async () => {
      await endLeases();
      expect(await rows(`select number, state ${those} and state in ('approved', 'accepted')`)).toEqual([]);
    });
    await endSending();
    await none(`select number, state ${those} and state not in ('done', 'unknown')`);
    await allSaid();
    console.log(
      await rows(`select number, state ${those}`),
      names.map((name) => house.writes(name).length),
    );
    for (const { number, name, state } of await rows(`select number, target_name as name, state ${those}`)) {
      const [card] = await rows(`select channel, ts from messages where key = '${String(number)}:card'`);
      const place = { channel: String(card?.['channel']), ts: String(card?.['ts']) };
      const change = await taleAt(house.slack, ids.ana, () => place);
      expect(house.writes(String(name)).length).toBeLessThanOrEqual(1);
      if (state === 'done') expect(house.writes(String(name))).toHaveLength(1);
      await change.tells(state === 'done' ? finished : 'Outcome unknown');
    }
  });

  describe('loses a commit: the bot cannot know whether it was done', () => {
    test('promise 1: of sending, done: nothing is sent, and it is called unknown', async () => {
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
      const lost = wire.lose('commit', lineOf('send'));
      const change = await house.person('ana').asks(clear);
      await lost;
      expect(await stateOf(change.number)).toBe('approved');
      expect(written()).toBe(0);
      await endLeases();
      await change.tells(finished);
      expect(written()).toBe(1);
    });

    test.each(['answer', 'commit'] as const)('promise 1: of the receipt (%s): saved and told once', async (what) => {
      const lost = wire.lose(what, lineOf('accept'));
      const change = await house.person('ana').asks(clear);
      await lost;
      await change.tells(finished);
      expect(times(change, accepted)).toBe(1);
      expect(times(change, 'came late')).toBe(0);
      expect(written()).toBe(1);
    });

    test('of a receipt that says unknown: the alarm is given once', async () => {
      house.hosting.faults.add({ kind: 'status', method: 'POST', status: 500 });
      const lost = wire.lose('answer', lineOf('lose'));
      const change = await house.person('ana').asks(clear);
      await lost;
      await change.tells('Outcome unknown');
      await allSaid();
      expect(times(change, 'Outcome unknown')).toBe(1);
      expect(written()).toBe(1);
    });

    test('of the delivery: nothing is done, which its sender hears, and nothing is left open', async () => {
      const lost = wire.lose('answer', ['insert into "inbox"']);
      const said = await house.person('ana').says(clear);
      await lost;
      await said.hears(noDatabase);
      await endLeases();
      await none(`select key from inbox where closed_at is null`);
      await allSaid();
      expect(written()).toBe(0);
    });

    test('of a new change: it is there, it is sent once, and nobody hears that nothing was done', async () => {
      const lost = wire.lose('answer', lineOf('asked'));
      const said = await house.person('ana').says(clear);
      await lost;
      await house.hosting.until(() => written() || undefined, patienceMs);
      await allSaid();
      expect(said.heard().map(({ text }) => text)).toEqual([]);
      expect(written()).toBe(1);
    });

    test('of a new change from a form: the form says its number, not that nothing was sent', async () => {
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
      const change = await house.person('ana').wants('/site push acme-docs/live acme-docs/staging --database');
      const lost = wire.lose('answer', lineOf('approve'));
      const said = await house.person('chi').clicks(change.card(), 'Approve');
      await lost;
      await change.tells(finished);
      expect(said.heard().filter(({ text }) => /nothing/i.test(text))).toEqual([]);
      expect(times(change, 'Approved by @Chi')).toBe(1);
      expect(written()).toBe(1);
    });

    test('of an approval, not done: the approver hears it and clicks again', async () => {
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

describe('the disk is full', () => {
  let house: House;
  /** What the bot writes to any file fails from here on, until there is room. */
  let fill: () => void;
  let makeRoom: () => void;
  beforeAll(async () => {
    house = await openHouse({ policy, start: false });
    const { pid } = await house.start();
    const limit = (bytes: string): void => void execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
    fill = () => limit('0');
    makeRoom = () => limit('unlimited');
  });
  afterEach(() => {
    makeRoom();
    house.hosting.faults.remove();
  });
  afterAll(() => house.close());

  test('promise 1: nothing is taken on and nothing sent, which is said; with room it goes on, once', async () => {
    const written = writesFromHere(house);
    house.rewrite(`insert into settings (key, value, at) values ('pause', 'a test', 1)`);
    const change = await house.person('ana').asks(clear);
    await house.becomes(change.number, 'approved');
    fill();
    const said = await house.person('ben').says(clear);
    expect(said.outcome.ms).toBeLessThan(3_000);
    await said.hears(noDatabase);
    house.rewrite(`delete from settings where key = 'pause'`);
    house.rewrite(`update changes set due_at = 1, owner = null where state = 'approved'`);
    await soon(() => expect(house.log()).toMatch(/disk[^]*trouble while looking for work/));
    expect(house.log()).not.toContain('no transaction is active');
    expect(written()).toBe(0);
    makeRoom();
    await change.tells(finished);
    expect(written()).toBe(1);
    expect(house.rows('select number from changes')).toHaveLength(1);
  });

  test('promise 1: full while the host has a write: its answer is kept until there is room, and told once', async () => {
    const written = writesFromHere(house);
    house.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 600 });
    const change = await house.person('ana').asks(clear);
    await house.hosting.until(() => written() || undefined, patienceMs);
    fill();
    await soon(() => expect(house.log()).toContain(`trouble while saving what came of #${change.number}`));
    makeRoom();
    await change.tells(finished);
    expect(times(change, accepted)).toBe(1);
    expect(written()).toBe(1);
  });

  test('away at the start: it ends at once, with a sentence and without the password', async () => {
    const away = house.start({ DATABASE_URL: 'postgres://sitehand:canary-word@127.0.0.1:1/sitehand' });
    await expect(away).rejects.toThrow(
      /ended with 1:[^]*not started: The database cannot be opened: connect ECONNREFUSED 127\.0\.0\.1:1\. Nothing was changed/,
    );
    expect(house.log()).not.toContain('canary-word');
  });
});

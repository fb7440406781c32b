import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';
import { changeThreadAt, type ChangeThread } from './people.ts';
import { openFaultyConnection, lineOf, type FaultyConnection } from './faulty-connection.ts';
import { threeSeconds } from './three-seconds.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN, U05FAY]
  leads: [U03CHI, U04DEE]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, 'allowlist add', lock, unlock], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;
const clear = '/site cache clear acme-shop/staging';
const noDatabase = "My database isn't answering. If you see no card and no other answer to this, nothing was done";
const finished = 'the host reports it finished';

/** Polls until it stops throwing, because databases and logs do not notify. */
const soon = <T>(look: () => Promise<T> | T): Promise<T> => vi.waitFor(look, { timeout: patienceMs, interval: 100 });
/** How many replies in the thread contain the text. */
const times = ({ replies }: ChangeThread, words: string): number =>
  replies().filter(({ text }) => text.includes(words)).length;
describe.skipIf(!postgresRuns)(`PostgreSQL in trouble${noPostgres}`, () => {
  let scenario: Scenario;
  let wire: FaultyConnection;
  let sql: Client;
  beforeAll(async () => {
    const url = await freshPostgres();
    wire = await openFaultyConnection(url);
    sql = new Client({ connectionString: url });
    await sql.connect();
    const durations = { 'cache:clear': 0, 'environments:push': 0 };
    scenario = await openScenario({ policy, hosting: { durations }, environment: { DATABASE_URL: wire.url } });
  });
  afterAll(async () => {
    await scenario.close();
    wire.close();
    await sql.end();
  });

  const rows = async (text: string): Promise<readonly Record<string, unknown>[]> =>
    (await sql.query<Record<string, unknown>>(text)).rows;
  const none = (text: string): Promise<void> => soon(async () => expect(await rows(text)).toEqual([]));
  const stateOf = async (number: number): Promise<unknown> =>
    (await rows(`select state from changes where number = ${number}`))[0]?.['state'];
  const acceptedTimes = async (number: number): Promise<number> =>
    (await rows(`select 1 from audit where event = 'accept' and change = ${number}`)).length;
  /** Makes interrupted work due now instead of within a minute. */
  const endLeases = (of: string): Promise<unknown> =>
    sql.query(`update changes set lease_until = 1 where owner is not null and state <> 'sending' and ${of}`);
  const endSending = (of: string): Promise<unknown> =>
    sql.query(`update changes set lease_until = 1, due_at = 1 where state = 'sending' and ${of}`);
  /** How many writes to that environment follow from here. */
  const writesOf = (environment: string): (() => number) => {
    const before = scenario.writes(environment).length;
    return () => scenario.writes(environment).length - before;
  };
  /** Waits until all messages of the bot, or of that change, are posted. */
  const allSaid = (number?: number): Promise<void> =>
    none(`select key from messages where due_at is not null ${number === undefined ? '' : `and change = ${number}`}`);
  /** Ends all connections of the bot, one after the other. */
  const endConnections = (): Promise<unknown> =>
    sql.query(
      `select pg_terminate_backend(pid), pg_sleep(0.3) from pg_stat_activity
        where application_name = 'sitehand' and datname = current_database()`,
    );
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${scenario.port()}/readyz`)).status;
  const isReady = (): Promise<void> => soon(async () => expect(await ready()).toBe(200));

  test('promise 1: away while the host has a write, and back: not ready meanwhile; the answer is saved, and told once', async () => {
    const written = writesOf('acme-shop/staging');
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
    const change = await scenario.person('ana').asks(clear);
    await scenario.hosting.until(() => written() || undefined, patienceMs);
    wire.cut();
    expect(await ready()).toBe(503);
    const inTime = threeSeconds();
    const said = await scenario.person('ben').says(clear);
    inTime(said.outcome);
    await said.hears(noDatabase);
    await scenario.endHostDelays();
    await soon(() => expect(scenario.log().includes(`trouble while saving what came of #${change.number}`)).toBe(true));
    expect(await stateOf(change.number)).toBe('sending');
    wire.mend();
    await isReady();
    await change.tells(finished);
    expect(change.replies()).toHaveLength(1);
    expect(await acceptedTimes(change.number)).toBe(1);
    expect(written()).toBe(1);
  });

  test('read-only: commands are refused and it is not ready; it is again once writes are taken, without anybody asking', async () => {
    const database = String((await rows('select current_database() as name'))[0]?.['name']);
    const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
      await sql.query(`set default_transaction_read_only = off`);
      await sql.query(`alter database "${database}" set default_transaction_read_only = ${value}`);
      await endConnections();
    };
    const written = writesOf('acme-shop/staging');
    await setReadOnly('on');
    await (await scenario.person('ben').says(clear)).hears(noDatabase);
    await soon(async () => expect(await ready()).toBe(503));
    await setReadOnly('off');
    await isReady();
    expect(written()).toBe(0);
  });

  test('promise 8: silent, with no connection ended: commands are acked and refused, and work resumes within seconds of its return', async () => {
    const written = writesOf('acme-shop/staging');
    const asked = async (): Promise<number> =>
      (await rows(`select 1 from changes where requester = '${scenario.person('fay').id}'`)).length;
    const before = await asked();
    wire.silence();
    const inTime = threeSeconds();
    const said = await Promise.all([scenario.person('ana').says(clear), scenario.person('ben').says(clear)]);
    inTime(...said.map(({ outcome }) => outcome));
    await Promise.all(said.map(({ hears }) => hears(noDatabase)));
    expect(await ready()).toBe(503);
    wire.mend();
    await isReady();
    await soon(async () => {
      const again = await scenario.person('fay').says(clear);
      expect(again.answers()).toEqual([]);
      await vi.waitFor(() => expect(written()).toBeGreaterThan(0), { timeout: 3_000 });
    });
    await allSaid();
    // On a slow machine it may be reported a second time before the first report is saved.
    await vi.waitFor(async () => expect(written()).toBe((await asked()) - before), { timeout: patienceMs });
  });

  test('promise 1: every connection is ended again and again while ten changes run: none is lost, none is sent twice', async () => {
    onTestFinished(async () => void (await sql.query(`delete from kv where key = 'pause'`)));
    await sql.query(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
    // A connection from the silent period could still be in use; a command on it would be refused.
    await endConnections();
    await isReady();
    const people = [scenario.person('ana'), scenario.person('ben'), scenario.person('fay')] as const;
    const places = [
      ...people.map((one) => [one, one.direct] as const),
      [people[0], 'C0ACME'],
      [people[1], 'C0OPS'],
    ] as const;
    const sites = scenario.hosting.world.sites.map(({ name }) => name).filter((name) => name !== 'acme-shop');
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
    await sql.query(`delete from kv where key = 'pause'`);
    await sql.query(`update changes set due_at = 1 where state = 'approved'`);
    for (let ended = 0; ended < 10; ended += 1) {
      await endConnections();
    }
    await isReady();
    await soon(async () => {
      await endLeases('true');
      expect(await rows(`select number, state ${those} and state in ('approved', 'accepted')`)).toEqual([]);
    });
    await endSending('true');
    // Expired: each of its tries was held up, or did not hear whether it had begun, and wrote nothing.
    await none(`select number, state ${those} and state not in ('done', 'unknown', 'expired')`);
    await soon(async () => {
      // A claim whose commit got no answer: nobody works on this change now.
      await sql.query(
        `update messages set lease_until = 1
          where owner is not null and lease_until < extract(epoch from clock_timestamp()) * 1000 + 18000`,
      );
      expect(await rows(`select key from messages where due_at is not null`)).toEqual([]);
    });
    for (const { number, requester, name, state } of await rows(
      `select number, requester, target_name as name, state ${those}`,
    )) {
      const [card] = await rows(`select channel, ts from messages where key = '${String(number)}:card'`);
      const place = { channel: String(card?.['channel']), ts: String(card?.['ts']) };
      const change = await changeThreadAt(scenario.slack, String(requester), () => place);
      expect(scenario.writes(String(name)).length).toBeLessThanOrEqual(1);
      if (state !== 'unknown') expect(scenario.writes(String(name))).toHaveLength(state === 'done' ? 1 : 0);
      await change.tells(state === 'done' ? finished : state === 'expired' ? /nothing was sent/i : 'Outcome unknown');
      const cards = scenario.slack.messages({ channel: place.channel, as: String(requester) });
      expect(cards.filter(({ text }) => text.includes(` · #${String(number)}\nAsked by`))).toHaveLength(1);
    }
  });

  /** The server ends the connection of the first so many statements that do this, before their transaction commits. */
  const endsWhile = async (name: string, doing: string, condition: string, times = 1): Promise<void> => {
    await sql.query(`create sequence ${name}`);
    await sql.query(`
      create function ${name}() returns trigger language plpgsql as $$ begin
        if nextval('${name}') <= ${times} then
          perform pg_terminate_backend(pg_backend_pid());
          perform pg_sleep(60);
        end if;
        return null;
      end $$`);
    await sql.query(
      `create trigger ${name} after ${doing} for each row when (${condition}) execute function ${name}()`,
    );
  };
  const faults = /Nothing was done|nothing was done|Something broke/;

  test('promise 8: a connection that ends before a new change is saved: it is saved at the second try, and nobody is told', async () => {
    const target = 'acme-docs/live';
    const written = writesOf(target);
    await endsWhile('ends_once', 'insert on changes', `new.target_name = '${target}'`);
    const said = await scenario.person('ana').says(`/site cache clear ${target}`, 'C0OPS');
    await scenario.hosting.until(() => written() || undefined, patienceMs);
    await none(`select number from changes where target_name = '${target}' and settled_at is null`);
    expect(said.answers().filter(({ text }) => faults.test(text))).toEqual([]);
    expect(written()).toBe(1);
  });

  test('promise 8: if it ends again, the sender is told, and nothing is done', async () => {
    const target = 'acme-docs/staging';
    const written = writesOf(target);
    await endsWhile('ends_twice', 'insert on changes', `new.target_name = '${target}'`, 2);
    const said = await scenario.person('ana').says(`/site cache clear ${target}`, 'C0OPS');
    await said.hears('If you see no card for it, nothing was done.');
    await none(`select key from inbox where closed_at is null`);
    expect(written()).toBe(0);
  });

  test('a connection that ends while a delivery is closed: it is still closed, and its sender is told of no fault', async () => {
    await endsWhile(
      'ends_closing',
      'update on inbox',
      `new.closed_at is not null and old.content like '%198.51.100.77%'`,
    );
    const fay = scenario.person('fay');
    const said = await fay.says(`/site allowlist add acme-shop/live 198.51.100.77`, 'C0OPS');
    await fay.form('List before');
    await soon(async () =>
      expect(await rows(`select 1 from ends_closing where last_value > 1 or is_called`)).toHaveLength(1),
    );
    await none(`select key from inbox where closed_at is null`);
    expect(said.answers().filter(({ text }) => faults.test(text))).toEqual([]);
  });

  test('loses the answer to the commit of a lock: it is there, and the sender is told so once', async () => {
    const target = 'lumen-studio/live';
    const lost = wire.lose('answer', lineOf('lock', target));
    const fay = scenario.person('fay');
    const said = await fay.says(`/site lock ${target} "a test"`, 'C0OPS');
    await lost;
    await said.hears("I worked on what you asked for, but I couldn't show you");
    expect(said.answers()).toHaveLength(1);
    expect(said.answers().filter(({ text }) => faults.test(text))).toEqual([]);
    const unlocked = await fay.says(`/site unlock ${target}`, 'C0OPS');
    await unlocked.hears('unlocked');
  });

  test('loses the commit of a receipt that says unknown: ops are alerted once', async () => {
    const written = writesOf('acme-shop/staging');
    scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 500 });
    const lost = wire.lose('answer', lineOf('outcome_lost', 'acme-shop/staging'));
    const change = await scenario.person('ana').asks(clear);
    await lost;
    await change.tells('Outcome unknown');
    await allSaid(change.number);
    expect(times(change, 'Outcome unknown')).toBe(1);
    expect(written()).toBe(1);
  });

  describe.concurrent('loses a commit, and the bot cannot know whether it was done:', () => {
    test('promise 1: of sending, done: nothing was written, so it is sent once, later', async () => {
      const target = 'acme-blog/live';
      const written = writesOf(target);
      const lost = wire.lose('answer', lineOf('send', target));
      const change = await scenario.person('ana').asks(`/site cache clear ${target}`);
      await lost;
      await change.tells(finished);
      // A busy machine may hold it up once more, for which it has other words.
      expect(times(change, 'I wrote nothing: my database')).toBe(1);
      expect(times(change, 'Outcome unknown')).toBe(0);
      const sends = await rows(`select 1 from audit where event = 'send' and change = ${change.number}`);
      expect(sends.length).toBe(1 + times(change, 'I wrote nothing'));
      expect(written()).toBe(1);
    });

    test('promise 1: of sending, not done: it is sent once, later', async () => {
      const target = 'acme-blog/staging';
      const written = writesOf(target);
      const lost = wire.lose('commit', lineOf('send', target));
      const ben = scenario.person('ben');
      const change = await ben.asks(`/site cache clear ${target}`, ben.direct);
      await lost;
      expect(await stateOf(change.number)).toBe('approved');
      expect(written()).toBe(0);
      await endLeases(`number = ${change.number}`);
      await change.tells(finished);
      expect(written()).toBe(1);
    });

    test.each([
      { what: 'answer', target: 'acme-docs/live' },
      { what: 'commit', target: 'acme-docs/staging' },
    ] as const)('promise 1: of the receipt ($what): it is saved and told once', async ({ what, target }) => {
      const written = writesOf(target);
      const lost = wire.lose(what, lineOf('accept', target));
      const fay = scenario.person('fay');
      const change = await fay.asks(`/site cache clear ${target}`, what === 'answer' ? fay.direct : 'C0ACME');
      await lost;
      await change.tells(finished);
      expect(change.replies()).toHaveLength(1 + times(change, 'I wrote nothing'));
      expect(await acceptedTimes(change.number)).toBe(1);
      expect(times(change, 'came late')).toBe(0);
      expect(written()).toBe(1);
    });

    test('of the delivery: nothing is done, the sender can see that, and nothing is left open', async () => {
      const target = 'north-bakery/live';
      const written = writesOf(target);
      const lost = wire.lose('answer', ['insert into "inbox"', target]);
      const ben = scenario.person('ben');
      const said = await ben.says(`/site cache clear ${target}`, ben.direct);
      await lost;
      await said.hears(noDatabase);
      const open = `closed_at is null and content like '%${target}'`;
      await sql.query(`update inbox set lease_until = 1 where ${open}`);
      await none(`select key from inbox where ${open}`);
      expect(written()).toBe(0);
    });

    test('of a new change: it is there, it is sent once, and nobody is told that nothing was done', async () => {
      const target = 'north-bakery/staging';
      const written = writesOf(target);
      const lost = wire.lose('answer', lineOf('asked', target));
      const said = await scenario.person('ana').says(`/site cache clear ${target}`, 'C0OPS');
      await lost;
      await scenario.hosting.until(() => written() || undefined, patienceMs);
      await none(`select number from changes where target_name = '${target}' and settled_at is null`);
      expect(said.answers().filter(({ text }) => /Nothing was done|Something broke/.test(text))).toEqual([]);
      expect(written()).toBe(1);
    });

    test('of a new change from a form: nobody is told that nothing was sent', async () => {
      const target = 'acme-shop/live';
      const written = writesOf(target);
      const ben = scenario.person('ben');
      await ben.says(`/site allowlist add ${target} 198.51.100.4`, 'C0OPS');
      await ben.form('List before');
      const lost = wire.lose('answer', lineOf('asked', target));
      const change = await ben.confirms({}, 'C0OPS');
      await lost;
      await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(written()).toBe(1);
    });

    test('of an approval, done: it counts once, and the change is sent once', async () => {
      const target = 'lumen-studio/staging';
      const written = writesOf(target);
      const change = await scenario.person('ana').requests(`/site push lumen-studio/live ${target} --database`);
      const lost = wire.lose('answer', lineOf('approve', target));
      const said = await scenario.person('chi').clicks(change.card(), 'Approve');
      await lost;
      await change.tells(finished);
      expect(said.answers().filter(({ text }) => /Nothing was done|Something broke/.test(text))).toEqual([]);
      expect(times(change, 'Approved by @Chi')).toBe(1);
      expect(written()).toBe(1);
    });

    test('of an approval, not done: the approver is told and clicks again', async () => {
      const target = 'harbor-events/staging';
      const written = writesOf(target);
      const fay = scenario.person('fay');
      const change = await fay.requests(`/site push harbor-events/live ${target} --database`, 'C0OPS');
      const lost = wire.lose('commit', lineOf('approve', target));
      const dee = scenario.person('dee');
      const said = await dee.clicks(change.card(), 'Approve');
      await lost;
      await said.hears('If you see no card for it, nothing was done.');
      expect(await stateOf(change.number)).toBe('waiting');
      await dee.clicks(change.card(), 'Approve');
      await change.tells(finished);
      expect(written()).toBe(1);
    });
  });
});

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { newKey } from '../../src/api/authenticate.ts';
import { mostRequests } from '../../src/api/request-limits.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { makeDatabase, freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { askingAt, key, openStream, policy, push, requestSchema, withApi } from './caller.ts';
import { lineOf, openFaultyConnection } from './faulty-connection.ts';
import { inScenario, patienceMs, reloadPolicy } from './scenario.ts';

/** What a program asks for and hears, over a restart, lost commits and two replicas. */

test(
  'a request under way at a stop is answered; a stream over a restart goes on after the last event that came: each once, in order, however many; a fault in one is logged and ends it',
  withApi(async (scenario, call, base) => {
    await call('/v1/requests', { json: push });
    const first = await openStream(base, 1);
    await first.until('asked');
    const path = `/sites/environments/${scenario.hosting.world.environmentNamed('acme-shop/live')?.id}/backups`;
    scenario.hosting.faults.add({ kind: 'delay', method: 'GET', path, ms: patienceMs });
    const underWay = call('/v1/requests', { json: push });
    await scenario.hosting.until(() => scenario.hosting.faults.list().length === 0 || undefined, patienceMs);
    const stopped = scenario.stop();
    await scenario.endHostDelays();
    expect(await underWay).toMatchObject({ status: 202, body: { number: 2 } });
    await stopped;
    const before = await first.rest();
    await scenario.start();
    const change = await scenario.change(1, 'ana');
    await scenario.person('chi').clicks(change.card(), 'Approve');
    const [second, other] = [await openStream(base, 1, before.at(-1)?.id), await openStream(base, 1)];
    await scenario.holdBeforeSend(1);
    scenario.makeDue(1);
    const told = [...before, ...(await second.rest())];
    expect(told).toEqual(scenario.rows('select seq as id, event from audit where change = 1 order by seq'));
    expect(await other.rest()).toEqual(told);

    const faulty = await openStream(base, 2);
    await faulty.until('asked');
    scenario.runSql('alter table votes rename to lost_votes');
    await faulty.rest();
    scenario.runSql('alter table lost_votes rename to votes');
    expect(scenario.log()).toMatch(/no such table: votes.*"request":"a-[^}]*a request of a program failed/);

    const [last] = scenario.rows('select max(seq) as seq from audit');
    scenario.runSql(
      `with recursive line (i) as (values (1) union all select i + 1 from line where i < 1001)
        insert into audit (seq, at, change, event, actor, details, previous, hash)
        select ? + i, 1, 1, 'seen', 'sitehand', '{}', i, i from line`,
      Number(last?.['seq']),
    );
    const after = Number(last?.['seq']) + 1_000;
    expect(await call(`/v1/changes/1/events?after=${after}`)).toMatchObject({
      body: { events: [{ id: after + 1 }] },
    });
  }),
);

test(
  'who asks and takes no answer has a place for each until its connection is gone, which ends once nothing moves',
  withApi(async (scenario, call, base) => {
    await call('/v1/requests', { json: push });
    // Longer than what the system takes of an answer for a client that reads nothing: a thousand events with the change.
    scenario.runSql('update changes set call = ? where number = 1', JSON.stringify({ long: 'x'.repeat(8_000) }));
    scenario.runSql(
      `with recursive line (i) as (values (1000) union all select i + 1 from line where i < 2000)
        insert into audit (seq, at, change, event, actor, details, previous, hash)
        select i, 1, 1, 'seen', 'sitehand', '{}', i, i from line`,
    );
    const asking = new Set<Socket>();
    const onRequest = (message: unknown): void => {
      const { request } = requestSchema.parse(message);
      if (request.headers['x-story'] === 'takes nothing') asking.add(request.socket);
    };
    subscribe('http.server.request.start', onRequest);
    const one = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key.key}\r\nx-story: takes nothing\r\n\r\n`;
    const clients = Array.from({ length: mostRequests.each / 4 }, () => {
      const client = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined);
      client.pause().write(one('/v1/changes/1/events') + one('/v1/changes/1').repeat(3));
      return client;
    });
    const status = async () => (await call('/v1/changes/1')).status;
    await expect.poll(status, { timeout: patienceMs }).toBe(429);
    await expect.poll(() => asking.size).toBe(clients.length);
    for (const socket of asking) socket.emit('timeout');
    await expect.poll(status, { timeout: patienceMs }).toBe(200);
    expect([...asking].filter(({ destroyed }) => !destroyed)).toEqual([]);
    unsubscribe('http.server.request.start', onRequest);
    for (const client of clients) client.destroy();
  }),
);

test('whoever sees that the bot has connected to Slack can ask', async () => {
  const port = await freePort();
  const environment = { API_PORT: String(port) };
  await inScenario({ policy, environment, start: false }, async ({ slack, start }) => {
    const answer = new Promise<unknown>((resolve, reject) => {
      slack.subscribe(({ kind }) => {
        if (kind === 'connection') askingAt(`http://127.0.0.1:${port}`)('/v1/commands').then(resolve, reject);
      });
    });
    await Promise.all([start(), expect(answer).resolves.toMatchObject({ status: 200 })]);
  })();
});

describe.skipIf(!postgresRuns)(`on PostgreSQL${noPostgres}`, { concurrent: true }, () => {
  test('promise 1: the answer to a commit is lost, or the commit: the same change, once; taken back, once', async () => {
    const wire = await openFaultyConnection(await freshPostgres());
    try {
      await withApi(
        async (scenario, call) => {
          const headers = { 'idempotency-key': 'pipeline-4712' };
          const asks = () => call('/v1/requests', { json: push, headers });
          for (const [what, status] of [
            ['commit', 500],
            ['answer', 202],
          ] as const) {
            const lost = wire.lose(what, lineOf('asked', 'acme-shop/live'));
            expect(await asks()).toMatchObject({ status });
            await lost;
          }
          const { status, body } = await asks();
          expect({ status, ...body }).toMatchObject({ status: 200, state: 'waiting' });
          const at = `/v1/changes/${String(body['number'])}`;
          expect(await call('/v1/changes')).toMatchObject({ body: { changes: [{ number: body['number'] }] } });
          const cancels = () => call(`${at}/cancel`, { method: 'POST' });
          for (const [what, status, state] of [
            ['commit', 500, 'waiting'],
            ['answer', 200, 'cancelled'],
          ] as const) {
            const lost = wire.lose(what, lineOf('cancel', 'acme-shop/live'));
            expect(await cancels()).toMatchObject({ status });
            await lost;
            expect(await call(at)).toMatchObject({ body: { state } });
          }
          expect(await cancels()).toMatchObject({ status: 200, body: { state: 'cancelled' } });
          expect(scenario.writes()).toEqual([]);
        },
        { environment: { DATABASE_URL: wire.url } },
      )();
    } finally {
      wire.close();
    }
  });

  test('two replicas: one change for a key on both; a stream hears what the other did; a key taken out on one is refused there, and on both nothing of it is sent', async () => {
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const ports = [await freePort(), await freePort()] as const;
    const [one, other] = [askingAt(`http://127.0.0.1:${ports[0]}`), askingAt(`http://127.0.0.1:${ports[1]}`)];
    const options = { policy, environment: { DATABASE_URL: url }, start: false } as const;
    try {
      await inScenario(options, async (scenario) => {
        const others = `${scenario.environment['POLICY_FILE']}.other`;
        await scenario.writePolicy(policy, others);
        await scenario.start({ API_PORT: String(ports[0]) });
        await scenario.start({ API_PORT: String(ports[1]), POLICY_FILE: others });
        const headers = { 'idempotency-key': 'pipeline-4713' };
        const json = push;
        const both = await Promise.all([one, other].map((call) => call('/v1/requests', { json, headers })));
        expect(both.map(({ body }) => body['number'])).toEqual([1, 1]);
        expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 202]));
        for (const call of [one, other])
          expect(await call('/v1/requests', { json: { ...push, reason: 'another' }, headers })).toMatchObject({
            status: 409,
            body: { type: '#asked-before', change: 1 },
          });
        const stream = await openStream(`http://127.0.0.1:${ports[1]}`, 1);
        await stream.until('waiting');
        expect(await one('/v1/changes/1/cancel', { method: 'POST' })).toMatchObject({ status: 200 });
        expect((await stream.rest()).at(-1)).toMatchObject({ event: 'cancel' });

        await sql.query(`insert into kv (key, value, at) values ('pause', '{"by":"U03CHI","name":"Chi","at":1}', 1)`);
        const grant = { say: 'allowlist add acme-shop/staging 198.51.100.4' };
        expect(await other('/v1/requests', { json: grant })).toMatchObject({ body: { number: 2, state: 'approved' } });
        const without = policy.replace(key.hash, newKey().hash);
        await reloadPolicy(scenario, without);
        expect(await one('/v1/changes/2')).toMatchObject({ status: 401 });
        expect(await other('/v1/changes/2')).toMatchObject({ status: 200 });
        await reloadPolicy(scenario, without, others);
        await sql.query(
          `delete from kv where key = 'pause'; update changes set due_at = 1 where owner is null and state = 'approved'`,
        );
        const state = async () =>
          (await sql.query<{ state: string }>(`select state from changes where number = 2`)).rows;
        await vi.waitFor(async () => expect(await state()).toEqual([{ state: 'invalidated' }]), {
          timeout: patienceMs,
        });
        expect(scenario.writes()).toEqual([]);
      })();
    } finally {
      await sql.end();
    }
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { newKey } from '../../src/api/authenticate.ts';
import { inScenario, type Scenario } from './scenario.ts';

/** Programs that ask over HTTP, and people who decide in Slack. */

const key = newKey();
const policy = `version: 1
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI, U04DEE, U05FAY], ci-admins: [U04DEE] }
callers:
  deploy-bot: { keys: ["${key.hash}"], for: U01ANA, operators: [U02BEN, ci-admins], channel: C0ACME, expires: 2099-01-01 }
rules:
  - { allow: [read, routine], to: [developers, leads] }
  - { allow: [push], to: [developers, leads], approval: { by: [leads] } }
  - { allow: [read, routine, push], to: ["caller:deploy-bot"], where: ["acme-shop/*"] }
channels: { C0ACME: { sites: [acme-shop] }, ops: C0OPS }
`;

type Answer = { readonly status: number; readonly body: Record<string, unknown> };
type Asking = (path: string, options?: RequestInit & { readonly json?: unknown }) => Promise<Answer>;

/** A story with the interface open: `call` asks with the key. */
const withApi =
  (story: (scenario: Scenario, call: Asking, base: string) => Promise<void>, more = policy): (() => Promise<void>) =>
  async () => {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const call: Asking = async (path, { json, headers, ...options } = {}) => {
      const response = await fetch(`${base}${path}`, {
        ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
        ...options,
        headers: {
          authorization: `Bearer ${key.key}`,
          ...(json !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
          ...Object.fromEntries(new Headers(headers)),
        },
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Every answer is an object.
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    await inScenario({ policy: more, environment: { API_PORT: String(port) } }, (scenario) =>
      story(scenario, call, base),
    )();
  };

const push = {
  say: 'push acme-shop/staging acme-shop/live --files',
  reason: 'release 42',
  typed_name: 'acme-shop/live',
};

describe.concurrent('a program', () => {
  test(
    'asks for a push: its card names both; neither its person nor an operator can approve it; a lead can, and it is sent once',
    withApi(async (scenario, call) => {
      const asked = await call('/v1/requests', { json: push });
      expect(asked).toMatchObject({
        status: 202,
        body: { kind: 'change', number: 1, state: 'waiting', for: 'U01ANA', reason: 'release 42' },
      });
      const change = await scenario.change(1, 'ana');
      expect(change.card().text).toContain('Asked by deploy-bot for @Ana');
      for (const who of ['ana', 'ben', 'dee'] as const) {
        const said = await scenario.person(who).clicks(change.card(), 'Approve');
        await said.hears(who === 'ana' ? /your own change/ : /deploy-bot asked for this, and you can use its key/);
      }
      expect(scenario.rows('select state from changes')).toEqual([{ state: 'waiting' }]);
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await change.tells('Sending in 10 s');
      scenario.makeDue(1);
      await change.tells(/Done after|confirmed/);
      expect(await call('/v1/changes/1')).toMatchObject({
        body: { state: 'done', settled: true, approved_by: ['U03CHI'] },
      });
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'asks once for each key: again is the same change, another body is refused; what is not its own is absent',
    withApi(async (scenario, call, base) => {
      const headers = { 'idempotency-key': 'pipeline-4711' };
      const clear = { say: 'cache clear acme-shop/staging' };
      const both = await Promise.all([1, 2, 3].map(async () => call('/v1/requests', { json: clear, headers })));
      expect(both.map(({ body }) => body['number'])).toEqual([1, 1, 1]);
      expect(await call('/v1/requests', { json: clear, headers })).toMatchObject({ status: 200, body: { number: 1 } });
      const other = await call('/v1/requests', { json: { say: 'cache clear acme-shop/live' }, headers });
      expect(other).toMatchObject({ status: 409, body: { type: '#asked-before', change: 1 } });
      expect(scenario.rows('select count(*) as count from changes')).toEqual([{ count: 1 }]);

      const own = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
      const absent = await call('/v1/changes/999');
      expect(await call(`/v1/changes/${own.number}`)).toMatchObject({ status: 404, body: { detail: absent.body['detail'] } });

      for (const [why, status, options] of [
        ['no key', 401, { headers: { authorization: '' } }],
        ['another key', 401, { headers: { authorization: `Bearer ${newKey().key}` } }],
        ['a browser', 403, { headers: { origin: base } }],
        ['no JSON', 415, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
        ['a long body', 413, { json: { say: 'x'.repeat(70_000) } }],
      ] as const)
        expect(await call('/v1/requests', { method: 'POST', ...options }), why).toMatchObject({ status });
      expect(await call('/v1/requests', { json: push, headers: { 'idempotency-key': '' } }), 'a change without a key').toMatchObject({ status: 400 });
    }),
  );

  test(
    'reads what both may read, and hears what is missing and what only people do',
    withApi(async (scenario, call) => {
      const report = await call('/v1/requests', { json: { command: 'backups list', fields: { environment: 'acme-shop/live' } } });
      expect(report).toMatchObject({ status: 200, body: { kind: 'page', command: 'backups list' } });
      const commands = await call('/v1/commands');
      const names = JSON.stringify(commands.body);
      expect(names).toContain('"push"');
      for (const people of ['"pause"', '"unlock"', '"logs reveal"', '"use"', '"delete site"']) expect(names).not.toContain(people);
      for (const [say, status, says] of [
        ['pause because of an incident', 422, /Only people can use pause/],
        ['cache clear', 422, /missing/],
        ['cache clear acme-blog/live', 422, /./],
        ['cache clear acme-shop/staging --queue', 422, /Only people wait in a queue/],
        ['please clear the cache of the shop', 422, /Nothing was done/],
        ['push acme-shop/staging acme-shop/live --files', 422, /This is not acme-shop\/live/],
      ] as const) {
        const { status: got, body } = await call('/v1/requests', { json: { say } });
        expect(got, say).toBe(status);
        expect(body['detail'], say).toMatch(says);
      }
      expect(scenario.rows('select count(*) as count from changes')).toEqual([{ count: 0 }]);
      expect(scenario.writes()).toEqual([]);
    }),
  );
});

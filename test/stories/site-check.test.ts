import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portOf } from '../site-check/listener.ts';
import { openScenario, type Scenario } from './scenario.ts';

/** `check` asks the site itself; a small server stands for all sites here and answers by the name it is asked for. */

const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA], support: [U06ROB] }
rules:
  - { allow: [read], to: [developers] }
  - { allow: [read], to: [support], where: ['acme-blog/*'] }
checks:
  acme-shop: { paths: ['/', '/cart/'], must: ['Add to cart'] }
  acme-docs: off
`;

const hostile = '<title>*bold* <!channel> <https://evil.example|x></title>Add to cart';
const asked: string[] = [];
const server = createServer((request, response) => {
  const name = request.headers.host ?? '';
  asked.push(`${request.method} ${name}${request.url}`);
  // The cache still has the page of the shop; behind it the database is gone.
  if (name === 'acme-shop.example' && request.url?.includes('?'))
    return response.writeHead(500).end('<title>Database Error</title>');
  if (name === 'acme-shop.example') return response.writeHead(200, { 'x-cache': 'HIT' }).end(hostile);
  return response.writeHead(200).end('<title>Fine</title>Add to cart');
});

let scenario: Scenario;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  scenario = await openScenario({ policy, environment: { CHECK_CONNECT_TO: `127.0.0.1:${port}` } });
});
afterAll(async () => {
  await scenario.close();
  server.closeAllConnections();
  server.close();
});

test.concurrent('a site that only its cache keeps up is called bad after three readings, not after one', async () => {
  const ana = scenario.person('ana');
  const said = await ana.says('/site check acme-shop/live', 'C0GENERAL');
  const one = await said.hears('acme-shop/live answers badly · one reading');
  expect(one.ephemeral).toBe(true);
  expect(one.text).toContain('Visitors still get pages, but past the cache the site fails.');
  expect(one.text).toContain('https://acme-shop.example/cart/ past the cache: 500 in');
  expect(one.text).toContain('(CHECK_CONNECT_TO)');
  expect(one.text).not.toContain('not well');
  // The name that the host has not verified is nobody's yet.
  expect(asked.join('\n')).not.toContain('new.acme.example');
  const verdict = await said.hears('acme-shop/live is not well: bad in 3 of 3 readings');
  expect(verdict.ephemeral).toBe(true);
  expect(verdict.controls.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['Error log of the last hour', 'Check again']),
  );
  // Markup of a site is text.
  expect(one.text).toContain('“*bold* <!channel> <https://evil.example|x>”');
  expect(asked.every((line) => line.startsWith('GET '))).toBe(true);
}, 60_000);

test.concurrent('a domain is checked by its name; a well site is well in three readings', async () => {
  const said = await scenario.person('ana').says('/site check acme.example', 'C0GENERAL');
  await said.hears('acme.example answers well · one reading');
  await said.hears('acme.example is well in 3 of 3 readings');
}, 60_000);

test.concurrent('what the policy turns off, nobody verified or nobody may see is not asked', async () => {
  const ana = scenario.person('ana');
  const off = await (
    await ana.says('/site check acme-docs/live', 'C0GENERAL')
  ).hears("acme-docs/live can't be checked");
  expect(off.text).toContain("the policy turns checks of it off. I didn't contact the site.");
  const unverified = await ana.says('/site check new.acme.example', 'C0GENERAL');
  await unverified.hears('the host has not verified new.acme.example yet');
  const rob = await scenario.person('rob').says('/site check acme-shop/live', 'C0GENERAL');
  await rob.hears("I can't find acme-shop/live among the environments and domains you can see.");
  expect(asked.join('\n')).not.toMatch(/acme-docs|new\.acme/);
});

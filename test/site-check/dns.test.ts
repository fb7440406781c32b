import { expect, onTestFinished, test } from 'vitest';
import { resolveWith } from '../../src/site-check/connect.ts';
import { createSiteCheck } from '../../src/site-check/site-check.ts';
import { nameServer, type Found } from './name-server.ts';

/** Looks that use a real name server on loopback. None of them may lead to a connection. */

const outside = ['93.184.216.34'];
const inside = ['127.0.0.1'];

const silentMs = 150;

async function lookAt(answer: (type: 'A' | 'AAAA', nth: number, name: string) => Found, timeout?: number) {
  const server = await nameServer((name, type, nth) => answer(type, nth, name), timeout);
  const check = createSiteCheck({
    now: Date.now,
    resolve: (name, signal) => resolveWith(server.resolver(), name, signal),
  });
  onTestFinished(check.close);
  const { looks } = await check.read({ addresses: ['http://shop.example.com/'], must: [] });
  return { looks, asked: server.asked };
}

test.each<[string, Parameters<typeof lookAt>[0]]>([
  ['inside', () => inside],
  ['outside and inside', () => [...outside, ...inside]],
  ['outside, and inside over IPv6', (type) => (type === 'A' ? outside : ['0:0:0:0:0:0:0:1'])],
  ['inside over IPv6 alone', (type) => (type === 'A' ? 'NXDOMAIN' : ['fd00:0:0:0:0:0:0:1'])],
  [
    'inside by two other names',
    (_, __, name) =>
      name.startsWith('c') ? inside : { alias: name.startsWith('b') ? 'c.example.com' : 'b.example.com' },
  ],
])('a name that leads %s is not gone to, and looked up once for each family', async (_, answer) => {
  const { looks, asked } = await lookAt(answer);
  expect(looks).toMatchObject(Array.from({ length: 2 }, () => ({ why: 'the name leads into a private network' })));
  const each = ['A shop.example.com', 'AAAA shop.example.com'];
  expect(asked.toSorted()).toEqual([...each, ...each].toSorted());
});

test.each<[string, Parameters<typeof lookAt>[0], string]>([
  ['says that there is none', () => 'NXDOMAIN', 'has no address in DNS'],
  ['knows the name, but no address', () => [], 'has no address in DNS'],
  ['fails', () => 'SERVFAIL', 'could not be looked up in DNS'],
  ['is silent', () => 'silence', 'could not be looked up in DNS'],
  ['has none for IPv4 and fails for IPv6', (type) => (type === 'A' ? [] : 'SERVFAIL'), 'could not be looked up in DNS'],
])('a name server that %s: no answer, and not the fault of the site', async (_, answer, why) => {
  const timeout = answer('A', 1, '') === 'silence' ? silentMs : undefined;
  expect((await lookAt(answer, timeout)).looks[0]).toMatchObject({ kind: 'no answer', why, isOfSite: false });
});

test('an answer for one address family is enough if DNS is silent for the other; nothing is cached', async () => {
  const found = (type: string, nth: number) => (type === 'AAAA' ? 'silence' : nth === 1 ? outside : inside);
  const server = await nameServer((_, type, nth) => found(type, nth), 1_000);
  const find = () => resolveWith(server.resolver(), 'shop.example.com', new AbortController().signal);
  expect([await find(), await find()]).toEqual([outside, inside]);
});

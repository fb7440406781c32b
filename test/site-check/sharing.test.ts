import { expect, onTestFinished, test, vi } from 'vitest';
import { createSiteCheck } from '../../src/site-check/site-check.ts';
import { listening } from './listener.ts';

/** Simultaneous requests about one site are one visit, and nobody waits for other people's requests. */

const shop = { addresses: ['https://shop.example.com/'], must: ['Add to cart'] };
const patience = { timeout: 20_000, interval: 100 };
const page = 'Add to cart';
const ok = `HTTP/1.1 200 OK\r\ncontent-length: ${page.length}\r\n\r\n${page}`;

async function shopAnd(others: 'hang' | 'are well') {
  const { port, seen } = await listening((socket, request) => {
    if (others === 'are well' || /^host: shop/im.test(request)) socket.end(ok);
  });
  const check = createSiteCheck({ now: Date.now, instead: { host: '127.0.0.1', port } });
  onTestFinished(check.close);
  return { check, visits: () => seen.filter((one) => /^host: shop/im.test(one)).length, seen };
}

test('fifty people ask for the same pages: one visit each, the same answer for all', async () => {
  const { check, visits } = await shopAnd('are well');
  const people = Array.from({ length: 50 }, (_, at) => ({ onBehalfOf: `U${at}`, mayShare: true }));
  const readings = await Promise.all(people.map((limits) => check.read(shop, limits)));
  expect(visits()).toBe(2);
  for (const { looks, missing } of readings) {
    expect(looks).toMatchObject([
      { as: 'visitor', status: 200 },
      { as: 'past the cache', status: 200 },
    ]);
    expect(missing).toEqual([]);
  }
});

test('a reading around a change, and one more than a second later, ask for themselves', async () => {
  const { check, visits } = await shopAnd('are well');
  await check.read(shop, { mayShare: true });
  await check.read(shop);
  expect(visits()).toBe(4);
  await vi.waitFor(async () => {
    await check.read(shop, { mayShare: true });
    expect(visits()).toBe(6);
  }, patience);
});

test('a reading that waits in the queue of one person is not shared until it begins', async () => {
  const { check, visits, seen } = await shopAnd('hang');
  const ending = new AbortController();
  const ana = { onBehalfOf: 'U01ANA', mayShare: true, signal: ending.signal };
  const hung = Array.from({ length: 20 }, (_, at) => `https://a${at}.example.com/`);
  const flood = [check.read({ addresses: hung, must: [] }, ana), check.read(shop, ana)];
  const { looks } = await check.read(shop, { onBehalfOf: 'U02BEN', mayShare: true });
  expect(looks).toMatchObject([{ status: 200 }, { status: 200 }]);
  // Ana has her eight, and no more.
  expect([visits(), seen.length]).toEqual([2, 10]);
  ending.abort();
  await Promise.all(flood);
});

import { afterAll, expect, it } from 'vitest';
import type { LogQuery } from '../../../src/commands/kit/log-query.ts';
import { analyze } from '../../../src/commands/logs/analyze.ts';
import { createLogReader } from '../../../src/commands/logs/run-analysis.ts';
import { aliasesBy } from '../../../src/commands/logs/masking.ts';
import type { Page } from '../../../src/commands/kit/page.ts';
import { Secret } from '../../../src/base/secret.ts';
import { live } from '../../fixtures.ts';

const now = Date.UTC(2026, 10, 21, 14);
const reader = createLogReader('key');
afterAll(reader.close);

const moment = (at: number): string => new Date(at).toISOString();
/** A log long enough to be read in a worker thread, with this text in its newest line. */
function long(newest: string): LogQuery {
  const lines = Array.from(
    { length: 5_000 },
    (_, at) =>
      `[${moment(now - (5_000 - at) * 1_000)}] client 198.51.100.${at % 250} asked for /page-${at % 7} of our shop once more`,
  );
  const text = `${[...lines, `[${moment(now)}] ${newest}`].join('\n')}\n`;
  const asked = { env: live, log: 'error', lines: undefined, since: [], until: [], search: undefined } as const;
  return {
    text,
    asked: { ...asked, errors: false, full: true },
    wanted: 20_000,
    most: 20_000,
    span: {},
    now,
  };
}
const nothing = async () => [];
const fileOf = (page: Page): string => page.file?.content ?? '';

it('reads a long log in a worker thread with the same result as here, with the same aliases and changes', async () => {
  const look = long('the end');
  const asked: number[] = [];
  const recall = async (since: number) => {
    asked.push(since);
    return [{ at: now - 60_000, number: 7, mark: '✅', says: 'Cleared the cache' }];
  };
  const here = await analyze(look, aliasesBy('key'), recall);
  const beside = await reader.analyze(look, recall);
  expect(beside).toEqual(here);
  expect(JSON.stringify(beside.parts)).toContain('#7');
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBe(asked[0]);
  expect(fileOf(beside)).not.toContain('198.51.100.');
});

it('masks there the secrets known here, also those added since the thread started', async () => {
  await reader.analyze(long('nothing'), nothing);
  const secret = new Secret(`plain-words-${now}`);
  const file = fileOf(await reader.analyze(long(`found ${secret.reveal()} lying about`), nothing));
  expect(file).toContain('found *** lying about');
  expect(file).not.toContain(secret.reveal());
});

it('reads several at once, each for its own requester', async () => {
  const pages = await Promise.all(['one', 'two', 'three'].map((word) => reader.analyze(long(`says ${word}`), nothing)));
  expect(pages.map((page) => /says \w+/.exec(fileOf(page))?.[0])).toEqual(['says one', 'says two', 'says three']);
});

it('passes on an error of a callback, and reads the next log', async () => {
  const broken = new Error('the database is away');
  await expect(reader.analyze(long('x'), () => Promise.reject(broken))).rejects.toBe(broken);
  expect(fileOf(await reader.analyze(long('still here'), nothing))).toContain('still here');
});

it('reports a thread that ends in the middle, and starts another one', async () => {
  const ended = reader.analyze(long('x'), async () => {
    await reader.close();
    return [];
  });
  await expect(ended).rejects.toThrow('the thread that reads long logs has ended');
  expect(fileOf(await reader.analyze(long('again'), nothing))).toContain('again');
});

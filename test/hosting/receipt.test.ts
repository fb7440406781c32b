import { expect, test } from 'vitest';
import { retryAfterOf, messageIn } from '../../src/hosting/answer.ts';
import { receiptOf, type Receipt } from '../../src/hosting/receipt.ts';
import { Secret } from '../../src/secret.ts';

const now = Date.UTC(2026, 0, 1);
const of = (status: number, body = ''): Receipt => receiptOf(status, body, undefined, now);

test('every status from 200 to 599 has one meaning for a write', () => {
  const kinds: Record<Receipt['kind'], number[]> = { accepted: [], throttled: [], rejected: [], unknown: [] };
  for (let status = 200; status < 600; status += 1) kinds[of(status).kind].push(status);
  expect(kinds.accepted).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
  expect(kinds.throttled).toEqual([429]);
  expect(kinds.unknown).toEqual([
    ...Array.from({ length: 100 }, (_, index) => 300 + index),
    408,
    409,
    425,
    499,
    ...Array.from({ length: 100 }, (_, index) => 500 + index),
  ]);
  expect(kinds.rejected).toHaveLength(95);
});

test.each([
  ['{"operation_id":"cache:clear-1","message":"ok","status":202}', { operation: 'cache:clear-1', message: 'ok' }],
  ['{"operation_id":"cache:clear-1"', {}],
  ['{"operation_id":7}', {}],
  ['{"operation_id":""}', {}],
  ['{"operation_id":".."}', {}],
  ['{"operation_id":"two words"}', {}],
  [`{"operation_id":"${'x'.repeat(201)}"}`, {}],
  ['{"operation_id":"\\u001b[31m"}', {}],
  ['{"__proto__":{"operation_id":"inherited"}}', {}],
  ['[]', {}],
  ['['.repeat(60_000), {}],
  ['null', {}],
  ['', {}],
  ['accepted', {}],
])('202 with %s is accepted', (body, more) => {
  expect(of(202, body)).toEqual({ kind: 'accepted', status: 202, immediate: false, ...more });
});

test('a null result is done at once', () => {
  expect(of(200, '{"result":null}')).toEqual({ kind: 'accepted', status: 200, immediate: true });
});

test.each([200, 202, 301, 400, 401, 403, 404, 410, 422])(
  'a page with %d says nothing about what the host did',
  (status) => {
    for (const page of ['<html>', '  \n<!DOCTYPE html><title>404</title>', '<h1>nginx</h1>'])
      expect(of(status, page)).toEqual({
        kind: 'unknown',
        why: `a page answered ${status} instead of the host`,
        status,
      });
  },
);

test('a refusal has the host’s message; an unknown outcome says why', () => {
  expect(of(400, '{"message":"Bad request format","status":400}')).toEqual({
    kind: 'rejected',
    status: 400,
    message: 'Bad request format',
  });
  expect(of(500)).toEqual({ kind: 'unknown', why: 'the host answered 500', status: 500 });
});

test.each([
  ['0', 0],
  ['30', 30_000],
  [' 7 ', 7_000],
  ['99999999999999999999', 86_400_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-3', undefined],
  ['1.5', undefined],
  ['abc 1', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is %s ms', (header, rest) => {
  expect(retryAfterOf(header, now)).toBe(rest);
  expect(receiptOf(429, '', header, now)).toEqual({ kind: 'throttled', retryAfterMs: rest });
});

test('a quote of the host is one bounded line without secrets and control characters', () => {
  const secret = new Secret('s3cr3t-of-the-host');
  expect(messageIn(JSON.stringify({ message: `a\u001b[31m\r\nb\u202Ec ${secret.reveal()} \ud800` }))).toBe(
    'a [31m b c *** \ufffd',
  );
  expect(messageIn(JSON.stringify({ message: 'x'.repeat(9_999) }))).toHaveLength(300);
  expect(messageIn('Too many requests\n')).toBe('Too many requests');
  expect(messageIn('{"message":7}')).toBe('');
});

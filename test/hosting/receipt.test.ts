import { expect, test } from 'vitest';
import { retryAfterOf, wordsIn } from '../../src/hosting/answer.ts';
import { receiptOf, type Receipt } from '../../src/hosting/receipt.ts';
import { Secret } from '../../src/base/secret.ts';

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
  ['{"operation_id":"cache:clear-1","message":"ok","status":202}', { operation: 'cache:clear-1' }],
  ['{"operation_id":"cache:clear-1"', { isUnread: true }],
  ['{"operation_id":7}', {}],
  ['{"operation_id":""}', {}],
  ['{"operation_id":".."}', {}],
  ['{"operation_id":"two words"}', {}],
  [`{"operation_id":"${'x'.repeat(201)}"}`, {}],
  ['{"operation_id":"\\u001b[31m"}', {}],
  ['{"__proto__":{"operation_id":"inherited"}}', {}],
  ['[]', {}],
  ['['.repeat(60_000), { isUnread: true }],
  [`{"data":${'['.repeat(30_000)}"x"${']'.repeat(30_000)}}`, { isUnread: true }],
  ['null', {}],
  ['', {}],
  ['accepted', { isUnread: true }],
  ['{"data":{"sftp_user":"ada"}}', {}],
  ['{"message":"Going on","status":202,"error":false}', {}],
  ['{"message":"Going on","status":"202"}', {}],
  ['{"message":"Operation failed","status":500', { isUnread: true }],
  ['{"status":"failed"}', {}],
  ['{"error":null}', {}],
  ['{"status":{"toString":500}}', {}],
  ['{"status":[500]}', {}],
  ['{"status":7}', {}],
  ['{"data":{"status":500}}', {}],
  ['[{"status":500}]', {}],
])('202 with %s is accepted', (body, more) => {
  expect(of(202, body)).toEqual({ kind: 'accepted', status: 202, immediate: false, ...more });
});

test('a null result is done at once', () => {
  expect(of(200, '{"result":null}')).toEqual({ kind: 'accepted', status: 200, immediate: true });
});

test.each<[number, { message?: string; status?: unknown; [field: string]: unknown }, string]>([
  [202, { message: 'Operation failed', status: 500, operation_id: null }, '500'],
  [200, { message: 'Could not clear', status: 400, error: true }, '400'],
  [202, { status: '404', operation_id: 'cache:clear-1' }, '404'],
  [200, { result: null, error: true }, 'error'],
  [200, { status: 429 }, '429'],
  [400, { message: 'Bad gateway', status: 502 }, '502'],
  [404, { status: 409 }, '409'],
  [429, { message: 'It broke', status: 500 }, '500'],
  [503, { status: 400 }, '400'],
  [400, { message: 'Going on', status: 202, operation_id: 'cache:clear-1' }, '202'],
  [429, { status: 200 }, '200'],
  [202, { status: 302 }, '302'],
  [202, { status: 202, error: true }, 'error'],
])('%d with %j contradicts itself: nobody knows what happened', (status, body, code) => {
  const why = `the host answered ${status}, but its body says ${code}`;
  const { message } = body;
  expect(of(status, JSON.stringify(body))).toEqual({ kind: 'unknown', why, status, ...(message && { message }) });
});

test.each([
  [400, { status: 400, error: true }, 'rejected'],
  [422, { status: 400 }, 'rejected'],
  [403, { status: 0 }, 'rejected'],
  [429, { status: 429, error: true }, 'throttled'],
  [409, { status: 409 }, 'unknown'],
])('%d with %j says the same twice', (status, body, kind) => {
  const { kind: read, ...rest } = of(status, JSON.stringify(body));
  expect(read).toBe(kind);
  if (kind === 'unknown') expect(rest).toEqual({ why: `the host answered ${status}`, status });
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

test('every answer has the host’s words; an unknown outcome says why', () => {
  expect(of(400, '{"message":"Bad request format","status":400}')).toEqual({
    kind: 'rejected',
    status: 400,
    message: 'Bad request format',
  });
  expect(of(500)).toEqual({ kind: 'unknown', why: 'the host answered 500', status: 500 });
  expect(of(400)).toEqual({ kind: 'rejected', status: 400 });
  const message = 'Another operation is in progress';
  for (const status of [409, 429, 503])
    expect(of(status, JSON.stringify({ message, status }))).toMatchObject({ message });
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
  expect(wordsIn(JSON.stringify({ message: `a\u001b[31m\r\nb\u202Ec ${secret.reveal()} \ud800` }))).toBe(
    'a [31m b c *** \ufffd',
  );
  expect(wordsIn('Too many requests\n')).toBe('Too many requests');
  expect(wordsIn(JSON.stringify({ message: 'ok” Done. “' }))).toBe('ok" Done. "');
});

test.each([
  [{ message: 7 }, ''],
  [{ message: 'Bad', data: { errors: ['it is in maintenance'] } }, 'Bad · it is in maintenance'],
  [{ message: 'Bad', data: 'it is in maintenance' }, 'Bad · it is in maintenance'],
  [{ message: 'Bad', data: ['one', 2, null, ['two', 'one', ' ']] }, 'Bad · one · two'],
  [{ message: 'Bad', data: { ttl: ['is too low', 'is odd'] } }, 'Bad · ttl: is too low · ttl: is odd'],
  [{ data: { errors: [{ field: 'ttl', message: 'is too low' }] } }, 'field: ttl · is too low'],
  [{ data: { deep: { er: { name: 'is taken' } } } }, 'deep_er_name: is taken'],
  [{ error: 'Forbidden' }, 'Forbidden'],
  [{ error: { message: 'Forbidden', code: 3 } }, 'Forbidden'],
  [{ errors: ['one'], trace: 'x' }, 'one'],
  [[{ message: 'one' }, 'two'], 'one · two'],
  ['Forbidden', 'Forbidden'],
  [null, ''],
  [{ data: { sftp_password: { value: 'hunter22x' } } }, 'sftp_password_value: ***'],
  [{ message: 'busy‟ Done. ❞＂' }, 'busy" Done. ""'],
  [{ data: Array.from({ length: 100_000 }, () => 'a') }, 'a'],
  [{ data: { sftp_password: 'hunter22x', note: 'a\u202Eb” c' } }, 'sftp_password: *** · note: a b" c'],
])('the words of %j', (body, words) => {
  expect(wordsIn(JSON.stringify(body))).toBe(words);
});

test('words are few and short', () => {
  const many = Array.from({ length: 99 }, (_, at) => `reason ${at}`);
  expect(wordsIn(JSON.stringify({ message: 'Bad', data: many }))).toBe(
    'Bad · reason 0 · reason 1 · reason 2 · reason 3 · reason 4 · …',
  );
  const long = 'x'.repeat(9_999);
  const words = wordsIn(JSON.stringify({ message: long, data: [`${long}y`, 'a'.repeat(300)] }));
  expect(words).toBe(`${'x'.repeat(299)}… · ${'a'.repeat(296)}…`);
  expect(wordsIn(`{"data":${'['.repeat(90)}"deep"${']'.repeat(90)}}`)).toBe('deep');
});

import { expect, test } from 'vitest';
import { CommitUnanswered, isBack, isLostConnection } from '../../src/storage/lost-connection.ts';

/** Which errors say that the connection to PostgreSQL was lost before a commit. */

const error = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

test.each<[string, Error]>([
  ['the server shuts down', error('terminating connection', { severity: 'FATAL', code: '57P01' })],
  ['it crashed', error('terminating connection', { severity: 'WARNING', code: '57P02' })],
  ['it starts', error('the database system is starting up', { severity: 'FATAL', code: '57P03' })],
  ['the pooler lost it', error('server conn crashed?', { severity: 'FATAL', code: '08P01' })],
  ['it is refused', error('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED' })],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNABORTED'].map(
    (code): [string, Error] => [`its host is away: ${code}`, error(`read ${code}`, { code })],
  ),
  ['it ended', error('Connection terminated unexpectedly')],
  ['the pool gave up', error('timeout exceeded when trying to connect')],
])('lost: %s', (_, lost) => {
  expect(isLostConnection(lost)).toBe(true);
});

test.each([
  ['a lock', error('canceling statement due to lock timeout', { severity: 'ERROR', code: '55P03' })],
  ['a conflict', error('could not serialize', { severity: 'ERROR', code: '40001' })],
  ['a commit without an answer', new CommitUnanswered(error('Connection terminated unexpectedly'))],
  ['no error', 'Connection terminated'],
  ['another system says 57P01', error('busy', { code: '57P01' })],
])('not lost: %s', (_, other) => {
  expect(isLostConnection(other)).toBe(false);
});

test('a database that stays away is not waited for any longer', async () => {
  expect(await isBack({ now: () => Promise.reject(new Error('away')) }, 0)).toBe(false);
});

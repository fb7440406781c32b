import { expect, test } from 'vitest';
import { loudestError } from '../../../src/commands/logs/loudest.ts';

const env = {
  kind: 'environment',
  id: '5f0e5f0e-0000-4000-8000-000000000001',
  name: 'acme-shop/live',
  live: true,
  site: undefined,
} as const;
const now = Date.UTC(2026, 10, 23, 3, 0);
const from = now - 3_600_000;
const at = (minutes: number): string =>
  `[${new Date(now - minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')} UTC]`;
const answer = (logs: string): unknown => ({ environment: { container_info: { logs } } });
const loudest = (lines: readonly string[]) =>
  loudestError(async ({ reply }) => reply.parse(answer(lines.map((line) => `${line}\n`).join(''))), env, {
    from,
    now,
    alias: () => 'client-3f2a',
  });
const many = (count: number, line: (n: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, n) => line(n));

test.each<[string, readonly string[], object]>([
  ['an empty log', [], { errors: 0, others: 0, loudest: undefined, cut: undefined, isTimeless: false }],
  ['warnings only', [`${at(5)} PHP Warning: a fatal error is near`], { errors: 0, others: 1, loudest: undefined }],
  [
    'the most frequent error, not the most frequent message',
    [
      ...many(4, () => `${at(9)} PHP Notice: hello`),
      `${at(8)} PHP Parse error: once`,
      ...many(2, (n) => `${at(7 - n)} PHP Fatal error: Uncaught in /www/public/wp-content/a.php:${n}`),
    ],
    {
      errors: 3,
      kinds: 2,
      others: 4,
      loudest: { says: 'PHP Fatal error: Uncaught in …/a.php:*', count: 2, last: now - 6 * 60_000 },
    },
  ],
  [
    'older lines of a host that ignores the span',
    [`${at(90)} PHP Fatal error: old`, `${at(2)} PHP Warning: new`],
    { errors: 0, others: 1, cut: undefined },
  ],
  [
    'more lines than were read',
    many(1_100, () => `${at(30)} PHP Fatal error: again`),
    { errors: 1_000, cut: { since: now - 30 * 60_000 } },
  ],
  [
    'more characters than were read',
    many(300, () => `${at(20)} PHP Fatal error: ${'x'.repeat(2_000)}`),
    { cut: { since: now - 20 * 60_000 } },
  ],
  ['lines without a time', ['PHP Fatal error: when?'], { errors: 1, isTimeless: true, loudest: { last: undefined } }],
  [
    'one endless line',
    ['x'.repeat(900_000)],
    { errors: 0, withoutLevel: 1, cut: { since: undefined }, isTimeless: true },
  ],
  [
    'a line that does not say how grave it is',
    [`${at(5)} boom: the database is gone`, `${at(4)} PHP Notice: hello`],
    { errors: 0, others: 1, withoutLevel: 1, possible: 0, loudest: { says: 'boom: the database is gone' } },
  ],
])('%s', async (_, lines, expected) => {
  expect(await loudest(lines)).toMatchObject(expected);
});

import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { Refusal } from '../../src/base/errors.ts';
import type { Query } from '../../src/hosting/contract/call.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { company, live, names, noCertificate, refusalText, reportDefaults } from '../fixtures.ts';

/** Odd times in the command that takes them: the request to the host, or the refusal. */

describe('times of a log', () => {
  const now = Date.UTC(2026, 10, 21, 14, 5);
  /** The request to the host, or the refusal. */
  async function asked(words: string): Promise<unknown> {
    let query: Query | undefined;
    try {
      const parsed = parse(`logs ${live.name} ${words}`, catalogue);
      if (parsed?.command.shape !== 'report') throw new Error('logs is a report');
      const { input, problems } = resolve(parsed, names);
      if (problems[0]) throw problems[0].refusal;
      await parsed.command.show({
        input,
        read: async (call) => {
          query = call.query;
          return call.reply.parse({ environment: { container_info: { logs: '' } } });
        },
        company,
        certificate: noCertificate,
        ...reportDefaults,
        now,
        zone: 'Europe/Berlin',
      });
      return Object.values(query ?? {}).filter((value) => /^\d{4}-.*Z$/.test(String(value)));
    } catch (error) {
      if (error instanceof Refusal && query === undefined) return refusalText(error);
      throw error;
    }
  }

  test.each<[string, readonly string[]]>([
    ['--since 1h', ['2026-11-21T13:05:00.000Z']],
    ['--since 90m', ['2026-11-21T12:35:00.000Z']],
    ['--since 1 h', ['2026-11-21T13:05:00.000Z']],
    ['--since 2 hours ago --until 60 minutes', ['2026-11-21T12:05:00.000Z', '2026-11-21T13:05:00.000Z']],
    ['--since yesterday', ['2026-11-19T23:00:00.000Z']],
    ['--since Yesterday --until today', ['2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z']],
    ['--since 1970-01-01', ['1969-12-31T23:00:00.000Z']],
    ['--since 1970-01-01T00:00Z --until 1970-01-02T00:00Z', ['1970-01-01T00:00:00.000Z', '1970-01-02T00:00:00.000Z']],
    ['--until 1970-01-01T00:00Z', ['1970-01-01T00:00:00.000Z']],
    ['--since 1h --until 2030-01-01', ['2026-11-21T13:05:00.000Z', '2029-12-31T23:00:00.000Z']],
    ['--since 23:00', ['2026-11-20T22:00:00.000Z']],
    ['—since=“2026-11-21 14:00”', ['2026-11-21T13:00:00.000Z']],
  ])('%s', async (words, moments) => {
    expect(await asked(words)).toEqual(moments);
  });

  test.each<[string, string]>([
    ['--since 2030-01-01', '--since is in the future. Nothing was done.'],
    ['--since tomorrow', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--since 1h --until 2h', '--until is not after --since. Nothing was done.'],
    ['--since today --until yesterday', '--until is not after --since.'],
    ['--since 1h --until 1970-01-01', '--until is not after --since.'],
    ['--since 1h --until 1h', '--until is not after --since.'],
    ['--since 2026-02-31', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--since 25:00', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--since -1h', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--since 0x10', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--since 999999d', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--since __proto__', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--since ""', '--since needs a value.'],
    ['--until=" "', '--until needs a value.'],
    ['--since 1 error', 'Since: type a time like 1h, 14:05, yesterday or'],
    ['--lines 0', 'Lines has to be a whole number'],
    ['--lines 1e3', 'Lines has to be a whole number'],
  ])('%s is refused', async (words, why) => {
    const result = await asked(words);
    expect(result).toContain(why);
    expect(result).toContain('Nothing was done.');
  });
});

import { describe, expect, test } from 'vitest';
import { backupsList } from '../../src/commands/backups/list.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import type { HostReader } from '../../src/hosting/contract/call.ts';
import { plain } from '../../src/words/text.ts';
import { company, live, noCertificate, readEach, reportDefaults, staging } from '../fixtures.ts';

const now = Date.UTC(2026, 10, 23);
const hour = 3_600_000;
const made = (hoursAgo: number, more: object = {}) => ({
  type: 'scheduled',
  created_at: now - hoursAgo * hour,
  ...more,
});
const host =
  (backups: unknown): HostReader =>
  async (call) =>
    call.reply.parse({ environment: { backups } });
const both = { kind: 'environments', all: [live, staging], trouble: undefined } as const;
const show = (backups: unknown, isMany = false): Promise<Page> => {
  const read = host(backups);
  return backupsList.show({
    input: { env: isMany ? both : live, older: undefined },
    company,
    certificate: noCertificate,
    ...reportDefaults,
    read,
    each: readEach(read),
    now,
  });
};
const linesOf = ({ parts }: Page): readonly string[] =>
  parts.flatMap((part) => (part.kind === 'list' ? part.entries : part.kind === 'text' ? [part.text] : [])).map(plain);

describe('the backups of an environment', () => {
  test('are listed with their age', async () => {
    const page = await show([made(30), made(3, { type: 'manual', name: 'before the sale', note: 'asked by Ana' })]);
    expect(plain(page.title)).toBe('acme-shop/live · backups · 2 backups, the newest 3 h ago');
    expect(linesOf(page)).toEqual([
      '3 h ago · 2026-11-22 21:00 UTC · Manual · before the sale · “asked by Ana”',
      '30 h ago · 2026-11-21 18:00 UTC · Scheduled',
    ]);
  });

  test('are none if the host lists none', async () => {
    const page = await show([]);
    expect(plain(page.title)).toBe('acme-shop/live · backups · 0 backups');
    expect(linesOf(page)).toEqual([
      'The host lists no backup of acme-shop/live. Without one, what is overwritten or deleted there is lost.',
    ]);
  });

  test.each([
    ['null', null],
    ['missing', undefined],
  ])('are an odd answer if their list is %s', async (_, backups) => {
    await expect(show(backups)).rejects.toThrow('backups');
    await expect(show(backups, true)).rejects.toThrow('backups');
  });

  test.each<[string, readonly unknown[], string, readonly unknown[]]>([
    ['only one that is null', [null], '1 backup', ["The host lists 1 backup that I can't read."]],
    ['one of two', [null, made(3)], '2 backups', ["The host lists 1 backup that I can't read.", expect.any(String)]],
    [
      'the time of one',
      [made(3, { created_at: null }), made(27)],
      '2 backups',
      [expect.any(String), expect.any(String)],
    ],
  ])('are counted, and none is called the newest, if this can not be read: %s', async (_, backups, count, lines) => {
    const page = await show(backups);
    expect(plain(page.title)).toBe(`acme-shop/live · backups · ${count}`);
    expect(linesOf(page)).toEqual(lines);
  });

  test('are dated in the future if the host says so', async () => {
    const page = await show([made(-72), made(3)]);
    expect(plain(page.title)).toContain('the newest dated in the future');
    expect(linesOf(page)[0]).toBe('dated in the future · 2026-11-26 00:00 UTC · Scheduled');
    expect(plain((await show([made(-0.05)])).title)).toContain('the newest just now');
  });

  test('have names and notes without credentials, also where they are cut', async () => {
    const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
    const note = `password=Tr0ub4dor-and-3 ${'x'.repeat(40)} ${token}`;
    const [line = ''] = linesOf(await show([made(3, { type: 'manual', name: `${token}.sql`, note })]));
    expect(line).toContain('***.sql · “password=*** x');
    expect(line).not.toMatch(/Tr0ub|ghp_/);
  });

  test('have names and notes that fit a phone', async () => {
    const [line = ''] = linesOf(await show([made(3, { name: 'n'.repeat(5_000), note: 'm'.repeat(5_000) })]));
    expect(line).toContain(`${'n'.repeat(80)}… (4,920 more characters) · “${'m'.repeat(80)}… (4,920 more characters)”`);
  });
});

test.each<[string, readonly unknown[], string]>([
  ['none', [], '⚠️ acme-shop/live has no listed backup.'],
  ['one that is null', [null], "❔ acme-shop/live unknown: the host doesn't say how old it is (of unknown kind)."],
  [
    'one that is null, beside another',
    [null, made(3)],
    "❔ acme-shop/live unknown: the host doesn't say how old it is (of unknown kind).",
  ],
  ['one in the future', [made(-72)], '❔ acme-shop/live unknown: the host dates it in the future (scheduled).'],
  ['one', [made(3)], '✅ acme-shop/live 3 h ago (scheduled)'],
])('the newest backup among many environments: %s', async (_, backups, line) => {
  expect(linesOf(await show(backups, true))[0]).toBe(line);
});

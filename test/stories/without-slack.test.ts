import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTerminal, type Terminal } from './terminal.ts';

const [ana, chi, rob] = ['U0ANA', 'U0CHI', 'U0ROB'] as const;

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U0ANA]
  leads: [U0CHI]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, sensitive], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;

let terminal: Terminal;
beforeAll(async () => {
  terminal = await openTerminal(policy, { 'environments:push': 0 });
});
afterAll(() => terminal.close());

const writesTo = (name: string): readonly unknown[] => {
  const { journal, world } = terminal.hosting;
  const id = world.environmentNamed(name)?.id ?? 'no such environment';
  const writes = journal.entries().filter(({ method }) => method !== 'GET');
  return writes.filter(({ path, body }) => JSON.stringify([path, body]).includes(id)).map(({ body }) => body);
};

test('a push without Slack: requested, reviewed, its name typed to confirm, approved by another person, sent once', async () => {
  expect(await terminal.type(ana, 'push acme-shop/staging acme-shop/live')).toContain('What should be pushed?');
  const review = await terminal.type(ana, 'push acme-shop/staging acme-shop/live --database');
  expect(review).toContain('The DATABASE of acme-shop/live will be replaced.');
  expect(await terminal.confirm(ana, 'acme-shop/staging')).toContain('This is not acme-shop/live. Nothing was done.');
  expect(await terminal.type(ana, 'push acme-shop/live acme-shop/staging --database')).toContain('acme-shop/staging');
  expect(await terminal.confirm(ana)).toMatch(/^#\d+ was saved$/);
  await terminal.prints(/this is waiting for your approval until/);
  expect(await terminal.press(ana, 'Approve')).toContain('somebody else has to approve it');
  expect(writesTo('acme-shop/staging')).toEqual([]);
  expect(await terminal.press(chi, 'Approve')).toBe('');
  await terminal.prints(/^✅ Done after .*: the host reports it finished/);
  expect(writesTo('acme-shop/staging')).toEqual([expect.objectContaining({ push_db: true, push_files: false })]);
});

test('an address allowed without Slack: refused to a person without rights, reviewed, read back', async () => {
  const line = 'allowlist add acme-blog/live 198.51.100.4';
  expect(await terminal.type(rob, line)).toContain('You may not');
  expect(await terminal.type(ana, line)).toContain('List before');
  expect(await terminal.confirm(ana)).toMatch(/^#\d+ was saved$/);
  await terminal.prints(/✅ 198\.51\.100\.4 is on the SSH allowlist of acme-blog\/live: confirmed/);
  expect(writesTo('acme-blog/live')).toHaveLength(1);
  expect(await terminal.type(ana, 'allowlist show acme-blog/live')).toContain('SSH allowlist');
});

import { describe, expect, test } from 'vitest';
import { deletion } from '../../src/commands/delete.ts';
import { newestBackup, type CardBackup } from '../../src/commands/backups/newest.ts';
import type { HostReader } from '../../src/hosting/contract/call.ts';
import type { NewestBackup } from '../../src/commands/kit/site-status.ts';
import { nameToType, needsReview } from '../../src/change/confirmation.ts';
import { inline, plain } from '../../src/words/text.ts';
import { type TroubleKind, HostTrouble } from '../../src/hosting/failure.ts';
import { company, live, noCertificate, nothingKnown, staging, uuid } from '../fixtures.ts';

const now = 10 * 86_400_000;
const cardOf = (env: typeof live, backup: CardBackup) => deletion.card({ input: { env }, snapshot: { backup }, now });

test('names the environment by its id in the call, and nothing else', () => {
  const call = deletion.call({ input: { env: live }, snapshot: { backup: null } });
  expect(call).toMatchObject({ method: 'DELETE', path: `/sites/environments/${uuid(1)}` });
  expect(call.body).toBeUndefined();
});

describe('the card', () => {
  test.each<[string, typeof live, string]>([
    [
      'of a live environment',
      live,
      "acme-shop/live counts as LIVE.\nacme-shop/live will be deleted, with its files and its database. I can't undo this, and its backups may be deleted too.",
    ],
    [
      'of another',
      staging,
      "acme-shop/staging will be deleted, with its files and its database. I can't undo this, and its backups may be deleted too.",
    ],
  ])('%s names what will be lost', (_, env, warning) => {
    expect(plain(inline(cardOf(env, null).warning))).toBe(warning);
  });

  test.each<[string, NewestBackup, string]>([
    ['none', null, 'the host lists none'],
    ['one', { type: 'scheduled', at: now }, 'scheduled, 1970-01-11 00:00 UTC'],
    [
      'one of an unknown age and kind',
      { type: '', at: undefined },
      'of unknown kind, at a time the host does not tell',
    ],
  ])('shows the newest backup: %s', (_, backup, fact) => {
    expect(plain(inline(cardOf(staging, backup).facts?.['Newest backup']))).toBe(fact);
  });
});

const at = Date.UTC(2026, 10, 23);
test.each<[string, readonly (object | null)[], NewestBackup]>([
  [
    'of two',
    [
      { type: 'manual', created_at: at - 1000 },
      { type: 'scheduled', created_at: at },
    ],
    { type: 'scheduled', at },
  ],
  ['of none', [], null],
  ['that is null', [null], { type: '', at: undefined }],
  ['of two, one of which is null', [null, { type: 'scheduled', created_at: at }], { type: '', at: undefined }],
  ['without a time', [{ type: 'manual' }], { type: 'manual', at: undefined }],
  [
    'of two, one without a time',
    [{ type: 'manual' }, { type: 'scheduled', created_at: at }],
    { type: '', at: undefined },
  ],
])('the newest backup %s', async (_, backups, newest) => {
  const read: HostReader = async (call) => call.reply.parse({ environment: { backups } });
  expect(await newestBackup(read, live)).toEqual(newest);
});

test('can be asked for if the host answers without a list of backups, and says so', async () => {
  const read: HostReader = async () =>
    Promise.reject(new HostTrouble({ kind, says: '' }, { attempts: 1, elapsedMs: 1 }));
  let kind: TroubleKind = 'odd answer';
  const sources = { read, company, certificate: noCertificate, ...nothingKnown };
  const backup = (await deletion.look?.({ input: { env: live }, ...sources }))?.backup ?? null;
  expect(plain(inline(cardOf(live, backup).facts?.['Newest backup']))).toBe(
    "unknown: the host sent an answer I can't use",
  );
  kind = 'time-out';
  await expect(deletion.look?.({ input: { env: live }, ...sources })).rejects.toBeInstanceOf(HostTrouble);
});

test('always has a review with the name typed', () => {
  for (const env of [live, staging]) {
    expect(needsReview(deletion, { target: env, input: {} })).toBe(true);
    expect(nameToType(deletion, env)).toBe(env.name);
  }
});

test('has no undo, no proof and no preconditions', () => {
  expect(Object.keys(deletion)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(undo|proof|later)$/)]));
  expect(deletion.preconditions?.({ input: { env: live }, snapshot: { backup: null } })).toBeNull();
});

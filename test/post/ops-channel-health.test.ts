import { expect, it } from 'vitest';
import { noteOpsPost, opsTrouble } from '../../src/post/ops-channel-health.ts';
import { sweep } from '../../src/post/housekeeping.ts';
import { Undeliverable, type ChannelLook } from '../../src/post/messenger.ts';
import { claimMessages, enqueueMessage } from '../../src/storage/messages.ts';
import type { Database } from '../../src/storage/database.ts';
import { plain } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { policyFrom } from '../fixtures.ts';

const rules = 'version: 1\nrules:\n  - { allow: [read], to: everyone }\n';
const policy = policyFrom(`${rules}channels: { ops: C0OPS }\n`);
const seen = { kind: 'seen', shared: false, archived: false, member: true, isPrivate: false } as const;
type Last = Parameters<typeof noteOpsPost>[1];

const noted = (database: Database, last: Last, at = 1): Promise<boolean> =>
  database.transaction((tx) => noteOpsPost(tx, last, at));

describeBoth('the ops channel', (open) => {
  it.each<[string, ChannelLook, Last | undefined, string | undefined]>([
    ['takes posts', seen, undefined, undefined],
    ['took the last post', seen, { channel: 'C0OPS', refused: null }, undefined],
    ['is not shown', { kind: 'hidden', word: 'channel_not_found' }, undefined, "doesn't show me #C0OPS"],
    ['is archived', { ...seen, archived: true }, undefined, '#C0OPS is archived'],
    ['is shared', { ...seen, shared: true }, undefined, 'shared with another organisation'],
    ['refused the last post', seen, { channel: 'C0OPS', refused: 'no_permission' }, 'my last post (no_permission)'],
    ['is another than the one that refused', seen, { channel: 'C0OLD', refused: 'is_archived' }, undefined],
    ['is without the bot', { ...seen, member: false }, undefined, "I'm not in #C0OPS"],
    ['is without the bot, and takes posts', { ...seen, member: false }, { channel: 'C0OPS', refused: null }, undefined],
    ['is unknown without the scope', { kind: 'no scope' }, undefined, undefined],
  ])('%s', async (_, look, last, words) => {
    const database = await open();
    if (last) await noted(database, last);
    const found = await opsTrouble(database.db, { policy: () => policy, lookAt: () => Promise.resolve(look) });
    if (words === undefined) return expect(found).toBeUndefined();
    expect(plain(found?.says ?? [])).toContain(words);
    expect(plain(found?.hint ?? [])).toMatch(/^\S.*\.$/);
  });

  it('is missing in the policy, or Slack does not say: only the first is certain', async () => {
    const database = await open();
    const lookAt = (): Promise<never> => Promise.reject(new Undeliverable('later', 'internal_error'));
    const unnamed = await opsTrouble(database.db, { policy: () => policyFrom(rules), lookAt });
    expect(plain(unnamed?.says ?? [])).toContain('nobody is told');
    await expect(opsTrouble(database.db, { policy: () => policy, lookAt })).rejects.toThrow('internal_error');
  });

  it('takes posts again: the kept messages are due at once, and this is reported once', async () => {
    const database = await open();
    await database.transaction((tx) => enqueueMessage(tx, { key: 'ops:a', kind: 'ops', at: 900 }));
    const due = (): Promise<unknown[]> =>
      database.transaction((tx) => claimMessages(tx, { owner: 'a', now: 10, leaseMs: 1, limit: 9 }));
    const refused = { channel: 'C0OPS', refused: 'is_archived' };
    expect([await noted(database, refused), await noted(database, refused)]).toEqual([true, false]);
    expect(await due()).toEqual([]);
    const taken = { channel: 'C0OPS', refused: null };
    expect([await noted(database, taken, 5), await noted(database, taken, 5)]).toEqual([true, false]);
    expect(await due()).toMatchObject([{ key: 'ops:a' }]);
  });

  it('keeps at most its newest 500 messages, and is told how many were dropped', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (let n = 0; n < 503; n += 1) await enqueueMessage(tx, { key: `ops:${n}`, kind: 'ops', at: 1 });
    });
    await sweep(database);
    const pending = await database.db.selectFrom('messages').selectAll().where('due_at', 'is not', null).execute();
    expect(pending).toHaveLength(501);
    expect(pending.map(({ key }) => key).filter((key) => ['ops:0', 'ops:2'].includes(key))).toEqual([]);
    expect(pending.map(({ key }) => key)).toContain('ops:3');
    expect(pending.find(({ key }) => key.startsWith('ops:dropped'))?.body).toContain('3 older messages');
  });
});

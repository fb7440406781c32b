import { expect, it } from 'vitest';
import type { SenderContext } from '../../src/post/context.ts';
import { Undeliverable } from '../../src/post/messenger.ts';
import { untoldTo } from '../../src/post/refused-posts.ts';
import { createPostQueues } from '../../src/post/fair-order.ts';
import { redrawForReaders } from '../../src/post/group-watch.ts';
import type { Database } from '../../src/storage/database.ts';
import { enqueueMessage, ownWords } from '../../src/storage/messages.ts';
import { plain, say } from '../../src/words/text.ts';
import { ana, blog, chi, contextWith, live, names, policyFrom } from '../fixtures.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { deliverAll } from './deliver-all.ts';

/** Whoever may not know what a message is about is not told, whatever kind of message it is. */

const rulesFor = (reader: string, bound: string) =>
  policyFrom(`version: 1
groups: { readers: [${reader}] }
rules: [{ allow: [read], to: [readers] }]
channels: { C0ACME: { sites: [${bound}] } }
`);

/** A sender by rules that can be replaced; `posted` is what Slack shows in each place, by the newest words. */
function senderOn(database: Database) {
  const posted = new Map<string, string>();
  const state = { policy: rulesFor(ana.id, 'acme-shop') };
  const context: SenderContext = {
    ...contextWith({
      database,
      owner: 'a',
      policy: () => state.policy,
      names: () => names,
      personOf: async (id) => [ana, chi].find((one) => one.id === id),
      isTaken: () => true,
      onCard: () => undefined,
      onUntold: () => undefined,
      onTrouble: () => undefined,
      messenger: {
        post: async (to, what) => {
          const channel = 'person' in to ? to.person : to.channel;
          posted.set(channel, 'text' in what ? plain(what.text) : '');
          return { channel, ts: '1.0' };
        },
        edit: async ({ channel }, what) => void posted.set(channel, 'text' in what ? plain(what.text) : ''),
      },
    }),
    turns: createPostQueues(),
    onOps: () => undefined,
    onPace: () => undefined,
  };
  return { state, context, posted };
}

const shop = JSON.stringify([live]);
const both = JSON.stringify([live, blog]);
const covered = "may no longer see what this was about, so I've taken out what was here.";

describeBoth('a message about some environments', (open) => {
  it.each([
    ['a person who may read them', 'direct', ana.id, shop, 'News'],
    ['a person who may read none of them', 'direct', chi.id, shop, undefined],
    ['a person about whom Slack does not say', 'direct', 'U0UNKNOWN', shop, 'News'],
    ['a person who asked for it', 'direct', chi.id, ownWords, 'News'],
    ['a channel that may hear of them', 'notice', 'C0ACME', shop, 'News'],
    ['a channel that may hear of one of them', 'notice', 'C0ACME', both, undefined],
    ['a channel that is bound to no sites', 'notice', 'C0OTHER', both, 'News'],
  ] as const)('to %s', async (_, kind, recipient, about, says) => {
    const database = await open({ now: () => 1_000 });
    const { context, posted } = senderOn(database);
    const body = JSON.stringify({ text: say`News` });
    await database.transaction((tx) => enqueueMessage(tx, { key: 'm', kind, recipient, about, body, at: 1 }));
    await deliverAll(context);
    expect(posted.get(recipient)).toBe(says);
    expect(await database.db.selectFrom('messages').select('due_at').execute()).toEqual([{ due_at: null }]);
  });

  it('that could not be told is shown in App Home to whom it was for, if they may still read it', async () => {
    const database = await open({ now: () => 1_000 });
    const { context, state } = senderOn(database);
    const message = {
      kind: 'direct',
      recipient: ana.id,
      about: shop,
      body: JSON.stringify({ text: say`News` }),
    } as const;
    await database.transaction((tx) => enqueueMessage(tx, { ...message, key: 'm', at: 1 }));
    const refused = async (): Promise<never> => {
      throw new Undeliverable('gone', 'messages_tab_disabled');
    };
    await deliverAll({ ...context, messenger: { ...context.messenger, post: refused } });
    const shownTo = async (id: string) => (await untoldTo(context, [id])).map(({ text }) => plain(text));
    expect(await shownTo(ana.id)).toEqual([expect.stringMatching(/\nNews$/)]);
    expect(await shownTo(chi.id)).toEqual([]);
    state.policy = rulesFor(chi.id, 'acme-shop');
    expect(await shownTo(ana.id)).toEqual([]);
  });

  it.each([
    ['direct', ana.id, undefined, `You ${covered}`],
    ['direct', ana.id, say`It has ended.`, 'It has ended.'],
    ['notice', 'C0ACME', undefined, `This channel ${covered}`],
  ] as const)('is covered up when it is drawn again (%s, to %s)', async (kind, recipient, hidden, says) => {
    const database = await open({ now: () => 1_000 });
    const { context, posted, state } = senderOn(database);
    const message = { key: 'm', kind, recipient, about: shop, at: 1 } as const;
    const telling = (text: string): Promise<unknown> => {
      const body = JSON.stringify({ text: say`${text}`, hidden });
      return database.transaction((tx) => enqueueMessage(tx, { ...message, body }));
    };
    await telling('News');
    await deliverAll(context);
    expect(posted.get(recipient)).toBe('News');
    state.policy = rulesFor(chi.id, 'acme-blog');
    if (kind === 'direct') await database.transaction((tx) => redrawForReaders(tx, 1_000));
    else await telling('Somebody runs it.');
    await deliverAll(context);
    expect(posted.get(recipient)).toBe(says);
  });

  it('is left as it is after a day, and so is what its reader asked for', async () => {
    const day = 86_400_000;
    const database = await open({ now: () => day });
    const { context, posted, state } = senderOn(database);
    const body = JSON.stringify({ text: say`News` });
    await database.transaction(async (tx) => {
      await enqueueMessage(tx, { key: 'old', kind: 'direct', recipient: ana.id, about: shop, body, at: 1 });
      await enqueueMessage(tx, { key: 'own', kind: 'direct', recipient: chi.id, about: ownWords, body, at: day });
    });
    await deliverAll(context);
    state.policy = rulesFor('U0NOBODY', 'acme-blog');
    await database.transaction((tx) => redrawForReaders(tx, day + 2));
    await deliverAll(context);
    expect(Object.fromEntries(posted)).toEqual({ [ana.id]: 'News', [chi.id]: 'News' });
  });
});

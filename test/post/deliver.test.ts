import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { SenderContext } from '../../src/post/context.ts';
import { createMessageSender } from '../../src/post/deliver.ts';
import { untoldTo } from '../../src/post/refused-posts.ts';
import type { Card, Note } from '../../src/change/card.ts';
import { Undeliverable, type Recipient, type Messenger } from '../../src/post/messenger.ts';
import { createPostQueues } from '../../src/post/fair-order.ts';
import type { NewChange } from '../../src/storage/changes.ts';
import { failpointChannel } from '../../src/base/failpoints.ts';
import type { Database } from '../../src/storage/database.ts';
import { enqueueMessage, findCard, type NewMessage } from '../../src/storage/messages.ts';
import { redraw, redrawOpen } from '../../src/storage/redraw.ts';
import { plain, say } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';
import { contextWith, policyFrom } from '../fixtures.ts';
import { deliverAll } from './deliver-all.ts';

const day = 86_400_000;
const start = 1_000 * day;
const policy = policyFrom('version: 1\nrules: []\nchannels: { ops: C0OPS }\n');
const body = (text: string): string => JSON.stringify({ text: say`${text}` });
const pinned = JSON.stringify({ title: say`Clear it`, done: say`Cleared it`, facts: [] });
const card: NewMessage = { key: '1:card', kind: 'card', change: 1, at: start };
/** A new sentence on the card, which is drawn again. */
const saysAnew = (database: Database, says: string, at = start): Promise<void> =>
  database.transaction(async (tx) => {
    await tx
      .updateTable('changes')
      .set({ last_note: JSON.stringify(say`${says}`) })
      .execute();
    await redraw(tx, 1, at);
  });
const reply: NewMessage = { key: '1:7', kind: 'reply', change: 1, body: body('Sent.'), at: start };

/** A fake Slack with scripted answers, and a clock. */
function deliveryWith(database: Database, clock: { now: number }) {
  const posts: string[] = [];
  const untold: string[] = [];
  let tsCount = 0;
  const state = {
    refuse: (_to: string): Error | undefined => undefined,
    isTaken: true,
    /** Whether a reply goes into the channel itself. */
    isLoose: false,
    /** Resolves when Slack has accepted a post in this channel. */
    slowly: async (_to: string): Promise<void> => undefined,
    onPost: (): void => undefined,
  };
  const take = (to: string, what: Card | Note): void => {
    const error = state.refuse(to);
    if (error) throw error;
    posts.push(`${to}: ${plain('headline' in what ? what.headline : what.text)}`);
    state.onPost();
  };
  const nameOf = (to: Recipient): string => ('person' in to ? to.person : to.thread ? `${to.channel}>` : to.channel);
  const messenger: Messenger = {
    post: async (to, what) => {
      await state.slowly(nameOf(to));
      take(nameOf(to), what);
      const ts = `1.${(tsCount += 1)}`;
      return { channel: 'person' in to ? `D${to.person}` : to.channel, ts, isLoose: state.isLoose && 'thread' in to };
    },
    edit: async (place, what) => take(`edit ${place.channel}`, what),
  };
  const context: SenderContext = {
    ...contextWith({
      database,
      messenger,
      owner: 'a',
      policy: () => policy,
      personOf: async () => undefined,
      isTaken: () => state.isTaken,
      onCard: () => undefined,
      onUntold: (_, { text }) => void untold.push(plain(text)),
      onTrouble: () => undefined,
    }),
    turns: createPostQueues(),
    onOps: () => undefined,
    onPace: () => undefined,
  };
  const untilNothing = async (): Promise<readonly string[]> => {
    await deliverAll(context);
    return posts.splice(0);
  };
  const later = (milliseconds: number): void => void (clock.now += milliseconds);
  /** Attempts for four hours. */
  const tryOften = async (): Promise<void> => {
    for (let times = 0; times < 48; times += 1) {
      await untilNothing();
      later(300_000);
    }
  };
  return { context, posts, untold, state, untilNothing, later, tryOften };
}

describeBoth('messages that Slack does not take', (open) => {
  const opened = async (...messages: readonly NewMessage[]) => {
    const clock = { now: start };
    const database = await open({ now: () => clock.now });
    await save(database, { card: pinned, channel: 'C0ACME', requester: 'U01ANA', created_at: start });
    await database.transaction(async (tx) => {
      for (const message of messages) await enqueueMessage(tx, message);
    });
    const due = async (): Promise<readonly string[]> =>
      (
        await database.db.selectFrom('messages').select('key').where('due_at', 'is not', null).orderBy('key').execute()
      ).map(({ key }) => key);
    return { database, due, ...deliveryWith(database, clock) };
  };
  const gone =
    (...places: readonly string[]) =>
    (to: string) =>
      places.includes(to) ? new Undeliverable('gone', 'no_permission') : undefined;

  it('for a day are given up: the requester and ops are told once, and a failure of that notice is not reported', async () => {
    const { state, untilNothing, tryOften, later, due } = await opened(card, reply);
    state.refuse = () => new Undeliverable('later', 'internal_error');
    await untilNothing();
    later(day + 1);
    await tryOften();
    expect(await due()).toEqual(['ops:untold:1:7', 'ops:untold:1:card', 'untold:1:card']);
    later(2 * day);
    await tryOften();
    expect(await due()).toEqual(['ops:untold:1:7', 'ops:untold:1:card']);
    state.refuse = () => undefined;
    later(60_000);
    const posts = await untilNothing();
    expect(posts).toHaveLength(2);
    for (const one of posts) expect(one).toMatch(/^C0OPS: ⚠️ I couldn't deliver this to #C0ACME and @U01ANA/);
    expect(await due()).toEqual([]);
  });

  it.each([
    ['by a code that speaks of no place', 'unknown', []],
    ['by what is Slack’s own trouble', 'later', []],
    ['by what is known of each place', 'gone', ['C0OPS']],
  ] as const)('anywhere, %s, are tried for a day with growing pauses', async (_, kind, told) => {
    const { database, context, state, untilNothing, later, untold } = await opened(card);
    state.refuse = (to) => (to === 'C0OPS' ? undefined : new Undeliverable(kind, 'not_here'));
    const pauses: number[] = [];
    const posted: string[] = [];
    for (let at = start; pauses.length < 20;) {
      posted.push(...(await untilNothing()));
      const due = (await findCard(database.db, 1))?.due_at ?? Number.NaN;
      pauses.push(due - at);
      later(due - at);
      at = due;
    }
    expect(pauses.slice(0, 5)).toEqual([1_000, 1_400, 1_960, 2_744, 3_842]);
    expect(pauses.slice(1).every((pause, at) => pause >= (pauses[at] ?? 0))).toBe(true);
    expect(Math.max(...pauses)).toBe(300_000);
    expect(posted.map((one) => one.split(':')[0])).toEqual(told);
    expect(untold[0]).toMatch(/^Slack doesn't take the card of #1 anywhere right now \(not_here\)/);
    const asksUntold = () => untoldTo(context, ['U01ANA']);
    expect(await asksUntold()).toHaveLength(kind === 'gone' ? 1 : 0);
    later(day);
    // A report that reads the same is not posted twice.
    expect(await untilNothing()).toHaveLength(kind === 'gone' ? 0 : 1);
    expect((await asksUntold()).map(({ text }) => plain(text))).toEqual([expect.stringMatching(/\nClear it/)]);
    later(7 * day + 1);
    expect(await asksUntold()).toEqual([]);
  });

  it('anywhere, and whose change moves on meanwhile, are told as they are then', async () => {
    const { database, state, untilNothing, later, untold } = await opened(card);
    state.refuse = () => new Undeliverable('unknown', 'not_here');
    await untilNothing();
    later(1_000);
    state.slowly = async () => {
      state.slowly = async () => undefined;
      await database.transaction(async (tx) => {
        await tx.updateTable('changes').set({ state: 'done', settled_at: start }).execute();
        await redraw(tx, 1, start);
      });
    };
    await untilNothing();
    expect(untold).toEqual([]);
    later(1_000);
    await untilNothing();
    expect(untold).toEqual([expect.stringMatching(/Now it says:\nCleared it/)]);
  });

  it('in a thread that is gone, and go into the channel instead, name their change from then on; the next has a thread again', async () => {
    const second: NewMessage = { ...reply, key: '1:8', body: body('Done.') };
    const { database, state, untilNothing } = await opened(card, reply);
    state.isLoose = true;
    expect(await untilNothing()).toEqual([
      expect.stringMatching(/^C0ACME: Clear it/),
      'C0ACME>: Sent.',
      expect.stringMatching(/^C0ACME: Clear it/),
      'edit C0ACME: #1 · Clear it\nSent.',
    ]);
    state.isLoose = false;
    await database.transaction(async (tx) => {
      await enqueueMessage(tx, second);
      await enqueueMessage(tx, { ...reply, body: body('Sent, and accepted.') });
    });
    expect((await untilNothing()).toSorted()).toEqual([
      'C0ACME>: Done.',
      'edit C0ACME: #1 · Clear it\nSent, and accepted.',
    ]);
  });

  it('in a thread, which is said to be gone, wait for another card once, and then go to the requester', async () => {
    const { state, untilNothing, later } = await opened(card, reply);
    state.refuse = (to) =>
      to === 'C0ACME>' ? new Undeliverable('gone', 'thread_not_found', 0, 'no message') : undefined;
    expect((await untilNothing()).map((one) => one.slice(0, 16))).toEqual(['C0ACME: Clear it', 'C0ACME: Clear it']);
    later(1_000);
    expect(await untilNothing()).toEqual(['U01ANA: #1 · Clear it\nSent.', expect.stringMatching(/^C0OPS: ⚠️ #C0ACME/)]);
  });

  type Delivery = Awaited<ReturnType<typeof opened>>;
  const anew = { version: sql<number>`version + 1`, due_at: start };
  it.each([
    [
      'an edit got no answer, and may have been made',
      async ({ database, state, untilNothing, later }: Delivery) => {
        state.refuse = () => new Undeliverable('later', 'no answer');
        await saysAnew(database, 'Other.');
        await untilNothing();
        state.refuse = () => undefined;
        await saysAnew(database, 'More.');
        later(1_000);
      },
      'edit C0ACME: Clear it · #1',
    ],
    [
      'an older Sitehand has edited it',
      async ({ database }: Delivery) => {
        await database.db.updateTable('messages').set(anew).execute();
        await database.db
          .updateTable('messages')
          .set({ delivered_version: sql`version` })
          .execute();
        await saysAnew(database, 'More.');
      },
      'edit C0ACME: Clear it · #1',
    ],
    [
      'an older Sitehand has found it to be gone',
      async ({ database }: Delivery) => {
        await database.db
          .updateTable('messages')
          .set({ ...anew, channel: null, ts: null })
          .execute();
      },
      'C0ACME: Clear it · #1',
    ],
    [
      'the database was restored',
      async ({ database }: Delivery) => database.transaction((tx) => redrawOpen(tx, start)),
      'edit C0ACME: Clear it · #1',
    ],
  ])('are not known to read as they did once %s', async (_, happens, drawn) => {
    const delivery = await opened(card);
    const { database, untilNothing } = delivery;
    await saysAnew(database, 'More.');
    await untilNothing();
    await saysAnew(database, 'More.');
    expect(await untilNothing()).toEqual([]);
    await happens(delivery);
    expect(await untilNothing()).toEqual([drawn]);
  });

  it('until the next asks to decide the same, directly, are told once', async () => {
    const telling = {
      text: say`Outcome unknown.`,
      lasting: say`It was unknown.`,
      when: { state: 'unknown', version: 1 },
    };
    const asks = (key: string): NewMessage => ({
      key,
      kind: 'direct',
      change: 1,
      recipient: 'U03CHI',
      body: JSON.stringify(telling),
      at: start,
      decides: true,
      follows: true,
    });
    const { database, untilNothing } = await opened();
    await database.transaction(async (tx) => {
      await tx.updateTable('changes').set({ state: 'unknown', version: 1 }).execute();
      for (const key of ['1:7', '1:8']) await enqueueMessage(tx, asks(key));
    });
    expect(await untilNothing()).toEqual(['U03CHI: Outcome unknown.']);
  });

  it('as an edit of a card that nobody may edit are told in its thread, and why, once', async () => {
    const { database, state, untilNothing } = await opened(card);
    await untilNothing();
    state.refuse = (to) =>
      to === 'edit C0ACME' ? new Undeliverable('gone', 'edit_window_closed', 0, 'no edits') : undefined;
    for (const told of [[expect.stringMatching(/^C0ACME>: Slack doesn't let me edit this card/)], []]) {
      await saysAnew(database, `Told ${told.length}.`);
      expect(await untilNothing()).toEqual(told);
    }
  });

  it('have failpoints that name the message, whether it is posted or edited, and how its text begins', async () => {
    const { database, untilNothing } = await opened(card, reply);
    const passed: unknown[] = [];
    const note = (passage: unknown): void => void passed.push(passage);
    failpointChannel.subscribe(note);
    try {
      await untilNothing();
      await saysAnew(database, 'More.');
      await untilNothing();
      await database.transaction((tx) => redraw(tx, 1, start));
      await untilNothing();
    } finally {
      failpointChannel.unsubscribe(note);
    }
    const drawn = (of: string, how: string, says: RegExp) =>
      ['posting', 'posted', 'noted'].map((point) => ({ point, of, how, says: expect.stringMatching(says) as unknown }));
    expect(passed).toEqual([
      ...drawn('1:card', 'post', /^⏳ Clear it/),
      ...drawn('1:7', 'post', /^Sent\.$/),
      ...drawn('1:card', 'edit', /^⏳ Clear it/),
    ]);
  });

  const secondOf = (
    context: SenderContext,
    state: { slowly: (to: string) => Promise<void> },
  ): { readonly wake: () => void; readonly other: SenderContext; readonly asleep: Promise<void> } => {
    const [sleeps, wakes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    state.slowly = () => {
      state.slowly = async () => undefined;
      sleeps.resolve();
      return wakes.promise;
    };
    const other = { ...context, owner: 'b', turns: createPostQueues() };
    return { wake: wakes.resolve, other, asleep: sleeps.promise };
  };

  it('that another process has posted since, because this one was pinned: the second one says so, and has no buttons', async () => {
    const { database, context, posts, state, later } = await opened(card);
    const { wake, other, asleep } = secondOf(context, state);
    const pinnedOne = deliverAll(context);
    await asleep;
    later(40_001);
    await deliverAll(other);
    wake();
    await pinnedOne;
    expect(posts).toEqual([
      expect.stringMatching(/^C0ACME: Clear it/),
      expect.stringMatching(/^C0ACME: Clear it/),
      'edit C0ACME: I posted this twice by mistake. I keep the other one up to date, and not this one.',
    ]);
    const row = await database.db.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ channel: 'C0ACME', ts: '1.1', due_at: null, owner: null });
  });

  it('that another process has claimed since and not posted: the one that was posted late is the only one', async () => {
    const { database, context, posts, state, later } = await opened(card);
    const { wake, other, asleep } = secondOf(context, state);
    const pinnedOne = deliverAll(context);
    await asleep;
    later(40_001);
    state.refuse = () => new Undeliverable('later', 'ratelimited', 60_000);
    await deliverAll(other);
    state.refuse = () => undefined;
    wake();
    await pinnedOne;
    later(60_001);
    await deliverAll(context);
    expect(posts).toEqual([expect.stringMatching(/^C0ACME: Clear it/)]);
    const row = await database.db.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ channel: 'C0ACME', ts: '1.1', due_at: null, owner: null });
  });

  it('that another process has given up since, because they are decided: what was posted late is drawn again', async () => {
    const copy: NewMessage = { key: '1:card:U03CHI', kind: 'copy', change: 1, recipient: 'U03CHI', at: start };
    const { database, context, posts, state, later } = await opened(copy);
    const { wake, other, asleep } = secondOf(context, state);
    const pinnedOne = deliverAll(context);
    await asleep;
    later(40_001);
    await database.transaction(async (tx) => {
      await tx.updateTable('changes').set({ state: 'declined', settled_at: start }).execute();
      await redraw(tx, 1, start);
    });
    await deliverAll(other);
    expect(posts).toEqual([]);
    wake();
    await pinnedOne;
    await deliverAll(context);
    expect(posts).toEqual([expect.stringMatching(/^U03CHI: /), expect.stringMatching(/^edit DU03CHI: /)]);
  });

  it('are edited after others if they say what also stands elsewhere: copies and direct messages, not cards and replies', async () => {
    const people = (['copy', 'direct'] as const).map((kind) => ({ kind, key: `1:${kind}`, recipient: 'U03CHI' }));
    const { database, context } = await opened(
      card,
      reply,
      ...people.map((one): NewMessage => ({ ...one, change: 1, body: body('Told.'), at: start })),
    );
    await deliverAll(context);
    await database.db.updateTable('messages').set({ due_at: start, shown: null }).execute();
    const made: string[] = [];
    const edit: Messenger['edit'] = async ({ channel }, _, options) =>
      void made.push(`${channel}: ${String(options?.isCopy)}`);
    await deliverAll({ ...context, messenger: { ...context.messenger, edit } });
    expect(made.toSorted()).toEqual(['C0ACME: false', 'C0ACME: false', 'DU03CHI: true', 'DU03CHI: true']);
  });

  it('are drawn again if a pinned process has edited them after another one', async () => {
    const { database, context, posts, later } = await opened(card);
    await deliverAll(context);
    const moveOn = (): Promise<void> => saysAnew(database, `Moved ${(moves += 1)} times.`);
    let moves = 0;
    await moveOn();
    const other = { ...context, owner: 'b', turns: createPostQueues() };
    const overtaken = Promise.withResolvers<void>();
    const { edit } = context.messenger;
    let isFirst = true;
    const slow = async (...args: Parameters<Messenger['edit']>): Promise<void> => {
      if (isFirst) {
        isFirst = false;
        later(40_001);
        await moveOn();
        await deliverAll(other);
        overtaken.resolve();
      }
      return edit(...args);
    };
    await deliverAll({ ...context, messenger: { ...context.messenger, edit: slow } });
    await overtaken.promise;
    expect(posts).toHaveLength(4);
    expect(posts.slice(1).every((one) => one.startsWith('edit C0ACME: Clear it'))).toBe(true);
    expect(await database.db.selectFrom('messages').select('key').where('due_at', 'is not', null).execute()).toEqual(
      [],
    );
  });

  it('whose result was saved although the database did not say so are not taken for a second one', async () => {
    const { database, context, posts } = await opened(card);
    let isLost = true;
    const losing: Database = {
      ...database,
      transaction: async (work) => {
        const result = await database.transaction(work);
        if (!isLost) return result;
        isLost = false;
        throw new Error('Connection terminated unexpectedly');
      },
    };
    await deliverAll({ ...context, database: losing });
    expect(posts).toHaveLength(1);
  });

  it('are as old as their newest version: an hour without an answer does not end messages of old changes', async () => {
    const { database, state, untilNothing, later, due } = await opened(card);
    await untilNothing();
    later(3 * day);
    await saysAnew(database, 'More.', start + 3 * day);
    state.refuse = () => new Undeliverable('later', 'internal_error');
    await untilNothing();
    later(3_600_000);
    await untilNothing();
    expect(await due()).toEqual(['1:card']);
  });

  it('because of our token do not age, and none is tried while the token is known to be rejected', async () => {
    const { state, untilNothing, later, due } = await opened(card);
    state.refuse = () => new Undeliverable('token', 'token_revoked');
    await untilNothing();
    state.isTaken = false;
    state.refuse = () => {
      throw new Error('this was not to be tried');
    };
    later(3 * day);
    await untilNothing();
    expect(await due()).toEqual(['1:card']);
    state.isTaken = true;
    state.refuse = () => new Undeliverable('later', 'internal_error');
    await untilNothing();
    expect(await due()).toEqual(['1:card']);
  });

  it('that are answers to one person are not quoted to ops', async () => {
    const { state, untilNothing, database } = await opened();
    const body = JSON.stringify({ text: say`You asked for secret-site.` } satisfies Note);
    await database.transaction((tx) =>
      enqueueMessage(tx, { key: 'answer:r1', kind: 'direct', recipient: 'U01ANA', about: null, body, at: 0 }),
    );
    state.refuse = gone('U01ANA');
    expect(await untilNothing()).toEqual(["C0OPS: ⚠️ I couldn't answer @U01ANA (no_permission; answer:r1)."]);
  });

  it('and that the requester’s direct messages do not take either go to ops, a reply with the name of its change', async () => {
    const { state, untilNothing } = await opened(card, reply);
    state.refuse = gone('C0ACME', 'U01ANA');
    expect(await untilNothing()).toEqual([
      expect.stringMatching(
        /^C0OPS: ⚠️ I couldn't deliver this to #C0ACME and @U01ANA \(no_permission; 1:card\):\nClear it/,
      ),
      expect.stringMatching(
        /^C0OPS: ⚠️ I couldn't deliver this to #C0ACME and @U01ANA \(no_permission; 1:7\):\n#1 · Clear it\nSent\./,
      ),
    ]);
  });

  it.each([
    ['because we are not its member', 'uninvited', /^DU01ANA>: I can't post in #C0ACME, so here it is/, []],
    ['because it is shared', 'shared', /is now shared with another organisation.* So here it is/, ['C0OPS']],
    ['for another reason', undefined, /doesn't accept my posts \(no_way\)\. So here it is/, ['C0OPS']],
  ] as const)('in their channel %s: the requester is told why', async (_, why, words, told) => {
    const { state, untilNothing } = await opened(card);
    state.refuse = (to) => (to === 'C0ACME' ? new Undeliverable('gone', 'no_way', 0, why) : undefined);
    const [posted, explained = '', ...more] = await untilNothing();
    expect(posted).toMatch(/^U01ANA: /);
    expect(explained).toMatch(words);
    expect(more.map((one) => one.split(':')[0])).toEqual(told);
  });

  it('and that were posted before are not repeated because their buttons cannot be removed', async () => {
    const { database, state, untilNothing, due } = await opened(card, reply);
    await untilNothing();
    await database.transaction((tx) => enqueueMessage(tx, { ...reply, body: body('Was sent.'), isNews: false }));
    state.refuse = gone('edit C0ACME', 'C0ACME', 'C0ACME>');
    expect(await untilNothing()).toEqual([]);
    expect(await due()).toEqual([]);
  });

  it('as an edit are posted again if they have news, in the thread and to ops, and edited there from then on', async () => {
    const inOps: NewMessage = { key: '1:7:ops', kind: 'ops', body: body('#1 Tried once.'), at: start };
    const { database, state, untilNothing } = await opened(card, reply, inOps);
    await untilNothing();
    const again = (text: string) =>
      database.transaction(async (tx) => {
        await enqueueMessage(tx, { ...reply, body: body(text) });
        await enqueueMessage(tx, { ...inOps, body: body(`#1 ${text}`) });
      });
    await again('Tried twice.');
    state.refuse = gone('edit C0ACME', 'edit C0OPS');
    expect((await untilNothing()).toSorted()).toEqual(['C0ACME>: Tried twice.', 'C0OPS: #1 Tried twice.']);
    await again('Tried three times.');
    state.refuse = () => undefined;
    expect((await untilNothing()).toSorted()).toEqual([
      'edit C0ACME: Tried three times.',
      'edit C0OPS: #1 Tried three times.',
    ]);
  });

  it('in the ops channel are kept for days, and tried one at a time', async () => {
    const ops = ['a', 'b', 'c'].map((key): NewMessage => ({
      key: `ops:${key}`,
      kind: 'ops',
      body: body(key),
      at: start,
    }));
    const { state, untilNothing, later, due } = await opened(...ops);
    state.refuse = gone('C0OPS');
    for (let days = 0; days < 5; days += 1) {
      await untilNothing();
      later(day);
    }
    expect(await due()).toEqual(['ops:a', 'ops:b', 'ops:c']);
    state.refuse = () => undefined;
    expect((await untilNothing()).toSorted()).toEqual(['C0OPS: a', 'C0OPS: b', 'C0OPS: c']);
  });
});

describeBoth('a channel that takes one message a second', (open) => {
  const opened = async () => {
    const clock = { now: start };
    const database = await open({ now: () => clock.now });
    const { state, untilNothing } = deliveryWith(database, clock);
    let last = 0;
    state.refuse = () => {
      const waitMs = last + 1_000 - clock.now;
      if (waitMs > 0) return new Undeliverable('later', 'this channel has just had a message', waitMs);
      last = clock.now;
      return undefined;
    };
    /** A change with a card and one reply, due now. */
    const asks = async (requester: string, what: string, row: Partial<NewChange> = {}): Promise<void> => {
      const titled = JSON.stringify({ title: say`${what}`, done: say`${what}`, facts: [] });
      const authorization = JSON.stringify({ approval: 'none' });
      const pinnedRow = {
        card: titled,
        channel: 'C0ACME',
        requester,
        created_at: start,
        state: 'approved',
        authorization,
      } as const;
      const { number } = await save(database, { ...pinnedRow, ...row });
      await database.transaction(async (tx) => {
        const key = `${number}:card`;
        await enqueueMessage(tx, { key, kind: 'card', change: number, at: clock.now });
        await enqueueMessage(tx, {
          key: `${number}:1`,
          kind: 'reply',
          change: number,
          body: body(`${what}: done`),
          at: clock.now,
        });
      });
    };
    /** What is posted within the next `count` seconds, in order. */
    const seconds = async (count: number): Promise<readonly string[]> => {
      const posted: string[] = [];
      for (; count > 0; count -= 1) {
        posted.push(...(await untilNothing()));
        clock.now += 1_000;
      }
      return posted.map((line) => line.replace(/^.*?: |^\S+ /, '').trim());
    };
    return { asks, seconds };
  };

  it('takes turns: one person’s single message does not wait for another’s many', async () => {
    const { asks, seconds } = await opened();
    for (let count = 1; count <= 26; count += 1) await asks('U01ANA', `Ana ${count}`);
    await seconds(3);
    await asks('U02BEN', 'Ben 1');
    expect((await seconds(3)).filter((line) => line.includes('Ben'))).toHaveLength(2);
    expect(await seconds(46)).toHaveLength(46);
    expect(await seconds(3)).toEqual(['Ana 25: done', 'Ana 26: done']);
  });

  it('takes turns among twenty people with many messages', async () => {
    const { asks, seconds } = await opened();
    for (let person = 1; person <= 20; person += 1)
      for (let count = 1; count <= 4; count += 1) await asks(`U${person}`, `U${person} ${count}`);
    await seconds(22);
    await asks('U02BEN', 'Ben 1');
    expect((await seconds(22)).filter((line) => line.includes('Ben'))).not.toHaveLength(0);
  });

  it('takes messages that need a decision first', async () => {
    const { asks, seconds } = await opened();
    for (const who of ['U01ANA', 'U02BEN'])
      for (let count = 1; count <= 13; count += 1) await asks(who, `${who} ${count}`);
    await seconds(2);
    await asks('U01ANA', 'Delete it', { state: 'waiting' });
    expect((await seconds(1)).join()).toContain('Delete it');
  });
});

describeBoth('a place that is slow', (open) => {
  it('delays no other place, and gets no message twice', async () => {
    const clock = { now: start };
    // The clock advances by itself, so that postponed messages come due again.
    const database = await open({ now: () => (clock.now += 50) });
    const { context, posts, state } = deliveryWith(database, clock);
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    state.slowly = (to) => (to === 'C0SLOW' ? taken : Promise.resolve());
    const message = (key: string, kind: 'direct' | 'notice', recipient: string): NewMessage => ({
      key,
      kind,
      recipient,
      about: null,
      body: body(key),
      at: start,
    });
    await database.transaction(async (tx) => {
      for (let count = 0; count < 30; count += 1)
        await enqueueMessage(tx, message(`slow ${count}`, 'notice', 'C0SLOW'));
      await enqueueMessage(tx, message('first', 'direct', 'U02BEN'));
    });
    const delivery = createMessageSender(context, context.onOps);
    const until = (count: number): Promise<void> =>
      new Promise((resolve) => {
        state.onPost = () => posts.length >= count && resolve();
        state.onPost();
      });
    delivery.start();
    await until(1);
    await database.transaction((tx) => enqueueMessage(tx, message('second', 'direct', 'U02BEN')));
    delivery.nudge();
    await until(2);
    expect(posts).toEqual(['U02BEN: first', 'U02BEN: second']);
    take();
    await until(32);
    await delivery.stop();
    expect(new Set(posts).size).toBe(32);
    expect(posts).toHaveLength(32);
  });

  it('does not delay stopping: the post under way finishes, and another process can claim the rest', async () => {
    const clock = { now: start };
    const database = await open({ now: () => clock.now });
    const { context, posts, state } = deliveryWith(database, clock);
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    state.slowly = () => (ask(), taken);
    await database.transaction(async (tx) => {
      for (const key of ['one', 'two', 'three'])
        await enqueueMessage(tx, { key, kind: 'notice', recipient: 'C0SLOW', about: null, body: body(key), at: start });
    });
    const delivery = createMessageSender(context, context.onOps);
    delivery.start();
    await asked;
    const stopped = delivery.stop();
    take();
    await stopped;
    expect(posts).toEqual(['C0SLOW: one']);
    const left = await database.db
      .selectFrom('messages')
      .select(['key', 'owner'])
      .where('due_at', 'is not', null)
      .orderBy('id')
      .execute();
    expect(left).toEqual([
      { key: 'two', owner: null },
      { key: 'three', owner: null },
    ]);
  });
});

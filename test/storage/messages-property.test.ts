import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import {
  claimMessages,
  markDelivered,
  enqueueMessage,
  retryLater,
  type Message,
  type NewMessage,
} from '../../src/storage/messages.ts';
import { describeBoth } from './describe-both.ts';
import { save } from './samples.ts';

const LEASE = 100;

/** Events in any order: a message is queued, claimed, drawn by its claimer, or refused by Slack; or time passes. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('enqueue' as const), which: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('claim' as const, 'draw' as const), which: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('postpone' as const, 'later' as const), which: fc.nat(3) }),
  },
);

/** A card, two replies and a direct message for one change. */
const message = (change: number, which: number, at: number, body: string): NewMessage => {
  const kind = which === 0 ? 'card' : which === 3 ? 'direct' : 'reply';
  return { key: `${change}:${which}`, kind, change, at, body, recipient: kind === 'direct' ? 'U1' : null };
};

/** A model of the worker and Slack: what was posted last, and what was queued last. */
class Model {
  now = 1_000;
  readonly claimed: Message[] = [];
  readonly enqueued = new Map<string, string>();
  readonly shown = new Map<string, string | null>();
  readonly order: string[] = [];
  readonly database: Database;
  readonly change: number;

  constructor(database: Database, change: number) {
    this.database = database;
    this.change = change;
  }

  async enqueue(which: number): Promise<void> {
    const body = `said ${this.enqueued.size} ${this.now}`;
    this.now += 1;
    const queued = message(this.change, which, this.now, body);
    await this.database.transaction((tx) => enqueueMessage(tx, queued));
    this.enqueued.set(queued.key, body);
  }

  async claim(limit: number): Promise<number> {
    const wanted = { owner: 'w', now: this.now, leaseMs: LEASE, limit };
    const claimed = await this.database.transaction((tx) => claimMessages(tx, wanted));
    this.claimed.push(...claimed);
    return claimed.length;
  }

  async draw(one: Message): Promise<void> {
    if (!this.shown.has(one.key)) this.order.push(one.key);
    this.shown.set(one.key, one.body);
    await this.database.transaction((tx) => markDelivered(tx, one, { channel: 'C1', ts: `${one.id}` }));
  }

  async take(does: 'enqueue' | 'claim' | 'draw' | 'postpone' | 'later', which: number): Promise<void> {
    if (does === 'enqueue') return this.enqueue(which);
    if (does === 'claim') return void (await this.claim(which + 1));
    // A worker that lost its lease stops, as if its process had died.
    if (does === 'later') return void ((this.now += LEASE), this.claimed.splice(0));
    const [one] = this.claimed.splice(0, 1);
    if (one === undefined) return;
    if (does === 'draw') return this.draw(one);
    await this.database.transaction((tx) => retryLater(tx, one, { due: this.now + 50, untold: null }));
  }

  /** Kills the worker once more, then works until nothing is due. */
  async finish(): Promise<void> {
    if (!this.enqueued.has(`${this.change}:0`)) await this.enqueue(0);
    await this.take('later', 0);
    while ((await this.claim(50)) > 0) for (const one of this.claimed.splice(0)) await this.draw(one);
  }
}

describeBoth('any sequence of enqueuing, claiming and drawing', (open) => {
  it('ends with the newest version of every message, and each thread in order', async () => {
    const database = await open();
    const play = async (steps: readonly { does: Parameters<Model['take']>[0]; which: number }[]): Promise<void> => {
      const model = new Model(database, (await save(database)).number);
      for (const { does, which } of steps) await model.take(does, which);
      await model.finish();
      expect(Object.fromEntries(model.shown)).toEqual(Object.fromEntries(model.enqueued));
      const enqueuedFirst = [...model.enqueued.keys()].filter((key) => !/:[03]$/.test(key));
      expect(model.order.filter((key) => !/:[03]$/.test(key))).toEqual(enqueuedFirst);
      if (enqueuedFirst[0] !== undefined)
        expect(model.order.indexOf(`${model.change}:0`)).toBeLessThan(model.order.indexOf(enqueuedFirst[0]));
      await database.transaction((tx) => tx.deleteFrom('messages').execute());
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 30 }), play), { numRuns: 60 });
  });
});

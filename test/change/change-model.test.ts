import { deepStrictEqual, strictEqual } from 'node:assert';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChangeStore, LockHeld } from '../../src/change/change-store.ts';
import { move, type ChangeEvent, type Transition, type TransitionInput } from '../../src/change/change.ts';
import { listAudit } from '../../src/storage/audit.ts';
import { findChange, type Change } from '../../src/storage/changes.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { exclusiveLock, heldLock } from '../../src/storage/locks.ts';
import type { Risk } from '../../src/words/states.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { sample } from '../storage/samples.ts';
import { changeOf } from '../fixtures.ts';
import { Life } from './change-model.ts';

/** Compares changes, after random events in random order, with an independent model. */

const born = 1_000_000;
const validMs = 400_000;

const event: fc.Arbitrary<ChangeEvent> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ kind: 'approve' } as const) },
  { weight: 8, arbitrary: fc.constant({ kind: 'send', owner: 'me', leaseMs: 45_000 } as const) },
  {
    weight: 3,
    arbitrary: fc.constantFrom({ kind: 'accept', operation: 'op-1' } as const, { kind: 'outcome_lost' } as const),
  },
  { weight: 3, arbitrary: fc.constantFrom({ kind: 'send_aborted' } as const, { kind: 'connect_failed' } as const) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(0, 15_000, 500_000).map((retryAfterMs) => ({ kind: 'throttle' as const, retryAfterMs })),
  },
  { weight: 1, arbitrary: fc.constantFrom(0, 900_000).map((lockMs) => ({ kind: 'unverified' as const, lockMs })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'complete' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'accept_late', operation: null } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'commit_lost', sentAt: born } as const) },
  {
    weight: 1,
    arbitrary: fc.constant({ kind: 'ask_again', expiresAt: born + 2 * validMs, remindAt: born + validMs } as const),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        'decline' as const,
        'cancel' as const,
        'expire' as const,
        'invalidated' as const,
        'supersede' as const,
        'reject' as const,
        'finish' as const,
        'fail' as const,
        'confirmed_happened' as const,
        'confirmed_not' as const,
        'reject_late' as const,
        'send_aborted_late' as const,
      )
      .map((kind) => ({ kind })),
  },
);
const pause = fc.constantFrom(0, 0, 1, 2_000, 15_000, 120_000, 345_000, 900_000);
const risk = fc.constantFrom<Risk>('routine', 'sensitive', 'destructive');
const anyState = fc.constantFrom('waiting' as const, 'approved' as const);
/** The time that it has, in milliseconds after its birth; undefined: none. */
const hour = fc.constantFrom(undefined, undefined, undefined, 0, 0, 0, 2_000, 120_000, 399_999);
const anyBirth = fc.record({ state: anyState, risk, hour });
type Birth = { readonly state: 'waiting' | 'approved'; readonly risk: Risk; readonly hour: number | undefined };
const scheduled = ({ hour }: Birth): number | undefined => (hour === undefined ? undefined : born + hour);
const lifeOf = (birth: Birth): Life => new Life(birth.state, birth.risk, born + validMs, scheduled(birth));

describe('a move', () => {
  const step = fc.record({ event, afterMs: pause });

  test('matches the model, and nothing is sent a second time', () => {
    let [moves, sends, atTime] = [0, 0, 0];
    fc.assert(
      fc.property(anyBirth, fc.array(step, { minLength: 10, maxLength: 60 }), (birth, steps) => {
        const { state, risk } = birth;
        const life = lifeOf(birth);
        const scheduled_at = scheduled(birth) ?? null;
        let row: TransitionInput = changeOf({ state, risk, scheduled_at, expires_at: born + validMs });
        let now = born;
        for (const { event, afterMs } of steps) {
          now += afterMs;
          const made = move(row, event, now);
          strictEqual(life.live(event, now), made !== undefined);
          if (made) row = after(row, made);
          if (made) moves += 1;
          if (made && event.kind === 'send') sends += 1;
          if (made && event.kind === 'send' && scheduled_at !== null) atTime += 1;
          alike(row, life);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(moves).toBeGreaterThan(3_000);
    expect(sends).toBeGreaterThan(1_000);
    expect(atTime).toBeGreaterThan(300);
  });
});

const after = (row: TransitionInput, { patch }: Transition): TransitionInput => ({ ...row, ...patch });

function alike(row: TransitionInput, life: Life): void {
  deepStrictEqual(
    [row.state, row.settled_at !== null, row.attempts, row.throttle_count, row.expires_at, row.sent_at],
    [life.state, life.isOver, life.attempts, life.throttleCount, life.expires, life.sentAt],
  );
}

describe('the change store', () => {
  const auditKey = Buffer.from('a key');
  let database: Database;
  let changeStore: ReturnType<typeof createChangeStore>;
  let worlds = 0;
  beforeAll(async () => {
    database = await openDatabase('sqlite::memory:');
    changeStore = createChangeStore({ auditKey, installation: database.installation, onEvent: () => undefined });
  });
  afterAll(() => database.close());

  /** Two changes of one target; the first also reads another. */
  type Model = { now: number; readonly lives: readonly Life[] };
  type Real = { readonly target: string; readonly read: string; readonly changes: { now: Change; before: Change }[] };

  async function open(births: readonly Birth[]): Promise<{ model: Model; real: Real }> {
    worlds += 1;
    const [target, read] = [`environment:t${worlds}`, `environment:r${worlds}`];
    const named = (key: string): object => ({ kind: 'environment', id: key.slice('environment:'.length), name: key });
    const changes = [];
    for (const [at, birth] of births.entries()) {
      const { state, risk } = birth;
      const targets = JSON.stringify([target, ...(at === 0 ? [read] : [])].map(named));
      const when = { scheduled_at: scheduled(birth) ?? null, expires_at: born + validMs };
      const row = { ...sample, state, risk, card: changeOf().card, target, targets, ...when };
      const made = await database.transaction((tx) => changeStore.begin(tx, row, { by: 'U1', at: born }));
      changes.push({ now: made, before: made });
    }
    const lives = births.map(lifeOf);
    return { model: { now: born, lives }, real: { target, read, changes } };
  }

  class Happens implements fc.AsyncCommand<Model, Real> {
    readonly event: ChangeEvent;
    readonly whom: number;
    readonly afterMs: number;
    /** An attempt by somebody who has not seen the last move. */
    readonly isStale: boolean;
    /** Attempted even where it is impossible. */
    readonly isOdd: boolean;
    constructor(event: ChangeEvent, whom: number, afterMs: number, luck: number) {
      [this.event, this.whom, this.afterMs] = [event, whom, afterMs];
      [this.isStale, this.isOdd] = [luck < 2, luck < 3];
    }
    check = ({ now, lives }: Readonly<Model>): boolean =>
      this.isOdd || lives[this.whom]?.can(this.event.kind, now + this.afterMs) === true;
    toString = (): string => `${this.isStale ? 'stale ' : ''}${this.event.kind} of ${this.whom}, ${this.afterMs} later`;

    async run(model: Model, { target, read, changes }: Real): Promise<void> {
      model.now += this.afterMs;
      const [life, change] = [model.lives[this.whom], changes[this.whom]];
      if (life === undefined || change === undefined) throw new Error('there are two');
      const isLate = this.isStale && change.before.version !== change.now.version;
      const inTheWay = model.lives.some((other) => other !== life && other.holds(model.now));
      const moved = await this.#advance(isLate ? change.before : change.now, model.now);
      strictEqual(moved !== undefined, !isLate && life.live(this.event, model.now, inTheWay));
      if (moved) changes[this.whom] = { now: moved, before: change.now };
      const row = await findChange(database.db, change.now.number);
      if (row === undefined) throw new Error('it is gone');
      deepStrictEqual(row, moved ?? change.now);
      alike(row, life);
      await this.#locksAre(model, target, read, changes);
    }

    async #advance(seen: Change, at: number): Promise<Change | undefined> {
      try {
        return await database.transaction((tx) => changeStore.advance(tx, seen, this.event, { by: 'sitehand', at }));
      } catch (error) {
        if (error instanceof LockHeld) return undefined;
        throw error;
      }
    }

    async #locksAre({ now, lives }: Model, target: string, read: string, changes: Real['changes']): Promise<void> {
      const holder = lives.findIndex((life) => life.holds(now));
      const number = changes[holder]?.now.number;
      strictEqual((await heldLock(database.db, target, now))?.change, number);
      const reader = lives[0]?.shares(now) ? changes[0]?.now.number : undefined;
      strictEqual((await heldLock(database.db, read, now))?.change, reader);
      strictEqual(await exclusiveLock(database.db, read, now), undefined);
    }
  }

  const step = fc
    .tuple(event, fc.nat(1), pause, fc.nat(19))
    .map(([event, whom, afterMs, luck]) => new Happens(event, whom, afterMs, luck));

  test('promise 7: matches the model, with one audit line for each move and the right locks', async () => {
    const sequences = fc.commands([step], { size: '+1', maxCommands: 30 });
    await fc.assert(
      fc.asyncProperty(anyBirth, risk, hour, sequences, async (birth, risk, hour, steps) => {
        const world = await open([birth, { state: 'waiting', risk, hour }]);
        await fc.asyncModelRun(() => world, steps);
        for (const [at, { now: change }] of world.real.changes.entries()) {
          const lines = (await listAudit(database.db, { change: change.number, limit: 99 })).toReversed();
          const trail = lines.map(({ event }) => event);
          deepStrictEqual(trail, ['asked', ...(world.model.lives[at]?.trail ?? [])]);
          const versions = lines.map(({ details }) => Number(/"version":(\d+)/.exec(details)?.[1]));
          deepStrictEqual(
            versions,
            [...lines.keys()].map((index) => index + 1),
          );
          sentOnce(trail);
        }
      }),
      { numRuns: 120 },
    );
    expect(await verifyAudit(database.db, [auditKey])).toMatchObject({ kind: 'proven' });
  });

  /** Between two sends, the first one must have been aborted: nothing was written, or the host took nothing. */
  function sentOnce(trail: readonly string[]): void {
    let isOut = false;
    for (const event of trail) {
      if (event === 'send') strictEqual(isOut, false);
      if (event === 'send') isOut = true;
      if (event === 'send_aborted' || event === 'throttle') isOut = false;
    }
  }
});

import { deepStrictEqual, ok } from 'node:assert';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  continued,
  maxUnderWay,
  nextStep,
  retried,
  type CanarySite,
  type ChangeInBatch,
  type ItemProgress,
  type BatchProgress,
} from '../../src/change/batch.ts';
import { batchValidityOf } from '../../src/access/authorization.ts';
import { move } from '../../src/change/change.ts';
import type { Change } from '../../src/storage/changes.ts';
import type { State } from '../../src/words/states.ts';
import { say } from '../../src/words/text.ts';
import { changeOf } from '../fixtures.ts';
import { CarefulOperator } from './careful-operator.ts';

/** Compares batches, after random events in random order, with an independent model. */

/** What may become of a change of a batch. `aborted`: it was surely not sent. */
const moves: Readonly<Partial<Record<State, readonly (State | 'aborted' | 'accepted for good')[]>>> = {
  approved: ['sending', 'sending', 'sending', 'expired', 'invalidated', 'superseded', 'cancelled', 'done'],
  sending: ['accepted', 'accepted', 'accepted', 'unknown', 'rejected', 'aborted'],
  accepted: ['done', 'done', 'accepted for good', 'failed', 'unknown', 'accepted for good'],
  unknown: ['happened', 'did_not_happen', 'accepted', 'rejected', 'expired'],
};
const usual: Readonly<Partial<Record<State, State>>> = { approved: 'sending', sending: 'accepted', accepted: 'done' };
const items = 12;

type Event =
  | { readonly kind: 'look'; readonly locked: readonly number[] }
  | { readonly kind: 'move'; readonly change: number; readonly to: number | 'as usual' }
  | { readonly kind: 'site'; readonly is: 'well' | 'not well' | 'not known' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'stop' | 'go on' | 'retry' | 'end' }
  | { readonly kind: 'go on without'; readonly items: readonly number[] };

const at = fc.nat({ max: items - 1 });
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('look'), locked: fc.array(at, { maxLength: 1 }) }) },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('move'), change: fc.nat({ max: 60 }), to: fc.constant('as usual') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('move'), change: fc.nat({ max: 60 }), to: fc.nat({ max: 7 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('site'), is: fc.constantFrom('well', 'well', 'not well', 'not known') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 2, 40) }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('stop', 'go on', 'go on', 'retry', 'retry', 'end').map((kind) => ({ kind })),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('go on without'), items: fc.array(at, { maxLength: 4 }) }),
  },
);

const seen = new Map<string, number>();
const count = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);

const authorizationFor = (batchValidity: number): string =>
  JSON.stringify({ approval: 'none', rules: [], batchValidity, policy: '' });

/** A batch as `run-batch.ts` keeps it, beside the operator's notebook. Times are numbers that only grow. */
class World {
  progress: BatchProgress;
  state: 'running' | 'stopped' | 'over' = 'running';
  now = 0;
  /** The row of the batch as it was when it began. */
  readonly row: Change;
  readonly validUntil: number;
  readonly operator: CarefulOperator;
  readonly changes = new Map<number, ChangeInBatch>();
  readonly itemOf = new Map<number, number>();
  /** Items to which a change was sent, or may have been. */
  readonly sent = new Set<number>();
  site: 'well' | 'not well' | 'not known' = 'not known';

  constructor(size: number, canary: number | undefined, validity: number) {
    const row = changeOf({
      state: 'approved',
      progress: '{}',
      expires_at: 1,
      authorization: authorizationFor(validity),
    });
    const started = move(row, { kind: 'start', expiresAt: this.now + batchValidityOf(row) }, this.now);
    this.row = { ...row, ...started?.patch };
    this.validUntil = validity;
    this.progress = {
      items: Array.from({ length: size }, () => ({})),
      passedOver: [],
      ...(canary !== undefined && { canary: { item: canary, isPassed: false } }),
    };
    this.operator = new CarefulOperator(size, canary);
  }

  happens(event: Event): void {
    if (event.kind === 'wait') this.now += event.ms;
    else if (event.kind === 'site') this.site = event.is;
    else if (event.kind === 'move') this.#moves(event.change, event.to);
    else if (this.state === 'over') return;
    else if (event.kind === 'look') this.look(event.locked);
    else this.#decides(event);
  }

  /** A change of the batch moves, also when the batch is over. */
  #moves(change: number, to: number | 'as usual'): void {
    const all = [...this.changes.values()].filter(({ settled_at }) => settled_at === null);
    const one = all[change % Math.max(1, all.length)];
    if (one === undefined) return;
    const choices = moves[one.state] ?? [];
    const next = to === 'as usual' ? (usual[one.state] ?? one.state) : (choices[to % choices.length] ?? one.state);
    const item = this.itemOf.get(one.number) ?? -1;
    const isAborted = next === 'aborted' || (one.state === 'unknown' && next === 'expired');
    if (next === 'sending') this.sent.add(item);
    if (isAborted) this.sent.delete(item);
    const state = next === 'aborted' ? 'approved' : next === 'accepted for good' ? 'accepted' : next;
    const isOver = next === 'accepted for good' || !(state in moves);
    count(`a change is ${state}`);
    this.changes.set(one.number, { number: one.number, state, settled_at: isOver ? this.now : null });
    this.operator.hears(item, state, isOver);
  }

  #decides(event: Exclude<Event, { readonly kind: 'look' | 'move' | 'site' | 'wait' }>): void {
    if (event.kind === 'stop') {
      if (this.state !== 'running') return;
      this.state = 'stopped';
      this.progress = { ...this.#recalled(), why: { kind: 'person' } };
      return this.operator.stops();
    }
    if (this.state !== 'stopped') return;
    if (event.kind === 'end') {
      if (this.operator.out === 0) this.state = 'over';
      return;
    }
    const goesOn = move({ ...this.row, state: 'stopped' }, { kind: 'go_on' }, this.now);
    deepStrictEqual(goesOn !== undefined, this.now < this.validUntil);
    if (goesOn === undefined) return;
    count(event.kind);
    const before = this.progress;
    if (event.kind === 'retry') {
      this.progress = retried(before, [...this.changes.values()]);
      before.items.forEach((item, one) => {
        if (this.operator.notebook[one] !== 'nothing sent') deepStrictEqual(this.progress.items[one], item);
      });
      this.operator.retries();
    } else {
      const without = event.kind === 'go on without' ? event.items : [];
      this.progress = continued(before, [...this.changes.values()], without);
      this.operator.goesOn(without);
    }
    this.state = 'running';
  }

  /** As `take-back-unsent.ts` does when it stops: what was begun and not sent is to do again. */
  #recalled(): BatchProgress {
    const isRecalled = ({ change }: ItemProgress): boolean => this.changes.get(change ?? -1)?.state === 'approved';
    const next = this.progress.items.map((item, index) => {
      if (!isRecalled(item)) return item;
      count('recalled');
      const number = item.change ?? -1;
      this.changes.set(number, { number, state: 'cancelled', settled_at: this.now });
      this.operator.takesBack(index);
      return {};
    });
    return { ...this.progress, items: next };
  }

  /** Does what the batch does next. */
  look(locked: readonly number[]): void {
    if (this.state === 'over') return;
    const isValid = this.now < this.row.expires_at;
    const sites: Readonly<Record<typeof this.site, CanarySite>> = {
      well: 'well',
      'not well': { says: say`it is not well` },
      'not known': 'later',
    };
    const step = nextStep(this.progress, [...this.changes.values()], {
      state: this.state,
      isValid,
      canarySite: sites[this.site],
    });
    if (step.kind === 'begin') this.#isSafe(step.items, isValid);
    const wanted = this.operator.decides(this.now < this.validUntil, this.site);
    deepStrictEqual({ kind: step.kind, ...(step.kind === 'begin' && { items: step.items }) }, wanted);
    count(step.kind === 'halt' ? `halt: ${step.why.kind}` : step.kind);
    if (step.kind === 'halt') {
      this.state = 'stopped';
      this.progress = { ...this.#recalled(), why: step.why };
    } else if (step.kind === 'begin') this.#begins(step.items, step.isCanaryPassed, locked);
    else if (step.kind !== 'wait') this.state = 'over';
  }

  /** What must never happen, whatever the operator does. */
  #isSafe(indexes: readonly number[], isValid: boolean): void {
    const { operator, progress, sent } = this;
    const first = progress.canary?.item ?? -1;
    const isTaken = ['fine', 'taken, unproven'].includes(operator.notebook[first] ?? '');
    const isCanaryWell = this.site === 'well' && isTaken;
    ok(this.state === 'running', 'it begins something while it is stopped');
    ok(operator.mayBegin, 'it begins something after a bad end');
    ok(isValid, 'it begins something after its end');
    ok(
      operator.isCanaryTrusted || isCanaryWell || indexes.every((one) => one === first),
      'it begins others before the canary is known to be well',
    );
    ok(indexes.length + operator.out <= 8, 'too many are under way');
    ok(!indexes.some((one) => sent.has(one)), 'it sends to an item again');
    ok(!indexes.some((one) => operator.notebook[one] !== 'to do'), 'it begins what is not to do');
  }

  #begins(indexes: readonly number[], isCanaryPassed: boolean, locked: readonly number[]): void {
    const { progress, operator } = this;
    const now = [...progress.items];
    for (const index of indexes) {
      if (index === progress.canary?.item) this.site = 'not known';
      if (locked.includes(index)) {
        now[index] = { skipped: say`locked by others` };
        operator.finds(index);
        continue;
      }
      const number = this.changes.size + 1;
      now[index] = { change: number };
      this.itemOf.set(number, index);
      this.changes.set(number, { number, state: 'approved', settled_at: null });
      operator.begins(index);
    }
    const canary = progress.canary && { ...progress.canary, isPassed: progress.canary.isPassed || isCanaryPassed };
    this.progress = { ...progress, items: now, ...(canary && { canary }) };
  }

  /** Every change ends as it usually does, people do nothing more, and time passes. */
  settles(): void {
    for (let round = 0; this.state !== 'over'; round += 1) {
      ok(round < 50, 'it does not come to an end');
      this.look([]);
      for (let turn = 0; turn < 4 * maxUnderWay; turn += 1) this.#moves(turn, 'as usual');
      // Somebody closes what is unknown.
      const open = [...this.changes.values()].filter(({ settled_at }) => settled_at === null);
      const unknown = open.findIndex(({ state }) => state === 'unknown');
      if (unknown !== -1) this.#moves(unknown, 0);
      this.now += 50;
    }
  }
}

test('a batch does what a careful person would do, and comes to an end', () => {
  const validity = fc.constantFrom(3, 60, 1_000);
  const canary = fc.option(at, { nil: undefined });
  fc.assert(
    fc.property(
      fc.nat(),
      canary,
      validity,
      fc.array(event, { minLength: 20, maxLength: 120 }),
      (n, first, until, all) => {
        const size = n % 3 === 0 ? 20 : 1 + (n % items);
        const world = new World(size, first === undefined ? undefined : first % size, until);
        for (const one of all) world.happens(one);
        world.settles();
      },
    ),
    { numRuns: 5_000 },
  );
  const rare = [
    'all done',
    'all accepted',
    'end',
    'wait',
    'begin',
    'go on',
    'go on without',
    'retry',
    'recalled',
    'halt: ended badly',
    'halt: canary',
    'halt: all tried',
    'a change is unknown',
    'a change is superseded',
    'a change is cancelled',
    'a change is expired',
    'a change is did_not_happen',
  ];
  expect(rare.filter((what) => (seen.get(what) ?? 0) < 50)).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import {
  continued,
  nextStep,
  batchItemsOf,
  batchProgress,
  retried,
  itemStanding,
  standingsOf,
  type CanarySite,
  type ChangeInBatch,
  type ItemProgress,
  type BatchProgress,
  type Standing,
} from '../../src/change/batch.ts';
import type { State } from '../../src/words/states.ts';
import { plain, say } from '../../src/words/text.ts';
import { changeOf } from '../fixtures.ts';

/** The states of a batch's items, what it does next, and what *Go on* and *Retry* do. */

const change = (state: State, settled_at: number | null = null): ChangeInBatch => ({ number: 7, state, settled_at });
const skipped = say`locked by others`;

describe('where an item stands', () => {
  test.each<[Standing, readonly State[]]>([
    ['under way', ['waiting', 'approved', 'sending', 'running', 'stopped']],
    ['done', ['done', 'happened']],
    ['unknown', ['unknown']],
    ['failed', ['failed', 'rejected', 'did_not_happen']],
    ['not sent', ['declined', 'cancelled', 'expired', 'invalidated', 'ended']],
    ['changed meanwhile', ['superseded']],
  ])('%s', (standing, states) => {
    for (const state of states)
      expect([state, itemStanding({ change: 7 }, change(state, 5))]).toEqual([state, standing]);
  });
  test.each<[Standing, ItemProgress, ChangeInBatch | undefined]>([
    ['to do', {}, undefined],
    // Begun, and its row was not read: nothing may begin it again.
    ['under way', { change: 7 }, undefined],
    ['under way', { change: 7 }, change('accepted')],
    ['accepted', { change: 7 }, change('accepted', 5)],
    ['not sent', { skipped }, undefined],
    ['left out', { isLeftOut: true }, undefined],
  ])('%s: %j', (standing, item, of) => {
    expect(itemStanding(item, of)).toBe(standing);
  });
});

/** One letter for each item: its change's state. Capitals: a person has let the batch go on after it. */
const letters: Readonly<Record<string, State>> = {
  w: 'approved',
  s: 'sending',
  a: 'accepted',
  g: 'accepted',
  d: 'done',
  u: 'unknown',
  f: 'failed',
  r: 'rejected',
  n: 'did_not_happen',
  e: 'expired',
  i: 'invalidated',
  o: 'superseded',
  c: 'cancelled',
};
/** A batch from such letters. `g`: accepted for good. `-`: to do; `l`: locked by others; `x`: left out. The changes are numbered from 1. */
function batchOf(text: string, more: Partial<BatchProgress> = {}) {
  const changes: ChangeInBatch[] = [];
  const items = Array.from(text, (letter, at): ItemProgress => {
    if (letter === '-') return {};
    if (letter === 'x') return { isLeftOut: true };
    if (letter === 'l') return { skipped };
    const state = letters[letter.toLowerCase()];
    if (state === undefined) throw new Error(`no state has the letter ${letter}`);
    changes.push({ number: at + 1, state, settled_at: letter === 'g' ? 1 : null });
    return { change: at + 1 };
  });
  const passedOver = text.split('').flatMap((letter, at) => (/[A-Z]/.test(letter) ? [at + 1] : []));
  return { progress: { items, passedOver, ...more } satisfies BatchProgress, changes };
}
const canary = (item: number, isPassed = false) => ({ canary: { item, isPassed } });

type Case = {
  readonly state?: 'running' | 'stopped';
  readonly isValid?: boolean;
  readonly canarySite?: CanarySite;
  readonly more?: Partial<BatchProgress>;
};
/** `begin 0,1`, `begin 1 as the canary is well`, `halt 2`, `halt: why`, `wait`, `all done` or `end`. */
function stepFor(text: string, { state = 'running', isValid = true, canarySite = 'later', more = {} }: Case): string {
  const { progress, changes } = batchOf(text, more);
  const step = nextStep(progress, changes, { state, isValid, canarySite });
  if (step.kind === 'begin')
    return `begin ${step.items.join(',')}${step.isCanaryPassed ? ' as the canary is well' : ''}`;
  if (step.kind !== 'halt') return step.kind;
  if (step.why.kind === 'ended badly') return `halt ${step.why.items.join(',')}`;
  return `halt: ${step.why.kind === 'canary' ? plain(step.why.says) : step.why.kind}`;
}

describe('what it does next', () => {
  const notWell: CanarySite = { says: say`it is not well` };
  const stopped: Case = { state: 'stopped' };
  const late: Case = { isValid: false };
  test.each<[string, string, Case?]>([
    ['---', 'begin 0,1,2'],
    ['----------', 'begin 0,1,2,3,4,5,6,7'],
    ['wsasws----', 'begin 6,7'],
    ['wwwwwwww--', 'wait'],
    ['wwwwwwwww--', 'wait'],
    ['dddwwww----', 'begin 7,8,9,10'],
    ['ddwd', 'wait'],
    ['dddd', 'all done'],
    ['ddxd', 'all done'],
    // Accepted for good is no evidence that it was done.
    ['dgxd', 'all accepted'],
    ['gg', 'all accepted'],
    ['g-w', 'begin 1'],
    ['ga', 'wait'],
    ['xxxx', 'end'],
    ['d-u', 'halt 2'],
    ...['f', 'r', 'n', 'e', 'i'].map((letter): [string, string] => [`${letter}-w${letter}`, 'halt 0,3']),
    ['o-', 'begin 1'],
    ['l-', 'begin 1'],
    ['U-', 'begin 1'],
    ['U-f', 'halt 2'],
    ['od', 'end'],
    ['old', 'halt: all tried'],
    ['cd', 'halt: all tried'],
    ['cwwwwwwww--', 'wait'],
    ['cwwwwwww--', 'begin 8'],
    ['ld', 'halt: all tried'],
    ['UFd', 'halt: all tried'],
    ['Ufd', 'halt 1'],
    ['lw', 'wait'],
    ['d--', 'end', late],
    ['dw-', 'wait', late],
    ['du-', 'halt 1', late],
    ['dU-', 'halt: time over', late],
    ['dF-', 'end', late],
    ['dd', 'all done', late],
    ['dw-', 'wait', stopped],
    ['d--', 'wait', stopped],
    ['dfw', 'wait', stopped],
    ['dfl', 'wait', stopped],
    ['dfo', 'end', stopped],
    ['dfc', 'wait', stopped],
    ['dfu', 'wait', stopped],
    ['dff', 'end', stopped],
    ['dfx', 'end', stopped],
    ['ddx', 'all done', stopped],
    ['d-w', 'wait', { ...stopped, ...late }],
    ['d-u', 'wait', { ...stopped, ...late }],
    ['d-f', 'end', { ...stopped, ...late }],
    // The second goes first.
    ['---', 'begin 1', { more: canary(1) }],
    ['-w-', 'wait', { more: canary(1) }],
    ['-a-', 'wait', { more: canary(1), canarySite: 'well' }],
    ['-d-', 'wait', { more: canary(1) }],
    ['-d-', 'begin 0,2 as the canary is well', { more: canary(1), canarySite: 'well' }],
    ['-d-', 'halt: it is not well', { more: canary(1), canarySite: notWell }],
    ['-u-', 'halt 1', { more: canary(1), canarySite: 'well' }],
    ['-o-', 'halt: it was not sent, so its site proves nothing', { more: canary(1), canarySite: 'well' }],
    ['-l-', 'halt: it was not sent, so its site proves nothing', { more: canary(1) }],
    ['-d-', 'begin 0,2', { more: canary(1, true), canarySite: notWell }],
    ['-d-', 'wait', { ...stopped, more: canary(1), canarySite: 'well' }],
    ['-d-', 'end', { ...late, more: canary(1), canarySite: 'well' }],
  ])('%s: %s', (text, expected, of = {}) => {
    expect(stepFor(text, of)).toBe(expected);
  });
});

const standings = (progress: BatchProgress, changes: ReturnType<typeof batchOf>['changes']): string =>
  standingsOf(progress, changes).join(', ');

describe('going on', () => {
  test('passes over what ended badly, and nothing else', () => {
    const { progress, changes } = batchOf('uFdwe-lo');
    const after = continued(progress, changes);
    expect(after).toEqual({ ...progress, passedOver: [2, 1, 5] });
    expect(nextStep(after, changes, { state: 'running', isValid: true, canarySite: 'later' })).toMatchObject({
      kind: 'begin',
      items: [5],
    });
  });
  test('leaves out only what is to do', () => {
    const { progress, changes } = batchOf('--udl');
    const after = continued(progress, changes, [1, 2, 3, 4, 9]);
    expect(standings(after, changes)).toBe('to do, left out, unknown, done, not sent');
  });
  test.each<[string, Partial<BatchProgress>, boolean]>([
    ['--', { why: { kind: 'person' } }, false],
    ['w-', { why: { kind: 'person' } }, false],
    ['d-', { why: { kind: 'person' } }, false],
    ['d-', { why: { kind: 'canary', says: say`it is not well` } }, true],
    ['l-', { why: { kind: 'canary', says: say`it was not sent` } }, true],
    ['u-', { why: { kind: 'ended badly', items: [0] } }, true],
    ['f-', { why: { kind: 'person' } }, true],
    ['w-', { ...canary(0, true), why: { kind: 'person' } }, true],
  ])('%s with a canary that goes first: %j', (text, more, isPassed) => {
    const { progress, changes } = batchOf(text, { ...canary(0), ...more });
    expect(continued(progress, changes).canary).toEqual({ item: 0, isPassed });
  });
});

describe('a retry', () => {
  test('is of those not sent, and of no other', () => {
    const { progress, changes } = batchOf('eiclufrndaswx-o');
    const after = retried(progress, changes);
    expect(standings(after, changes)).toBe(
      `to do, to do, to do, to do, unknown, failed, failed, failed, done, ${'under way, '.repeat(3)}left out, to do, changed meanwhile`,
    );
    expect(after.passedOver).toEqual([1, 2, 5, 6, 7, 8]);
  });
  test.each<[string, boolean]>([
    ['l-', false],
    ['c-', false],
    ['e-', false],
    ['o-', true],
    ['do', true],
    ['uo', true],
  ])('%s: a canary that was not sent goes first again', (text, isPassed) => {
    const why = { kind: 'canary', says: say`it proves nothing` } as const;
    const { progress, changes } = batchOf(text, { ...canary(0), why });
    expect(retried(progress, changes).canary).toEqual({ item: 0, isPassed });
  });
});

test('an ordinary change is no batch', () => {
  expect(batchItemsOf(changeOf())).toBeUndefined();
  expect(batchItemsOf(changeOf({ call: 'null' }))).toBeUndefined();
  expect(() => batchProgress(changeOf())).toThrow('#1042 is no batch');
});

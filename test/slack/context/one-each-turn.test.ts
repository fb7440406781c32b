import { expect, it } from 'vitest';
import { oneEachTurn } from '../../../src/slack/context/one-each-turn.ts';

it('begins one work in each turn of the event loop, in their order, and what came meanwhile has its turn between them', async () => {
  const nextTurn = oneEachTurn();
  const begun: string[] = [];
  let turn = 0;
  const count = (): void => {
    begun.push(`turn ${(turn += 1)}`);
    if (turn < 4) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(['one', 'two', 'three'].map(async (work) => (await nextTurn(), begun.push(work))));
  expect(begun).toEqual(['turn 1', 'one', 'turn 2', 'two', 'turn 3', 'three']);
  await nextTurn();
  expect(begun).toContain('three');
});

import { expect, it } from 'vitest';
import { oneEachTurn } from '../../../src/slack/context/one-each-turn.ts';

it('starts one task in each turn of the event loop, in order, and lets other events run in between', async () => {
  const nextTurn = oneEachTurn((who) => who);
  const begun: string[] = [];
  let turn = 0;
  const count = (): void => {
    begun.push(`turn ${(turn += 1)}`);
    if (turn < 4) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(['one', 'two', 'three'].map(async (work) => (await nextTurn('ana'), begun.push(work))));
  expect(begun).toEqual(['turn 1', 'one', 'turn 2', 'two', 'turn 3', 'three']);
  await nextTurn('ana');
  expect(begun).toContain('three');
});

it('lets people take turns, with any of their ids: nobody waits for all tasks of another', async () => {
  const nextTurn = oneEachTurn((who) => who.slice(0, 3));
  const begun: string[] = [];
  const begin = async (who: string, work: string): Promise<void> => {
    await nextTurn(who);
    begun.push(work);
  };
  const many = [1, 2, 3, 4].map((at) => begin(at % 2 === 0 ? 'rob-1' : 'rob-2', `rob ${at}`));
  await Promise.all([...many, begin('ana', 'ana 1'), begin('ana', 'ana 2'), begin('ben', 'ben 1')]);
  expect(begun).toEqual(['rob 1', 'ana 1', 'ben 1', 'rob 2', 'ana 2', 'rob 3', 'rob 4']);
});

import { expect, test } from 'vitest';
import { createAlone } from './alone.ts';

test('one has it at a time, and gives back what is theirs alone', () => {
  const thread = createAlone('The thread');
  const [one, other] = [{}, {}];
  thread.take(one);
  thread.take(one);
  expect(() => thread.take(other)).toThrow('The thread is in use: two at once would mix what came of them.');
  thread.giveBack(other);
  expect(() => thread.take(other)).toThrow('in use');
  thread.giveBack(one);
  thread.take(other);
  expect(() => thread.take(one)).toThrow('in use');
});

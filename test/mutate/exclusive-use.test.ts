import { expect, test } from 'vitest';
import { createExclusiveUse } from './exclusive-use.ts';

test('allows one holder at a time, and only the holder can release it', () => {
  const thread = createExclusiveUse('The thread');
  const [one, other] = [{}, {}];
  thread.take(one);
  thread.take(one);
  expect(() => thread.take(other)).toThrow('The thread is in use: two at once would mix what came of them.');
  thread.release(other);
  expect(() => thread.take(other)).toThrow('in use');
  thread.release(one);
  thread.take(other);
  expect(() => thread.take(one)).toThrow('in use');
});

import { expect, test } from 'vitest';
import { eventInWords } from '../../src/change/states-and-events.ts';

test('the end of a queued or handed-on request is not called unsent: after a restore it may have been sent', () => {
  expect(['queue_end', 'hand_on_end'].map(eventInWords)).toEqual([
    'ended the place of a request in a queue',
    'ended a handed-on request',
  ]);
});

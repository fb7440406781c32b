import { expect, test } from 'vitest';
import { eventInWords } from '../../../src/pipeline/changes/event-names.ts';

test('the end of what was queued or handed on claims nothing: after the database was set back it may have been sent', () => {
  expect(['queue_end', 'hand_on_end'].map(eventInWords)).toEqual([
    'ended the place of a request in a queue',
    'ended a handed-on request',
  ]);
});

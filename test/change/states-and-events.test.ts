import { expect, test } from 'vitest';
import { besideState, eventInWords, stateText } from '../../src/change/states-and-events.ts';
import type { Change } from '../../src/storage/changes.ts';
import { plain } from '../../src/words/text.ts';
import { changeOf } from '../fixtures.ts';

test('the end of a queued or handed-on request is not called unsent: after a restore it may have been sent', () => {
  expect(['queue_end', 'hand_on_end'].map(eventInWords)).toEqual([
    'ended the place of a request in a queue',
    'ended a handed-on request',
  ]);
});

test.each<[Change['state'], string, string | undefined]>([
  [
    'waiting',
    'Waiting for approval. It is to be sent from 1970-01-01 02:00 UTC on. Until then it can be taken back.',
    'to be sent 1970-01-01 02:00 UTC',
  ],
  [
    'approved',
    'It is to be sent from 1970-01-01 02:00 UTC on. Until then it can be taken back.',
    'to be sent 1970-01-01 02:00 UTC',
  ],
  ['accepted', 'Accepted by the host; running.', undefined],
  ['done', 'Done.', undefined],
])('what has a time and is %s says when it is to be sent, until it is', (state, says, beside) => {
  const change = changeOf({ state, scheduled_at: 7_200_000, settled_at: state === 'done' ? 1 : null });
  expect(plain(stateText(change))).toBe(says);
  expect(
    besideState(change)
      ?.map((span) => plain([span]))
      .join(''),
  ).toBe(beside);
});

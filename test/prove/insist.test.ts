import { expect, test } from 'vitest';
import { isTurnedAway } from './insist.ts';

const again = 'My database does not answer. Try again in a minute.';
const heard = (words: readonly string[], ...forms: readonly (readonly [id: string, text: string])[]) => ({
  words,
  forms: forms.map(([id, text]) => ({ id, text })),
});

test.each([
  ['nothing was said', heard([]), heard([]), false],
  ['a word more says so', heard([again]), heard([again, again]), true],
  ['it was said before', heard([again]), heard([again, 'Done.']), false],
  ['a form says so', heard([], ['V1', 'Push']), heard([], ['V1', again]), true],
  ['a form says so from the time before', heard([], ['V1', again]), heard([], ['V1', again]), false],
  ['another form says so', heard([], ['V1', again]), heard([], ['V2', again]), true],
])('%s', (_, before, now, isSo) => {
  expect(isTurnedAway(before, now)).toBe(isSo);
});

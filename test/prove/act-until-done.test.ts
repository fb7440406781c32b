import { expect, test } from 'vitest';
import { isRefused } from './act-until-done.ts';

const again = 'My database does not answer. Try again in a minute.';
const visible = (words: readonly string[], ...forms: readonly (readonly [id: string, text: string])[]) => ({
  words,
  forms: forms.map(([id, text]) => ({ id, text })),
});

test.each([
  ['there was no message', visible([]), visible([]), false],
  ['a word more says so', visible([again]), visible([again, again]), true],
  ['it was posted before', visible([again]), visible([again, 'Done.']), false],
  ['a form says so', visible([], ['V1', 'Push']), visible([], ['V1', again]), true],
  ['a form says so from the time before', visible([], ['V1', again]), visible([], ['V1', again]), false],
  ['another form says so', visible([], ['V1', again]), visible([], ['V2', again]), true],
])('%s', (_, before, now, isSo) => {
  expect(isRefused(before, now)).toBe(isSo);
});

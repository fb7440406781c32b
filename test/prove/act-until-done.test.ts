import { expect, test } from 'vitest';
import { isRefused } from './act-until-done.ts';

const again = 'My database does not answer. Try again in a minute.';
const interaction = (words: readonly string[], ...forms: readonly (readonly [id: string, text: string])[]) => ({
  words,
  forms: forms.map(([id, text]) => ({ id, text })),
});

test.each([
  ['nothing was said', interaction([]), interaction([]), false],
  ['a word more says so', interaction([again]), interaction([again, again]), true],
  ['it was said before', interaction([again]), interaction([again, 'Done.']), false],
  ['a form says so', interaction([], ['V1', 'Push']), interaction([], ['V1', again]), true],
  ['a form says so from the time before', interaction([], ['V1', again]), interaction([], ['V1', again]), false],
  ['another form says so', interaction([], ['V1', again]), interaction([], ['V2', again]), true],
])('%s', (_, before, now, isSo) => {
  expect(isRefused(before, now)).toBe(isSo);
});

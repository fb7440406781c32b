import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { mistakes } from './mistakes.ts';

const root = resolve(import.meta.dirname, '../..');

/** `npm run net` applies the edits, which takes minutes. This test only shows that they still fit the code. */
test.each(mistakes)('$name: can still be made', ({ edits, tests }) => {
  for (const { file, from } of edits) {
    const source = readFileSync(resolve(root, file), 'utf8');
    expect([file, source.split(from).length - 1]).toEqual([file, 1]);
  }
  expect(tests.filter((one) => readFileSync(resolve(root, one), 'utf8') === '')).toEqual([]);
});

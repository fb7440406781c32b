import { expect, test } from 'vitest';
import { Fault, Refusal } from '../../src/base/errors.ts';
import { plain, say } from '../../src/words/text.ts';

test('a refusal has a sentence, the next step, and suggestions', () => {
  const bare = new Refusal('No. Nothing was done.');
  expect(bare).toMatchObject({
    message: 'No. Nothing was done.',
    hint: [],
    offers: [],
    field: undefined,
    name: 'Refusal',
  });
  const full = new Refusal(say`**No** ${'<!here>'}`, {
    hint: 'Yes',
    field: 'env',
    offers: [{ label: 'a', args: ['help'] }],
  });
  expect(full.message).toBe('No <!here>');
  expect(plain(full.hint)).toBe('Yes');
  expect(full.offers).toHaveLength(1);
});

test('a fault has its cause', () => {
  const cause = new Error('why');
  expect(new Fault('x', cause).cause).toBe(cause);
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buttonValue, pressIn } from '../../src/block-kit/button-value.ts';
import { decisionKinds, type Press } from '../../src/change/buttons.ts';
import { Refusal } from '../../src/base/errors.ts';

const id = fc.uuid();
const number = fc.integer({ min: 1, max: 999_999_999 });
const shown = { installation: id, number };
const seen = { ...shown, version: number };
const word = fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom('--', '-x', '""', '“', 'a b', '\\'));
const visible = word.filter((text) => text.trim() !== '' && !/[\p{C}\p{Z}]/u.test(text.replaceAll(' ', '')));
const args = fc.array(visible, { minLength: 1, maxLength: 5 });

const press: fc.Arbitrary<Press> = fc.oneof(
  fc.record({ kind: fc.constantFrom('run', 'form', 'review'), args }),
  fc.record({ kind: fc.constant('undo'), ...shown }),
  fc.record({ kind: fc.constantFrom('share', 'file'), id }),
  fc.record({ kind: fc.constant('page'), id, from: number }),
  fc.record({ kind: fc.constant('checklist'), id, at: number }),
  fc.record({ kind: fc.constant('call'), page: number, of: fc.option(fc.record(shown), { nil: undefined }) }),
  fc.record({ kind: fc.constant('note'), verdict: fc.constant('approve'), ...seen }),
  fc.record({ kind: fc.constant('without'), verdict: fc.constant('go_on'), ...seen }),
  fc.record({ kind: fc.constant('decision'), verdict: fc.constantFrom(...decisionKinds), ...seen }),
);

test('whatever a button does is what its value says', () => {
  fc.assert(
    fc.property(press, (one) => {
      expect(pressIn(one.kind, buttonValue(one))).toEqual(one);
    }),
  );
});

test.each([
  ['decision', 'x 1 2 aprove'],
  ['decision', 'x 1 approve'],
  ['note', 'x 1 2 decline'],
  ['without', 'x 1 2 approve'],
  ['undo', 'x one'],
  ['call', 'all'],
  ['somebody else’s', '1'],
])('%s with the value %s is not ours', (kind, value) => {
  expect(() => pressIn(kind, value)).toThrow(Refusal);
});

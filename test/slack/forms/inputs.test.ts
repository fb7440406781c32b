import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isName } from '../../../src/commands/kit/action.ts';
import type { Field } from '../../../src/commands/kit/fields.ts';
import { catalogue, type Command } from '../../../src/commands/index.ts';
import { Refusal } from '../../../src/base/errors.ts';
import type { Given } from '../../../src/language/bind-arguments.ts';
import { parse } from '../../../src/language/parse.ts';
import { isNamed, resolve, shownAs, type Resolved } from '../../../src/language/resolve.ts';
import { comparableName } from '../../../src/policy/pattern.ts';
import { optionName, takesRest, argsOf } from '../../../src/language/usage.ts';
import { join } from '../../../src/language/tokenize.ts';
import { formView } from '../../../src/slack/forms/views.ts';
import { blockIdOf, readInputs } from '../../../src/slack/forms/inputs.ts';
import { givenFor, hostile, names, refusalOf, refusalText, uuid, wordsFor } from '../../fixtures.ts';
import { oddWords, quoted } from '../../odd-words.ts';
import { askedOf, untouched } from './untouched-form.ts';

/** Hostile inputs in forms: a typed line and a filled-in form give the same request, or both are refused. */

const named = [...names.environments, ...names.domains, { id: uuid(900), name: 'acme-shop' }];
const nameOf = (id: string): string | undefined => named.find((one) => one.id === id)?.name;
const texts = [
  ...oddWords.map(({ text }) => text),
  '',
  ' \u00A0\t ',
  'x'.repeat(3_000),
  'a\r\nb',
  ', ,\n;',
  '-1',
  '1h',
  '2147483648',
  '010.0.0.1',
  '10.0.0.0/8',
  '/old',
  'javascript:alert(1)',
  'yesterday',
  '@U01ANA',
  'cache clear "acme-shop/live"',
];

/** The parsed value of a form's field. */
function filled(path: string, command: Command, given: Given): Resolved | Refusal {
  return resolved(path, command, () => {
    const values = Object.entries(given).map(
      ([name, [value = '']]) => [blockIdOf(name), { [name]: { value } }] as const,
    );
    return readInputs(Object.fromEntries(values)).given;
  });
}
function resolved(path: string, command: Command, read: () => Given): Resolved | Refusal {
  try {
    return resolve({ path, command, given: read(), reason: undefined, dryRun: false }, names);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
/** The result of a field: its value, nothing, or its refusal. */
function valueIn(result: Resolved | Refusal, name: string): unknown {
  const refusal = result instanceof Refusal ? result : result.problems.find(({ field }) => field === name)?.refusal;
  if (refusal === undefined) return 'input' in result ? result.input[name] : undefined;
  expect(refusalText(refusal)).toMatch(/Nothing was (?:done|changed)\./);
  expect(refusalText(refusal).length).toBeLessThan(800);
  return refusal;
}

/** Text for all positional fields, and for some of the others. */
const spoken = ({ fields }: Command): fc.Arbitrary<Given> => {
  const needed = Object.entries(fields).filter(([, { place, optional }]) => place === 'word' && !optional);
  const words = fc.record(Object.fromEntries(needed.map(([name, field]) => [name, wordsFor(field, name)])));
  return fc.tuple(givenFor(fields, wordsFor), words).map(([some, all]) => ({ ...some, ...all }));
};

const squashed = (text: string): string => text.replaceAll(',', ' ').trim().split(/\s+/).join(' ').toLowerCase();
/** Fields whose values have a display spelling, which parses to the same value. */
const canonical = new Set(['addresses', 'for', 'since', 'until', 'number', 'expiry']);

function showsBack(field: Field, name: string, text: string, value: unknown): void {
  const shown = shownAs(field, value);
  if (isName(field)) {
    if (isNamed(value)) expect([comparableName(value.name), value.id]).toContain(comparableName(text.trim()));
    else expect(comparableName(text)).toContain('acme-');
    return;
  }
  if (shown.length === 0) return expect(value).toEqual(field.absent);
  expect(field.read(shown)).toEqual(value);
  if (!canonical.has(name)) expect(squashed(shown.join(' '))).toBe(squashed(text).replace(/^#/, ''));
}

describe.each([...catalogue])('the form of %s', (path, command) => {
  const fields = Object.entries(command.fields);

  test('takes odd text in every field, or refuses it under that field', () => {
    const expectTaken = (name: string, field: Field, text: string): void => {
      const result = filled(path, command, { [name]: [text] });
      const value = valueIn(result, name);
      if (value instanceof Refusal) expect(['env', name, undefined]).toContain(value.field);
      else if (text.trim() === '') expect(value).toEqual(isName(field) ? undefined : field.absent);
      else if (value !== undefined) showsBack(field, name, text, value);
    };
    for (const [name, field] of fields) for (const text of texts) expectTaken(name, field, text);
  });

  test('takes or refuses any other text', () => {
    const anything = givenFor(command.fields, () => hostile.map((text) => [text]));
    fc.assert(
      fc.property(anything, (given) => {
        const result = filled(path, command, given);
        for (const [name] of fields) valueIn(result, name);
      }),
      { numRuns: 8 },
    );
  });

  test('means the same as the typed line', () => {
    fc.assert(
      fc.property(spoken(command), (given) => {
        const typed = resolved(path, command, () =>
          typedGiven(join(argsOf(path, command.fields, (name) => given[name] ?? []))),
        );
        const view = formView({ path, command, reason: undefined }, { channel: 'C1' }, nameOf, {
          fields: askedOf(command, given),
        });
        const inForm = resolved(path, command, () => readInputs(untouched(view)).given);
        expect(inForm).toMatchObject({ input: 'input' in typed ? typed.input : 'refused' });
      }),
      { numRuns: 10 },
    );
  });

  test('refuses the same odd texts as a typed line', () => {
    for (const [name, field] of fields) {
      if (isName(field) || takesRest(command)) continue;
      for (const text of texts.filter((one) => one.trim() !== '')) {
        // Leaves room for the target, which comes first.
        const before = fields.flatMap(([other, { kind, place, optional }]): [string, readonly string[]][] => {
          if (other === name || place !== 'word' || optional) return [];
          return [[other, kind === 'plain' ? ['x'] : kind === 'domain' ? ['acme.com'] : ['acme-shop/live']]];
        });
        const given: Given = Object.fromEntries([...before, [name, [text.trim()]]]);
        const typed = valueIn(
          resolved(path, command, () => typedGiven(lineOf(path, command, given))),
          name,
        );
        const inForm = valueIn(filled(path, command, { [name]: [text] }), name);
        if (typed instanceof Refusal)
          expect([path, name, text, inForm]).toEqual([path, name, text, expect.any(Refusal)]);
        else expect([path, name, text, inForm]).toEqual([path, name, text, typed]);
      }
    }
  });
});

const typedGiven = (line: string): Given => parse(line, catalogue)?.given ?? {};

/** A line with every odd word in quotes, so that none is an option. */
const lineOf = (path: string, { fields }: Command, given: Given): string =>
  [
    path,
    ...Object.entries(fields).flatMap(([name, { place }]) =>
      (given[name] ?? []).map((text) => (place === 'word' ? quoted(text) : `--${optionName(name)}=${quoted(text)}`)),
    ),
  ].join(' ');

describe('the values of a form', () => {
  const view = (name: string, input: object) => ({ [blockIdOf(name)]: { [name]: input } });

  test('an empty input is left out', () => {
    for (const value of ['', ' ', '\u00A0', '\n', null]) {
      expect(
        readInputs({ ...view('search', { value }), ...view('reason', { value }), ...view('typed_name', { value }) }),
      ).toEqual({
        given: {},
        reason: undefined,
        typed: undefined,
        leaveOut: [],
      });
    }
  });

  test('a forged choice is treated as typed text', () => {
    for (const value of ['__proto__', '../', '-1', '99999', 'constructor', '0.5', '']) {
      const listed = { [blockIdOf('only', { id: 'list' })]: { only: { selected_options: [{ value }] } } };
      expect(readInputs(listed, new Map([['only', ['wp-content', 'wp-admin']]])).given).toEqual({});
    }
  });

  test.each(oddWords.filter(({ refused }) => refused !== undefined))(
    '$name is refused in any input',
    ({ text, refused = '' }) => {
      for (const name of ['search', 'reason', 'typed_name']) {
        const refusal = refusalOf(() => readInputs(view(name, { value: text })));
        expect(refusalText(refusal)).toContain(refused);
        expect(refusal.field).toBe(name);
      }
      expect(refusalOf(() => readInputs(view('env', { selected_option: { value: text } }))).field).toBe('env');
    },
  );
});

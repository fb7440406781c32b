import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openApi } from '../../src/api/openapi.ts';
import { apiDocument, derivedIn } from '../derived.ts';

/** The OpenAPI document of the interface for programs. The stories of callers compare its answers with its schemas. */

test('the file is up to date', () => {
  const { actual, wanted } = derivedIn(apiDocument);
  expect(actual, 'npm run fix writes it').toBe(wanted);
});

test('every schema describes something, and every reference leads to one', () => {
  const document = openApi();
  const schemas = z.record(z.string(), z.record(z.string(), z.unknown())).parse(document.components.schemas);
  for (const [name, schema] of Object.entries(schemas)) expect({ name, ...schema }).not.toHaveProperty('$ref');
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name = '']) => name,
  );
  expect(references.length).toBeGreaterThan(5);
  expect(references.filter((name) => !(name in schemas))).toEqual([]);
});

test('it is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(openApi())).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
});

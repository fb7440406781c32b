import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { openApi } from '../../src/api/openapi.ts';
import { apiDocument, derivedIn } from '../derived.ts';

/** The OpenAPI document of the interface for programs. The stories of callers compare its answers with its schemas. */

test('the file is up to date', () => {
  const { actual, wanted } = derivedIn(apiDocument);
  expect(actual, 'npm run fix writes it').toBe(wanted);
});

test('it is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(openApi())).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
});

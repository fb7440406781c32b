import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { unlessThere } from './installed.ts';

it('a test says what is missing where it is missing, and nothing of it where it is there', () => {
  expect(unlessThere('PostgreSQL', true)).toBe('');
  expect(unlessThere('PostgreSQL', false)).toBe(' (PostgreSQL is not installed)');
});

it('no test says so by itself, whatever the machine has', () => {
  const files = globSync('test/**/*.test.ts').filter((file) => !file.endsWith('installed.test.ts'));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => /\bnot installed\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
});

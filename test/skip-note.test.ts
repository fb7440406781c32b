import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { skipNote } from './skip-note.ts';

it('names what is not installed, and adds nothing otherwise', () => {
  expect(skipNote('PostgreSQL', true)).toBe('');
  expect(skipNote('PostgreSQL', false)).toBe(' (PostgreSQL is not installed)');
});

it('no test name contains such a note without this function', () => {
  const files = globSync('test/**/*.test.ts').filter((file) => !file.endsWith('skip-note.test.ts'));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => /\bnot installed\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
});

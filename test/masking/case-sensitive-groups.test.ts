import { expect, test } from 'vitest';
import { casedOf } from '../../src/masking/case-sensitive-groups.ts';

test.each([
  ['ab1', 'gi', '/ab1/gi'],
  ['(?-i:aB)c', 'gi', '/(?:aB)[cC]/g'],
  ['(?-i:a(b|c)d)(?:e(?-i:f)g)', 'i', '/(?:a(b|c)d)(?:[eE](?:f)[gG])/'],
  [
    '(?<name>x)\\k<name>(?<=y)(?<!z)(?=q)(?!r)(?-i:)',
    'i',
    '/(?<name>[xX])\\k<name>(?<=[yY])(?<![zZ])(?=[qQ])(?![rR])(?:)/',
  ],
  ['\\d\\w{1,20}\\x20\\u0041\\bx\\((?-i:\\(a)', 'i', '/\\d\\w{1,20}\\x20\\u0041\\b[xX]\\((?:\\(a)/'],
  ['[a-z\\d_-][^A-F"][(?-i:x\\]y](?-i:[a-z])', 'i', '/[a-zA-Z\\d_-][^a-fA-F"][(?-iI:xX\\]yY](?:[a-z])/'],
  ['ñß\\p{Lu}(?-i:ñ)', 'iu', '/[ñÑ]ß\\p{Lu}(?:ñ)/u'],
])('expands letters to both cases if only part of an expression is case-sensitive: %s', (source, flags, wanted) => {
  expect(String(casedOf(source, flags))).toBe(wanted);
});

test.each([
  [
    '(?<![a-z])pass|(?-i:(?<=[a-z])(?=[A-Z]))pass',
    ['userPass', 'PASS', 'pass', '1Pass'],
    ['compass', 'COMPASS', 'userpass'],
  ],
  ['hasło(?-i: To)', ['Hasło To', 'HASŁO To'], ['hasło to', 'HASŁO TO']],
])('matches the right texts: %s', (source, found, not) => {
  const shape = casedOf(source, 'i');
  expect([...found, ...not].filter((text) => shape.test(text))).toEqual(found);
});

import { expect, test } from 'vitest';
import { BoundedMap } from '../../src/base/caches.ts';

test.each<[set: string, max: number, kept: string]>([
  ['', 2, ''],
  ['ab', 2, 'ab'],
  ['abc', 2, 'bc'],
  ['abac', 2, 'ac'],
  ['aaa', 2, 'a'],
  ['abcd', 1, 'd'],
])('of “%s” set one by one, the newest %i are kept: “%s”', (set, max, kept) => {
  const map = new BoundedMap<string, number>(max);
  for (const [at, key] of Array.from(set).entries()) map.set(key, at);
  expect([...map].map(([key, at]) => [key, at])).toEqual(Array.from(kept, (key) => [key, set.lastIndexOf(key)]));
});

test('reading an entry does not make it newer', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2);
  map.get('a');
  expect([...map.set('c', 3).keys()]).toEqual(['b', 'c']);
});

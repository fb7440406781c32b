import { array, assert, property, uniqueArray, constantFrom } from 'fast-check';
import { expect, test } from 'vitest';
import type { FileNode } from '../../../src/playground/hosting/resources.ts';
import { filesWith } from '../../../src/playground/hosting/seed/files.ts';
import { touches, withPaths } from '../../../src/playground/hosting/file-tree.ts';
import { paths } from './calling.ts';

const source = filesWith(['kiln', 'quill'], 'release-2');
const target = filesWith(['kiln'], 'release-1');
const every = paths(source);

test('copying a path copies everything below it and creates the folders above it', () => {
  assert(
    property(uniqueArray(constantFrom(...every), { maxLength: 6 }), (chosen) => {
      const after = new Set(paths(withPaths(target, source, chosen)));
      const below = every.filter((path) => chosen.some((one) => path === one || path.startsWith(`${one}/`)));
      const above = chosen.flatMap((path) => path.split('/').map((_, at, all) => all.slice(0, at + 1).join('/')));
      expect(after).toEqual(new Set([...paths(target), ...below, ...above]));
    }),
  );
});

test('a path that the source lacks changes nothing, and creates no empty folder', () => {
  const strange = ['wp-content/themes/quill/nope.css', 'nope', 'index.php/below', '', '/'];
  assert(
    property(array(constantFrom(...strange)), (chosen) => {
      expect(withPaths(target, source, chosen)).toEqual(target);
    }),
  );
});

test('a copied folder replaces the existing one completely', () => {
  const extra: FileNode[] = [{ name: 'docs', path: 'docs', children: [{ name: 'old', path: 'docs/old' }] }];
  const fresh: FileNode[] = [{ name: 'docs', path: 'docs', children: [{ name: 'new', path: 'docs/new' }] }];
  expect(withPaths(extra, fresh, ['docs/'])).toEqual(fresh);
  expect(paths(withPaths(extra, fresh, ['docs/new']))).toEqual(['docs', 'docs/old', 'docs/new']);
});

test.each([
  ['wp-content', true],
  ['wp-content/themes/kiln', true],
  ['wp-content/themes/kiln/style.css', true],
  ['wp-content/themes/', true],
  ['wp-content/themes/kil', false],
  ['wp-content/themes/kilns', false],
  ['wp-content/plugins', false],
])('copying %s touches the theme kiln: %s', (path, touched) => {
  expect(touches(['robots.txt', path], 'wp-content/themes/kiln')).toBe(touched);
});

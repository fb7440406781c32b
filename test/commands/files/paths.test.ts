import { join } from 'node:path/posix';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPaths } from '../../../src/commands/files/paths.ts';
import { hostile, path, refusalOf, refusalText } from '../../fixtures.ts';
import { cpuTime } from '../../cpu-time.ts';

const many = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `wp-content/${at}`);

describe('accepted paths', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['one', ['wp-content'], ['wp-content']],
    ['several words', ['a', 'b/c'], ['a', 'b/c']],
    ['commas, and blanks around them', ['a, b/c ,d'], ['a', 'b/c', 'd']],
    ['lines', ['a\nb\r\nc'], ['a', 'b', 'c']],
    ['the same twice', ['a', 'a,a/'], ['a']],
    ['a folder with its slash', ['wp-content/uploads//'], ['wp-content/uploads']],
    ['commas without text between', [',a,,'], ['a']],
    ['hidden files', ['.htaccess', '.well-known/x'], ['.htaccess', '.well-known/x']],
    ['dots within a name', ['a..b', '...'], ['a..b', '...']],
    ['blanks within a name', ['my files/a b'], ['my files/a b']],
    ['both encodings of an umlaut, which a file system distinguishes', ['ä', 'a\u0308'], ['ä', 'a\u0308']],
    ['emoji and other scripts', ['😀/файл/文件'], ['😀/файл/文件']],
    ['characters that a shell interprets', ['$HOME', "a'b", 'x;y', '--all'], ['$HOME', "a'b", 'x;y', '--all']],
    ['a percent sign', ['100%', 'a%20b'], ['100%', 'a%20b']],
    ['5,000 of them', many(5_000), many(5_000)],
    ['500 characters', ['x'.repeat(500)], ['x'.repeat(500)]],
  ])('%s', (_, words, paths) => {
    expect(readPaths(words)).toEqual(paths);
  });
});

describe('refused paths', () => {
  test.each<[string, readonly string[], string]>([
    ['none', [], 'No path was given.'],
    ['nothing', [''], 'No path was given.'],
    ['nothing but separators', [' , \n'], 'No path was given.'],
    ['absolute', ['/etc/passwd'], 'starts at the root of a machine'],
    ['the root', ['/'], 'starts at the root of a machine'],
    ['the root among others', ['wp-content,///'], 'starts at the root of a machine'],
    ['a drive', ['C:/x'], 'starts at the root of a machine'],
    ['only a drive', ['c:'], 'starts at the root of a machine'],
    ['up', ['..'], 'is not a plain path'],
    ['up within', ['wp-content/../../x'], 'is not a plain path'],
    ['up at the end', ['a/..'], 'is not a plain path'],
    ['here', ['.'], 'is not a plain path'],
    ['here within', ['a/./b'], 'is not a plain path'],
    ['a name that ends in a blank', ['a /b'], 'is not a plain path'],
    ['a folder that ends in a blank', ['a /'], 'is not a plain path'],
    ['two slashes', ['a//b'], 'is not a plain path'],
    ['escaped dots', ['%2e%2e/x'], 'is not a plain path'],
    ['escaped dots in capitals', ['a/%2E%2E'], 'is not a plain path'],
    ['an escaped slash', ['a%2Fb'], 'is not a plain path'],
    ['an escaped backslash', ['a%5cb'], 'is not a plain path'],
    ['a backslash', ['a\\b'], 'has a backslash in it'],
    ['backslashes up', ['..\\..\\x'], 'has a backslash in it'],
    ['a star', ['wp-content/*'], 'looks like a pattern'],
    ['a question mark', ['a?'], 'looks like a pattern'],
    ['a class', ['[a-z]'], 'looks like a pattern'],
    ['braces', ['{a}'], 'looks like a pattern'],
    ['NUL', ['a\u0000b'], '(U+0000)'],
    ['a zero-width space', ['a\u200Bb'], '(U+200B)'],
    ['right-to-left override', ['\u202Egpj.exe'], '(U+202E)'],
    ['a lone surrogate', ['a\uD83D'], '(U+D83D)'],
    ['501 characters', ['x'.repeat(501)], 'is longer than 500 characters'],
    ['5,001 of them', many(5_001), 'at most 5000 can be named at once'],
    ['one bad among many good', [...many(100), '../x', ...many(100)], '“../x” is not a plain path'],
  ])('%s', (_, words, why) => {
    const refusal = refusalOf(() => readPaths(words));
    expect(refusalText(refusal)).toContain(why);
    expect(refusalText(refusal)).toContain('Nothing was done.');
    expect(refusalText(refusal).length).toBeLessThan(300);
  });
});

test('a hundred thousand slashes are parsed quickly', () => {
  const paths = [`${'/'.repeat(100_000)}x`, `a${'/'.repeat(100_000)}x`];
  expect(cpuTime(() => refusalOf(() => readPaths(paths)))).toBeLessThan(500);
});

test('paths below the root are kept as typed, whatever they contain', () => {
  fc.assert(
    fc.property(fc.uniqueArray(path, { minLength: 1 }), (paths) => {
      expect(readPaths([paths.join(',')])).toEqual(paths);
      expect(readPaths(paths.map((one) => `${one}/`))).toEqual(paths);
    }),
  );
});

test('no accepted path leads outside the root', () => {
  const pieces = fc.oneof(hostile, fc.constantFrom('/', '//', '..', '.', '\\', '%2e', 'a', ',', '\n', '*', 'C:', ' '));
  fc.assert(
    fc.property(
      fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
      (word) => {
        let paths: readonly string[] = [];
        try {
          paths = readPaths([word]);
        } catch {
          return;
        }
        for (const one of paths) {
          expect(word).toContain(one);
          expect(join('/site/root', one).startsWith('/site/root/')).toBe(true);
          expect(one).not.toMatch(/[*?\\]|^[/]/);
          expect(readPaths([one])).toEqual([one]);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

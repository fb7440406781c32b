import { parseStored } from '../../src/storage/parse-json.ts';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import {
  bold,
  bytes,
  channel,
  code,
  codeOf,
  either,
  inline,
  joined,
  mention,
  nameSlashCommand,
  plain,
  sample,
  say,
  time,
  typed,
  typedIn,
  unseen,
  type Text,
} from '../../src/words/text.ts';
import { hostile } from '../fixtures.ts';

describe('a typed command', () => {
  afterEach(() => nameSlashCommand('/site'));

  test('is drawn behind the name that the slash command has then, also if it was stored before', () => {
    const text = say`**Type ${typed('changes')}** or ${typed('')}, as in ${sample('changes --since 2d')}.`;
    const stored = JSON.stringify(text);
    expect(plain(text)).toBe('Type /site changes or /site, as in /site changes --since 2d.');
    nameSlashCommand('/hosting');
    expect(plain(parseStored<Text>(stored))).toBe(
      'Type /hosting changes or /hosting, as in /hosting changes --since 2d.',
    );
    expect(stored).not.toContain('/site');
  });

  test('stays one span, of which an older version draws the words alone', () => {
    expect(say`${typed('change 1')}${typed('change 2')}${code('x')}`).toEqual([
      { text: 'change 1', style: 'code', typed: 'whole' },
      { text: 'change 2', style: 'code', typed: 'whole' },
      { text: 'x', style: 'code' },
    ]);
    expect(plain([typed('a\nb')])).toBe('/site a b');
  });

  test('can be run as it stands, unless it is a sample', () => {
    expect(typedIn(say`${typed('queue')} ${code('help')} ${sample('use acme-shop')} ${typed('doctor')}`)).toEqual([
      'queue',
      'doctor',
    ]);
  });
});

describe('a sentence', () => {
  test.each<[string, Text, Text]>([
    ['without marks', say`a b`, [{ text: 'a b' }]],
    [
      'with bold and code',
      say`a **b** \`c\` d`,
      [{ text: 'a ' }, { text: 'b', style: 'bold' }, { text: ' ' }, { text: 'c', style: 'code' }, { text: ' d' }],
    ],
    ['with values in the surrounding style', say`**a ${'b'} ${7}**`, [{ text: 'a b 7', style: 'bold' }]],
    [
      'with values in their own style',
      say`**a ${code('b')}**`,
      [
        { text: 'a ', style: 'bold' },
        { text: 'b', style: 'code' },
      ],
    ],
    ['with values that are never markup', say`a ${'**b** `c`'}`, [{ text: 'a **b** `c`' }]],
    ['within another', say`a ${say`**b**`} c`, [{ text: 'a ' }, { text: 'b', style: 'bold' }, { text: ' c' }]],
    ['that is empty', say`${undefined}${''}`, []],
  ])('%s', (_, text, spans) => {
    expect(text).toEqual(spans);
  });

  test('is plain for logs, with times in UTC', () => {
    expect(plain(say`${mention('U1')} in ${channel('C1')} at ${time(0)}, ${time(0, 'date')} ${bold('b')}`)).toBe(
      '@U1 in #C1 at 00:00 UTC, 1970-01-01 00:00 UTC b',
    );
  });

  test('keeps a value except for its line breaks, and reads no marks from it', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const text = say`a **${value}** b`;
        expect(plain(text)).toBe(`a ${value.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ')} b`);
        expect(plain(text)).not.toMatch(/[\n\r\u2028]/);
        expect(JSON.parse(JSON.stringify(text))).toEqual(text);
      }),
    );
  });

  test('is joined without empty parts; only a separator adds a line break', () => {
    expect(joined(['a', '', undefined, [], say`**b**`], ', ')).toEqual([{ text: 'a, ' }, { text: 'b', style: 'bold' }]);
    expect(plain(joined(['a\nb', 'c'], '\n'))).toBe('a b\nc');
    expect(joined([])).toEqual([]);
    expect(inline({ text: 'x' })).toEqual([{ text: 'x' }]);
  });

  test('is listed as alternatives: only the last is told apart by "or"', () => {
    const listed = [['a'], ['a', 'b'], ['a', 'b', '', 'c']].map((texts) => plain(either(texts)));
    expect(listed).toEqual(['a', 'a or b', 'a, b or c']);
    expect(plain(either(['a', 'b', 'c'], 'and'))).toBe('a, b and c');
    expect(either([])).toEqual([]);
  });
});

test.each([
  '\u0000',
  '\u0085',
  '\u00AD',
  '\u180E',
  '\u200B',
  '\u200D',
  '\u200F',
  '\u2028',
  '\u202E',
  '\u2060',
  '\u206A',
  '\u3164',
  '\uFE0F',
  '\uFEFF',
  '\uD800',
  '\u{E0001}',
])('%j is invisible', (character) => {
  expect(unseen.test(`a${character}b`)).toBe(true);
  expect(codeOf(character)).toMatch(/^U\+[0-9A-F]{4,6}$/);
});
test.each(['a b\tc\r\n', 'äöü ñ', 'שלום', '漢字', '👩‍👩‍👧', '👍🏽', '❤️', '🏳️‍🌈', '—“”'])('%j is visible', (text) => {
  expect(unseen.test(text)).toBe(false);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [9_949, '9.9 kB'],
  [9_950, '10 kB'],
  [412_345_678, '412 MB'],
  [1_234_567_890, '1.2 GB'],
  [5e15, '5000 TB'],
])('%d bytes read %s', (count, says) => {
  expect(bytes(count)).toBe(says);
});

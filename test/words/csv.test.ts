import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from '../../src/words/csv.ts';

/** What spreadsheets make of our lines. */

test.each([
  ['=1+1', "'=1+1"],
  ["'=1+1", "''=1+1"],
  ['＝1+1', "'＝1+1"],
  ['x;=1+1;y', "x;'=1+1;y"],
  ['x; "=1+1&"', `x; "'=1+1&"`],
  ['\t=1', "\t'=1"],
  ['one\n-two', "one\n'-two"],
  ['a,@SUM(1)', "a,'@SUM(1)"],
])('%j goes out as %j', (value, inert) => expect(csvLine([value])).toBe(`"${inert.replaceAll('"', '""')}"\r\n`));

test.each([
  'push acme-shop/staging acme-shop/live --database',
  'a - b = c',
  'ana@example.com; 5 + 5',
  'https://shop.example/?a=1,2',
  '{"minutes":30,"ip":"198.51.100.4"}',
])('%j stays as it is', (value) => expect(csvLine([value])).toBe(`"${value.replaceAll('"', '""')}"\r\n`));

/** Reads a line as a spreadsheet does whose cells are separated by one of these: a quote later in a cell is text. */
function cellsOf(line: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let rest = line;
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"?/.exec(rest);
    const inQuotes = quoted?.[1]?.replaceAll('""', '"') ?? '';
    rest = rest.slice(quoted?.[0].length ?? 0);
    const end = rest.search(new RegExp(`[${separator}\r\n]`));
    cells.push(inQuotes + (end < 0 ? rest : rest.slice(0, end)));
    if (end < 0) return cells;
    rest = rest.slice(end + 1);
  }
}

const hostile = fc
  .array(fc.constantFrom('=', '+', '-', '@', '＝', ';', ',', '\t', '\r', '\n', ' ', '"', "'", 'x', '1'), {
    maxLength: 12,
  })
  .map((signs) => signs.join(''));

test('no cell begins a formula, whatever separates cells, and no two values become one', () => {
  fc.assert(
    fc.property(
      fc.array(hostile, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(',', ';', '\t'),
      (values, separator) => {
        for (const cell of cellsOf(csvLine(values), separator)) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
      },
    ),
  );
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      if (one !== other) expect(csvLine([one])).not.toBe(csvLine([other]));
    }),
  );
});

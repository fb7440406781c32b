import { expect } from 'vitest';

/** Parses one RFC 4180 record, with its line break, as a spreadsheet does. */
export function cellsOf(record: string): readonly string[] {
  expect(record.endsWith('\r\n')).toBe(true);
  const cells: string[] = [];
  const text = `${record.slice(0, -2)},`;
  for (let at = 0; at < text.length;) {
    const cell = /^"((?:[^"]|"")*)",/.exec(text.slice(at));
    if (cell === null) throw new Error(`no cell at ${at} of ${record}`);
    cells.push((cell[1] ?? '').replaceAll('""', '"'));
    at += cell[0].length;
  }
  return cells;
}

/** The records of a file whose cells hold no line breaks. */
export const recordsOf = (content: string): readonly (readonly string[])[] =>
  content
    .split(/(?<=\r\n)/)
    .filter((record) => record !== '')
    .map(cellsOf);

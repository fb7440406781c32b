/** Lines that are JSON objects, as many programs log them. */

/** How many fields of a line are read. */
const maxFields = 60;
/** A field: its name, and its value as a string, as a number or word, or as the bracket that opens a nested one. */
const field = /[\s{,]*"((?:[^"\\]|\\.)*)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"{}[\],]+)|([{[]))/y;
const piece = /"(?:[^"\\]|\\.)*"|([{[])|([}\]])|[^"{}[\]]+/y;

/** Whether a line begins like a JSON object. */
export const isJsonLine = (line: string): boolean => /^\{\s{0,20}"/.test(line);

/**
 * The fields of a line that is a JSON object, as text; a nested value is its opening bracket. A line that is cut off
 * has the fields before the cut. Undefined for any other line.
 */
export function jsonFields(line: string): ReadonlyMap<string, string> | undefined {
  if (!isJsonLine(line)) return undefined;
  const fields = new Map<string, string>();
  let at = 0;
  while (fields.size < maxFields) {
    field.lastIndex = at;
    const [, name, quoted, bare, nested] = field.exec(line) ?? [];
    if (name === undefined) break;
    at = nested === undefined ? field.lastIndex : endOfNested(line, field.lastIndex);
    fields.set(name, quoted?.replaceAll('\\/', '/') ?? bare ?? nested ?? '');
  }
  return fields;
}

/** Where a nested value ends whose content begins at `start`. */
function endOfNested(line: string, start: number): number {
  let [depth, at] = [1, start];
  while (depth > 0) {
    piece.lastIndex = at;
    const found = piece.exec(line);
    if (found === null) return line.length;
    const [, opens, closes] = found;
    depth += Number(opens !== undefined) - Number(closes !== undefined);
    at = piece.lastIndex;
  }
  return at;
}

/** Lines that are JSON objects, as many programs log them. */

/** How many fields of a line are read. */
const maxFields = 200;
/**
 * The end of an object, or a field: its name, and its value as a string, as a number or word, or as the bracket that
 * opens a nested one.
 */
const field = /[\s,]*(?:(\})|"((?:[^"\\]|\\.)*)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"{}[\],]+)|([{[])))/y;
const piece = /"(?:[^"\\]|\\.)*"|([{[])|([}\]])|[^"{}[\]]+/y;

/** Whether a line begins like a JSON object. */
export const isJsonLine = (line: string): boolean => /^\{\s{0,20}"/.test(line);

/**
 * The fields of a line that is a JSON object, as text. Those of an object in it have its name in front: `log.level`.
 * What is nested deeper, and a list, is its opening bracket. A line that is cut off has the fields before the cut.
 * Undefined for any other line.
 */
export function jsonFields(line: string): ReadonlyMap<string, string> | undefined {
  if (!isJsonLine(line)) return undefined;
  const fields = new Map<string, string>();
  let at = 1;
  let within = '';
  while (fields.size < maxFields) {
    field.lastIndex = at;
    const [, end, name, quoted, bare, nested] = field.exec(line) ?? [];
    at = field.lastIndex;
    if (end !== undefined && within !== '') within = '';
    else if (name === undefined) break;
    else if (nested === '{' && within === '') within = `${name}.`;
    else {
      if (nested !== undefined) at = endOfNested(line, at);
      fields.set(within + name, quoted?.replaceAll('\\/', '/') ?? bare ?? nested ?? '');
    }
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

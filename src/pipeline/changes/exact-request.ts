import type { Json, Write } from '../../hosting/contract/call.ts';
import { codeOf, unseen } from '../../text.ts';

/** A request in lines that can be read: what is sent, and nothing beside it but line breaks, marks and codes. */

/** A longer line goes on below: phones are narrow. */
const width = 60;
/** Stands at the end of a line that goes on below. In what is sent it would have its code behind it. */
const goesOn = '↩';
const hidden = new RegExp(`${unseen.source}|\\s`, 'gv');
/** Letters that are written from the right turn the order of what stands beside them. */
const fromTheRight = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/gu;

/** Method, path and body. */
export const exactRequest = ({ method, path, body }: Write): readonly string[] =>
  exactLines([`${method} ${path}`, ...(body === undefined ? [] : laidOut(body))]);

/**
 * Lines in which every character can be seen; what is not plain ASCII has its code behind it, but for the characters in
 * `ours`, which stand for themselves.
 */
export function exactLines(lines: readonly string[], ours = ''): readonly string[] {
  // So many characters in a row share their brackets.
  const notPlain = new RegExp(`[^\\x20-\\x7E${ours}]{1,8}`, 'gu');
  return lines.flatMap((line) => wrapped(spelled(line, notPlain)));
}

const spelled = (text: string, notPlain: RegExp): string =>
  text.replace(notPlain, (run) => {
    const shown = run.replace(hidden, '').replace(fromTheRight, '');
    return `${shown}⟨${Array.from(run, codeOf).join(' ')}⟩`;
  });

function wrapped(line: string): readonly string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  let from = 0;
  while (line.length - from > width) {
    const open = line.lastIndexOf('⟨', from + width);
    const close = line.indexOf('⟩', open);
    // Neither within the brackets of a code nor within a pair.
    const end = open > from && close >= from + width ? open : from + width;
    const whole = end - Number(/[\uD800-\uDBFF]/.test(line.charAt(end - 1)));
    lines.push(line.slice(from, whole) + goesOn);
    from = whole;
  }
  return [...lines, line.slice(from)];
}

/**
 * JSON as `JSON.stringify` writes it, a list or an object that is long with an item to each line: joined without line
 * breaks, the lines are the very same text.
 */
export function laidOut(value: Json): readonly string[] {
  const text = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || text.length <= width) return [text];
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((one: Json) => laidOut(one))
    : Object.entries(value).flatMap(([name, one]) => {
        const [first, ...rest] = one === undefined ? [] : laidOut(one);
        return first === undefined ? [] : [[`${JSON.stringify(name)}:${first}`, ...rest]];
      });
  const inside = items.flatMap((lines, index) => {
    return index < items.length - 1 ? [...lines.slice(0, -1), `${lines.at(-1) ?? ''},`] : lines;
  });
  return isList ? ['[', ...inside, ']'] : ['{', ...inside, '}'];
}

import { scrub } from '../base/secret.ts';
import { beginning } from '../words/text.ts';
import { jsonOf } from './answer.ts';

/** What a body of the host says: its words for people, and whether it contradicts its status line. */

/** A field of a JSON object; undefined if there is no such field or no object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? new Map<string, unknown>(Object.entries(value)).get(name)
    : undefined;
}

/** The HTTP status that a body states, a number or digits; by the document it is the same as in the status line. */
export function statusIn(answer: unknown): number | undefined {
  const status = fieldOf(answer, 'status');
  const isOne = ['number', 'string'].includes(typeof status) && /^[2-5]\d\d$/.test(String(status));
  return isOne ? Number(status) : undefined;
}

/**
 * How a body contradicts its status line, as a phrase: it states a status of another meaning, or `error: true` below 400.
 * Then nobody knows what the host meant. Undefined: it does not.
 */
export function contradictionIn(
  answer: unknown,
  line: number,
  meaningOf: (status: number) => string,
): string | undefined {
  const stated = statusIn(answer) ?? line;
  const isError = fieldOf(answer, 'error') === true && line < 400;
  if (meaningOf(stated) === meaningOf(line) && !isError) return undefined;
  return `the host answered ${line}, but its body says ${stated === line ? 'error' : stated}`;
}

/** Where a body says what is wrong; the document has the first two. These names add nothing to the texts in them. */
const telling = ['message', 'data', 'error', 'errors'];
const maxTexts = 6;
const maxTextLength = 300;
const maxLength = 600;
/** How many entries of one list or object are looked at. */
const maxOfEach = 20;

/**
 * The words of a body: one line without secrets, at most 600 characters, possibly empty. The message comes first, then
 * short texts from anywhere in `data`, `error` and `errors`, each with the name of its field: `Bad request · ttl: is too
 * low`. They have no curly quotes, so they can't end a quotation in such.
 */
export function wordsIn(body: string): string {
  const answer = jsonOf(body);
  if (answer !== undefined) return wordsOf(answer);
  return /^\s*[<{[]/.test(body) ? '' : cleaned(body);
}

/** The same for a parsed body. */
export function wordsOf(answer: unknown): string {
  const isObject = typeof answer === 'object' && !Array.isArray(answer);
  const parts = isObject ? telling.map((name) => fieldOf(answer, name)) : answer;
  const texts = new Set<string>();
  for (const text of textsIn(parts, '')) {
    if (texts.size > maxTexts) break;
    if (text !== '') texts.add(texts.size === maxTexts ? '…' : text);
  }
  return cut([...texts].join(' · '), maxLength);
}

/** Texts at any depth. A text keeps the names of its fields, which also tell that it is a credential. */
function* textsIn(value: unknown, name: string): Generator<string> {
  if (typeof value === 'string') yield cleaned(name === '' || value === '' ? value : `${name}: ${value}`);
  if (typeof value !== 'object' || value === null) return;
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.slice(0, maxOfEach).map((one: unknown) => ['', one])
    : Object.entries(value).slice(0, maxOfEach);
  for (const [key, one] of entries)
    yield* textsIn(one, key === '' || telling.includes(key) ? name : [name, key].filter(Boolean).join('_'));
}

const cleaned = (text: string): string =>
  cut(
    scrub(text.slice(0, 4 * maxTextLength))
      .toWellFormed()
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .replaceAll(/[“”„‟❝❞＂]/g, '"')
      .trim(),
    maxTextLength,
  );

const cut = (text: string, most: number): string => (text.length <= most ? text : `${beginning(text, most - 1)}…`);

import { promisify } from 'node:util';
import { constants, gunzip, type ZlibOptions } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { attempt } from '../base/errors.ts';
import { hourMs } from '../words/duration.ts';
import { scrub } from '../base/secret.ts';
import { beginning } from '../words/text.ts';

/**
 * What an answer of the host says: as text or JSON, its words for people, and whether it contradicts its status line.
 */

const unzipped = promisify(gunzip);

/** How much of an answer is kept if only a message or an operation id is needed from it. */
export const excerptBytes = 65_536;
const maxRetryAfterMs = 24 * hourMs;

/** An answer that is too large, packed or unpacked, or compressed in a way that we did not ask for. */
export class OddBody extends Error {
  override readonly name = 'OddBody';
}

type Headers = Dispatcher.ResponseData['headers'];
type Body = AsyncIterable<Uint8Array> & { on(event: 'error', listener: () => void): unknown };
type Answer = { readonly headers: Headers; readonly body: Body };

/** The size in bytes from which a body is long; a packed log grows about tenfold. */
const longBytes = { plain: 1_048_576, folded: 65_536 };

/**
 * The whole body as text, at most `most` bytes packed and unpacked; invalid UTF-8 is replaced. Once a body turns out to
 * be long, reading pauses until `onLong` resolves. Throws `OddBody`.
 */
export async function textOf({ body, headers }: Answer, most: number, onLong: () => Promise<void>): Promise<string> {
  const long = headers['content-encoding'] === undefined ? longBytes.plain : longBytes.folded;
  const { bytes, cut } = await collected(body, most, [], { from: long, onLong });
  if (cut) throw new OddBody('the answer is too large');
  return unpacked(bytes, headers, { maxOutputLength: most });
}

async function unpacked(bytes: Buffer, headers: Headers, options: ZlibOptions): Promise<string> {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return bytes.toString('utf8');
  if (encoding !== 'gzip') throw new OddBody('the answer is compressed in an unknown way');
  try {
    return (await unzipped(bytes, options)).toString('utf8');
  } catch (error) {
    throw new OddBody('the answer is too large or badly compressed', { cause: error });
  }
}

/**
 * The first 64 KiB of a body, or what arrived before it broke off; empty if it can't be unpacked. Never throws, never
 * waits beyond the request.
 */
export async function readExcerpt({ body, headers }: Answer): Promise<string> {
  const kept: Uint8Array[] = [];
  await collected(body, excerptBytes, kept).catch(() => undefined);
  const bytes = Buffer.concat(kept).subarray(0, excerptBytes);
  // A packed body that broke off is unpacked as far as it goes.
  const options = { maxOutputLength: excerptBytes, finishFlush: constants.Z_SYNC_FLUSH };
  return unpacked(bytes, headers, options).catch(() => '');
}

async function collected(
  body: Body,
  most: number,
  kept: Uint8Array[],
  long?: { readonly from: number; readonly onLong: () => Promise<void> },
): Promise<{ bytes: Buffer; cut: boolean }> {
  let size = 0;
  // Leaving the loop early destroys the stream, and its error needs a listener.
  body.on('error', () => undefined);
  for await (const part of body) {
    if (long && size < long.from && size + part.length >= long.from) await long.onLong();
    size += part.length;
    kept.push(part);
    if (size > most) return { bytes: Buffer.concat(kept), cut: true };
  }
  return { bytes: Buffer.concat(kept), cut: false };
}

/** The deepest nesting of brackets; each folder in a tree of files takes two. */
const maxLevels = 100;

/** Parses JSON; undefined if it is invalid or nested too deeply. */
export const jsonOf = (text: string): unknown => (isDeep(text) ? undefined : attempt((): unknown => JSON.parse(text)));

const units = { quote: 34, backslash: 92, list: 91, listEnd: 93, object: 123, objectEnd: 125 } as const;

/** Checked before parsing: 16 MB of brackets would block the event loop for seconds. */
function isDeep(text: string): boolean {
  let levels = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === units.quote) isString = !isString;
    else if (isString) at += unit === units.backslash ? 1 : 0;
    else if (unit === units.list || unit === units.object) levels += 1;
    else if (unit === units.listEnd || unit === units.objectEnd) levels -= 1;
    if (levels > maxLevels) return true;
  }
  return false;
}

/** Whether it is an HTML page, as from a gateway, and so not from the API. */
export const isPage = (text: string): boolean => /^\s*</.test(text);

/** Whether a page came instead of the host's answer with this status. A 429 or 5xx may be a page, so it is not checked. */
export const isPageInstead = (status: number, body: string): boolean => status < 500 && status !== 429 && isPage(body);

/** Reads `Retry-After` (seconds or a date) into milliseconds, at most a day; undefined if absent or invalid. */
export function retryAfterOf(header: string | string[] | undefined, now: number): number | undefined {
  const value = typeof header === 'string' ? header.trim() : '';
  const isDate = /^\w{3,9},? .*GMT$/.test(value);
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1_000 : isDate ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), maxRetryAfterMs);
}

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

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { scrub } from '../secret.ts';

const unzipped = promisify(gunzip);

/** Of an answer that is only looked at for a message or an operation id, this much is kept. */
const glanceBytes = 65_536;
const saidCharacters = 300;
const maxRestLength = 24 * 3_600_000;

/** An answer that is larger than it may be, compressed or not; or compressed in a way nobody asked for. */
export class OddBody extends Error {
  override readonly name = 'OddBody';
}

type Headers = Dispatcher.ResponseData['headers'];
type Body = AsyncIterable<Uint8Array> & { on(event: 'error', listener: () => void): unknown };
type Answer = { readonly headers: Headers; readonly body: Body };

/** From so many bytes on a body is long; a log unfolds to some ten times of what it is on the wire. */
const longBytes = { plain: 1_048_576, folded: 65_536 };

/**
 * The whole body as text, at most `most` bytes as it comes and as it unfolds; invalid UTF-8 is replaced. Of one that turns
 * out to be long, no more is taken from the wire before `onLong` resolves.
 */
export async function textOf({ body, headers }: Answer, most: number, onLong: () => Promise<void>): Promise<string> {
  const long = headers['content-encoding'] === undefined ? longBytes.plain : longBytes.folded;
  const { bytes, cut } = await collected(body, most, [], { from: long, onLong });
  if (cut) throw new OddBody('the answer is too large');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return bytes.toString('utf8');
  if (encoding !== 'gzip') throw new OddBody('the answer is compressed in an unknown way');
  try {
    return (await unzipped(bytes, { maxOutputLength: most })).toString('utf8');
  } catch (error) {
    throw new OddBody('the answer is too large or badly compressed', { cause: error });
  }
}

/** The first 64 KiB of a body, or what came of it before it broke off: never throws, and waits no longer than the request. */
export async function glance({ body, headers }: Answer): Promise<string> {
  const kept: Uint8Array[] = [];
  await collected(body, glanceBytes, kept).catch(() => undefined);
  return headers['content-encoding'] ? '' : Buffer.concat(kept).subarray(0, glanceBytes).toString('utf8');
}

async function collected(
  body: Body,
  most: number,
  kept: Uint8Array[] = [],
  long?: { readonly from: number; readonly onLong: () => Promise<void> },
): Promise<{ bytes: Buffer; cut: boolean }> {
  let size = 0;
  // Leaving the loop early tears the stream down, which reports to whoever listens.
  body.on('error', () => undefined);
  for await (const part of body) {
    if (long && size < long.from && size + part.length >= long.from) await long.onLong();
    size += part.length;
    kept.push(part);
    if (size > most) return { bytes: Buffer.concat(kept), cut: true };
  }
  return { bytes: Buffer.concat(kept), cut: false };
}

/** Brackets within each other, two for each folder of a tree of files. */
const maxLevels = 100;

/** JSON, or undefined where it is none, or is nested as nothing that the host has to say. */
export function jsonOf(text: string): unknown {
  try {
    return isDeep(text) ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

const units = { quote: 34, backslash: 92, list: 91, listEnd: 93, object: 123, objectEnd: 125 } as const;

/** Told without reading it: a parser is at 16 MB of brackets for seconds, and nobody else has a turn. */
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

/** Whether it is a page for people, as a gateway in between answers, and so nothing that the API says. */
export const isPage = (text: string): boolean => /^\s*</.test(text);

/** A field of a JSON object, whatever it holds; undefined where there is no such field or no object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? new Map<string, unknown>(Object.entries(value)).get(name)
    : undefined;
}

/** What a host says in an error's body: one line of plain text without secrets, at most 300 characters; empty if nothing. */
export function saidIn(text: string): string {
  const message = fieldOf(jsonOf(text), 'message');
  const said = typeof message === 'string' ? message : /^\s*[<{[]/.test(text) ? '' : text;
  const clean = scrub(said.slice(0, 4 * saidCharacters)).toWellFormed();
  return clean
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, saidCharacters);
}

/** `Retry-After` in milliseconds, in seconds or as a date on the wire, at most a day; undefined if absent or garbage. */
export function restOf(header: string | string[] | undefined, now: number): number | undefined {
  const value = typeof header === 'string' ? header.trim() : '';
  const isDate = /^\w{3,9},? .*GMT$/.test(value);
  const rest = /^\d+$/.test(value) ? Number(value) * 1_000 : isDate ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(rest) ? undefined : Math.min(Math.max(0, rest), maxRestLength);
}

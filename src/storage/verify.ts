import { setImmediate } from 'node:timers/promises';
import {
  digestOf,
  keyId,
  keyIdIn,
  linesAfter,
  start,
  strangeLine,
  targetIn,
  type AuditLine,
  type Head,
} from './audit.ts';
import type { Reader } from './tx.ts';

/** Lines, the last one included, that nothing at hand proves. `key` is the id of the key that they were hashed with. */
export type Gap = {
  readonly from: number;
  readonly to: number;
  /**
   * `no key`: hashed without one, and not sealed since. `unknown key`: with one that is not at hand. `former key`: with
   * one that was replaced, and never sealed with its successor. `replaced key`: with one, after it was replaced.
   * `unknown seal`: without a key, and sealed with one that is not at hand. `not filed`: a deed that names a target and is
   * found under none, as an older Sitehand wrote them.
   */
  readonly why: 'no key' | 'unknown key' | 'former key' | 'replaced key' | 'unknown seal' | 'not filed';
  readonly key?: string;
};

/** The line that first had a key, `seq`, and when (epoch ms): those before it have not changed since. */
export type Seal = { readonly seq: number; readonly at: number };

/**
 * Whether the trail is whole and proven; whole, as far as that can be proven (`gaps`, in their order); or altered: `seq`
 * is the first line that is wrong, `why` a clause without a full stop.
 */
export type VerifyResult =
  | { readonly kind: 'proven'; readonly lines: number; readonly head: Head; readonly seal: Seal | undefined }
  | { readonly kind: 'unproven'; readonly lines: number; readonly head: Head; readonly gaps: readonly Gap[] }
  | { readonly kind: 'altered'; readonly seq: number; readonly why: string };

/** What a line says when it is the first of a key: the lines before it had none, or another one. */
const sealing: ReadonlySet<string> = new Set(['sealed', 'rekeyed']);
export const isSealing = (event: string): boolean => sealing.has(event);

/** With which key a line was hashed, by its id (undefined: without one), and whether that could be tried. */
type Made = { readonly id: string | undefined; readonly tried: boolean };

/** How far it was read. The key in use has been `id` since line `since`; `used` are all that ever were. */
type Read = {
  head: Head;
  id: string | undefined;
  since: number;
  readonly used: Set<string>;
  seal: Seal | undefined;
  readonly gaps: Gap[];
};

const BATCH = 500;

/**
 * Reads the whole trail, 500 lines at a time, and says whether any line was altered, removed or put elsewhere. `keys`
 * are the key of the trail and after it its former ones; none: the chain is a plain hash. Lines cut off at the end show
 * only against `witnessed`, a head that was told to somebody earlier.
 */
export async function verifyAudit(db: Reader, keys: readonly Buffer[], witnessed: Head = start): Promise<VerifyResult> {
  const known = new Map(keys.map((key) => [keyId(key), key]));
  const read: Read = { head: start, id: undefined, since: 1, used: new Set(), seal: undefined, gaps: [] };
  const strange = await strangeLine(db);
  if (strange !== undefined) return { kind: 'altered', seq: strange, why: strangeAt(strange) };
  for (;;) {
    const lines = await linesAfter(db, read.head.seq, BATCH);
    for (const line of lines) {
      const why = misplaced(line, read.head, witnessed);
      const wrong = why === undefined ? take(read, line, madeWith(line, known)) : { seq: line.seq, why };
      if (wrong !== undefined) return { kind: 'altered', ...wrong };
      read.head = { seq: line.seq, hash: line.hash };
    }
    if (lines.length < BATCH) break;
    // SQLite answers without ever waiting: others would not get a turn in a long trail.
    await setImmediate();
  }
  return verdictOn(read, known, witnessed);
}

const strangeAt = (seq: number): string =>
  seq < 1 ? 'it stands before the first line, where none is written' : 'it has a number that none is written with';

function verdictOn({ head, seal, ...read }: Read, known: ReadonlyMap<string, Buffer>, witnessed: Head): VerifyResult {
  if (head.seq < witnessed.seq) {
    const why = `the trail went on to line ${witnessed.seq} and ends before this one`;
    return { kind: 'altered', seq: head.seq + 1, why };
  }
  const [newest] = known.keys();
  const gaps = read.gaps;
  const last = { from: read.since, to: head.seq };
  if (newest !== undefined && head.seq > 0 && read.id === undefined) fill(gaps, { ...last, why: 'no key' });
  else if (read.id !== undefined && read.id !== newest && known.has(read.id))
    fill(gaps, { ...last, why: 'former key', key: read.id });
  return gaps.length > 0
    ? { kind: 'unproven', lines: head.seq, head, gaps: joinedUp(gaps) }
    : { kind: 'proven', lines: head.seq, head, seal };
}

/** How a line was hashed; undefined if not as it stands there. */
function madeWith(line: AuditLine, known: ReadonlyMap<string, Buffer>): Made | undefined {
  const named = keyIdIn(line.hash);
  if (named !== undefined) {
    const key = known.get(named);
    const isRight = key === undefined || line.hash === `${named}:${digestOf(line, key)}`;
    return isRight ? { id: named, tried: key !== undefined } : undefined;
  }
  // Keys had no names once.
  for (const [id, key] of known) if (line.hash === digestOf(line, key)) return { id, tried: true };
  return line.hash === digestOf(line, undefined) ? { id: undefined, tried: true } : undefined;
}

function misplaced(line: AuditLine, last: Head, witnessed: Head): string | undefined {
  if (line.seq !== last.seq + 1) return `line ${last.seq + 1} is missing`;
  if (line.previous !== last.hash) return 'it does not follow from the line before';
  if (line.seq === witnessed.seq && line.hash !== witnessed.hash) return 'it is not the line that was witnessed';
  return undefined;
}

/** No hash is over the column that lines are found by: it has to be what is hashed. Lines of deeds had none once, and changes said it themselves. */
function isMisfiled({ change, details, target }: AuditLine): boolean {
  const named = targetIn(details);
  return target === null ? change !== null && named !== null : target !== named && (change === null || named !== null);
}

type Wrong = { readonly seq: number; readonly why: string };

/** Takes the next line, which stands where it belongs, into account; returns what is wrong, if anything is. */
function take(read: Read, line: AuditLine, made: Made | undefined): Wrong | undefined {
  const { seq } = line;
  if (isMisfiled(line)) return { seq, why: 'it is listed under another target than the one it names' };
  const isNamed = keyIdIn(line.hash) !== undefined;
  if (made === undefined)
    return { seq, why: `it was altered${isNamed ? '' : ', or written with a key that is not set'}` };
  const { id, tried } = made;
  if (!tried) note(read.gaps, seq, 'unknown key', id);
  else if (line.target === null && targetIn(line.details) !== null) note(read.gaps, seq, 'not filed', undefined);
  if (id !== read.id && read.head.seq > 0) {
    if (id === undefined) return { seq, why: 'it was written without the key' };
    // Whoever has made somebody change the key may still have it: it does not come back.
    if (tried && read.used.has(id)) {
      note(read.gaps, seq, 'replaced key', id);
      return undefined;
    }
    if (isNamed && !isSealing(line.event)) {
      if (!tried) return undefined;
      // Who goes over to a key says so first: the lines before are not those that this one was written after.
      return {
        seq: read.since,
        why: `it is not keyed with ${id}, as line ${seq} is, and no line says that the key was changed`,
      };
    }
    if (read.id === undefined && tried) read.seal = { seq, at: line.at };
    else if (read.id === undefined) fill(read.gaps, { from: read.since, to: seq - 1, why: 'unknown seal', key: id });
  }
  if (id !== read.id) read.since = seq;
  read.id = id;
  if (id !== undefined) read.used.add(id);
  return undefined;
}

/** Adds what of a gap is in no other one yet: of a line one thing is said. */
function fill(gaps: Gap[], { from, to, ...gap }: Gap): void {
  let next = from;
  for (const taken of gaps.filter((one) => one.to >= from && one.from <= to).toSorted(inOrder)) {
    if (taken.from > next) gaps.push({ ...gap, from: next, to: taken.from - 1 });
    next = taken.to + 1;
  }
  if (next <= to) gaps.push({ ...gap, from: next, to });
}

/** In their order, those of one kind that follow each other as one. */
function joinedUp(gaps: readonly Gap[]): readonly Gap[] {
  const joined: Gap[] = [];
  for (const gap of gaps.toSorted(inOrder)) {
    const last = joined.at(-1);
    const goesOn = last?.why === gap.why && last.key === gap.key && last.to === gap.from - 1;
    if (goesOn) joined[joined.length - 1] = { ...last, to: gap.to };
    else joined.push(gap);
  }
  return joined;
}

const inOrder = (one: Gap, other: Gap): number => one.from - other.from;

/** Lengthens the last gap by this line, or begins another one. */
function note(gaps: Gap[], seq: number, why: Gap['why'], key: string | undefined): void {
  const last = gaps.at(-1);
  if (last?.why === why && last.key === key && last.to === seq - 1) gaps[gaps.length - 1] = { ...last, to: seq };
  else gaps.push({ from: seq, to: seq, why, ...(key !== undefined && { key }) });
}

import { fieldsOf } from './parse-json.ts';
import { createHash, type Hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  digestOf,
  keyId,
  keyIdIn,
  linesAfter,
  emptyHead,
  strangeLine,
  targetIn,
  type AuditLine,
  type Head,
} from './audit.ts';
import { type ReadHandle } from './schema.ts';

/** Lines `from` to `to` (inclusive) that are not provable. `key`: the id of the key that they were hashed with. */
type Gap = {
  readonly from: number;
  readonly to: number;
  /**
   * `no key`: hashed without one and not sealed since. `unknown key`: hashed with one we don't have. `former key`: hashed
   * with one that was replaced, and not sealed with its successor. `replaced key`: hashed with one after its replacement.
   * `unknown seal`: hashed without a key and sealed with one we don't have. `not confirmed`: hashed without a key and
   * sealed with one that we have, which a start does with any such lines; no person has confirmed them.
   */
  readonly why: 'no key' | 'unknown key' | 'former key' | 'replaced key' | 'unknown seal' | 'not confirmed';
  readonly key?: string;
};

type Whole = {
  readonly lines: number;
  readonly head: Head;
  /** The newest line that says the database was restored from a backup. */
  readonly restored: AuditLine | undefined;
  /** The newest line in which a person confirmed the lines before it as they stand. */
  readonly confirmed: AuditLine | undefined;
  /** The first line since then that says the trail was found altered. */
  readonly found: AuditLine | undefined;
};
/** SHA-256 over all lines as they stand, which a confirmation names; hex. Undefined: there is one that can't be read. */
type Content = { readonly content: string | undefined };
/**
 * `proven`: whole. `unproven`: nothing is wrong, but the `gaps` (in order) are not provable. `altered`: `seq` is the
 * first wrong line, `why` a clause without a full stop. What was confirmed and has not changed since is neither.
 */
type VerifyResult = Content &
  (
    | ({ readonly kind: 'proven' } & Whole)
    | ({ readonly kind: 'unproven'; readonly gaps: readonly Gap[] } & Whole)
    | { readonly kind: 'altered'; readonly seq: number; readonly why: string }
  );

/** Whether a line with this event starts the use of a key. */
export const isSealing = (event: string): boolean => event === 'sealed' || event === 'rekeyed';
/** The events of the lines that a restore, a check and a person write: restored, found altered, confirmed. */
export const [restoredEvent, alteredEvent, confirmedEvent] = ['restored', 'trail_altered', 'trail_confirmed'] as const;

/** The id of the key that a line was hashed with (undefined: none), and whether the hash could be checked. */
type Hashing = { readonly id: string | undefined; readonly checked: boolean };

/** How far a trail was read. `id`: the key in use since line `since`; `used`: the ids of all keys so far. */
export type Scan = {
  head: Head;
  id: string | undefined;
  since: number;
  readonly used: Set<string>;
  restored: AuditLine | undefined;
  confirmed: AuditLine | undefined;
  found: AuditLine | undefined;
  wrong: WrongLine | undefined;
  gaps: Gap[];
  readonly content: Hash;
};

/** Nothing was read yet. */
export const newScan = (): Scan => ({
  head: emptyHead,
  id: undefined,
  since: 1,
  used: new Set(),
  restored: undefined,
  confirmed: undefined,
  found: undefined,
  wrong: undefined,
  gaps: [],
  content: createHash('sha256'),
});

const batchSize = 500;

/**
 * Reads the whole trail, 500 lines at a time, and finds lines that were altered, removed or moved. `keys`: the current
 * key first, then its former ones; empty: the chain is a plain hash. Lines cut off at the end are found only by
 * `published`, a head that somebody saw earlier. `scan`: goes on where an earlier call with it and these keys ended.
 */
export async function verifyAudit(
  db: ReadHandle,
  keys: readonly Buffer[],
  published: Head = emptyHead,
  scan: Scan = newScan(),
): Promise<VerifyResult> {
  const known = new Map(keys.map((key) => [keyId(key), key]));
  const strange = await strangeLine(db);
  if (strange !== undefined) return { kind: 'altered', seq: strange, why: strangeAt(strange), content: undefined };
  for (;;) {
    const lines = await linesAfter(db, scan.head.seq, batchSize);
    for (const line of lines) takeLine(scan, line, known, published);
    if (lines.length < batchSize) break;
    // SQLite answers synchronously: without this, a long trail would block the event loop.
    await setImmediate();
  }
  return resultOf(scan, known, published);
}

function takeLine(scan: Scan, line: AuditLine, known: ReadonlyMap<string, Buffer>, published: Head): void {
  const { seq, at, change, event, actor, details, previous, hash, target } = line;
  const why = whyMisplaced(line, scan.head, published);
  const hashing = hashingOf(line, known);
  if (why === undefined && hashing !== undefined && confirms(scan, line, hashing, [...known.keys()])) {
    const { id } = hashing;
    Object.assign(scan, { id, since: seq, confirmed: line, found: undefined, wrong: undefined, gaps: [] });
  } else {
    // Also behind a wrong line: a key may be replaced there.
    const wrong = why === undefined ? scanLine(scan, line, hashing) : { seq, why };
    scan.wrong ??= wrong;
  }
  if (hashing?.id !== undefined && hashing.checked) scan.used.add(hashing.id);
  scan.head = { seq, hash };
  if (event === restoredEvent) scan.restored = line;
  if (event === alteredEvent) scan.found ??= line;
  scan.content.update(JSON.stringify([seq, at, change, event, actor, details, previous, hash, target]));
}

/**
 * Whether a line confirms the lines before it, and they still stand as they did then. If there are keys (`ids`, the
 * newest first), only one of them can confirm, and not after a newer one: a replaced key may be in the wrong hands.
 */
function confirms(scan: Scan, line: AuditLine, { id, checked }: Hashing, ids: readonly string[]): boolean {
  const { event, details } = line;
  if (event !== confirmedEvent || !checked || (id === undefined && ids.length > 0)) return false;
  if (ids.slice(0, ids.indexOf(id ?? '')).some((newer) => scan.used.has(newer))) return false;
  return fieldsOf(details)['content'] === contentOf(scan);
}

const contentOf = ({ content }: Scan): string => content.copy().digest('hex');

const strangeAt = (seq: number): string =>
  seq < 1 ? 'it comes before line 1, where no line belongs' : 'it has a number that no line is written with';

function resultOf(scan: Scan, known: ReadonlyMap<string, Buffer>, published: Head): VerifyResult {
  const { head, restored, confirmed, found } = scan;
  const gaps = [...scan.gaps];
  const content = contentOf(scan);
  if (scan.wrong !== undefined) return { kind: 'altered', ...scan.wrong, content };
  if (head.seq < published.seq) {
    const why = `the trail had a line ${published.seq}, and now it ends before this one`;
    return { kind: 'altered', seq: head.seq + 1, why, content };
  }
  const [newest] = known.keys();
  const last = { from: scan.since, to: head.seq };
  if (newest !== undefined && head.seq > 0 && scan.id === undefined) addUncovered(gaps, { ...last, why: 'no key' });
  else if (scan.id !== undefined && scan.id !== newest && known.has(scan.id))
    addUncovered(gaps, { ...last, why: 'former key', key: scan.id });
  const whole = { lines: head.seq, head, restored, confirmed, found, content };
  return gaps.length > 0 ? { kind: 'unproven', ...whole, gaps: mergedGaps(gaps) } : { kind: 'proven', ...whole };
}

/** How a line was hashed; undefined if its hash is wrong. */
function hashingOf(line: AuditLine, known: ReadonlyMap<string, Buffer>): Hashing | undefined {
  const named = keyIdIn(line.hash);
  if (named !== undefined) {
    const key = known.get(named);
    const isRight = key === undefined || line.hash === `${named}:${digestOf(line, key)}`;
    return isRight ? { id: named, checked: key !== undefined } : undefined;
  }
  return line.hash === digestOf(line, undefined) ? { id: undefined, checked: true } : undefined;
}

function whyMisplaced(line: AuditLine, last: Head, published: Head): string | undefined {
  if (line.seq !== last.seq + 1) return `line ${last.seq + 1} is missing`;
  if (line.previous !== last.hash) return 'it does not follow from the line before';
  if (line.seq === published.seq && line.hash !== published.hash) return 'it is not the line that was published';
  return undefined;
}

type WrongLine = { readonly seq: number; readonly why: string };

/** Adds the next line to the scan, once its place was checked; returns what is wrong with it, or undefined. */
function scanLine(scan: Scan, line: AuditLine, hashing: Hashing | undefined): WrongLine | undefined {
  const { seq, target, details } = line;
  // The target is not hashed, so it must match the details, which are.
  if (target !== targetIn(details)) return { seq, why: 'it is listed under another target than the one it names' };
  if (hashing === undefined) return { seq, why: 'it was altered' };
  const { id, checked } = hashing;
  if (id !== undefined && !checked) addGap(scan.gaps, { from: seq, to: seq, why: 'unknown key', key: id });
  if (id !== scan.id && scan.head.seq > 0) {
    if (id === undefined) return { seq, why: 'it was written without the key' };
    // A replaced key may be in the wrong hands, so lines that use it after its replacement prove nothing.
    if (checked && scan.used.has(id)) {
      addGap(scan.gaps, { from: seq, to: seq, why: 'replaced key', key: id });
      return undefined;
    }
    if (!isSealing(line.event)) {
      if (!checked) return undefined;
      // A new key always starts with a sealing line. There is none, so the earlier lines are not the original ones.
      return {
        seq: scan.since,
        why: `it was not written with key ${id}, as line ${seq} was, and no line says that the key was changed`,
      };
    }
    if (scan.id === undefined) sealPlain(scan, seq, id, checked);
  }
  if (id !== scan.id) scan.since = seq;
  scan.id = id;
  if (id !== undefined) scan.used.add(id);
  return undefined;
}

/** The first line with a key, `seq`, seals those before it, which have none: that proves nothing by itself. */
const sealPlain = (scan: Scan, seq: number, key: string, checked: boolean): void =>
  addUncovered(scan.gaps, { from: scan.since, to: seq - 1, why: checked ? 'not confirmed' : 'unknown seal', key });

/** Adds the part of a gap that no other gap covers: a line is in one gap only. */
function addUncovered(gaps: Gap[], { from, to, ...gap }: Gap): void {
  let next = from;
  for (const taken of gaps.filter((one) => one.to >= from && one.from <= to).toSorted(inOrder)) {
    if (taken.from > next) gaps.push({ ...gap, from: next, to: taken.from - 1 });
    next = taken.to + 1;
  }
  if (next <= to) gaps.push({ ...gap, from: next, to });
}

/** The gaps in order, with adjacent ones of the same kind merged. */
function mergedGaps(gaps: readonly Gap[]): readonly Gap[] {
  const joined: Gap[] = [];
  for (const gap of gaps.toSorted(inOrder)) addGap(joined, gap);
  return joined;
}

const inOrder = (one: Gap, other: Gap): number => one.from - other.from;

/** Adds a gap, or extends the last one by it if they are adjacent and of the same kind. */
function addGap(gaps: Gap[], gap: Gap): void {
  const last = gaps.at(-1);
  const isAdjacent = last?.why === gap.why && last.key === gap.key && last.to === gap.from - 1;
  if (isAdjacent) gaps[gaps.length - 1] = { ...last, to: gap.to };
  else gaps.push(gap);
}

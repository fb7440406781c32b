import { isAlias, isMap, isScalar, isSeq, type LineCounter, type ParsedNode } from 'yaml';
import { quoted, unknown, type Mistake } from './mistakes.ts';

/** Limits on the entries of a list or mapping, and on the mistakes listed. */
const MAX_ENTRIES = 1_000;
const MAX_MISTAKES = 100;

/** Planned keys: refused by name, so that people do not rely on them yet. */
const PLANNED = new Set(['freeze', 'night', 'breakGlass', 'delegates']);

/** Collects mistakes while a file is read. */
export class Diagnostics {
  readonly #lines: LineCounter;
  readonly #mistakes: Mistake[] = [];

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  /** The mistakes so far, in the order of the file. */
  get mistakes(): readonly Mistake[] {
    return this.#mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  add(mistake: Mistake): void {
    if (this.#mistakes.length < MAX_MISTAKES) this.#mistakes.push(mistake);
  }

  at(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

/**
 * A value in the file, with its position. Each method that reads returns the value, or notes a mistake and returns
 * undefined or an empty list. Reading then continues, so that all mistakes are found at once.
 */
export class YamlNode {
  readonly line: number;
  readonly column: number;
  readonly #node: ParsedNode | null;
  readonly #offset: number;
  readonly #notes: Diagnostics;

  /** `offset` is the position of an absent value, in characters. */
  constructor(node: ParsedNode | null, notes: Diagnostics, offset = 0) {
    this.#node = node;
    this.#notes = notes;
    this.#offset = node?.range[0] ?? offset;
    ({ line: this.line, column: this.column } = notes.at(this.#offset));
  }

  /** Notes a mistake here. Returns undefined, so that a reader can return the call. */
  wrong(says: string): undefined {
    this.#notes.add({ line: this.line, column: this.column, says });
    return undefined;
  }

  /** The source text of a scalar. For keys, which YAML may have parsed as numbers. */
  get word(): string {
    return isScalar(this.#node) ? (this.#node.source ?? '') : '';
  }

  is(word: string): boolean {
    return isScalar(this.#node) && this.#node.value === word;
  }

  text(expected: string): string | undefined {
    if (isScalar(this.#node) && typeof this.#node.value === 'string') return this.#node.value;
    return this.#unexpected(expected);
  }

  oneOf<W extends string>(words: readonly W[]): W | undefined {
    const expected = words.map((word) => `"${word}"`).join(' or ');
    return words.find((word) => this.is(word)) ?? this.#unexpected(expected);
  }

  whole(least: number, most: number): number | undefined {
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    return this.#unexpected(least === most ? `the number ${least}` : `a whole number from ${least} to ${most}`);
  }

  flag(): boolean | undefined {
    if (isScalar(this.#node) && typeof this.#node.value === 'boolean') return this.#node.value;
    return this.#unexpected('true or false');
  }

  /** The entries of a list. */
  items(expected: string): readonly YamlNode[] {
    if (!isSeq(this.#node)) return this.#unexpected(expected) ?? [];
    if (this.#node.items.length > MAX_ENTRIES) this.wrong(`a list has at most ${MAX_ENTRIES} entries`);
    return this.#node.items.slice(0, MAX_ENTRIES).map((item) => new YamlNode(item, this.#notes, this.#offset));
  }

  /** The entries of a non-empty list, each read. Leaves out those that cannot be read. */
  several<T>(expected: string, read: (item: YamlNode) => T | undefined): readonly T[] {
    const items = this.items(`a list of ${expected}`);
    if (isSeq(this.#node) && items.length === 0) this.wrong(`this list is empty; expected ${expected}`);
    return items.map(read).filter((value) => value !== undefined);
  }

  /** The source text of each entry of a list, unchecked. */
  get words(): readonly string[] {
    return isSeq(this.#node) ? this.#node.items.map((item) => new YamlNode(item, this.#notes).word) : [];
  }

  /** The entries of a mapping whose keys are names. */
  entries(expected: string): readonly { readonly key: YamlNode; readonly value: YamlNode }[] {
    if (!isMap(this.#node)) return this.#unexpected(expected) ?? [];
    if (this.#node.items.length > MAX_ENTRIES) this.wrong(`a mapping has at most ${MAX_ENTRIES} entries`);
    const taken = new Set<string>();
    return this.#node.items.slice(0, MAX_ENTRIES).map((pair) => {
      const key = new YamlNode(pair.key, this.#notes, this.#offset);
      if (taken.has(key.word)) key.wrong(`${quoted(key.word)} is listed twice`);
      taken.add(key.word);
      return { key, value: new YamlNode(pair.value, this.#notes, key.#offset) };
    });
  }

  /** The entries of a mapping with known keys; any other key is a mistake. Undefined if it is not a mapping. */
  fields<K extends string>(known: readonly K[], expected: string): ReadonlyMap<K, YamlNode> | undefined {
    const fields = new Map<K, YamlNode>();
    for (const { key, value } of this.entries(expected)) {
      const name = known.find((one) => one === key.word);
      if (name !== undefined) fields.set(name, value);
      else if (PLANNED.has(key.word)) key.wrong(`"${key.word}" is not supported yet`);
      else key.wrong(unknown('key', key.word, known));
    }
    return isMap(this.#node) ? fields : undefined;
  }

  #unexpected(expected: string): undefined {
    if (isAlias(this.#node)) return this.wrong('aliases (*name) are not supported here; write the value out');
    return this.wrong(`expected ${expected}, found ${describe(this.#node)}`);
  }
}

function describe(node: ParsedNode | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null) return 'nothing';
  return typeof node.value === 'string' ? quoted(node.value) : (node.source ?? 'something else');
}

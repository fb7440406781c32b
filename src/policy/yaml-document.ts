import {
  CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type ParsedNode,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { cached } from '../base/caches.ts';
import { near } from '../words/similar-names.ts';
import { codeOf, either, plain, unseen } from '../words/text.ts';

/** The most entries that a list or a mapping may have. */
const maxEntries = 1_000;
/** The deepest nesting. The parser would read on until its stack overflows. */
const maxLevels = 100;

/** The way to a value: keys of mappings and indexes of lists. */
export type Path = readonly PropertyKey[];

/** A YAML file as plain values, with the position of each. */
export class YamlDocument {
  /** Mistakes of the YAML itself. */
  readonly mistakes: Mistake[] = [];
  /** Undefined: the file is not YAML. */
  readonly value: unknown;
  readonly #contents: ParsedNode | null = null;
  readonly #lines = new LineCounter();
  readonly #anchors = new Set<string>();

  constructor(text: string) {
    if (isTooDeep(text)) {
      this.mistakes.push({ line: 1, column: 1, says: tooDeep });
      return;
    }
    // The parser's own check for unique keys takes quadratic time.
    const file = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false });
    this.#contents = file.contents;
    const errors = [...otherVersion(text, file.directives.yaml.version), ...file.warnings, ...file.errors];
    if (errors.length > 0) this.#explain(errors);
    else this.value = this.#plain(file.contents);
  }

  /** The position of a value: in a mapping that of its key. If the value is missing, that of its parent. */
  place(path: Path): { readonly line: number; readonly column: number } {
    return this.#at(this.#find(path).offset);
  }

  /** Adds to what was expected what the file has instead. */
  instead(path: Path, expected: string): string {
    const { node } = this.#find(path);
    if (node === undefined) return `"${String(path.at(-1))}" is missing: ${expected}`;
    if (isAlias(node)) return this.#asAlias(node.source);
    return `expected ${expected}, found ${describe(node)}`;
  }

  /** `node` is undefined if there is nothing at the path, and null if there is a key without a value. */
  #find(path: Path): { readonly offset: number; readonly node: ParsedNode | null | undefined } {
    let node: ParsedNode | null | undefined = this.#contents;
    let offset = node?.range[0] ?? 0;
    for (const step of path) {
      const { place, value } = this.#childOf(node, step);
      offset = place?.range[0] ?? offset;
      node = value;
    }
    return { offset, node };
  }

  #childOf(node: ParsedNode | null | undefined, step: PropertyKey): Child {
    const item = isSeq(node) ? node.items[Number(step)] : undefined;
    const pair = isMap(node) ? pairsOf(node).get(step) : undefined;
    return pair ?? { place: item, value: item };
  }

  /** In YAML, unquoted text that begins with * is an alias. */
  #asAlias(name: string): string {
    if (this.#anchors.has(name)) return 'aliases (*name) are not supported here; write the value out';
    const text = quoted(`*${name}`);
    return `'${text.slice(1, -1)}' begins with * and needs quotes: ${text}`;
  }

  #at(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** A node as a plain value. For an alias it is null, which the schema always refuses. */
  #plain(node: ParsedNode | null): unknown {
    if (node !== null && !isAlias(node) && node.anchor !== undefined) this.#anchors.add(node.anchor);
    if (isScalar(node)) return node.value;
    if (!isMap(node) && !isSeq(node)) return null;
    const kind = isMap(node) ? 'mapping' : 'list';
    if (node.items.length > maxEntries) this.#note(node.range[0], `a ${kind} has at most ${maxEntries} entries`);
    if (isSeq(node)) return node.items.slice(0, maxEntries).map((item) => this.#plain(item));
    const taken = new Set<string>();
    const entries = node.items.slice(0, maxEntries).flatMap(({ key, value }) => {
      const wrong = wrongKey(key);
      if (wrong !== undefined) this.#note(key.range[0], wrong);
      const plain = this.#plain(value);
      const word = wordOf(key);
      if (wrong !== undefined || word === undefined) return [];
      if (taken.has(word)) this.#note(key.range[0], `${quoted(word)} is listed twice`);
      taken.add(word);
      return [[word, plain]];
    });
    return Object.fromEntries(entries);
  }

  #note(offset: number, says: string): void {
    this.mistakes.push({ ...this.#at(offset), says });
  }

  /** Records one mistake for each line: later ones on a line mostly follow from the first. */
  #explain(errors: readonly ParserError[]): void {
    const lines = new Set<number>();
    // If the parser gives up, the other errors follow from that.
    const overflow = errors.find(({ message }) => isOverflow(message));
    for (const error of overflow ? [overflow] : errors) {
      const [offset] = error.pos;
      const { line } = this.#at(offset);
      if (!lines.has(line)) this.#note(offset, explain(error));
      lines.add(line);
    }
  }
}

type Child = { readonly place: ParsedNode | undefined; readonly value: ParsedNode | null | undefined };

/**
 * The entries of a mapping by their keys; for a repeated key, the last entry. Searching a mapping for each of its
 * mistakes would take quadratic time.
 */
const pairsOf = cached(({ items }: YAMLMap<ParsedNode, ParsedNode | null>): ReadonlyMap<PropertyKey, Child> => {
  const pairs = new Map<PropertyKey, Child>();
  for (const { key, value } of items) {
    const word = wordOf(key);
    if (word !== undefined) pairs.set(word, { place: key, value });
  }
  return pairs;
});

/** The text of a key; undefined if it is not text. */
const wordOf = (key: ParsedNode | null): string | undefined =>
  isScalar(key) && typeof key.value === 'string' ? key.value : undefined;

/** What is wrong with a key by itself; undefined if nothing is. */
function wrongKey(key: ParsedNode): string | undefined {
  if (isAlias(key)) return 'a key cannot be an alias (*name); write it out, or put it in quotes';
  if (!isScalar(key)) return `${describe(key)} cannot be a key; a key is text`;
  if (key.source === '' && key.value === null) return 'a key is missing here';
  const word = wordOf(key);
  if (word === undefined) return `a key is text; put this one in quotes: ${quoted(key.source)}`;
  if (word === '<<') return '"<<" is not supported; write out the keys that it would bring';
  // The schema would drop it.
  return word === '__proto__' ? '"__proto__" cannot be a key' : undefined;
}

/** The message about brackets inside brackets, or marks of lists after each other on one line, without end. */
export const tooDeep = 'this is nested too deeply';
/** Whether an error says that the parser's stack overflowed. */
export const isOverflow = (message: string): boolean => message.includes('Maximum call stack size exceeded');

/** Reads no further than to where it is too deep. */
function isTooDeep(text: string): boolean {
  let brackets = 0;
  let marks = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets -= 1;
    else if (token === '\n' || token === CST.SCALAR) marks = 0;
    else if (token === '-' || token === '?' || /^[&!]/.test(token)) marks += 1;
    if (brackets > maxLevels || marks > maxLevels) return true;
  }
  return false;
}

type ParserError = Pick<YAMLError, 'code' | 'message' | 'pos'>;

/** YAML 1.1 reads other numbers: `012` is ten. */
function otherVersion(text: string, version: string): readonly ParserError[] {
  const offset = text.search(/^\uFEFF?%YAML[ \t]+1\.1/m);
  const at = Math.max(offset, 0);
  return offset < 0 && version === '1.2' ? [] : [{ code: 'BAD_DIRECTIVE', message: '', pos: [at, at] }];
}

function explain({ code, message }: ParserError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; only one is allowed';
  if (code === 'TAB_AS_INDENT') return 'tabs cannot be used to indent; use spaces';
  if (code === 'BAD_DIRECTIVE') return 'no directive but %YAML 1.2 is supported here; leave this line out';
  if (code === 'BAD_ALIAS' && message.startsWith('Alias')) return 'text that begins with * needs quotes, like "*/live"';
  if (isOverflow(message)) return tooDeep;
  return `this is not YAML: ${message.split('\n')[0]}`;
}

function describe(node: ParsedNode | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null) return 'nothing';
  return typeof node.value === 'string' ? quoted(node.value) : (node.source ?? 'something else');
}

/** A mistake in the policy file. Lines and columns count from 1. */
export type Mistake = { readonly line: number; readonly column: number; readonly says: string };

/** Thrown for a policy file that cannot be used. `message` has a line for every mistake. */
export class PolicyMistakes extends Error {
  readonly mistakes: readonly Mistake[];

  constructor(path: string, mistakes: readonly Mistake[]) {
    super([`${path} cannot be used:`, ...mistakes.map((mistake) => `  ${mistakeLine(mistake)}`)].join('\n'));
    this.name = 'PolicyMistakes';
    this.mistakes = mistakes;
  }
}

/** A mistake as a sentence: `line 14: unknown group "leadz"; did you mean "leads"?`. */
export function mistakeLine({ line, says }: Mistake): string {
  return `line ${line}: ${says}`;
}

/** Text of the file for use in a sentence: quoted, on one line, shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text).toWellFormed();
}

/** Characters that cannot be seen, and spaces that only look like one. */
const hidden = new RegExp(`${unseen.source}|[\\s--\\x20]`, 'gv');
/** Replaces hidden characters in the sentence with their codes. */
export const withVisibleSpaces = (says: string): string =>
  says.replace(hidden, (character) => `⟨${codeOf(character)}⟩`);

/** Says that a name is unknown and suggests the nearest known ones. */
export function unknownAmong(what: string, name: string, known: readonly string[]): string {
  const offered = nearest(name, known).map((one) => `"${one}"`);
  const offer = offered.length > 0 ? `; did you mean ${plain(either(offered))}?` : '';
  return `unknown ${what} ${quoted(name)}${offer}`;
}

const maxOffered = 4;

function nearest(name: string, known: readonly string[]): readonly string[] {
  const wanted = name.slice(0, 100).toLowerCase();
  const longer = known.filter((one) => one.startsWith(`${wanted} `));
  if (longer.length > 0) return longer.slice(0, maxOffered);
  return near(wanted, known).slice(0, 1);
}

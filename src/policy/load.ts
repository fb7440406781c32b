import { createHash } from 'node:crypto';
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import { readBounds } from './load-bounds.ts';
import { readGroups, readPeople } from './load-people.ts';
import { readPins } from './load-overrides.ts';
import { readLive, readRules } from './load-rules.ts';
import type { Mistake } from './mistakes.ts';
import { Diagnostics, YamlNode } from './yaml-node.ts';
import { impossibleRules } from './unsatisfiable.ts';
import type { Catalogue, Policy } from './rules.ts';

/** The largest policy file, in bytes. */
export const MAX_BYTES = 256 * 1024;

const SECTIONS = ['version', 'live', 'groups', 'people', 'rules', 'channels', 'environments', 'sites'] as const;

export type Loaded =
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly Mistake[] };

/**
 * Reads the text of a policy file (YAML 1.2). Never throws: returns every mistake with its line instead. `catalogue` is
 * every command that a rule may name.
 */
export function loadPolicy(text: string, catalogue: Catalogue): Loaded {
  if (Buffer.byteLength(text) > MAX_BYTES) return unusable(`the file is larger than ${MAX_BYTES / 1024} KiB`);
  try {
    return read(text, catalogue);
  } catch (error) {
    // Thousands of nested brackets overflow the parser's stack.
    return unusable(`this cannot be read: ${error instanceof Error ? error.message : 'no reason given'}`);
  }
}

/** The result for a file that cannot be used at all. */
export function unusable(says: string): Loaded {
  return { kind: 'mistakes', mistakes: [{ line: 1, column: 1, says }] };
}

function read(text: string, catalogue: Catalogue): Loaded {
  const lines = new LineCounter();
  const notes = new Diagnostics(lines);
  // The parser's check for unique keys takes quadratic time. `YamlNode` finds duplicates in one pass.
  const file = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  noteYamlErrors([...file.errors, ...file.warnings], notes);
  const readable = notes.mistakes.length === 0;
  const policy = readable ? readSections(new YamlNode(file.contents, notes), text, catalogue, notes) : undefined;
  const { mistakes } = notes;
  return policy && mistakes.length === 0 ? { kind: 'policy', policy } : { kind: 'mistakes', mistakes };
}

function readSections(root: YamlNode, text: string, catalogue: Catalogue, notes: Diagnostics): Policy | undefined {
  const sections = root.fields(SECTIONS, 'version, groups and rules');
  if (!sections) return undefined;
  const version = sections.get('version');
  if (version) version.whole(1, 1);
  else root.wrong('"version: 1" is missing');
  if (!sections.has('rules')) root.wrong('"rules" is missing');
  const groups = readGroups(sections.get('groups'));
  const people = readPeople(sections.get('people'));
  const rules = readRules(sections.get('rules'), { groups, catalogue });
  const sound = notes.mistakes.length === 0;
  const live = readLive(sections.get('live'));
  const hash = createHash('sha256').update(text).digest('hex');
  const channels = readBounds(sections.get('channels'));
  const pins = readPins(sections.get('environments'), sections.get('sites'), live);
  const policy = { hash, text, catalogue, live, groups, people, rules, channels, pins };
  // Rules with mistakes are incomplete, so their approvals cannot be judged.
  if (sound) impossibleRules(policy, new Map()).forEach((mistake) => notes.add(mistake));
  return policy;
}

/** One mistake for each line: later ones on a line mostly follow from the first. */
function noteYamlErrors(errors: readonly ParserError[], notes: Diagnostics): void {
  const seen = new Set<number>();
  for (const error of errors) {
    const at = notes.at(error.pos[0]);
    if (!seen.has(at.line)) notes.add({ ...at, says: explain(error) });
    seen.add(at.line);
  }
}

type ParserError = Pick<YAMLError, 'code' | 'message' | 'pos'>;

function explain({ code, message }: ParserError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; only one is allowed';
  if (code === 'TAB_AS_INDENT') return 'tabs cannot be used to indent; use spaces';
  return `this is not YAML: ${message.split('\n')[0]}`;
}

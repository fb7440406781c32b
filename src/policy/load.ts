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

/** A policy file has at most so many bytes. */
export const MOST_BYTES = 256 * 1024;

const SECTIONS = ['version', 'live', 'groups', 'people', 'rules', 'channels', 'environments', 'sites'] as const;

export type Loaded =
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly Mistake[] };

/**
 * Reads the text of a policy file (YAML 1.2). Never throws: whatever is wrong comes back as a list of mistakes, each
 * with its line. `catalogue` is every command a rule may name.
 */
export function loadPolicy(text: string, catalogue: Catalogue): Loaded {
  if (Buffer.byteLength(text) > MOST_BYTES) return unusable(`the file is larger than ${MOST_BYTES / 1024} KiB`);
  try {
    return read(text, catalogue);
  } catch (trouble) {
    // Thousands of brackets within each other exhaust the parser's stack.
    return unusable(`this cannot be read: ${trouble instanceof Error ? trouble.message : 'no reason given'}`);
  }
}

/** A file that cannot be used at all, for one reason. */
export function unusable(says: string): Loaded {
  return { kind: 'mistakes', mistakes: [{ line: 1, column: 1, says }] };
}

function read(text: string, catalogue: Catalogue): Loaded {
  const lines = new LineCounter();
  const notes = new Diagnostics(lines);
  // The parser compares every key with every other one; `Place` finds what stands twice in one pass.
  const file = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  noteTroubles([...file.errors, ...file.warnings], notes);
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
  // Of rules that were not understood nothing can be claimed.
  if (sound) impossibleRules(policy, new Map()).forEach((mistake) => notes.add(mistake));
  return policy;
}

/** One mistake a line: what follows the first is mostly its echo. */
function noteTroubles(troubles: readonly Trouble[], notes: Diagnostics): void {
  const seen = new Set<number>();
  for (const trouble of troubles) {
    const at = notes.at(trouble.pos[0]);
    if (!seen.has(at.line)) notes.add({ ...at, says: explain(trouble) });
    seen.add(at.line);
  }
}

type Trouble = Pick<YAMLError, 'code' | 'message' | 'pos'>;

function explain({ code, message }: Trouble): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; the file holds one';
  if (code === 'TAB_AS_INDENT') return 'tabs cannot indent; use spaces';
  return `this is not YAML: ${message.split('\n')[0]}`;
}

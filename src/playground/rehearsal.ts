import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LineCounter, type ParsedNode, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Plan } from './hosting/seed/plan.ts';
import { type PolicyPeople, type Commented, workspaceOf } from './rehearsal-people.ts';
import { type NamedTargets, planFor } from './rehearsal-sites.ts';
import type { WorkspaceSeed } from './slack/seed.ts';

/** The people, channels and sites that a policy needs to be tried on, and whether programs can ask. */
type Setup = { readonly workspace: WorkspaceSeed; readonly plan: Plan; readonly hasCallers: boolean };
/** A set-up with the path of its policy file. */
export type Rehearsal = Setup & { readonly file: string };

type Node = ParsedNode | null | undefined;
type Entry = { readonly key: Commented; readonly value: Node };

const MAX_BYTES = 256 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** The set-up for the policy at `path`. Rejects with one sentence if the file cannot be read or is not a policy. */
export async function readRehearsal(path: string): Promise<Rehearsal> {
  const file = resolve(path);
  const refuse = (problem: string): never => {
    throw new Error(`${file} ${problem}. Nothing was started.`);
  };
  const text = await textOf(file).catch((error: unknown) => refuse(`can't be read: ${reasonOf(error)}`));
  const parsed = parseRehearsal(text);
  return typeof parsed === 'string' ? refuse(parsed) : { ...parsed, file };
}

async function textOf(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024} KiB`);
  return readFile(file, 'utf8');
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : 'unknown error');
}

/**
 * The set-up for the text of a policy, or a string that says why it is not one. Only names are read. The bot judges the
 * rules, so anything not understood here is skipped.
 */
export function parseRehearsal(text: string): Setup | string {
  try {
    return parse(text);
  } catch (error) {
    // Thousands of nested brackets exhaust the parser's stack.
    return `isn't YAML: ${reasonOf(error)}`;
  }
}

function parse(text: string): Setup | string {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const [mistake] = document.errors;
  if (mistake) return `isn't YAML: line ${lines.linePos(mistake.pos[0]).line}: ${mistake.message.split('\n')[0]}`;
  const sections = new Map(entriesOf(document.contents).map(({ key, value }) => [key.word, value]));
  const missing = ['version', 'rules'].filter((name) => !sections.has(name));
  if (missing.length > 0) return `isn't a policy: it has no ${missing.map((name) => `"${name}"`).join(' and no ')}`;
  const hasCallers = entriesOf(sections.get('callers')).length > 0;
  return { workspace: workspaceOf(peopleIn(sections)), plan: planFor(namedTargetsIn(sections)), hasCallers };
}

type Sections = ReadonlyMap<string, Node>;

function peopleIn(sections: Sections): PolicyPeople {
  const approvals = itemsOf(sections.get('rules')).map((rule) => Number(wordOf(at(at(rule, 'approval'), 'count'))));
  return {
    groups: entriesOf(sections.get('groups')).map(({ key, value }) => ({
      name: key.word,
      members: commentedOf(value),
    })),
    accounts: entriesOf(sections.get('people')).map(({ key, value }) => ({ name: key.word, ids: wordsOf(value) })),
    channels: [
      ...entriesOf(sections.get('channels')).flatMap(channelsIn),
      ...entriesOf(sections.get('callers')).map(({ value }) => ({ ...commented(at(value, 'channel')), use: 'cards' })),
    ],
    // 20 is the most a policy may ask for.
    approvals: Math.min(20, Math.max(1, ...approvals.filter((count) => count > 0))),
  };
}

function channelsIn({ key, value }: Entry): PolicyPeople['channels'] {
  if (key.word === 'deny') return commentedOf(value).map((item) => ({ ...item, use: 'denied' }));
  if (key.word === 'ops') return [{ ...commented(value), use: 'ops' }];
  const [site = 'channel'] = wordsOf(at(value, 'sites'));
  const cards = at(value, 'cards');
  const own = { word: key.word, remark: remarkOf(value), use: site.replaceAll(/\W*\*\W*/g, '') || 'channel' };
  return cards ? [own, { word: wordOf(cards), remark: '', use: 'cards' }] : [own];
}

function namedTargetsIn(sections: Sections): NamedTargets {
  return {
    targets: [
      ...wordsOf(sections.get('live')),
      ...itemsOf(sections.get('rules')).flatMap((rule) => wordsOf(at(rule, 'where'))),
    ],
    sites: entriesOf(sections.get('channels')).flatMap(({ value }) => wordsOf(at(value, 'sites'))),
    pinnedEnvironments: entriesOf(sections.get('environments')).flatMap(({ key, value }) => {
      const [site, name] = [wordOf(at(value, 'site')), wordOf(at(value, 'name'))];
      return site === '' || name === '' ? [] : [{ id: key.word, site, name }];
    }),
    pinnedSites: entriesOf(sections.get('sites')).flatMap(({ key, value }) => {
      const name = wordOf(at(value, 'name'));
      return name === '' ? [] : [{ id: key.word, name, environments: wordsOf(at(value, 'environments')) }];
    }),
  };
}

const wordOf = (node: Node): string => (isScalar(node) ? node.source : '');
const commented = (node: Node): Commented => ({ word: wordOf(node), remark: remarkOf(node) });
const remarkOf = (node: Node): string => node?.comment?.trim() ?? '';
const itemsOf = (node: Node): readonly ParsedNode[] => (isSeq(node) ? node.items : []);
const wordsOf = (node: Node): readonly string[] => itemsOf(node).map(wordOf).filter(Boolean);
const at = (node: Node, name: string): Node => entriesOf(node).find(({ key }) => key.word === name)?.value;

function entriesOf(node: Node): readonly Entry[] {
  const pairs = isMap(node) ? node.items : [];
  return pairs.map(({ key, value }) => ({ key: { word: wordOf(key), remark: '' }, value }));
}

/** The items of a list, each with its comment. A comment after the whole list is split if it names every item. */
function commentedOf(node: Node): readonly Commented[] {
  const items = itemsOf(node);
  const shared = remarkOf(node).split(/\s*,\s*/);
  const share = shared.length === items.length ? shared : [];
  return items.map((item, which) => ({ word: wordOf(item), remark: remarkOf(item) || (share[which] ?? '') }));
}

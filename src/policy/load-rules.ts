import { quoted, unknown } from './mistakes.ts';
import { readPattern, type Pattern } from './pattern.ts';
import type { YamlNode } from './yaml-node.ts';
import {
  CLASSES,
  DEFAULT_EXPIRY,
  type Approval,
  type Audience,
  type Catalogue,
  type Policy,
  type Rule,
} from './rules.ts';

/** The groups and commands that a rule may name. */
type Known = { readonly groups: Policy['groups']; readonly catalogue: Catalogue };

const MAX_APPROVALS = 20;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const SHORTEST_EXPIRY = 60_000;
const LONGEST_EXPIRY = 30 * SECONDS.d * 1_000;

/** Reads `rules`. */
export function readRules(at: YamlNode | undefined, known: Known): readonly Rule[] {
  return (at?.items('a list of rules') ?? []).flatMap((rule) => readRule(rule, known) ?? []);
}

function readRule(at: YamlNode, known: Known): Rule | undefined {
  const fields = at.fields(['allow', 'deny', 'to', 'where', 'approval'], 'a rule: allow or deny, to, where, approval');
  if (!fields) return undefined;
  const [allow, deny] = [fields.get('allow'), fields.get('deny')];
  const named = allow ?? deny;
  if (!named || (allow && deny)) return at.wrong('a rule has either "allow" or "deny"');
  const approval = fields.get('approval');
  if (deny) approval?.wrong('only a rule that allows can ask for approval');
  const rule = {
    effect: allow ? 'allow' : 'deny',
    line: at.line,
    column: at.column,
    what: new Set(named.several('commands or classes', (item) => readCommand(item, known.catalogue))),
    to: readAudience(at, fields.get('to'), known.groups, deny !== undefined),
    where: fields.get('where')?.several('targets, like ["acme-shop/*"]', readTarget),
    approval: approval && readApproval(approval, known.groups),
  } as const;
  if (approval && rule.approval !== 'none') refuseReports(approval, rule.what, known.catalogue);
  return { ...rule, text: shortened(rule, fields.get('where')?.words ?? []) };
}

/** `approval` is allowed only on commands that change a site. */
function refuseReports(approval: YamlNode, what: ReadonlySet<string>, catalogue: Catalogue): void {
  const report = catalogue.find(({ path, risk }) => (risk === 'read' || risk === 'named') && what.has(path));
  const name = what.has('read') ? 'read' : report?.path;
  if (name !== undefined)
    approval.wrong(`"${name}" changes no site and cannot wait for approval; give it its own rule`);
}

function readCommand(item: YamlNode, catalogue: Catalogue): string | undefined {
  const name = item.text('a command or a class');
  const known = [...CLASSES, ...catalogue.map(({ path }) => path)];
  if (name === undefined || known.includes(name)) return name;
  return item.wrong(unknown('command or class', name, known));
}

function readAudience(rule: YamlNode, at: YamlNode | undefined, groups: Known['groups'], isDenied: boolean): Audience {
  if (!at) return rule.wrong('"to" is missing: a list of groups, or everyone') ?? [];
  return at.is('everyone') ? 'everyone' : readGroupNames(at, groups, isDenied);
}

function readGroupNames(at: YamlNode, groups: Known['groups'], isDenied = false): readonly string[] {
  return at.several('groups, like [leads]', (item) => {
    const name = item.text('the name of a group');
    if (name === undefined) return undefined;
    const members = groups.get(name);
    if (members === undefined) return item.wrong(unknown('group', name, [...groups.keys()]));
    // A deny for an empty group looks like protection but has no effect.
    if (isDenied && members.size === 0) return item.wrong(`the group ${quoted(name)} is empty: this denies nobody`);
    return name;
  });
}

function readApproval(at: YamlNode, groups: Known['groups']): 'none' | Approval | undefined {
  if (at.is('none')) return 'none';
  const fields = at.fields(['by', 'count', 'expires', 'reason'], '"none" or { by, count, expires, reason }');
  if (!fields) return undefined;
  const by = fields.get('by');
  if (!by) return at.wrong('"by" is missing: the groups whose members can approve');
  return {
    by: readGroupNames(by, groups),
    count: fields.get('count')?.whole(1, MAX_APPROVALS) ?? 1,
    expires: readDuration(fields.get('expires')) ?? DEFAULT_EXPIRY,
    reason: fields.get('reason')?.oneOf(['required', 'optional']) ?? 'optional',
  };
}

/** Reads `90s`, `30m`, `1h` or `7d` into milliseconds. */
function readDuration(at: YamlNode | undefined): number | undefined {
  const text = at?.text('a time, like 30m or 1h');
  if (text === undefined) return undefined;
  const [, number, unit] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  if (number === undefined) return at?.wrong(`${quoted(text)} is not a time; write it like 90s, 30m, 1h or 7d`);
  const seconds = unit === 's' || unit === 'm' || unit === 'h' || unit === 'd' ? SECONDS[unit] : 0;
  const duration = Number(number) * seconds * 1_000;
  if (duration >= SHORTEST_EXPIRY && duration <= LONGEST_EXPIRY) return duration;
  return at?.wrong(`${quoted(text)} is out of bounds: from 1m to 30d`);
}

/** Reads `live`, the environments that count as live. Default: those named live. */
export function readLive(at: YamlNode | undefined): readonly Pattern[] {
  if (!at) return [{ kind: 'environment', site: ['', ''], environment: ['live'] }];
  return at.several('environments, like ["*/live"]', (item) => {
    const pattern = readTarget(item);
    const wrong = pattern && pattern.kind !== 'environment';
    return wrong ? item.wrong(`${quoted(item.word)} is not an environment; expected site/environment`) : pattern;
  });
}

function readTarget(item: YamlNode): Pattern | undefined {
  const text = item.text('a target, like "acme-shop/*"');
  if (text === undefined) return undefined;
  const pattern = readPattern(text);
  return typeof pattern === 'string' ? item.wrong(`${quoted(text)} is not a target: ${pattern}`) : pattern;
}

const MAX_TEXT = 120;

function shortened({ effect, what, to }: Omit<Rule, 'text'>, where: readonly string[]): string {
  const audience = to === 'everyone' ? to : to.join(', ');
  const places = where.length > 0 ? ` where ${where.join(', ')}` : '';
  const text = `${effect} ${[...what].join(', ')} to ${audience}${places}`;
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

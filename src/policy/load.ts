import { createHash } from 'node:crypto';
import { z } from 'zod';
import { errorMessage } from '../base/errors.ts';
import {
  unknownAmong,
  withVisibleSpaces,
  type Mistake,
  isOverflow,
  tooDeep,
  YamlDocument,
  type Path,
} from './yaml-document.ts';
import { callerPrefix, type Caller, type Catalogue, type Freeze, type Policy, type Rule } from './rules.ts';
import { policyFile, type PolicySettings } from './schema.ts';
import { impossibleRules } from './unsatisfiable.ts';

/** The largest policy file, in bytes. */
export const maxPolicyBytes = 256 * 1024;
const maxMistakes = 100;
/** The most characters of a rule that people are shown. */
const maxText = 120;

/** Planned keys: refused by name, so that nobody relies on them yet. */
const plannedKeys = new Set(['night', 'delegates']);

export type Loaded =
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly Mistake[] };

/**
 * Reads the text of a policy file (YAML 1.2). Never throws: returns every mistake with its line instead. `catalogue` is
 * every command that a rule may name.
 */
export function loadPolicy(text: string, catalogue: Catalogue): Loaded {
  if (Buffer.byteLength(text) > maxPolicyBytes) return unusable(`the file is larger than ${maxPolicyBytes / 1024} KiB`);
  try {
    return read(text, catalogue);
  } catch (error) {
    const message = errorMessage(error);
    return unusable(isOverflow(message) ? tooDeep : `this cannot be read: ${message}`);
  }
}

/** The result for a file that cannot be used at all. */
export const unusable = (says: string): Loaded => refused([{ line: 1, column: 1, says }]);

const refused = (mistakes: readonly Mistake[]): Loaded => ({
  kind: 'mistakes',
  mistakes: mistakes
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .slice(0, maxMistakes)
    .map((mistake) => ({ ...mistake, says: withVisibleSpaces(mistake.says) })),
});

function read(text: string, catalogue: Catalogue): Loaded {
  const file = new YamlDocument(text);
  if (file.value === undefined) return refused(file.mistakes);
  const { data, error } = schemaFor(catalogue, namesIn(file.value)).safeParse(file.value);
  const mistakes = [...file.mistakes, ...mistakesIn(error?.issues ?? [], file)];
  if (data === undefined || mistakes.length > 0) return refused(mistakes);
  const rules = data.rules.map((rule, index) => ({ ...ruleOf(rule), ...file.place(['rules', index]) }));
  const freezes = data.freezes.map((freeze, index) => ({ ...freezeOf(freeze), ...file.place(['freezes', index]) }));
  const hash = createHash('sha256').update(text).digest('hex');
  const policy = { hash, text, catalogue, rules, freezes, ...settingsOf(data) };
  const impossible = impossibleRules(policy, new Map());
  return impossible.length > 0 ? refused(impossible) : { kind: 'policy', policy };
}

type Schema = ReturnType<typeof policyFile>;
type Names = Pick<Parameters<typeof policyFile>[0], 'groups' | 'callers'>;

/** The schema of the last file, by catalogue. Making a schema takes longer than reading a file with it. */
const schemas = new WeakMap<Catalogue, { readonly named: string; readonly schema: Schema }>();

function schemaFor(catalogue: Catalogue, { groups, callers }: Names): Schema {
  const named = JSON.stringify([[...groups], callers]);
  const last = schemas.get(catalogue);
  if (last?.named === named) return last.schema;
  const schema = policyFile({ catalogue, groups, callers });
  schemas.set(catalogue, { named, schema });
  return schema;
}

const groupNames = z.object({ groups: z.record(z.string(), z.array(z.unknown()).catch([null])) });
const callerNames = z.object({ callers: z.record(z.string(), z.unknown()) });

/** The groups, each with the number of its ids, and the callers that rules may name: known even if the file has mistakes. */
function namesIn(value: unknown): Names {
  const groups = Object.entries(groupNames.safeParse(value).data?.groups ?? {});
  const callers = Object.keys(callerNames.safeParse(value).data?.callers ?? {});
  return {
    groups: new Map(groups.map(([name, ids]) => [name, ids.length])),
    callers: callers.map((name) => `${callerPrefix}${name}`),
  };
}

/** One mistake for each place: later ones mostly follow from the first. */
function mistakesIn(issues: readonly Issue[], file: YamlDocument): readonly Mistake[] {
  const all = issues.flatMap((issue) => findings(issue, []));
  const first = new Map(all.toReversed().map((finding) => [JSON.stringify(finding.path), finding]));
  return [...first.values()].toReversed().map(({ path, says }) => ({
    ...file.place(path),
    says: says.startsWith(expectedPrefix) ? file.instead(path, says.slice(expectedPrefix.length)) : says,
  }));
}

const expectedPrefix = 'expected ';

type Issue = z.core.$ZodIssue;
type Finding = { readonly path: Path; readonly says: string };

function findings(issue: Issue, above: Path): readonly Finding[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], says: unknownKey(key, issue.message.split(' ')) }));
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => findings(inner, path));
  const meant = issue.code === 'invalid_union' ? issue.errors.find(isOfThatKind) : undefined;
  return meant ? meant.flatMap((inner) => findings(inner, path)) : [{ path, says: issue.message }];
}

/** Whether a value has the kind that a schema expects, so that the mistakes are inside it. */
const isOfThatKind = (issues: readonly Issue[]): boolean =>
  issues.every(({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'));

const unknownKey = (key: string, known: readonly string[]): string =>
  plannedKeys.has(key) ? `"${key}" is not supported yet` : unknownAmong('key', key, known);

function settingsOf({ live, groups, people, callers, sets, channels, checks, environments, sites }: PolicySettings) {
  const { deny, ops, ...bounds } = channels;
  return {
    live: live.map(({ pattern }) => pattern),
    groups: new Map(Object.entries(groups).map(([name, ids]) => [name, new Set(ids)])),
    people: new Map(Object.values(people).flatMap((ids) => ids.map((id) => [id, ids]))),
    callers: new Map(Object.entries(callers).map(([name, one]) => [name, callerNamed(name, one)])),
    sets: new Map(Object.entries(sets).map(([name, entries]) => [name, entries.map(({ pattern }) => pattern)])),
    channels: { bounds: new Map(Object.entries(bounds)), denied: new Set(deny), ops },
    checks,
    overrides: {
      environments: Object.entries(environments).map(([id, one]) => ({ id: id.toLowerCase(), ...one })),
      sites: Object.entries(sites).map(([id, one]) => ({ id: id.toLowerCase(), ...one })),
    },
  };
}

const callerNamed = (name: string, { keys, ...one }: PolicySettings['callers'][string]): Caller => ({
  ...one,
  name,
  keys: new Set(keys.map(({ hash }) => hash)),
});

const freezeOf = ({ what, where, ...freeze }: PolicySettings['freezes'][number]): Omit<Freeze, 'line' | 'column'> => ({
  ...freeze,
  what: what && new Set(what),
  where: where?.map(({ pattern }) => pattern),
});

function ruleOf({
  allow,
  deny,
  to,
  where,
  approval,
  canary = false,
  batchValidity,
  breakGlass: way,
}: PolicySettings['rules'][number]): Omit<Rule, 'line' | 'column'> {
  const effect = allow ? 'allow' : 'deny';
  const what = new Set(allow ?? deny);
  const places = where ? ` where ${where.map(({ text }) => text).join(', ')}` : '';
  const text = `${effect} ${[...what].join(', ')} to ${to === 'everyone' ? to : to.join(', ')}${places}`;
  const shown = text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text;
  const patterns = where?.map(({ pattern }) => pattern);
  const breakGlass = way === true ? 'looked at' : way || undefined;
  return { effect, what, to, where: patterns, approval, canary, batchValidity, breakGlass, text: shown };
}

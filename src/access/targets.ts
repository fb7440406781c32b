import { parseStored } from '../storage/parse-json.ts';
import { isName } from '../commands/kit/action.ts';
import { changesSomething } from '../commands/index.ts';
import { rightOf } from '../commands/rights.ts';
import type { Company, Environment, Environments, Target } from '../hosting/contract/target.ts';
import type { AccessRequest as Asked } from '../policy/matching.ts';
import type { Aim } from '../policy/rules.ts';
import { type Change, listChanges } from '../storage/changes.ts';
import type { Lock } from '../storage/locks.ts';
import { areEnvironments, isNamed, type Resolved } from '../language/resolve.ts';
import type { Database } from '../storage/database.ts';
import { BoundedMap } from '../base/caches.ts';

/** The key of a target in maps and tables. */
export const targetKey = (target: Target): string =>
  target.kind === 'company' ? 'company' : `${target.kind}:${target.id}`;

/** The target key of a batch, which is about several. */
export const batchTarget = 'batch';

/**
 * The key under which a target is locked. Domains use their name, because their id depends on what else the host lists
 * at the time.
 */
export const lockKey = (target: Target): string =>
  target.kind === 'domain' ? `domain:${target.name.toLowerCase()}` : targetKey(target);

/** The targets of a change as they were when it was asked for: first what it changes, then what it only reads. */
export const storedTargets = ({ targets }: Pick<Change, 'targets'>): readonly Target[] => parseStored(targets);

/** The name of the locked target, from the targets of this change. */
export const lockedName = (change: Pick<Change, 'targets'>, { target }: Lock): string =>
  storedTargets(change).find((one) => lockKey(one) === target)?.name ?? 'It';

/** The targets of a command, and the request that the rules decide on. */
type CommandTargets = {
  /** What it changes or, for a report, reads. */
  readonly target: Target | undefined;
  readonly alsoReads: readonly Target[];
  readonly asked: Asked;
};

/** Finds the targets in the resolved fields. Pure. */
export function aboutOf(resolved: Resolved, company: Company): CommandTargets {
  const { path, command } = resolved.parsed;
  const { target, alsoReads } = targetsOf(resolved, company);
  const aims: Aim[] = alsoReads.map((one) => ({ target: one, access: 'read' }));
  if (target) aims.unshift({ target, access: command.shape === 'action' ? 'change' : 'read' });
  for (const one of manyOf(resolved)?.all ?? []) aims.push({ target: one, access: 'change' });
  return { target, alsoReads, asked: { command: rightOf(path, command, resolved.input), aims } };
}

/** The environments that a command changes or locks, each by its own right; undefined: it has one target, or only reads. */
export const manyOf = ({ parsed: { command }, input }: Resolved): Environments | undefined =>
  changesSomething(command) ? Object.values(input).find(areEnvironments) : undefined;

/** The same request for one of these environments, or for some of them. */
export function requestFor(resolved: Resolved, env: Environment | Environments): Resolved {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(resolved.input)) input[name] = areEnvironments(value) ? env : value;
  return { ...resolved, input };
}

/** The target, and what is read besides. Fields may be missing. Pure. */
export function targetsOf(
  { parsed: { command }, input }: Resolved,
  company: Company,
): Pick<CommandTargets, 'target' | 'alsoReads'> {
  if (command.shape === 'builtin') {
    const [first, ...more] = Object.entries(command.fields)
      .filter(([, field]) => isName(field))
      .flatMap(([name]) => [input[name]].filter(isNamed));
    return { target: first, alsoReads: more };
  }
  const named = (name: string): Target[] => [input[name]].filter(isNamed);
  const also = command.shape === 'action' ? (command.alsoReads ?? []) : [];
  const { narrowedBy } = command.shape === 'report' ? command : {};
  const isNarrowed = narrowedBy !== undefined && input[narrowedBy] !== undefined;
  const target = command.target === 'company' ? company : named(command.target)[0];
  return { target: isNarrowed ? undefined : target, alsoReads: also.flatMap(named) };
}

/** The targets each person used last; offered first when they search for a name. */
export type Recent = {
  /** Ids of targets, newest first. If nothing is remembered, they are read from what the person changed themselves. */
  readonly of: (person: string) => Promise<readonly string[]>;
  readonly note: (person: string, target: string) => void;
};

const maxTargets = 8;
const maxPeople = 1_000;

/** Keeps the targets in memory, for the last thousand people. */
export function createRecent({ db }: Database): Recent {
  const known = new BoundedMap<string, readonly string[]>(maxPeople);
  const keep = (person: string, targets: readonly string[]): readonly string[] => {
    const kept = [...new Set(targets)].slice(0, maxTargets);
    known.set(person, kept);
    return kept;
  };
  const of = async (person: string): Promise<readonly string[]> => {
    const remembered = known.get(person);
    if (remembered) return remembered;
    const changes = await listChanges(db, { requesters: [person], by: 'people', limit: 4 * maxTargets });
    return keep(person, [...(known.get(person) ?? []), ...changes.map(({ target }) => target.replace(/^[^:]*:/, ''))]);
  };
  return {
    of,
    note: (person, target) => {
      of(person).then(
        // Keeps targets that were noted while the query ran.
        (before) => keep(person, [target, ...(known.get(person) ?? before)]),
        () => keep(person, [target, ...(known.get(person) ?? [])]),
      );
    },
  };
}

import type { Company, Target } from '../../hosting/contract/target.ts';
import { decide, mayRead, reading, unknownIn } from '../../policy/policy.ts';
import type { Policy } from '../../policy/rules.ts';
import type { Change } from '../../storage/changes.ts';
import type { Database } from '../../storage/database.ts';
import { storedTargets, targetKey } from './targets.ts';
import type { Person } from './authorise.ts';
import type { Names } from '../language/resolve.ts';

/** Which changes of the past somebody may read: those whose every target they may read, as it is or was named. */

export type Shelf = {
  readonly policy: () => Policy;
  readonly company: () => Company;
  /** What a person may read by name; of nobody: all there is. */
  readonly names: (person: Person | undefined) => Names;
};

/** The same with the changes themselves. */
export type Archive = Shelf & { readonly database: Database };

/** What is stored of what a change is about: its targets, as they were when it was asked for. */
export type StoredTargets = Pick<Change, 'targets'>;

/** Says of a change whether this person may read it; `audit` holds it against the right to the trail besides. */
export function readerOf(
  context: Shelf,
  person: Person,
  right: 'read' | 'audit' = 'read',
): (about: StoredTargets) => boolean {
  const policy = context.policy();
  const targets = targetsNow(context);
  const known = new Map<string, boolean>();
  const may = (target: Target): boolean => {
    const key = `${targetKey(target)}:${target.name}`;
    const answer =
      known.get(key) ?? (mayRead(policy, person, target) && (right === 'read' || mayAudit(policy, person, target)));
    known.set(key, answer);
    return answer;
  };
  return (about) => targets(about).every(may);
}

/** Of a change that this person may not read: the Slack user groups on which alone that depends; none: it is certain. */
export function hiddenBy(context: Shelf, person: Person, about: StoredTargets): readonly string[] {
  const decisions = targetsNow(context)(about).map((target) => reading(context.policy(), person, target));
  const isCertain = decisions.some((one) => one.kind === 'not allowed' && one.why.kind !== 'unknown');
  return isCertain ? [] : [...new Set(decisions.flatMap(unknownIn))];
}

/** All there is by name, with what this change is about where the host does not list it (now): its row knows it. */
export function namesWith(context: Pick<Shelf, 'names'>, about: StoredTargets): Names {
  const all = context.names(undefined);
  const unlisted = storedTargets(about).filter((one) => !byKey(all).has(targetKey(one)));
  if (unlisted.length === 0) return all;
  return {
    environments: [...all.environments, ...unlisted.filter((one) => one.kind === 'environment')],
    domains: [...all.domains, ...unlisted.filter((one) => one.kind === 'domain')],
  };
}

/** A target by the name that the host, or the policy, gives it now; undefined: it is not listed. */
export const listedAs = (names: Names, target: Target): Target | undefined => byKey(names).get(targetKey(target));

/** Whether a rule allows this person the trail of this target. */
const mayAudit = (policy: Policy, person: Person, target: Target): boolean =>
  decide(policy, person, { command: { path: 'audit', risk: 'named' }, aims: [{ target, access: 'read' }] }).kind ===
  'allowed';

/** The targets of a change: as the host lists them now, and as they were stored where it does not. */
function targetsNow({ names, company }: Shelf): (about: StoredTargets) => readonly Target[] {
  const listed = byKey(names(undefined));
  return (about) =>
    storedTargets(about).map((one) => (one.kind === 'company' ? company() : (listed.get(targetKey(one)) ?? one)));
}

/** A listing by the keys of its targets: made once for each, and it may be long. */
const indexes = new WeakMap<Names, ReadonlyMap<string, Target>>();
function byKey(names: Names): ReadonlyMap<string, Target> {
  const known = indexes.get(names);
  if (known) return known;
  const index = new Map<string, Target>([...names.environments, ...names.domains].map((one) => [targetKey(one), one]));
  indexes.set(names, index);
  return index;
}

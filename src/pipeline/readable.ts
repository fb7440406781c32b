import type { Company, Environment, Target } from '../hosting/contract/target.ts';
import { decide, mayRead } from '../policy/policy.ts';
import type { Policy } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { thawed } from '../storage/json.ts';
import type { Person } from './authorise.ts';
import type { Names } from './resolve.ts';

/** Which changes of the past somebody may read: those whose every target they may read, as it is or was named. */

export type Shelf = {
  readonly policy: () => Policy;
  readonly company: () => Company;
  /** What a person may read by name; of nobody: all there is. */
  readonly names: (person: Person | undefined) => Names;
};

/** What is stored of what a change is about. */
export type About = Pick<Change, 'target' | 'target_name' | 'target_live' | 'reads'>;

/** Says of a change whether this person may read it; `audit` holds it against the right to the trail besides. */
export function readerOf(desk: Shelf, person: Person, right: 'read' | 'audit' = 'read'): (about: About) => boolean {
  const policy = desk.policy();
  const targets = targetsIn(desk);
  const known = new Map<string, boolean>();
  const may = (target: Target): boolean => {
    const key = `${target.kind}:${target.id}:${target.name}`;
    const answer =
      known.get(key) ?? (mayRead(policy, person, target) && (right === 'read' || mayAudit(policy, person, target)));
    known.set(key, answer);
    return answer;
  };
  return (about) => targets(about).every(may);
}

/** All there is by name, with what this change is about where the host does not list it any more: it can still be ended. */
export function namesWith(desk: Shelf, about: About): Names {
  const all = desk.names(undefined);
  const gone = targetsIn(desk)(about)
    .filter((one) => one.kind !== 'company')
    .filter((one) => !byKey(all).has(`${one.kind}:${one.id}`));
  if (gone.length === 0) return all;
  return {
    environments: [...all.environments, ...gone.filter((one) => one.kind === 'environment')],
    domains: [...all.domains, ...gone.filter((one) => one.kind === 'domain')],
  };
}

/** Whether a rule allows this person the trail of this target. */
const mayAudit = (policy: Policy, person: Person, target: Target): boolean =>
  decide(policy, person, { command: { path: 'audit', risk: 'named' }, aims: [{ target, access: 'read' }] }).kind ===
  'allowed';

/** The targets of a change: as the host lists them now, and by what is stored of them where it does not. */
function targetsIn({ names, company }: Shelf): (about: About) => readonly Target[] {
  const listed = byKey(names(undefined));
  return (about) =>
    [about.target, ...thawed<string[]>(about.reads)].map((key) =>
      key === 'company' ? company() : (listed.get(key) ?? goneTarget(key, about)),
    );
}

/** A listing by the keys of its targets: made once for each, and it may be long. */
const indexes = new WeakMap<Names, ReadonlyMap<string, Target>>();
function byKey(names: Names): ReadonlyMap<string, Target> {
  const known = indexes.get(names);
  if (known) return known;
  const index = new Map<string, Target>(
    [...names.environments, ...names.domains].map((one) => [`${one.kind}:${one.id}`, one]),
  );
  indexes.set(names, index);
  return index;
}

function goneTarget(key: string, { target, target_name: name, target_live: live }: About): Target {
  const [kind, id = ''] = key.split(':');
  if (kind === 'domain') return { kind, id, name: key === target ? name : id, site: undefined };
  // What a change only reads belongs to the site of what it changes.
  const [siteName = '', own] = name.split('/');
  const site = own === undefined ? undefined : { id: undefined, name: siteName };
  const gone: Environment = { kind: 'environment', id, name, live: live === 1, site };
  return key === target ? gone : { ...gone, name: `${siteName}/${id}`, live: true };
}

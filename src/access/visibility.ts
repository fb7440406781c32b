import { commandAt } from '../commands/index.ts';
import { rightOf } from '../commands/rights.ts';
import { cached } from '../base/caches.ts';
import type { Target, Environment } from '../hosting/contract/target.ts';
import { groupsAbout, decideReading, isDeniedNothing, unknownIn } from '../policy/policy.ts';
import { isReadingAlone, type Member, type Policy, type PolicyCommand } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { storedTargets, targetKey } from './targets.ts';
import type { Person } from './access-check.ts';
import { type KnownNames } from '../language/resolve.ts';
import type { AccessContext } from './context.ts';
import { allOf, mayRunOn, type MayRun } from './may-run.ts';
import { groupsToAsk } from './unknown-groups.ts';

/** What one person may see of past changes, and of what a watch tells. */

/** The stored targets of a change, as they were when it was asked for. */
export type StoredTargets = Pick<Change, 'targets'>;

/** Whether a person may read something about these targets. */
export type MayRead = (about: StoredTargets) => boolean;

/**
 * Whether the rules let this person be shown what the command `path` shows about a target; without a command, what
 * everybody is shown who may read it, such as cards.
 */
export function mayShow(policy: Policy, person: Member, path: string | undefined, target: Target): MayRun {
  const command = path === undefined ? undefined : commandAt(path);
  const right = path !== undefined && command ? rightOf(path, command) : undefined;
  if (target.kind === 'company') {
    // A report about it is there for those who may run it; what its rows are about is asked for row by row.
    if (path !== undefined && command?.shape === 'report') return mayRunOn(policy, person, path, target);
    // What else is about it can name any site, such as a time line.
    if (!isShownAll(policy, person, right)) return 'no';
  }
  const reading = mayReadNow(policy, person, target);
  if (path === undefined || right === undefined || reading === 'no' || isReadingAlone(policy, right)) return reading;
  return allOf([reading, mayRunOn(policy, person, path, target)]);
}

function mayReadNow(policy: Policy, person: Member, target: Target): MayRun {
  const decision = decideReading(policy, person, target);
  if (decision.kind === 'allowed') return 'yes';
  const unknown = unknownIn(decision);
  return unknown.length > 0 ? unknown : 'no';
}

/** Whether this person may be shown what names any site: by no rule is anything hidden from them. */
const isShownAll = (policy: Policy, person: Member, right: PolicyCommand | undefined): boolean =>
  isDeniedNothing(policy, person) && (right === undefined || isDeniedNothing(policy, person, right));

/** Decides what this person is shown of rows, as `mayShow` for all of their targets. */
export function readerOf(context: AccessContext, person: Person, path?: string): MayRead {
  const policy = context.policy();
  const targets = targetsNow(context);
  const known = new Map<string, boolean>();
  const may = (target: Target): boolean => {
    const key = `${targetKey(target)}:${target.name}`;
    const answer = known.get(key) ?? mayShow(policy, person, path, target) === 'yes';
    known.set(key, answer);
    return answer;
  };
  return (about) => targets(about).every(may);
}

/** Whether this person may be shown what can name any site: the reason of a pause, the text of a rule. */
export const readsCompany = ({ policy, company }: AccessContext, person: Member): boolean =>
  mayShow(policy(), person, undefined, company()) === 'yes';

/** For a change that this person may not read: the Slack user groups that decide that. Empty: no group does. */
export function hiddenBy(context: AccessContext, person: Person, about: StoredTargets): readonly string[] {
  const decisions = targetsNow(context)(about).map((target) => decideReading(context.policy(), person, target));
  const isCertain = decisions.some((one) => one.kind === 'not allowed' && one.why.kind !== 'unknown');
  return isCertain ? [] : [...new Set(decisions.flatMap(unknownIn))];
}

/**
 * Whether somebody certainly may not read this any more: the rules changed, or they left. False if Slack doesn't say.
 */
export async function isHiddenFrom(context: AccessContext, id: string, about: StoredTargets): Promise<boolean> {
  const person = await context.personOf(id, groupsAbout(context.policy()));
  if (person === undefined) return false;
  if (person.standing !== 'member') return true;
  return !readerOf(context, person)(about) && hiddenBy(context, person, about).length === 0;
}

/** All names, plus the stored targets of this change that the host does not list now. */
export function namesWith(context: Pick<AccessContext, 'names'>, about: StoredTargets): KnownNames {
  const all = context.names(undefined);
  const unlisted = storedTargets(about).filter((one) => !byKey(all).has(targetKey(one)));
  if (unlisted.length === 0) return all;
  return {
    environments: [...all.environments, ...unlisted.filter((one) => one.kind === 'environment')],
    domains: [...all.domains, ...unlisted.filter((one) => one.kind === 'domain')],
  };
}

/** The target with its current name; undefined: it is not listed. */
export const listedAs = (names: KnownNames, target: Target): Target | undefined => byKey(names).get(targetKey(target));

/** A target as listed now; one that is not listed, as it was. */
export function targetNow({ names, company }: AccessContext): (target: Target) => Target {
  const listed = byKey(names(undefined));
  return (one) => (one.kind === 'company' ? company() : (listed.get(targetKey(one)) ?? one));
}

/** The targets of a change as listed now; targets that are not listed, as stored. */
function targetsNow(context: AccessContext): (about: StoredTargets) => readonly Target[] {
  const now = targetNow(context);
  return (about) => storedTargets(about).map(now);
}

/** The targets of a listing by key. Cached, because a listing can be long. */
const byKey = cached(
  ({ environments, domains }: KnownNames): ReadonlyMap<string, Target> =>
    new Map([...environments, ...domains].map((one) => [targetKey(one), one])),
);

/** Each is started by the command of that name. */
type Kind = 'watch' | 'digest';

const watching = (kind: Kind) => ({ path: kind, command: commandAt(kind) });

/** The Slack user groups that decide whether somebody may watch an environment. */
export const groupsToWatch = (policy: Policy, kind: Kind): readonly string[] => groupsToAsk(policy, watching(kind));

/** Whether the person may watch an environment in this way: a watch needs the rights to all that it shows. */
export function mayWatch(policy: Policy, person: Member, target: Environment, kind: Kind): MayRun {
  const { path, command } = watching(kind);
  return allOf([path, ...(command.shows ?? [])].map((one) => mayShow(policy, person, one, target)));
}

import type { Company } from '../hosting/contract/target.ts';
import type { Change } from '../storage/changes.ts';
import { aboutOf } from '../access/targets.ts';
import { isEnough, mayEnd, type Ending, type EndRight } from './may-end.ts';
import { eachOnce, maxPeople, membersAmong, peopleOf } from '../access/approver-lookup.ts';
import { askersOf, authorizationOf, waitedUntil } from '../access/authorization.ts';
import type { Reparsed } from '../language/reparse.ts';
import { groupsEnding } from '../access/unknown-groups.ts';
import type { AccessContext } from '../access/context.ts';

/** Who can end a stuck change under today's rules. */
export type Closers = {
  /** Members of the workspace whose click would count, each once, at most 25. */
  readonly people: readonly string[];
  /** Whether `people` need a right to unlock for that. */
  readonly byUnlock: boolean;
  /** Whether anybody may without that right; undefined: Slack doesn't say. */
  readonly anybody: boolean | undefined;
};

/** The most people looked up in Slack: among so many, at least one is surely a member. */
const maxAsked = 200;

/** As of this moment, epoch ms. */
export const endingOf = (change: Change, { resolved }: Reparsed, company: Company, at: number): Ending => ({
  needed: authorizationOf(change).approval,
  asked: { ...aboutOf(resolved, company).asked, ...askersOf(change), ...waitedUntil(change, at) },
});

/** Finds the closers among everybody whom today's rules name, and the requester. */
export async function closersOf(context: AccessContext, ending: Ending): Promise<Closers> {
  const policy = context.policy();
  const groups = groupsEnding(policy, ending.asked.command, ending.needed, ending.asked.caller);
  const { people: named, unknown } = await peopleOf(context, policy, groups);
  // Rules for `everyone` also cover the requester, and people whom no rule names.
  const outsider = { groups: [], joinedGroups: [], otherGroups: groups.filter((group) => !unknown.includes(group)) };
  const requester = { id: ending.asked.requester, ...outsider };
  const everybody = named.some(({ id }) => id === requester.id) ? named : [...named, requester];
  const isForAnyone = mayEnd({ ...ending, policy, by: { id: '', ...outsider } }).kind === 'may';
  const rights = everybody.map((by) => ({ id: by.id, right: mayEnd({ ...ending, policy, by }) }));
  const idsWith = (counts: (right: EndRight) => boolean): readonly string[] =>
    eachOnce(
      policy,
      rights.filter(({ right }) => counts(right)).map(({ id }) => id),
    );
  const mayClose = idsWith(({ kind }) => kind === 'may');
  const direct = await firstMembers(context, mayClose);
  if (direct.people.length > 0) return { people: direct.people, byUnlock: false, anybody: true };
  if (isForAnyone) return { people: [], byUnlock: false, anybody: true };
  const anybody = direct.isSure && unknown.length === 0 ? false : undefined;
  const mayUnlock = idsWith((right) => right.kind !== 'may' && isEnough(right, anybody));
  const { people } = await firstMembers(context, mayUnlock);
  return { people, byUnlock: people.length > 0, anybody };
}

/** Whether this right is enough now. Looks for other closers only if that matters. */
export async function isCloser(context: AccessContext, right: EndRight, ending: Ending): Promise<boolean> {
  return isEnough(right, right.kind === 'if nobody may' ? (await closersOf(context, ending)).anybody : true);
}

/** The first members among these ids. `isSure`: false if Slack doesn't say whether somebody is a member. */
async function firstMembers(context: AccessContext, ids: readonly string[]) {
  let isSure = ids.length <= maxAsked;
  for (let from = 0; from < Math.min(ids.length, maxAsked); from += maxPeople) {
    const { people, unsure } = await membersAmong(context, ids.slice(from, from + maxPeople));
    if (people.length > 0) return { people, isSure: true };
    if (unsure) isSure = false;
  }
  return { people: [], isSure };
}

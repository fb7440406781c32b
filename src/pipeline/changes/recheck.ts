import { Refusal } from '../../errors.ts';
import type { Company, Target } from '../../hosting/contract/target.ts';
import type { Presence } from '../../hosting/presence.ts';
import type { Policy } from '../../policy/rules.ts';
import type { Change } from '../../storage/changes.ts';
import type { Database } from '../../storage/database.ts';
import { approvals, type Vote } from '../../storage/votes.ts';
import { groupsInDoubt, outstanding, type ApprovalRequest } from '../../policy/approvers.ts';
import type { Needed } from '../../policy/approval-requirement.ts';
import { code, inline, joined, say, type Text } from '../../text.ts';
import { HostTrouble } from '../../hosting/client.ts';
import { aboutOf, storedTargets } from '../access/targets.ts';
import { type Permit, permitOf } from '../access/permit.ts';
import { authorise, type Person } from '../access/authorise.ts';
import { fingerprint, restsOf } from './freeze.ts';
import { hiddenBy, listedAs, namesWith, readerOf } from '../access/visibility.ts';
import { factLines } from './card.ts';
import type { Names } from '../language/resolve.ts';
import { restore, type Restored } from '../language/reparse.ts';
import { sourcesOf, type Sighted } from './read-sources.ts';
import { inWords } from './host-trouble.ts';
import { groupsOf, NotKnown, membersUnknownQuietly } from '../access/unknown-groups.ts';

/** What is asked once more, at a click and just before a change is sent. */
export type Recheck = Sighted & {
  readonly database: Database;
  readonly policy: () => Policy;
  /** What a person may read by name; of nobody: all there is. */
  readonly names: (person: Person | undefined) => Names;
  /**
   * Who somebody is, and in which of these user groups, asked of Slack now; where it `mayBeRecent`, the groups may be
   * what Slack said some seconds ago. Undefined: nobody answered.
   */
  readonly whoIs: (
    id: string,
    groups: readonly string[],
    team?: string,
    mayBeRecent?: boolean,
  ) => Promise<Person | undefined>;
  /**
   * Lists the names anew, if that was not done just now, and waits so many milliseconds at most; never rejects. Resolves
   * with the time (epoch ms) from which on it counts what the host has told.
   */
  readonly freshenNames: (withinMs?: number) => Promise<number>;
  /** Whether the host still has a target, as far as it has told since then. */
  readonly presenceOf: (target: Target, since: number) => Presence;
};

/** May it still be sent, as it was frozen? `later`: a question went unanswered, nothing is decided. */
export type Rechecked =
  | { readonly kind: 'as it was' }
  | { readonly kind: 'void' | 'drifted' | 'later' | 'host trouble'; readonly why: Text };

/** Asks the rights, the votes, the target and what the change rests on again, by the same functions as when it was asked. */
export async function recheck(context: Recheck, change: Change): Promise<Rechecked> {
  if (fingerprint(change.call, change.card) !== change.fingerprint) return notAgreed;
  const rights = await recheckRights(context, change);
  if ('kind' in rights) return rights;
  return recheckDrift(context, change, rights);
}

/** So long the host may take to list its sites: before it has, it is not known whether the target is there. */
export const listingMs = 8_000;

const gone = (why: Text): Rechecked => ({ kind: 'void', why });
const notAgreed = gone(say`What is stored of this change is not what was agreed on.`);
const slackIsSilent: Rechecked = { kind: 'later', why: say`Slack does not tell me who may do what right now.` };
const notKnown = (groups: readonly string[]): Rechecked => ({ kind: 'later', why: membersUnknownQuietly(groups) });

async function recheckRights(context: Recheck, change: Change): Promise<Restored | Rechecked> {
  const { timerOf, approval } = permitOf(change);
  const isTimer = timerOf !== undefined;
  const groups = groupsOf(context.policy(), change, 'asker');
  // Network calls, in parallel.
  const [person, approvers, since] = await Promise.all([
    isTimer ? undefined : context.whoIs(change.asker, groups, undefined, approval === 'none'),
    isTimer || change.state === 'waiting' ? [] : approversNow(context, change),
    // What ends access by itself looks at the host by its id, list or no list: it must not wait for names.
    isTimer ? 0 : context.freshenNames(listingMs),
  ]);
  if (!isTimer && person === undefined) return slackIsSilent;
  const moved = isTimer ? undefined : recheckTargets(context, change, since);
  if (moved) return moved;
  const restored = restore(change, namesWith(context, change));
  if (restored === undefined) return gone(say`I do not know ${code(change.command)} any more.`);
  return person === undefined ? restored : recheckRules(context, change, restored, person, approvers);
}

/** What stands against it in the names of its targets: gone, renamed, or not to be found out now. */
function recheckTargets(context: Recheck, change: Change, since: number): Rechecked | undefined {
  for (const target of storedTargets(change)) {
    const presence = context.presenceOf(target, since);
    if (presence === 'gone') return gone(say`${target.name} is gone: the host lists its sites without it.`);
    if (presence !== 'listed') {
      return {
        kind: 'later',
        why:
          presence === 'missing'
            ? say`The host’s newest list of sites lacks ${target.name}; one list is not enough to tell.`
            : say`The host does not tell right now whether ${target.name} is there.`,
      };
    }
    const now = listedAs(context.names(undefined), target);
    if (now && target.kind !== 'company' && now.name !== target.name) {
      return gone(say`${target.name} is called ${now.name} now.`);
    }
  }
  return undefined;
}

/** The asker may still do it, and once it is approved, the votes still suffice, for the rules of then and of now. */
function recheckRules(
  context: Recheck,
  change: Change,
  restored: Restored,
  person: Person,
  approvers: readonly Person[] | undefined,
): Restored | Rechecked {
  const policy = context.policy();
  const now = approvalNow(policy, person, restored, context.company());
  if (now === undefined) return gone(say`${change.asker_name} may not do this any more.`);
  if (now instanceof NotKnown) return notKnown(now.groups);
  const then = permitOf(change).approval;
  if (change.state === 'waiting' || (now.approval === 'none' && then === 'none')) return restored;
  if (approvers === undefined) return slackIsSilent;
  const voters = approvers.filter(countsFor(context, change));
  const asked = { ...aboutOf(restored.resolved, context.company()).asked, asker: change.asker };
  const suffice = (needed: 'none' | Needed): boolean =>
    needed === 'none' || outstanding(policy, needed, asked, voters).length === 0;
  if (suffice(then) && suffice(now.approval)) return restored;
  const unknown = doubts(context, change, asked, approvers, now.unsure.length > 0 ? [then] : [then, now.approval]);
  const groups = [...new Set([...(unknown ?? []), ...now.unsure])];
  if (unknown !== undefined && groups.length > 0) return notKnown(groups);
  if (!suffice(then)) return gone(say`Somebody who approved it may not do so any more.`);
  return gone(say`The rules ask for another approval now.`);
}

/** The Slack user groups of which it would have to be known whether these votes suffice; undefined: they cannot. */
function doubts(
  context: Recheck,
  change: Change,
  asked: ApprovalRequest,
  approvers: readonly Person[],
  needed: readonly ('none' | Needed)[],
): readonly string[] | undefined {
  const policy = context.policy();
  const members = approvers.filter(({ standing }) => standing === 'member');
  const readers = members.filter((one) => readerOf(context, one)(change) || hiddenBy(context, one, change).length > 0);
  const wanted = needed.filter((one) => one !== 'none');
  if (wanted.some((one) => outstanding(policy, one, asked, readers, 'perhaps').length > 0)) return undefined;
  const voices = wanted.flatMap((one) => groupsInDoubt(policy, one, asked, readers));
  return [...voices, ...readers.flatMap((one) => hiddenBy(context, one, change))];
}

function approvalNow(
  policy: Policy,
  person: Person,
  { resolved }: Restored,
  company: Company,
): (Pick<Permit, 'approval'> & { readonly unsure: readonly string[] }) | NotKnown | undefined {
  try {
    const { permit, unsure = [] } = authorise(policy, person, resolved, company);
    return { approval: permit.approval, unsure };
  } catch (error) {
    if (error instanceof NotKnown) return error;
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const approversNow = async (context: Recheck, change: Change): Promise<readonly Person[] | undefined> =>
  askedAgain(context, change, await approvals(context.database.db, change.number));

/** Those who voted, as Slack knows them now; undefined where it does not answer. */
async function askedAgain(
  { whoIs, policy }: Pick<Recheck, 'whoIs' | 'policy'>,
  change: Change,
  votes: readonly Vote[],
): Promise<readonly Person[] | undefined> {
  const groups = groupsOf(policy(), change, 'approver');
  const people = await Promise.all(votes.map(({ person }) => whoIs(person, groups)));
  const known = people.filter((one) => one !== undefined);
  return known.length < people.length ? undefined : known;
}

/** Whose vote counts: members who may read it, as for a click. */
function countsFor(context: Omit<Recheck, 'database'>, change: Change): (person: Person) => boolean {
  return (person) => person.standing === 'member' && readerOf(context, person)(change);
}

/** Those who approved and whose votes count, as Slack knows them now; undefined where it does not answer. */
export async function freshVoters(
  context: Omit<Recheck, 'database'>,
  change: Change,
  votes: readonly Vote[],
): Promise<readonly Person[] | undefined> {
  return (await askedAgain(context, change, votes))?.filter(countsFor(context, change));
}

async function recheckDrift(context: Recheck, change: Change, { action, resolved }: Restored): Promise<Rechecked> {
  // What rests on nothing cannot drift, and a host that is slow to show it is no reason to wait.
  if (action.look === undefined || change.rests === 'null') return { kind: 'as it was' };
  try {
    const now = await action.look({ input: resolved.input, ...sourcesOf(context) });
    if (restsOf(action, resolved, now) === change.rests) return { kind: 'as it was' };
    const { facts = {} } = action.card({ input: resolved.input, before: now, now: await context.database.now() });
    const lines = Object.entries(facts).map(([label, value]) => [label, inline(value)] as const);
    const why = say`Somebody changed ${change.target_name} in the meantime. Asked again, it would be:`;
    return { kind: 'drifted', why: joined([why, factLines(lines.filter(([, value]) => value.length > 0))], '\n') };
  } catch (error) {
    if (error instanceof HostTrouble) return { kind: 'host trouble', why: inWords(error) };
    if (error instanceof Refusal) return { kind: 'host trouble', why: error.says };
    throw error;
  }
}

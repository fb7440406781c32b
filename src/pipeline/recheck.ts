import { Refusal } from '../errors.ts';
import type { Company, Target } from '../hosting/contract/target.ts';
import type { Presence } from '../hosting/directory.ts';
import type { Policy } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { approvals, type Vote } from '../storage/votes.ts';
import { outstanding } from '../policy/approvers.ts';
import type { Needed } from '../policy/needed.ts';
import { code, inline, joined, say, type Text } from '../text.ts';
import { HostTrouble } from '../hosting/client.ts';
import { aboutOf, storedTargets } from './about.ts';
import { authorise, type Person } from './authorise.ts';
import { fingerprint, restsOf } from './freeze.ts';
import { listedAs, namesWith, readerOf } from './readable.ts';
import { factLines, permitOf } from './render.ts';
import type { Names } from './resolve.ts';
import { restore, type Restored } from './restore.ts';
import { sourcesOf, type Sighted } from './sources.ts';
import { inWords } from './trouble.ts';

/** What is asked once more, at a click and just before a change is sent. */
export type Recheck = Sighted & {
  readonly database: Database;
  readonly policy: () => Policy;
  /** What a person may read by name; of nobody: all there is. */
  readonly names: (person: Person | undefined) => Names;
  /** Who somebody is, asked of Slack now; undefined: nobody answered. */
  readonly whoIs: (id: string, team?: string) => Promise<Person | undefined>;
  /** Lists the names anew, if that was not done just now; never rejects. */
  readonly freshenNames: () => Promise<void>;
  /** Whether the host still has a target, as far as it has told within the last seconds. */
  readonly presenceOf: (target: Target) => Presence;
};

/** May it still be sent, as it was frozen? `later`: a question went unanswered, nothing is decided. */
export type Rechecked =
  | { readonly kind: 'as it was' }
  | { readonly kind: 'void' | 'drifted' | 'later' | 'host trouble'; readonly why: Text };

/** Asks the rights, the votes, the target and what the change rests on again, by the same functions as when it was asked. */
export async function recheck(desk: Recheck, change: Change): Promise<Rechecked> {
  if (fingerprint(change.call, change.card) !== change.fingerprint) return notAgreed;
  const rights = await recheckRights(desk, change);
  if ('kind' in rights) return rights;
  return recheckDrift(desk, change, rights);
}

const gone = (why: Text): Rechecked => ({ kind: 'void', why });
const notAgreed = gone(say`What is stored of this change is not what was agreed on.`);
const slackIsSilent: Rechecked = { kind: 'later', why: say`Slack does not tell me who may do what right now.` };

async function recheckRights(desk: Recheck, change: Change): Promise<Restored | Rechecked> {
  const isTimer = permitOf(change).timerOf !== undefined;
  // Network calls, in parallel.
  const [person, approvers] = await Promise.all([
    isTimer ? undefined : desk.whoIs(change.asker),
    isTimer || change.state === 'waiting' ? [] : approversNow(desk, change),
    desk.freshenNames(),
  ]);
  if (!isTimer && person === undefined) return slackIsSilent;
  const moved = recheckTargets(desk, change, isTimer);
  if (moved) return moved;
  const restored = restore(change, namesWith(desk, change));
  if (restored === undefined) return gone(say`I do not know ${code(change.command)} any more.`);
  return person === undefined ? restored : recheckRules(desk, change, restored, person, approvers);
}

/** What stands against it in the names of its targets: gone, renamed, or not to be found out now. */
function recheckTargets(desk: Recheck, change: Change, isTimer: boolean): Rechecked | undefined {
  for (const target of storedTargets(change)) {
    const presence = desk.presenceOf(target);
    if (presence === 'gone') return gone(say`${target.name} is gone: the host lists its sites without it.`);
    // What ends access by itself looks at the host by its id, list or no list: it must not wait for names.
    if (presence === 'unknown' && !isTimer) {
      return { kind: 'later', why: say`The host does not list ${target.name} right now, so I cannot check it.` };
    }
  }
  const [target] = storedTargets(change);
  const now = target && listedAs(desk.names(undefined), target);
  return now && now.name !== change.target_name
    ? gone(say`${change.target_name} is called ${now.name} now.`)
    : undefined;
}

/** The asker may still do it, and once it is approved, the votes still suffice, for the rules of then and of now. */
function recheckRules(
  desk: Recheck,
  change: Change,
  restored: Restored,
  person: Person,
  approvers: readonly Person[] | undefined,
): Restored | Rechecked {
  const policy = desk.policy();
  const now = approvalNow(policy, person, restored, desk.company());
  if (now === undefined) return gone(say`${change.asker_name} may not do this any more.`);
  const then = permitOf(change).approval;
  if (change.state === 'waiting' || (now === 'none' && then === 'none')) return restored;
  if (approvers === undefined) return slackIsSilent;
  const voters = approvers.filter(countsFor(desk, change));
  const asked = { ...aboutOf(restored.resolved, desk.company()).asked, asker: change.asker };
  const suffice = (needed: 'none' | Needed): boolean =>
    needed === 'none' || outstanding(policy, needed, asked, voters).length === 0;
  if (!suffice(then)) return gone(say`Somebody who approved it may not do so any more.`);
  return suffice(now) ? restored : gone(say`The rules ask for another approval now.`);
}

function approvalNow(
  policy: Policy,
  person: Person,
  { resolved }: Restored,
  company: Company,
): 'none' | Needed | undefined {
  try {
    return authorise(policy, person, resolved, company).permit.approval;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const approversNow = async (desk: Recheck, { number }: Change): Promise<readonly Person[] | undefined> =>
  askedAgain(desk, await approvals(desk.database.db, number));

/** Those who voted, as Slack knows them now; undefined where it does not answer. */
async function askedAgain(
  { whoIs }: Pick<Recheck, 'whoIs'>,
  votes: readonly Vote[],
): Promise<readonly Person[] | undefined> {
  const people = await Promise.all(votes.map(({ person }) => whoIs(person)));
  const known = people.filter((one) => one !== undefined);
  return known.length < people.length ? undefined : known;
}

/** Whose vote counts: members who may read it, as for a click. */
function countsFor(desk: Omit<Recheck, 'database'>, change: Change): (person: Person) => boolean {
  return (person) => person.standing === 'member' && readerOf(desk, person)(change);
}

/** Those who approved and whose votes count, as Slack knows them now; undefined where it does not answer. */
export async function freshVoters(
  desk: Omit<Recheck, 'database'>,
  change: Change,
  votes: readonly Vote[],
): Promise<readonly Person[] | undefined> {
  return (await askedAgain(desk, votes))?.filter(countsFor(desk, change));
}

async function recheckDrift(desk: Recheck, change: Change, { action, resolved }: Restored): Promise<Rechecked> {
  // What rests on nothing cannot drift, and a host that is slow to show it is no reason to wait.
  if (action.look === undefined || change.rests === 'null') return { kind: 'as it was' };
  try {
    const now = await action.look({ input: resolved.input, ...sourcesOf(desk) });
    if (restsOf(action, resolved, now) === change.rests) return { kind: 'as it was' };
    const { facts = {} } = action.card({ input: resolved.input, before: now, now: await desk.database.now() });
    const lines = Object.entries(facts).map(([label, value]) => [label, inline(value)] as const);
    const why = say`Somebody changed ${change.target_name} in the meantime. Asked again, it would be:`;
    return { kind: 'drifted', why: joined([why, factLines(lines.filter(([, value]) => value.length > 0))], '\n') };
  } catch (error) {
    if (error instanceof HostTrouble) return { kind: 'host trouble', why: inWords(error) };
    if (error instanceof Refusal) return { kind: 'host trouble', why: error.says };
    throw error;
  }
}

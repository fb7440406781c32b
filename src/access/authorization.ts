import { parseStored } from '../storage/parse-json.ts';
import type { Askers, Waited } from '../policy/approvers.ts';
import { operatorIds, type AskingCaller } from '../policy/callers.ts';
import type { ReasonLink } from '../policy/reason-match.ts';
import {
  defaultBatchValidityMs,
  type Calling,
  type Escalation,
  type Member,
  type Needed,
  type Policy,
} from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { Refusal } from '../base/errors.ts';
import type { Company, Environment, Environments, Target } from '../hosting/contract/target.ts';
import { decideAccess, decideReading, unknownIn } from '../policy/policy.ts';
import { code, sample, say } from '../words/text.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import { searchIn } from '../language/name-search.ts';
import type { Resolved } from '../language/resolve.ts';
import { usage } from '../language/usage.ts';
import { aboutOf, manyOf, requestFor } from './targets.ts';

/** What the rules require of a request, for one target or for many environments together. */

/** One requirement as asked: `count` approvals from `people` (known Slack user ids) in these policy groups. */
export type AskedRequirement = {
  readonly count: number;
  readonly people: readonly string[];
  /** Their display names when they were asked, in the same order. */
  readonly names: readonly string[];
  readonly groups: readonly string[];
  /** Slack user groups with unknown members. */
  readonly userGroups?: readonly string[];
  /** People for whom Slack didn't say whether they are members, so they can't be told directly. */
  readonly unsure?: readonly string[];
  /** Whether others, who were not looked up, might approve it too. */
  readonly mayBeOthers?: true;
  /** Whom it escalates to; missing: nobody, or they were asked. */
  readonly escalate?: Escalation;
  /** Who is notified, if the rules name others than those who may approve. */
  readonly notify?: Notified;
};

/** People of these policy groups who are notified of a request; all of them may see what it is about. */
export type Notified = {
  readonly groups: readonly string[];
  readonly people: readonly string[];
  readonly names: readonly string[];
  /** Slack user groups among them with unknown members. */
  readonly unknown: readonly string[];
  readonly unsure?: AskedRequirement['unsure'];
};

/** What was skipped in an emergency: an approval, and these freezes. */
export type BrokenGlass = {
  readonly approval: boolean;
  readonly freezes: readonly string[];
  /** Who could have approved it then or later, and who of them is told; missing: not saved yet. */
  readonly reviewers?: Required<Pick<Authorization, 'asks' | 'told'>>;
};

/** What the rules required when the change was asked for; stored with it. */
export type Authorization = {
  readonly approval: 'none' | Needed;
  /** Line numbers of the rules that allow it. */
  readonly rules: readonly number[];
  /** How long a batch may begin changes after its start, in milliseconds; missing: the default, or it is no batch. */
  readonly batchValidity?: number;
  /** Hash of the policy's text. */
  readonly policy: string;
  /** Who was asked, with one entry for each requirement. */
  readonly asks?: readonly AskedRequirement[];
  /** Who is told directly, by one id for each person; missing: nobody was asked. */
  readonly told?: readonly string[];
  /** The links in its reason, if rules of then made some. */
  readonly links?: readonly ReasonLink[];
  /** The caller through which it was asked for, with its key and its operators at that time. */
  readonly calling?: Calling & AskingCaller;
  /** For a change of a batch: when the batch was asked for, epoch ms. */
  readonly askedAt?: number;
  /** It was asked for as an emergency: nobody approved it, and whoever could have reviews it. */
  readonly breakGlass?: BrokenGlass;
  /** For a change made by a timer: the number of the change that set the timer. */
  readonly timerOf?: number;
};

/** The caller through which somebody asks, with its operators by their Slack ids: their groups can change. */
export const callingAs = (policy: Policy, { caller }: Member): Authorization['calling'] =>
  caller && { ...caller, operators: operatorIds(policy, caller.name) };

/** That of the change that ends timed access, by the rights of the grant: the askers of both are the same. */
export function authorizationByTimer(timerOf: number, grant: Change | undefined, policy: Policy): Authorization {
  const calling = grant && authorizationOf(grant).calling;
  return { approval: 'none', rules: [], policy: policy.hash, timerOf, ...(calling && { calling }) };
}

/** The authorization of what somebody asks for, be it one change or many together. */
export function authorizationOnAsking(
  policy: Policy,
  person: Member,
  { approval, rules }: { readonly approval: 'none' | Needed; readonly rules: readonly { readonly line: number }[] },
): Authorization {
  const calling = callingAs(policy, person);
  return { approval, rules: rules.map(({ line }) => line), policy: policy.hash, ...(calling && { calling }) };
}

/** Those who asked for a stored change. */
export const askersOf = (change: Pick<Change, 'requester' | 'handed_on_by' | 'authorization'>): Askers => ({
  requester: change.requester,
  handedOnBy: change.handed_on_by,
  caller: authorizationOf(change).calling,
});

/** When approval of a stored change was asked for, epoch ms. */
export const askedAt = (change: Pick<Change, 'created_at' | 'authorization'>): number =>
  authorizationOf(change).askedAt ?? change.created_at;

/** How long it has waited at this moment (epoch ms). */
export const waitedUntil = (change: Pick<Change, 'created_at' | 'authorization'>, at: number): Waited => ({
  waited: at - askedAt(change),
});

/** How long a stored batch may begin changes after its start, in milliseconds. */
export const batchValidityOf = (change: Pick<Change, 'authorization'>): number =>
  authorizationOf(change).batchValidity ?? defaultBatchValidityMs;

/** Whether those who asked for a change may close it themselves: it needed no approval, and no program asked. */
export const askersMayClose = (change: Pick<Change, 'authorization'>): boolean => {
  const { approval, calling } = authorizationOf(change);
  return approval === 'none' && calling === undefined;
};

/** The program whose pause holds a change: not access that ends on time. */
export const heldAs = (change: Pick<Change, 'caller' | 'authorization'>): string | null =>
  authorizationOf(change).timerOf === undefined ? change.caller : null;

/**
 * What a change that may still be sent skips. Undefined: nothing, or nothing any more: after a failover or a restore it
 * is asked for again, and waits for the approval.
 */
export const skippedBy = (change: Pick<Change, 'authorization' | 'lost_at'>): BrokenGlass | undefined =>
  change.lost_at === null ? authorizationOf(change).breakGlass : undefined;

/** The authorization of a stored change. */
export const authorizationOf = (change: Pick<Change, 'authorization'>): Authorization =>
  parseStored(change.authorization);

/** One request for many environments: which of them the rules allow, and what approval they need together. */

type Batch = Readonly<{ policy: Policy; person: Member; resolved: Resolved; company: Company }>;

/**
 * Keeps the environments that the rules allow; the person is told which others they named. Throws `Refusal` if none is
 * allowed, or if that is unknown. `authorizeOne` checks a request for one environment and throws `Refusal`.
 */
export function authorizeEach<One extends { readonly target: Target | undefined }>(
  { policy, person, resolved, company }: Batch,
  { all, trouble, ...named }: Environments,
  authorizeOne: (resolved: Resolved) => One,
) {
  refuseForMany(resolved.parsed);
  // A lock of those that are known is better than none, and the answer says that there may be more.
  if (trouble && resolved.parsed.command.shape === 'action')
    throw new Refusal(
      say`I can't tell right now whether these are all the environments you mean. ${trouble} Nothing was done.`,
      { hint: 'Try again in a minute.', isLater: true },
    );
  const isRefused = (env: Environment): boolean => {
    const decision = decideAccess(policy, person, aboutOf(requestFor(resolved, env), company).asked);
    const isCertain = decision.kind === 'not allowed' && unknownIn(decision).length === 0;
    return isCertain && decideReading(policy, person, env).kind === 'allowed';
  };
  const ordered = all.toSorted(liveLast);
  const notAllowed = ordered.filter(isRefused);
  const check = (env: Environment): One => authorizeOne(requestFor(resolved, env));
  const [first] = notAllowed.length === all.length ? notAllowed : [];
  if (first) throw refusalOfAll(() => check(first));
  const kept = ordered.filter((env) => !notAllowed.includes(env));
  const each = kept.map(check);
  const alsoReads = each.flatMap(({ target }) => (target?.kind === 'environment' ? [target] : []));
  const whole = requestFor(resolved, { ...named, all: alsoReads, trouble });
  const decision = decideAccess(policy, person, aboutOf(whole, company).asked);
  if (decision.kind !== 'allowed') throw new Error('what is allowed on each is not allowed on all');
  const { approval, rules, batchValidity, unsure } = decision;
  const authorization = { ...authorizationOnAsking(policy, person, { approval, rules }), batchValidity };
  const canary = canaryOf(resolved.parsed, kept, decision.canary);
  const parsed = { ...resolved.parsed, canary: canary?.id };
  return { ...whole, parsed, target: undefined, alsoReads, authorization, each, notAllowed, unsure };
}

/** The environment that goes first and alone; undefined: there is none. Throws `Refusal` if the named one can't. */
function canaryOf(
  { canary, command }: ParsedCommand,
  kept: readonly Environment[],
  isAskedByRule: boolean,
): Environment | undefined {
  const isChecked = command.shape === 'action' && command.mayBreakSite === true;
  // Choose a live environment: one that nobody visits proves little.
  if (canary === undefined) return isAskedByRule && isChecked ? (kept.find(({ live }) => live) ?? kept[0]) : undefined;
  const found = searchIn(kept)
    .exact(canary)
    .find((one) => one.kind === 'environment');
  if (found === undefined)
    throw new Refusal(
      say`The canary ${code(canary.slice(0, 80))} is not among the environments that this would change. Nothing was done.`,
    );
  if (isChecked) return found;
  throw new Refusal('No site check can tell how this ended, so it takes no canary. Nothing was done.');
}

/** Throws `Refusal`: a form is about one environment and would drop the others. */
export function refuseForm(resolved: Resolved): void {
  const { path, command, canary } = resolved.parsed;
  if (command.shape !== 'action' || (canary === undefined && manyOf(resolved) === undefined)) return;
  throw new Refusal('For several environments, the whole command has to be typed. Nothing was done.', {
    hint: say`Usage: ${sample(usage(path, command))}`,
  });
}

/** Refuses options that only work for one environment. */
function refuseForMany({ queue, handOn, handedOn }: ParsedCommand): void {
  if (!queue && !handOn && handedOn === undefined) return;
  const what = queue ? 'A place in the queue is' : 'Handing a request on is';
  throw new Refusal(`${what} for one environment at a time. Nothing was done.`);
}

/** The order of a batch: environments that are not live first, then by name. */
const liveLast = (one: Environment, other: Environment): number =>
  Number(one.live) - Number(other.live) || one.name.localeCompare(other.name, 'en');

/** The refusal of one environment, which would be the same for all others. */
function refusalOfAll(check: () => unknown): Refusal {
  try {
    check();
  } catch (error) {
    if (error instanceof Refusal) return new Refusal(error.says, { hint: 'The same goes for all of them.' });
    throw error;
  }
  throw new Error('what is not allowed was allowed');
}

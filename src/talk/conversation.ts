import type { AnyAction } from '../commands/kit/action.ts';
import { Refusal } from '../base/errors.ts';
import type { Policy } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { assertMember, authorize, type Authorized, type Channel, type Person } from '../access/access-check.ts';
import { refuseForm } from '../access/authorization.ts';
import { assertChannel } from '../access/assert-channel.ts';
import { refuseUnlessMayAsk } from '../access/may-run.ts';
import { NotAllowed } from '../access/not-allowed.ts';
import { needsReview, NotAsShown, refuseUnlessTyped, type Confirmation } from '../change/confirmation.ts';
import { dryRun, shownByDryRun } from '../change/exact-request.ts';
import type { Pinned } from '../change/pin.ts';
import { maxReasonLength, reasonProblem } from '../access/reason.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import { scheduled } from '../language/schedule.ts';
import { resolve, type Resolved } from '../language/resolve.ts';
import type { Requester } from '../send/new-change.ts';
import { handedOnWith } from '../change/handed-on.ts';
import { handOn } from '../waiting/hand-on.ts';
import { joinQueue, type JoinResult } from '../waiting/queues.ts';
import { applyLeftOut } from '../decide/decide-batch.ts';
import { lookAndPin } from '../decide/look-and-pin.ts';
import { save } from '../decide/submit.ts';
import type { Text } from '../words/text.ts';
import { answerOf, type Answer } from './answer.ts';
import { identifySender, type Sender, accountOf } from './speaker.ts';
import { refusedWith, type Refuse } from './typed-offers.ts';
import type { CommandOutcome, PipelineContext } from './context.ts';

/**
 * What comes next when a person says something, at any front door. `check` works in memory, except that it looks up the
 * speaker, the card's channel and, for unknown names, the host's lists. `next` may read from the host. Only `next` and
 * `handOnRefused` save or show anything.
 */

/** A request, and where it came from. */
export type Request = {
  readonly from: Sender & {
    /** Where it was said; undefined: not in a channel, or in one that the sender may not be in. */
    readonly channel: () => Promise<string | undefined>;
    /** The channel for a card. */
    readonly cardChannel: () => Promise<Channel>;
  };
  readonly parsed: ParsedCommand;
  /** Always starts with the fields, or with the review. By default only if the command needs it. */
  readonly first?: 'fields' | 'review';
  /** What a review showed (`shownOf`), and the name typed into it. */
  readonly reviewed?: Exclude<Confirmation, string>;
};

/** Fields are missing or unreadable. `says`: what is wrong with the whole. If nothing is, the fields were asked for. */
export type Ask = {
  readonly kind: 'ask';
  readonly resolved: Resolved;
  readonly person: Person;
  readonly says?: Refusal | undefined;
};

/** Allowed and complete; `next` does what `will` says. */
export type Ready = {
  readonly kind: 'ready';
  readonly will: 'show' | 'review' | 'save' | 'queue';
  readonly authorized: Authorized;
  /** Who asks, and the channel for the card. */
  readonly requester: Requester;
  /** Where it was said, and where a card would be. */
  readonly from: Request['from'];
  readonly confirmation: Confirmation;
};

export type Next =
  | Refuse
  | (Answer & { readonly authorized: Authorized })
  /** It waits for a lock, or another command should run instead. */
  | JoinResult
  /** The review. `differs`: from what the person was shown before. */
  | { readonly kind: 'review'; readonly pinned: Pinned; readonly differs: boolean }
  /** Undefined: not saved, because the person has already been told that nothing was done. */
  | { readonly kind: 'saved'; readonly change: Change | undefined };

/** Checks a request in memory, except that it looks up the speaker, the card's channel and unknown names. */
export async function check(context: PipelineContext, request: Request): Promise<Refuse | Ask | Ready> {
  let person: Person | undefined;
  try {
    person = await identifySender(context, request.from, request.parsed);
    const { parsed } = request;
    const read = parsed.when ? scheduled(parsed, await context.database.now(), person.zone) : parsed;
    return await checkFor(context, { ...request, parsed: read }, person);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    context.onCommand(request.parsed.path, 'refused');
    return refusedWith(error, context.policy(), person);
  }
}

async function checkFor(context: PipelineContext, request: Request, person: Person): Promise<Ask | Ready> {
  const { parsed, from } = request;
  const resolved = await resolveNames(context, parsed, person);
  if (resolved.problems.length > 0) {
    refuseUnlessMayAsk(context.policy(), person, parsed);
    return { kind: 'ask', resolved, person };
  }
  const isAction = parsed.command.shape === 'action';
  const channel = isAction ? await from.cardChannel() : { id: person.id, shared: false };
  const evaluated = evaluate(context, resolved, { person, channel }, request);
  return evaluated.kind === 'ask' ? evaluated : { ...evaluated, from };
}

/** Checks a resolved command against the rules, in memory. Throws `Refusal`, but not for missing fields. */
export function evaluate(
  { policy, company }: Pick<PipelineContext, 'policy' | 'company'>,
  resolved: Resolved,
  requester: Requester,
  { first, reviewed }: Pick<Request, 'first' | 'reviewed'> = {},
): Ask | Omit<Ready, 'from'> {
  const { parsed, problems } = resolved;
  const { command } = parsed;
  const { person, channel } = requester;
  assertMember(person);
  if (problems[0]) throw problems[0].refusal;
  const incomplete = askForFields(policy(), resolved, person);
  if (incomplete) return incomplete;
  refuseLongReason(parsed);
  const authorized = authorize(policy(), person, resolved, company());
  const ready = { kind: 'ready', authorized, requester, confirmation: reviewed ?? 'not needed' } as const;
  if (command.shape === 'action')
    assertChannel(policy(), channel, [authorized.target, ...authorized.alsoReads], person.caller);
  if (command.shape !== 'action' || parsed.dryRun)
    return first === 'fields' ? { kind: 'ask', resolved, person } : { ...ready, will: 'show' };
  const will = reviewed ? 'save' : comesNext(command, authorized, first);
  // A review asks for the reason itself.
  if (will !== 'save') return { ...ready, will };
  const unreasoned = reasonProblem(authorized);
  if (unreasoned) return { kind: 'ask', resolved, person, says: unreasoned };
  if (reviewed) refuseUnlessTyped(command, authorized.target, reviewed.typedName);
  else if (first === 'fields') return { kind: 'ask', resolved, person };
  return { ...ready, will };
}

/** Asks for what is missing. Undefined: nothing is. Throws `Refusal` if the fields don't fit together. */
function askForFields(policy: Policy, resolved: Resolved, person: Person): Ask | undefined {
  const { parsed, input, missing } = resolved;
  const { command } = parsed;
  const wrong = missing.length > 0 || command.shape === 'builtin' ? undefined : command.invalid?.(input);
  if (missing.length > 0 || wrong?.unsaid) {
    refuseUnlessMayAsk(policy, person, parsed);
    refuseForm(resolved);
    return { kind: 'ask', resolved, person, says: wrong && new Refusal(wrong.says, wrong) };
  }
  if (wrong) throw new Refusal(wrong.says, wrong);
  return undefined;
}

function refuseLongReason({ reason = '' }: ParsedCommand): void {
  if (reason.length > maxReasonLength)
    throw new Refusal(`A reason has at most ${maxReasonLength} characters. Nothing was done.`, { field: 'reason' });
}

/** What comes of an allowed action that has all its fields and was not reviewed. */
function comesNext(command: AnyAction, authorized: Authorized, first: Request['first']): Ready['will'] {
  const { parsed, each } = authorized;
  if (parsed.queue && first === undefined) return 'queue';
  return first === 'review' || parsed.handOn || each || needsReview(command, authorized) ? 'review' : 'save';
}

/** What the arguments mean to this person. If a name is unknown, reads the host's lists again first. */
async function resolveNames(context: PipelineContext, parsed: ParsedCommand, person: Person): Promise<Resolved> {
  const resolved = resolve(parsed, context.names(person));
  if (!resolved.problems.some(({ field }) => parsed.command.fields[field]?.kind !== 'plain')) return resolved;
  await context.freshenNames();
  return resolve(parsed, context.names(person));
}

/**
 * If `check` refused a request because a right is missing, hands it on if the person wants that. Resolves with what
 * they are told; undefined: they don't want it, or it can't be handed on. Throws `Refusal`.
 */
export async function handOnRefused(
  context: PipelineContext,
  { parsed, from }: Request,
  { refusal, person }: Refuse,
  inbox: string | undefined,
): Promise<Text | undefined> {
  if (!parsed.handOn || !(refusal instanceof NotAllowed) || refusal.offers.length === 0) return undefined;
  return person && handOn(context, refusal, { person, channel: await from.cardChannel() }, inbox);
}

/** Runs a checked request. `inbox`: the delivery's row; a change is only saved in the transaction that closes it. */
export async function next(context: PipelineContext, ready: Ready, inbox: string | undefined): Promise<Next> {
  const { path } = ready.authorized.parsed;
  try {
    const came = await run(context, ready, inbox);
    const isLost = came.kind === 'saved' && came.change === undefined;
    const outcome = isLost ? undefined : outcomeOf[came.kind];
    if (outcome) context.onCommand(path, outcome);
    return came;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    context.onCommand(path, 'refused');
    return refusedWith(error, context.policy(), ready.requester.person);
  }
}

/** Undefined for `instead`: the other command has an outcome of its own. */
const outcomeOf: Readonly<Record<Next['kind'], CommandOutcome | undefined>> = {
  refuse: 'refused',
  show: 'shown',
  instead: undefined,
  queued: 'queued',
  review: 'reviewed',
  saved: 'saved',
};

async function run(context: PipelineContext, ready: Ready, inbox: string | undefined): Promise<Next> {
  const { authorized, requester, will, confirmation } = ready;
  const { person } = requester;
  const { command } = authorized.parsed;
  // What a program reads says nothing of what its person works on.
  if (authorized.target && authorized.target.kind !== 'company' && !person.caller)
    context.recent.note(person.id, authorized.target.id);
  if (command.shape !== 'action') {
    const { channel: saidIn, cardChannel } = ready.from;
    const actor = { person, authorization: authorized.authorization, inbox, saidIn, cardChannel };
    const answer = await answerOf(context, authorized, command, actor);
    return answer.kind === 'instead' ? answer : { ...answer, authorized };
  }
  if (will === 'queue') return joinQueue(context, authorized, command, requester, inbox);
  // Refuse a handed-on request that was run or has expired, before reading from the host.
  await handedOnWith(context, authorized);
  const pinned = await lookAndPin(context, authorized, command, { person, onBehalfOf: accountOf(person) });
  // The rules may have changed while the host was read.
  if (context.policy().hash !== authorized.authorization.policy)
    authorize(context.policy(), person, authorized, context.company());
  if (will === 'show') return { kind: 'show', page: dryRun(pinned), shown: shownByDryRun(authorized), authorized };
  if (will === 'review') return { kind: 'review', pinned, differs: false };
  try {
    const kept = applyLeftOut(context, pinned, person, confirmation);
    if (!kept.isAsShown) return { kind: 'review', pinned: kept.pinned, differs: true };
    return { kind: 'saved', change: await save(context, kept.pinned, requester, kept.confirmation, inbox) };
  } catch (error) {
    if (error instanceof NotAsShown) return { kind: 'review', pinned, differs: true };
    throw error;
  }
}

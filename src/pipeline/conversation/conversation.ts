import type { Page } from '../../commands/kit/page.ts';
import { Refusal, type Words } from '../../errors.ts';
import type { Change } from '../../storage/changes.ts';
import type { Authorised, Channel, Person } from '../access/authorise.ts';
import type { Recent } from '../access/recent-targets.ts';
import { NotAsShown, refuseUnlessTyped, type Confirmation } from '../changes/confirmation.ts';
import { dryRun } from '../changes/dry-run.ts';
import type { Frozen } from '../changes/freeze.ts';
import type { ParsedCommand } from '../language/parsed-command.ts';
import { resolve, type Resolved } from '../language/resolve.ts';
import type { DecisionDeps } from '../steps/decide.ts';
import type { WorkerDeps } from '../steps/worker.ts';
import { consider, lookAndFreeze, noReason, save, wantsReason } from '../steps/submit.ts';
import { answerOf, type AnswerContext } from './answer.ts';
import { speaker, type Sender, type SpeakerContext } from './speaker.ts';

/**
 * What comes next when a person says something, at any front door. `check` decides in memory; `next` may ask the host
 * and is the only one that saves or shows anything.
 */

export type ConversationContext = AnswerContext & SpeakerContext & { readonly recent: Recent };

/** Everything that the rooms of the pipeline work with; `wiring.ts` builds it once. */
export type PipelineContext = ConversationContext & DecisionDeps & WorkerDeps;

/** What somebody wants. */
export type Request = {
  readonly from: Sender & {
    /** Where it was said; undefined: in no channel. */
    readonly channel: string | undefined;
    /** The channel that a card would be posted in. */
    readonly cardChannel: () => Promise<Channel>;
  };
  readonly parsed: ParsedCommand;
  /** Always shows the fields first, or what will happen. Left out: only if the command needs it. */
  readonly first?: 'fields' | 'review';
  /** The fingerprint that a review showed, and the name that was typed into it. */
  readonly reviewed?: Exclude<Confirmation, string>;
};

export type Refuse = {
  readonly kind: 'refuse';
  readonly refusal: Refusal;
  /** Undefined: it is not known who speaks. */
  readonly person?: Person | undefined;
};

/** Fields are missing or cannot be read. `says`: what is wrong as a whole. Nothing wrong: the fields were asked for. */
export type Ask = {
  readonly kind: 'ask';
  readonly resolved: Resolved;
  readonly person: Person;
  readonly says?: Refusal | undefined;
};

/** Allowed and complete; `next` does what `will` says. */
export type Ready = {
  readonly kind: 'ready';
  readonly will: 'show' | 'review' | 'save';
  readonly parsed: Authorised;
  readonly person: Person;
  /** Where it was said; undefined: in no channel. */
  readonly saidIn: string | undefined;
  readonly cardChannel: Channel;
  readonly confirmation: Confirmation;
};

export type Next =
  | Refuse
  | { readonly kind: 'show'; readonly page: Page; readonly parsed: Authorised }
  /** Other words to run instead. */
  | { readonly kind: 'instead'; readonly words: Words }
  /** What will happen. `differs`: from what the person was shown before. */
  | { readonly kind: 'review'; readonly frozen: Frozen; readonly differs: boolean }
  /** Undefined: the person has been told that nothing was done, so it was not saved. */
  | { readonly kind: 'saved'; readonly change: Change | undefined };

/** Checks a request in memory, but for asking who speaks and, if a name is unknown, for the host's lists. */
export async function check(context: ConversationContext, request: Request): Promise<Refuse | Ask | Ready> {
  let person: Person | undefined;
  try {
    person = await speaker(context, request.from, request.parsed);
    return await checkFor(context, request, person);
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refuse', refusal: error, person };
    throw error;
  }
}

async function checkFor(
  context: ConversationContext,
  { parsed, from, first, reviewed }: Request,
  person: Person,
): Promise<Ask | Ready> {
  const resolved = await resolveNames(context, parsed, person);
  if (resolved.problems.length > 0) return { kind: 'ask', resolved, person };
  const { command, dryRun: isDryRun } = parsed;
  const isAction = command.shape === 'action';
  const cardChannel = isAction ? await from.cardChannel() : { id: from.channel ?? person.id, shared: false };
  const considered = consider(context, resolved, { person, channel: cardChannel });
  if (considered.kind === 'incomplete') return { kind: 'ask', resolved, person, says: considered.unsaid };
  const { parsed: authorised } = considered;
  const ready = { kind: 'ready', parsed: authorised, person, saidIn: from.channel, cardChannel } as const;
  if (isAction && reviewed) {
    if (wantsReason(authorised)) throw noReason();
    refuseUnlessTyped(command, authorised.target, reviewed.typedName);
    return { ...ready, will: 'save', confirmation: reviewed };
  }
  const isReview = considered.kind === 'review' || (isAction && !isDryRun && first === 'review');
  if (isReview) return { ...ready, will: 'review', confirmation: 'not needed' };
  if (first === 'fields') return { kind: 'ask', resolved, person };
  return { ...ready, will: isAction && !isDryRun ? 'save' : 'show', confirmation: 'not needed' };
}

/** What the words mean to this person. If a name is unknown, the host's lists are read again first. */
async function resolveNames(context: ConversationContext, parsed: ParsedCommand, person: Person): Promise<Resolved> {
  const resolved = resolve(parsed, context.names(person));
  if (!resolved.problems.some(({ field }) => parsed.command.fields[field]?.kind !== 'plain')) return resolved;
  await context.freshenNames();
  return resolve(parsed, context.names(person));
}

/** Runs what was checked. `inbox`: the row of the delivery; a change is saved only in the transaction that closes it. */
export async function next(context: ConversationContext, ready: Ready, inbox: string | undefined): Promise<Next> {
  try {
    return await run(context, ready, inbox);
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refuse', refusal: error, person: ready.person };
    throw error;
  }
}

async function run(context: ConversationContext, ready: Ready, inbox: string | undefined): Promise<Next> {
  const { parsed, person, will, cardChannel: channel, confirmation } = ready;
  const { command } = parsed.parsed;
  if (parsed.target && parsed.target.kind !== 'company') context.recent.note(person.id, parsed.target.id);
  if (command.shape !== 'action') {
    const answer = await answerOf(context, parsed, command, { person, channel: ready.saidIn, inbox });
    return 'instead' in answer ? { kind: 'instead', words: answer.instead } : { kind: 'show', page: answer, parsed };
  }
  const frozen = await lookAndFreeze(context, parsed, command, person.id);
  if (will === 'show') return { kind: 'show', page: dryRun(frozen), parsed };
  if (will === 'review') return { kind: 'review', frozen, differs: false };
  try {
    return { kind: 'saved', change: await save(context, frozen, { person, channel }, confirmation, inbox) };
  } catch (error) {
    if (error instanceof NotAsShown) return { kind: 'review', frozen, differs: true };
    throw error;
  }
}

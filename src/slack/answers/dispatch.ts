import { catalogue } from '../../commands/index.ts';
import { Refusal, type Args } from '../../errors.ts';
import type { Authorized, Person } from '../../pipeline/access/access-check.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { parse, parseArgs } from '../../pipeline/language/parse.ts';
import { resolve, type Resolved } from '../../pipeline/language/resolve.ts';
import { dryRun } from '../../pipeline/changes/dry-run.ts';
import { consider, lookAndFreeze, save, type Considered } from '../../pipeline/steps/submit.ts';
import { join } from '../../pipeline/language/tokenize.ts';
import { joined, type Text } from '../../text.ts';
import { openForm, openPicker, openReview } from '../forms/modals.ts';
import { contextOf, placeFor, tellWhere } from './channels.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { answer, show } from './show.ts';
import { onlooker, speaker } from '../context/speaker.ts';

/** Handles a typed line from any surface: checks the rights, then opens a form or a review, or runs it. */
export async function handleLine(context: SlackContext, interaction: Interaction, line: string): Promise<void> {
  const parsed = parse(line, catalogue, await contextOf(context, interaction, await speaker(context, interaction)));
  if (parsed === undefined) return openPicker(context, interaction, await onlooker(context, interaction, 'everything'));
  const person = await speaker(context, interaction, parsed);
  const considered = await evaluate(context, interaction, await resolveNames(context, parsed, person), person);
  if (considered.kind === 'incomplete')
    return openForm(context, interaction, considered.resolved, person, textOf(considered.unsaid));
  if (considered.kind === 'review') return openReview(context, interaction, considered.parsed, considered.action);
  return run(context, interaction, considered.parsed, person);
}

/** As `handleLine`, for a button that opens the form of these arguments: nothing runs before it is submitted. */
export async function openFormForLine(context: SlackContext, interaction: Interaction, line: string): Promise<void> {
  await speaker(context, interaction);
  const parsed = parse(line, catalogue);
  if (parsed === undefined) return openPicker(context, interaction, await onlooker(context, interaction, 'everything'));
  const person = await speaker(context, interaction, parsed);
  const resolved = await resolveNames(context, parsed, person);
  const considered = await evaluate(context, interaction, resolved, person);
  if (considered.kind === 'review') return openReview(context, interaction, considered.parsed, considered.action);
  const unsaid = considered.kind === 'incomplete' ? considered.unsaid : undefined;
  return openForm(context, interaction, resolved, person, textOf(unsaid));
}

/** As `handleLine`, but always shows the review before anything runs; `notice` says why. */
export async function reviewLine(
  context: SlackContext,
  interaction: Interaction,
  line: string,
  notice?: Text,
): Promise<void> {
  await speaker(context, interaction);
  const parsed = parse(line, catalogue);
  if (parsed?.command.shape !== 'action') return handleLine(context, interaction, line);
  const person = await speaker(context, interaction, parsed);
  const considered = await evaluate(context, interaction, await resolveNames(context, parsed, person), person);
  if (considered.kind === 'incomplete')
    return openForm(context, interaction, considered.resolved, person, textOf(considered.unsaid));
  return openReview(context, interaction, considered.parsed, parsed.command, notice);
}

const textOf = (unsaid: Refusal | undefined): Text | undefined => unsaid && joined([unsaid.says, unsaid.hint]);

/** What the arguments mean to this person. If a name is unknown, the host's lists are read again first. */
export async function resolveNames({ front }: SlackContext, parsed: ParsedCommand, person: Person): Promise<Resolved> {
  const resolved = resolve(parsed, front.names(person));
  if (!resolved.problems.some(({ field }) => parsed.command.fields[field]?.kind !== 'plain')) return resolved;
  await front.freshenNames();
  return resolve(parsed, front.names(person));
}

/** Checks the rights, with the channel that the card would go to. */
export async function evaluate(
  context: SlackContext,
  interaction: Interaction,
  resolved: Resolved,
  person: Person,
): Promise<Considered> {
  const isAction = resolved.parsed.command.shape === 'action';
  const channel = isAction
    ? await placeFor(context, interaction)
    : { id: interaction.channel ?? person.id, shared: false };
  return consider(context.front, resolved, { person, channel });
}

/** Checks the rights for arguments that were answered before again. Throws `Refusal` if they no longer pass. */
export async function reauthorize(context: SlackContext, interaction: Interaction, args: Args): Promise<Authorized> {
  const parsed = parseArgs(args, catalogue);
  const person = await speaker(context, interaction, parsed);
  const resolved = await resolveNames(context, parsed, person);
  const considered = await evaluate(context, interaction, resolved, person);
  if (considered.kind === 'ready') return considered.parsed;
  throw new Refusal("I can't show this any more. Nothing was shown.", { hint: 'Type the command again.' });
}

/** Runs the command: shows the answer of a report or built-in, or saves the change. */
export async function run(
  context: SlackContext,
  interaction: Interaction,
  parsed: Authorized,
  person: Person,
): Promise<void> {
  const { command } = parsed.parsed;
  if (parsed.target && parsed.target.kind !== 'company') context.recent.note(person.id, parsed.target.id);
  if (command.shape !== 'action') {
    const instead = await show(context, interaction, parsed, command, person);
    return instead && handleLine(context, interaction, join(instead));
  }
  const frozen = await lookAndFreeze(context.front, parsed, command, interaction.person);
  if (parsed.parsed.dryRun) return answer(context, interaction, parsed, dryRun(frozen));
  const channel = await placeFor(context, interaction);
  const change = await save(context.front, frozen, { person, channel }, 'not needed', interaction.inbox);
  if (change) await tellWhere(context, interaction, change);
}

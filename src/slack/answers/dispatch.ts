import { catalogue } from '../../commands/index.ts';
import { Refusal, type Words } from '../../errors.ts';
import type { Authorised, Person } from '../../pipeline/access/authorise.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { parse, parseWords } from '../../pipeline/language/parse.ts';
import { resolve, type Resolved } from '../../pipeline/language/resolve.ts';
import { dryRun } from '../../pipeline/changes/dry-run.ts';
import { consider, lookAndFreeze, save, type Considered } from '../../pipeline/steps/submit.ts';
import { join } from '../../pipeline/language/tokenize.ts';
import { joined, type Text } from '../../text.ts';
import { openForm, openPicker, openReview } from '../forms/modals.ts';
import { contextOf, placeFor, sayWhere } from './channels.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { answer, show } from './show.ts';
import { onlooker, speaker } from '../context/speaker.ts';

/** A line of words, from whatever surface: read, held against the rules, and taken as far as it goes. */
export async function hear(context: SlackContext, interaction: Interaction, line: string): Promise<void> {
  const parsed = parse(line, catalogue, await contextOf(context, interaction, await speaker(context, interaction)));
  if (parsed === undefined) return openPicker(context, interaction, await onlooker(context, interaction, 'everything'));
  const person = await speaker(context, interaction, parsed);
  const considered = await evaluate(context, interaction, await resolveNames(context, parsed, person), person);
  if (considered.kind === 'incomplete')
    return openForm(context, interaction, considered.resolved, person, wordsOf(considered.unsaid));
  if (considered.kind === 'review') return openReview(context, interaction, considered.parsed, considered.action);
  return run(context, interaction, considered.parsed, person);
}

/** As `hear`, for a button that opens the form of these words: nothing runs before it is submitted. */
export async function hearForm(context: SlackContext, interaction: Interaction, line: string): Promise<void> {
  await speaker(context, interaction);
  const parsed = parse(line, catalogue);
  if (parsed === undefined) return openPicker(context, interaction, await onlooker(context, interaction, 'everything'));
  const person = await speaker(context, interaction, parsed);
  const resolved = await resolveNames(context, parsed, person);
  const considered = await evaluate(context, interaction, resolved, person);
  if (considered.kind === 'review') return openReview(context, interaction, considered.parsed, considered.action);
  const unsaid = considered.kind === 'incomplete' ? considered.unsaid : undefined;
  return openForm(context, interaction, resolved, person, wordsOf(unsaid));
}

/** As `hear`, for words whose effect is shown before anything runs, whatever their class; `notice` says why. */
export async function hearReview(
  context: SlackContext,
  interaction: Interaction,
  line: string,
  notice?: Text,
): Promise<void> {
  await speaker(context, interaction);
  const parsed = parse(line, catalogue);
  if (parsed?.command.shape !== 'action') return hear(context, interaction, line);
  const person = await speaker(context, interaction, parsed);
  const considered = await evaluate(context, interaction, await resolveNames(context, parsed, person), person);
  if (considered.kind === 'incomplete')
    return openForm(context, interaction, considered.resolved, person, wordsOf(considered.unsaid));
  return openReview(context, interaction, considered.parsed, parsed.command, notice);
}

const wordsOf = (unsaid: Refusal | undefined): Text | undefined => unsaid && joined([unsaid.says, unsaid.hint]);

/** What the words mean to this person; names that are not known yet are listed anew first. */
export async function resolveNames({ front }: SlackContext, parsed: ParsedCommand, person: Person): Promise<Resolved> {
  const resolved = resolve(parsed, front.names(person));
  if (!resolved.problems.some(({ field }) => parsed.command.fields[field]?.kind !== 'plain')) return resolved;
  await front.freshenNames();
  return resolve(parsed, front.names(person));
}

/** Rights, with the channel that its card would stand in. */
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

/** Words that were answered before, held against the rules as they are now; throws `Refusal` where they would not be. */
export async function askedAgain(context: SlackContext, interaction: Interaction, words: Words): Promise<Authorised> {
  const parsed = parseWords(words, catalogue);
  const person = await speaker(context, interaction, parsed);
  const resolved = await resolveNames(context, parsed, person);
  const considered = await evaluate(context, interaction, resolved, person);
  if (considered.kind === 'ready') return considered.parsed;
  throw new Refusal('This cannot be shown any more. Nothing was shown.', { hint: 'Type the command again.' });
}

/** Does it: shows a report or a desk's answer, or saves the change. */
export async function run(
  context: SlackContext,
  interaction: Interaction,
  parsed: Authorised,
  person: Person,
): Promise<void> {
  const { command } = parsed.parsed;
  if (parsed.target && parsed.target.kind !== 'company') context.recent.note(person.id, parsed.target.id);
  if (command.shape !== 'action') {
    const instead = await show(context, interaction, parsed, command, person);
    return instead && hear(context, interaction, join(instead));
  }
  const frozen = await lookAndFreeze(context.front, parsed, command, interaction.person);
  if (parsed.parsed.dryRun) return answer(context, interaction, parsed, dryRun(frozen));
  const channel = await placeFor(context, interaction);
  const change = await save(context.front, frozen, { person, channel }, 'not needed', interaction.inbox);
  if (change) await sayWhere(context, interaction, change);
}

import { catalogue } from '../../commands/index.ts';
import { Refusal, type Words } from '../../errors.ts';
import type { Authorised, Person } from '../../pipeline/access/authorise.ts';
import type { Wish } from '../../pipeline/language/parsed-command.ts';
import { parse, parseWords } from '../../pipeline/language/parse.ts';
import { resolve, type Resolved } from '../../pipeline/language/resolve.ts';
import { dryRun } from '../../pipeline/changes/dry-run.ts';
import { consider, lookAndFreeze, save, type Considered } from '../../pipeline/steps/submit.ts';
import { join } from '../../pipeline/language/tokenize.ts';
import { joined, type Text } from '../../text.ts';
import { openForm, openPicker, openReview } from '../forms/modals.ts';
import { contextOf, placeFor, sayWhere } from './channels.ts';
import type { Heard, Reception } from '../context/context.ts';
import { answer, show } from './show.ts';
import { onlooker, speaker } from '../context/speaker.ts';

/** A line of words, from whatever surface: read, held against the rules, and taken as far as it goes. */
export async function hear(reception: Reception, heard: Heard, line: string): Promise<void> {
  const wish = parse(line, catalogue, await contextOf(reception, heard, await speaker(reception, heard)));
  if (wish === undefined) return openPicker(reception, heard, await onlooker(reception, heard, 'everything'));
  const person = await speaker(reception, heard, wish);
  const considered = await weigh(reception, heard, await understand(reception, wish, person), person);
  if (considered.kind === 'incomplete')
    return openForm(reception, heard, considered.resolved, person, wordsOf(considered.unsaid));
  if (considered.kind === 'review') return openReview(reception, heard, considered.wish, considered.action);
  return run(reception, heard, considered.wish, person);
}

/** As `hear`, for a button that opens the form of these words: nothing runs before it is submitted. */
export async function hearForm(reception: Reception, heard: Heard, line: string): Promise<void> {
  await speaker(reception, heard);
  const wish = parse(line, catalogue);
  if (wish === undefined) return openPicker(reception, heard, await onlooker(reception, heard, 'everything'));
  const person = await speaker(reception, heard, wish);
  const resolved = await understand(reception, wish, person);
  const considered = await weigh(reception, heard, resolved, person);
  if (considered.kind === 'review') return openReview(reception, heard, considered.wish, considered.action);
  const unsaid = considered.kind === 'incomplete' ? considered.unsaid : undefined;
  return openForm(reception, heard, resolved, person, wordsOf(unsaid));
}

/** As `hear`, for words whose effect is shown before anything runs, whatever their class; `notice` says why. */
export async function hearReview(reception: Reception, heard: Heard, line: string, notice?: Text): Promise<void> {
  await speaker(reception, heard);
  const wish = parse(line, catalogue);
  if (wish?.command.shape !== 'action') return hear(reception, heard, line);
  const person = await speaker(reception, heard, wish);
  const considered = await weigh(reception, heard, await understand(reception, wish, person), person);
  if (considered.kind === 'incomplete')
    return openForm(reception, heard, considered.resolved, person, wordsOf(considered.unsaid));
  return openReview(reception, heard, considered.wish, wish.command, notice);
}

const wordsOf = (unsaid: Refusal | undefined): Text | undefined => unsaid && joined([unsaid.says, unsaid.hint]);

/** What the words mean to this person; names that are not known yet are listed anew first. */
export async function understand({ front }: Reception, wish: Wish, person: Person): Promise<Resolved> {
  const resolved = resolve(wish, front.names(person));
  if (!resolved.problems.some(({ field }) => wish.command.fields[field]?.kind !== 'plain')) return resolved;
  await front.freshenNames();
  return resolve(wish, front.names(person));
}

/** Rights, with the channel that its card would stand in. */
export async function weigh(
  reception: Reception,
  heard: Heard,
  resolved: Resolved,
  person: Person,
): Promise<Considered> {
  const isAction = resolved.wish.command.shape === 'action';
  const channel = isAction ? await placeFor(reception, heard) : { id: heard.channel ?? person.id, shared: false };
  return consider(reception.front, resolved, { person, channel });
}

/** Words that were answered before, held against the rules as they are now; throws `Refusal` where they would not be. */
export async function askedAgain(reception: Reception, heard: Heard, words: Words): Promise<Authorised> {
  const wish = parseWords(words, catalogue);
  const person = await speaker(reception, heard, wish);
  const resolved = await understand(reception, wish, person);
  const considered = await weigh(reception, heard, resolved, person);
  if (considered.kind === 'ready') return considered.wish;
  throw new Refusal('This cannot be shown any more. Nothing was shown.', { hint: 'Type the command again.' });
}

/** Does it: shows a report or a desk's answer, or saves the change. */
export async function run(reception: Reception, heard: Heard, wish: Authorised, person: Person): Promise<void> {
  const { command } = wish.wish;
  if (wish.target && wish.target.kind !== 'company') reception.recent.note(person.id, wish.target.id);
  if (command.shape !== 'action') {
    const instead = await show(reception, heard, wish, command, person);
    return instead && hear(reception, heard, join(instead));
  }
  const frozen = await lookAndFreeze(reception.front, wish, command, heard.person);
  if (wish.wish.dryRun) return answer(reception, heard, wish, dryRun(frozen));
  const channel = await placeFor(reception, heard);
  const change = await save(reception.front, frozen, { person, channel }, 'not needed', heard.inbox);
  if (change) await sayWhere(reception, heard, change);
}

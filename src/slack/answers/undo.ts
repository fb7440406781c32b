import { Refusal } from '../../errors.ts';
import { undoOf } from '../../pipeline/changes/undo.ts';
import { join } from '../../pipeline/language/tokenize.ts';
import { say } from '../../text.ts';
import { hear, hearReview } from './dispatch.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { speaker } from '../context/speaker.ts';

/** A pressed Undo: its words run as if the presser had typed them, or are shown first where things have changed since. */
export async function pressUndo(context: SlackContext, interaction: Interaction, said: string): Promise<void> {
  const [, installation = '', number] = /^(\S+) (\d{1,15})$/.exec(said) ?? [];
  if (number === undefined) throw new Refusal('I do not know this button any more. Nothing was done.');
  const person = await speaker(context, interaction);
  const { change, words, isAsLeft } = await undoOf(context.front, person, { installation, number: Number(number) });
  if (isAsLeft) return hear(context, interaction, join(words));
  const notice = say`**Somebody changed ${change.target_name} since #${change.number} was done.** This is what taking it back would do now.`;
  return hearReview(context, interaction, join(words), notice);
}

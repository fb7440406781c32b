import { Refusal } from '../../errors.ts';
import { undoOf } from '../../pipeline/changes/undo.ts';
import { join } from '../../pipeline/language/tokenize.ts';
import { say } from '../../text.ts';
import { handleButton, handleLine } from './dispatch.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { identifySender } from '../../pipeline/conversation/speaker.ts';

/** *Undo* runs its arguments as if the person had typed them, or opens the review if the target has changed since. */
export async function pressUndo(context: SlackContext, interaction: Interaction, value: string): Promise<void> {
  const [, installation = '', number] = /^(\S+) (\d{1,15})$/.exec(value) ?? [];
  if (number === undefined) throw new Refusal("I don't recognise this button any more. Nothing was done.");
  const person = await identifySender(context.pipeline, interaction);
  const { change, args, isAsLeft } = await undoOf(context.pipeline, person, { installation, number: Number(number) });
  if (isAsLeft) return handleLine(context, interaction, join(args));
  const notice = say`**Somebody has changed ${change.target_name} since #${change.number} was done.** This is what undoing it would do now.`;
  return handleButton(context, interaction, join(args), 'review', notice);
}

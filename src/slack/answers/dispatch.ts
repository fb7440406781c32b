import { catalogue } from '../../commands/index.ts';
import { check, handOnRefused, next, type Next, type Request } from '../../talk/conversation.ts';
import { identifyViewer, identifySender } from '../../talk/speaker.ts';
import { parse } from '../../language/parse.ts';
import { join } from '../../language/tokenize.ts';
import type { Refusal } from '../../base/errors.ts';
import { guess } from './guess.ts';
import type { Text } from '../../words/text.ts';
import { drawNote } from '../../block-kit/blocks.ts';
import { openForm, openPicker, openReview, reviewAgain } from '../forms/modals.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { tell } from '../context/handler.ts';
import { parseLine, senderOf, tellWhere } from './channels.ts';
import { sendPage } from './kept-page.ts';

/** Handles a typed line from any surface: answers it, or opens a form or a review. */
export async function handleLine(context: SlackContext, interaction: Interaction, line: string): Promise<void> {
  const asked = await parseLine(context, interaction, line);
  const onUnread = async (refusal: Refusal): Promise<void> => {
    const parsed = await guess(context, interaction, { line, ...asked, refusal });
    return handle(context, interaction, { parsed });
  };
  const { parsed, refusal } = asked;
  return refusal ? onUnread(refusal) : handle(context, interaction, parsed && { parsed }, { onUnread });
}

/** As `handleLine`, for a button whose command never runs before its form or review is submitted. */
export async function handleFormButton(
  context: SlackContext,
  interaction: Interaction,
  line: string,
  first: NonNullable<Request['first']>,
  notice?: Text,
): Promise<void> {
  await identifySender(context.pipeline, interaction);
  const parsed = parse(line, catalogue);
  return handle(context, interaction, parsed && { parsed, first }, { notice });
}

type OnUnread = (refusal: Refusal) => Promise<void>;

async function handle(
  context: SlackContext,
  interaction: Interaction,
  request: Omit<Request, 'from'> | undefined,
  { notice, onUnread }: { readonly notice?: Text | undefined; readonly onUnread?: OnUnread } = {},
): Promise<void> {
  if (request === undefined)
    return openPicker(context, interaction, await identifyViewer(context.pipeline, interaction, 'everything'));
  const whole = { ...request, from: senderOf(context, interaction) };
  const checked = await check(context.pipeline, whole);
  if (checked.kind === 'refuse') {
    const text = await handOnRefused(context.pipeline, whole, checked, interaction.inbox);
    if (text === undefined) throw checked.refusal;
    return tell(context, interaction, { says: text });
  }
  if (checked.kind === 'ask') {
    const [problem] = checked.resolved.problems;
    if (problem && onUnread) return onUnread(problem.refusal);
    if (problem) throw problem.refusal;
    return openForm(context, interaction, checked, notice);
  }
  if (checked.will === 'review') return openReview(context, interaction, checked, notice);
  return showOutcome(context, interaction, await next(context.pipeline, checked, interaction.inbox));
}

/** Shows the sender what came of a request. */
export async function showOutcome(context: SlackContext, interaction: Interaction, result: Next): Promise<void> {
  switch (result.kind) {
    case 'refuse':
      throw result.refusal;
    case 'instead':
      return handleLine(context, interaction, join(result.args));
    case 'show':
      return sendPage(context, interaction, result);
    case 'queued':
      return context.ephemeral(interaction, drawNote(result.note));
    case 'saved':
      return result.change && tellWhere(context, interaction, result.change);
    case 'review':
      return reviewAgain(context, interaction, result.pinned);
  }
}

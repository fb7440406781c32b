import type { Next } from '../../talk/conversation.ts';
import { canonicalArgs } from '../../language/resolve.ts';
import { readAs } from '../../talk/understand.ts';
import { joined } from '../../words/text.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { lateAnswerNote } from '../context/slow-work.ts';
import { drawPage, isLong } from '../../block-kit/blocks.ts';
import { sendFile } from './files.ts';

/** Sends a page to its requester alone. Keeps it if it can be shared or sent as a file, is long, or offers a checklist. */
export async function sendPage(
  context: SlackContext,
  interaction: Interaction,
  { page, authorized, shown }: Extract<Next, { kind: 'show' }>,
): Promise<void> {
  const { command, dryRun, readAs: line } = authorized.parsed;
  // A report over many environments can't be shared: each of them could forbid the channel.
  const shareable = command.shape === 'report' && command.right !== 'named' && authorized.target !== undefined;
  const id =
    shareable || page.sheet !== undefined || isLong(page) || page.offers?.some(({ checklist }) => checklist)
      ? await context.payloads.keepPage(interaction.person, {
          args: [...canonicalArgs(authorized, { dryRun })],
          page,
          shown: shown(),
          shareable,
        })
      : undefined;
  const lateNote = await lateAnswerNote(context, interaction);
  if (lateNote) await context.ephemeral(interaction, lateNote);
  const source = joined([line === undefined ? undefined : readAs(line), page.source], '; ');
  await context.ephemeral(interaction, drawPage({ ...page, source }, id === undefined ? undefined : { id, shareable }));
  if (page.file) await sendFile(context, interaction, page.file);
  const { later } = page;
  if (later === undefined) return;
  const answerLater = async (): Promise<void> =>
    sendPage(context, interaction, { kind: 'show', page: await later(), authorized, shown });
  if (interaction.afterwards) interaction.afterwards.push(answerLater);
  else await answerLater();
}

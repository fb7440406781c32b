import { csvLine, textForCell } from '../../csv.ts';
import { Refusal } from '../../errors.ts';
import { assertChannel } from '../../pipeline/access/assert-channel.ts';
import { Undeliverable } from '../../pipeline/messages/messenger.ts';
import { mention, say } from '../../text.ts';
import type { KeptPage } from '../context/button-payloads.ts';
import { drawNote, drawPage } from '../draw/blocks.ts';
import { reauthorize } from './dispatch.ts';
import { sendFile } from './files.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { inert, sendDrawn } from '../client/messenger.ts';

/** The buttons of a kept page, for those who may still read it: *Next page*, *File* and *Share*. */

/** Shows the rest of the page, from this row on. */
export async function showRest(
  context: SlackContext,
  interaction: Interaction,
  { id, from }: { readonly id: string; readonly from: number },
): Promise<void> {
  const kept = await context.payloads.keptPage(id);
  await reauthorize(context, interaction, kept);
  await context.ephemeral(interaction, drawPage(kept.page, { id, shareable: false }, from));
}

/** Sends the rows of the page as CSV, as they were read. */
export async function sendSheet(context: SlackContext, interaction: Interaction, id: string): Promise<void> {
  const kept = await context.payloads.keptPage(id);
  await reauthorize(context, interaction, kept);
  if (kept.page.sheet === undefined) throw new Refusal('This answer has no file. Nothing was sent.');
  const { name, columns, rows } = kept.page.sheet;
  const lines = [csvLine(columns), ...rows.map((row) => csvLine(row.map((text) => textForCell(text))))];
  const failed = say`I couldn't send you the file. The answer itself has all of it.`;
  await sendFile(context, interaction, { name, content: lines.join('') }, failed);
}

/** Two presses within this time count as one. */
const justNowMs = 10_000;

/** Posts the page once where its reader is, if it may be discussed in that channel. */
export async function sharePage(context: SlackContext, interaction: Interaction, id: string): Promise<void> {
  const { sharing, payloads } = context;
  const key = `${id} ${interaction.channel} ${interaction.thread}`;
  if (sharing.has(key)) throw new Refusal('This was shared here a moment ago. Nothing was posted again.');
  sharing.add(key);
  try {
    await post(context, interaction, await payloads.keptPage(id));
  } catch (error) {
    sharing.delete(key);
    throw error;
  }
  setTimeout(() => sharing.delete(key), justNowMs).unref();
}

async function post(context: SlackContext, interaction: Interaction, kept: KeptPage): Promise<void> {
  const { channel, thread } = interaction;
  if (channel === undefined) throw new Refusal("There's no channel here to share it in. Nothing was posted.");
  const { target } = await reauthorize(context, interaction, kept);
  const place = await context.people.channelOf(channel);
  assertChannel(context.pipeline.policy(), place, [target]);
  const { text, blocks } = drawPage({ ...kept.page, offers: [] }, undefined);
  const shared = drawNote({ text: say`Shared by ${mention(interaction.person)}` });
  try {
    await sendDrawn({ text, blocks: [...blocks, ...shared.blocks] }, (drawn) =>
      context.messages.chat.postMessage({
        ...inert,
        channel,
        ...(thread !== undefined && { thread_ts: thread }),
        ...drawn,
      }),
    );
  } catch (error) {
    if (!(error instanceof Undeliverable)) throw error;
    throw error.kind !== 'later'
      ? new Refusal("I can't post here. Nothing was posted.", { hint: 'Use /invite to add me to this channel.' })
      : new Refusal('Slack asked me to slow down. Nothing was posted.', { hint: 'Press Share again in a minute.' });
  }
}

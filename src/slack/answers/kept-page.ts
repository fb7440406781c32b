import { csvLine, textForCell } from '../../words/csv.ts';
import { Refusal } from '../../base/errors.ts';
import { catalogue } from '../../commands/index.ts';
import { isDirect } from '../../access/direct-messages.ts';
import { assertChannel } from '../../access/assert-channel.ts';
import { check } from '../../talk/conversation.ts';
import { refuseUnlessShown } from '../../access/sight.ts';
import { parseArgs } from '../../language/parse.ts';
import { Undeliverable } from '../../post/messenger.ts';
import { mention, say } from '../../words/text.ts';
import { drawNote, drawPage } from '../../block-kit/blocks.ts';
import type { KeptPage } from '../context/button-payloads.ts';
import { senderOf } from './channels.ts';
import { sendFile } from './files.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { noUnfurl, sendDrawn } from '../../slack-api/messenger.ts';

/** The buttons of a kept page, for those who may still read it: *Next page*, *File* and *Share*. */

/** Shows the page from this row on. */
export async function showRest(
  context: SlackContext,
  interaction: Interaction,
  { id, from }: { readonly id: string; readonly from: number },
): Promise<void> {
  const { page } = await readablePage(context, interaction, id);
  await context.ephemeral(interaction, drawPage(page, { id, shareable: false }, from));
}

/** Sends the rows of the page as CSV, as they were read. */
export async function sendPageFile(context: SlackContext, interaction: Interaction, id: string): Promise<void> {
  const { page } = await readablePage(context, interaction, id);
  if (page.sheet === undefined) throw new Refusal('This answer has no file. Nothing was sent.');
  const { name, columns, rows } = page.sheet;
  const lines = [csvLine(columns), ...rows.map((row) => csvLine(row.map((text) => textForCell(text))))];
  const failed = say`I couldn't send you the file. The answer itself has all of it.`;
  await sendFile(context, interaction, { name, content: lines.join('') }, failed);
}

/** Two presses within this time count as one. */
const justNowMs = 10_000;

/** Posts the page once where its reader is, if it may be discussed in that channel. */
export async function sharePage(context: SlackContext, interaction: Interaction, id: string): Promise<void> {
  const { sharing } = context;
  const key = `${id} ${interaction.channel} ${interaction.thread}`;
  if (sharing.has(key)) throw new Refusal('This was shared here a moment ago. Nothing was posted again.');
  sharing.add(key);
  try {
    await post(context, interaction, id);
  } catch (error) {
    sharing.delete(key);
    throw error;
  }
  setTimeout(() => sharing.delete(key), justNowMs).unref();
}

async function post(context: SlackContext, interaction: Interaction, id: string): Promise<void> {
  const { channel, thread } = interaction;
  const { page, shown, shareable } = await readablePage(context, interaction, id);
  if (!shareable) throw new Refusal("This answer is for you alone, so it can't be shared. Nothing was posted.");
  if (channel === undefined || isDirect(channel))
    throw new Refusal("There's no channel here to share it in. Nothing was posted.");
  const isIn = await context.people.isIn(interaction.person, channel);
  if (isIn === false) throw new Refusal("You aren't in this channel. Nothing was posted.");
  if (isIn === undefined)
    throw new Refusal("Slack doesn't tell me right now whether you're in this channel. Nothing was posted.", {
      hint: 'Press Share again in a minute.',
      isLater: true,
    });
  const about = shown.flatMap(({ targets }) => targets);
  assertChannel(context.pipeline.policy(), await context.people.channelOf(channel), about);
  const { text, blocks } = drawPage({ ...page, offers: [] }, 'shared');
  const shared = drawNote({ text: say`Shared by ${mention(interaction.person)}` });
  try {
    await sendDrawn({ text, blocks: [...blocks, ...shared.blocks] }, (drawn) =>
      context.messages.chat.postMessage({
        ...noUnfurl,
        channel,
        ...(thread !== undefined && { thread_ts: thread }),
        ...drawn,
      }),
    );
  } catch (error) {
    if (!(error instanceof Undeliverable) || (error.kind === 'later' && error.afterMs === 0)) throw error;
    throw error.kind !== 'later'
      ? new Refusal("I can't post here. Nothing was posted.", { hint: 'Use /invite to add me to this channel.' })
      : new Refusal('Slack asked me to slow down. Nothing was posted.', { hint: 'Press Share again in a minute.' });
  }
}

/** A kept page, after the rights to all that it shows were checked again. Throws `Refusal` if they no longer pass. */
export async function readablePage(context: SlackContext, interaction: Interaction, id: string): Promise<KeptPage> {
  const kept = await context.payloads.keptPage(id);
  const parsed = parseArgs(kept.args, catalogue);
  const checked = await check(context.pipeline, { parsed, from: senderOf(context, interaction) });
  if (checked.kind === 'refuse') throw checked.refusal;
  if (checked.kind === 'ready' && checked.will === 'show') {
    refuseUnlessShown(context.pipeline, checked.requester.person, kept.shown);
    return kept;
  }
  throw (
    (checked.kind === 'ask' && checked.resolved.problems[0]?.refusal) ||
    new Refusal("I can't show this any more. Nothing was shown.", { hint: 'Type the command again.' })
  );
}

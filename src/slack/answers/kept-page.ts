import { csvLine, textForCell } from '../../words/csv.ts';
import { Refusal, notRecognised } from '../../base/errors.ts';
import { catalogue } from '../../commands/index.ts';
import { isDirect, assertChannel } from '../../access/assert-channel.ts';
import { check, type Next, type Ready } from '../../talk/conversation.ts';
import { refuseUnlessShown } from '../../access/sight.ts';
import { parseArgs } from '../../language/parse.ts';
import { Undeliverable } from '../../post/messenger.ts';
import { mention, say, joined } from '../../words/text.ts';
import { drawNote } from '../../block-kit/blocks.ts';
import { drawPage, isLong } from '../../block-kit/answer-pages.ts';
import type { KeptPage } from '../context/button-payloads.ts';
import { senderOf } from './channels.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { noUnfurl, sendDrawn } from '../../slack-api/messenger.ts';
import { z } from 'zod';
import { canonicalArgs } from '../../language/resolve.ts';
import { readAs } from '../../talk/understand.ts';
import { lateAnswerNote } from '../context/slow-work.ts';
import type { PageOffer } from '../../commands/kit/page.ts';
import { checkTicked, showChecklist } from '../../talk/checklist.ts';
import { orTooOld } from '../forms/form-fields.ts';
import { checklistField, readInputs } from '../forms/inputs.ts';
import { offerForm, openView, originOf } from '../forms/modals.ts';
import { checklistView, type Memo } from '../forms/views.ts';

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
  const { text, blocks } = drawPage({ ...page, offers: [], decisions: [] }, 'shared');
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
async function readablePage(context: SlackContext, interaction: Interaction, id: string): Promise<KeptPage> {
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

const conversation = z.object({ channel: z.object({ id: z.string() }) });

/** Uploads a file to a person's direct messages. If that fails, tells them so with these words. */
async function sendFile(
  context: SlackContext,
  interaction: Interaction,
  file: { readonly name: string; readonly content: string },
  failed = say`I couldn't send you the rest as a file. Ask for fewer lines or a shorter time.`,
): Promise<void> {
  try {
    const { channel } = conversation.parse(await context.messages.conversations.open({ users: interaction.person }));
    await context.messages.filesUploadV2({
      channel_id: channel.id,
      filename: file.name,
      content: file.content,
      title: file.name,
    });
  } catch (error) {
    context.log.warn({ err: error }, 'could not upload a file');
    await context.ephemeral(interaction, drawNote({ text: failed }));
  }
}

/** Sends a page to its requester alone. Keeps it if it can be shared or sent as a file, is long, or offers a checklist. */
export async function sendPage(
  context: SlackContext,
  interaction: Interaction,
  { page, authorized, shown }: Extract<Next, { kind: 'show' }>,
): Promise<void> {
  const { command, dryRun, readAs: line } = authorized.parsed;
  // A report over many environments can't be shared: each of them could forbid the channel.
  const shareable = command.shape === 'report' && command.right !== 'named' && authorized.target !== undefined;
  const source = joined([line === undefined ? undefined : readAs(line), page.source], '; ');
  const answer = { ...page, source };
  const id =
    shareable || page.sheet !== undefined || isLong(answer) || page.offers?.some(({ checklist }) => checklist)
      ? await context.payloads.keepPage(interaction.person, {
          args: [...canonicalArgs(authorized, { dryRun })],
          page,
          shown: shown(),
          shareable,
        })
      : undefined;
  const lateNote = await lateAnswerNote(context, interaction);
  if (lateNote) await context.ephemeral(interaction, lateNote);
  await context.ephemeral(interaction, drawPage(answer, id === undefined ? undefined : { id, shareable }));
  if (page.file) await sendFile(context, interaction, page.file);
  const { later } = page;
  if (later === undefined) return;
  const answerLater = async (): Promise<void> =>
    sendPage(context, interaction, { kind: 'show', page: await later(), authorized, shown });
  if (interaction.afterwards) interaction.afterwards.push(answerLater);
  else await answerLater();
}

type OfferAt = NonNullable<Memo['offer']>;

/** Opens the checklist behind a button of a kept page. It needs no read from the host, so its form opens at once. */
export async function openChecklist(context: SlackContext, interaction: Interaction, offer: OfferAt): Promise<void> {
  const kept = await offerAt(context, interaction, offer);
  const shown = await showChecklist(context.pipeline, senderOf(context, interaction), kept);
  const view = checklistView(shown, { origin: originOf(interaction), offer });
  if ((await openView(context, interaction, view)) !== undefined) return;
  await offerForm(context, interaction, { kind: 'checklist', id: offer.page, at: offer.at });
}

/** Checks a submitted checklist. Throws `Refusal`. */
export async function checkChecklist(
  context: SlackContext,
  interaction: Interaction,
  { offer }: Memo,
  values: unknown,
): Promise<Ready> {
  const { given, leaveOut } = readInputs(values);
  const kept = await offerAt(context, interaction, offer ?? { page: '', at: 0 }).catch(orTooOld);
  const at = (given[checklistField] ?? []).map((position) => (/^\d+$/.test(position) ? Number(position) : -1));
  return checkTicked(context.pipeline, senderOf(context, interaction), kept, { at, leaveOut });
}

async function offerAt(context: SlackContext, interaction: Interaction, { page: id, at }: OfferAt): Promise<PageOffer> {
  const { page } = await readablePage(context, interaction, id);
  const offer = page.offers?.[at];
  if (offer === undefined) throw notRecognised('button');
  return offer;
}

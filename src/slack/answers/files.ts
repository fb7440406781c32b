import { z } from 'zod';
import { say } from '../../words/text.ts';
import { drawNote } from '../../block-kit/blocks.ts';
import type { Interaction, SlackContext } from '../context/context.ts';

const conversation = z.object({ channel: z.object({ id: z.string() }) });

/** Uploads a file to a person's direct messages. If that fails, tells them so with these words. */
export async function sendFile(
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

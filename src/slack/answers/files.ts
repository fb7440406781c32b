import { z } from 'zod';
import { say } from '../../text.ts';
import { drawNote } from '../draw/blocks.ts';
import type { Interaction, SlackContext } from '../context/context.ts';

const conversation = z.object({ channel: z.object({ id: z.string() }) });

/** Gives somebody a file in their direct messages; where files cannot be given, says so. */
export async function giveFile(
  context: SlackContext,
  interaction: Interaction,
  file: { readonly name: string; readonly content: string },
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
    context.log.warn({ err: error }, 'a file could not be given');
    await context.ephemeral(
      interaction,
      drawNote({
        text: say`I cannot give you the rest as a file in this workspace. Ask for fewer lines, or for a shorter time.`,
      }),
    );
  }
}

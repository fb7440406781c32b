import { z } from 'zod';
import { say } from '../../text.ts';
import { drawNote } from '../draw/blocks.ts';
import type { Heard, Reception } from '../context/context.ts';

const conversation = z.object({ channel: z.object({ id: z.string() }) });

/** Gives somebody a file in their direct messages; where files cannot be given, says so. */
export async function giveFile(
  reception: Reception,
  heard: Heard,
  file: { readonly name: string; readonly content: string },
): Promise<void> {
  try {
    const { channel } = conversation.parse(await reception.messages.conversations.open({ users: heard.person }));
    await reception.messages.filesUploadV2({
      channel_id: channel.id,
      filename: file.name,
      content: file.content,
      title: file.name,
    });
  } catch (error) {
    reception.log.warn({ err: error }, 'a file could not be given');
    await reception.privately(
      heard,
      drawNote({
        text: say`I cannot give you the rest as a file in this workspace. Ask for fewer lines, or for a shorter time.`,
      }),
    );
  }
}

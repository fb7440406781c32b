import { csvLine, textForCell } from '../../csv.ts';
import { Refusal } from '../../errors.ts';
import { say } from '../../text.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { reauthorize } from './dispatch.ts';
import { sendFile } from './files.ts';

/** Sends the rows of a kept page to who presses, as CSV and as they were read, if they may still read them. */
export async function sendSheet(context: SlackContext, interaction: Interaction, id: string): Promise<void> {
  const kept = await context.payloads.keptPage(id);
  await reauthorize(context, interaction, kept);
  if (kept.page.sheet === undefined) throw new Refusal('This answer has no file. Nothing was sent.');
  const { name, columns, rows } = kept.page.sheet;
  const lines = [csvLine(columns), ...rows.map((row) => csvLine(row.map((text) => textForCell(text))))];
  const failed = say`I couldn't send you the file. The answer itself has all of it.`;
  await sendFile(context, interaction, { name, content: lines.join('') }, failed);
}

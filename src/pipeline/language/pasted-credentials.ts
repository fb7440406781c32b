import type { Field } from '../../commands/kit/fields.ts';
import type { Command } from '../../commands/index.ts';
import { Refusal } from '../../errors.ts';
import { plain } from '../../text.ts';
import type { ParsedCommand } from './parsed-command.ts';
import { refuseKeys, type Word } from './tokenize.ts';

/** Refuses service tokens pasted into a line, except in fields where such words are ordinary. */

/** Whether this field may hold text that looks like a service token. */
export const takesTokens = (field: Field | undefined): boolean => field?.kind === 'plain' && field.takesTokens === true;

/** Returns what `read` parses. Throws `Refusal` for a token, also if a refusal of `read` would repeat the token. */
export function parseWithoutTokens(
  words: readonly Word[],
  command: Command | undefined,
  read: () => ParsedCommand,
): ParsedCommand {
  const exempt = Object.entries(command?.fields ?? {}).flatMap(([name, field]) => (takesTokens(field) ? [name] : []));
  if (exempt.length === 0) refuseTokens(words.map(({ text }) => text));
  const parsed = unrepeated(read);
  for (const [name, values] of Object.entries(parsed.given)) if (!exempt.includes(name)) refuseTokens(values, name);
  if (parsed.reason !== undefined) refuseTokens([parsed.reason], 'reason');
  return parsed;
}

/** A refusal quotes a misplaced word. If that word is a token, refuses the token instead. */
function unrepeated(read: () => ParsedCommand): ParsedCommand {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) refuseTokens([error.says, error.hint].map(plain));
    throw error;
  }
}

function refuseTokens(values: readonly string[], field?: string): void {
  for (const text of values) refuseKeys(text, { field });
}

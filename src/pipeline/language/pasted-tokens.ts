import type { Field } from '../../commands/kit/fields.ts';
import type { Command } from '../../commands/index.ts';
import type { Words } from '../../errors.ts';
import type { ParsedCommand } from './parsed-command.ts';
import { refuseKeys, type Word } from './tokenize.ts';

/** Tokens of services that were pasted into a line: refused, but where such words are ordinary. */

export type Found = { readonly path: string; readonly command: Command; readonly rest: readonly Word[] };

/** The commands that the words begin with, the longest first. */
export function commandsIn(words: readonly Word[], commands: ReadonlyMap<string, Command>): readonly Found[] {
  const typed = words.map((word) => word.text.toLowerCase());
  return [3, 2, 1].flatMap((length) => {
    const path = typed.slice(0, length).join(' ');
    const command = typed.length >= length ? commands.get(path) : undefined;
    return command ? [{ path, command, rest: words.slice(length) }] : [];
  });
}

/** Whether what looks like a service's token may be meant for this field. */
export const takesTokens = (field: Field | undefined): boolean => field?.kind === 'plain' && field.takesTokens === true;

/** What `read` makes of the words of this command. Throws `Refusal` for a token, before `read` can repeat it. */
export function withoutTokens(
  words: readonly Word[],
  command: Command | undefined,
  read: () => ParsedCommand,
): ParsedCommand {
  const free = Object.entries(command?.fields ?? {}).flatMap(([name, field]) => (takesTokens(field) ? [name] : []));
  if (free.length === 0) refuseTokens(words.map(({ text }) => text));
  const parsed = read();
  for (const [name, said] of Object.entries(parsed.given)) if (!free.includes(name)) refuseTokens(said, name);
  if (parsed.reason !== undefined) refuseTokens([parsed.reason], 'reason');
  return parsed;
}

function refuseTokens(said: Words, field?: string): void {
  for (const text of said) refuseKeys(text, field === undefined ? {} : { field });
}

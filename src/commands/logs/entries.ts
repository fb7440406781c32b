import { levelOf } from './levels.ts';
import type { Line } from './lines.ts';

/** An entry of a log: the line that begins it, and those that belong to it. */
export type LogEntry = {
  readonly head: Line;
  readonly lines: readonly Line[];
  /** At least one. If its beginning was not read, its first line stands for it. */
  readonly messages: readonly string[];
  /** Whether the last message was cut off. */
  readonly isCut: boolean;
};

/** The entries that these lines make up, in order. */
export function logEntriesOf(lines: readonly Line[]): readonly LogEntry[] {
  const entries: { head: Line; lines: Line[]; messages: string[]; isCut: boolean }[] = [];
  for (const line of lines) {
    const open = line.continues ? entries.at(-1) : undefined;
    if (open === undefined) {
      const messages = line.messages.length > 0 ? [...line.messages] : [line.text];
      entries.push({ head: line, lines: [line], messages, isCut: line.isCut });
      continue;
    }
    open.lines.push(line);
    open.messages.push(...line.messages);
    if (line.messages.length > 0) open.isCut = line.isCut;
  }
  return entries;
}

/** Whether an entry has an error among its messages. */
export const isError = ({ messages }: LogEntry): boolean => messages.some((message) => levelOf(message) === 'error');

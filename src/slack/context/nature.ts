import { catalogue, changesSomething, type Command } from '../../commands/index.ts';
import { attempt } from '../../base/errors.ts';
import { parse } from '../../language/parse.ts';
import { likelyCommand } from '../../language/reader.ts';
import type { Lane } from './context.ts';

/** What a line will take, by its words alone: before its ack, nothing is looked up. */

/**
 * Whether these words change something, and in which queue they run. Words that are no command as it is typed change
 * nothing by themselves.
 */
export function natureOf(line: string): { readonly changes: boolean; readonly lane: Lane } {
  const command = commandIn(line);
  return { changes: command !== undefined && changesSomething(command), lane: laneOf(command ?? likelyCommand(line)) };
}

/** The queue in which a command runs. */
export function laneOf(command: Command | undefined): Lane {
  if (command?.shape === 'report' && !command.readsSites) return 'reports';
  return command?.shape === 'builtin' && command.urgent ? 'urgent' : 'usual';
}

/** The command of a line; undefined if it cannot be read. */
export const commandIn = (line: string): Command | undefined => attempt(() => parse(line, catalogue)?.command);

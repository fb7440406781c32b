import { parseStored } from '../storage/parse-json.ts';
import type { AnyAction } from '../commands/kit/action.ts';
import { catalogue } from '../commands/index.ts';
import type { Change } from '../storage/changes.ts';
import { Refusal, type Args } from '../base/errors.ts';
import type { ParsedCommand } from './bind-arguments.ts';
import { parseArgs } from './parse.ts';
import { timeOptions } from './schedule.ts';
import { resolve, type KnownNames, type Resolved } from './resolve.ts';
import { join } from './tokenize.ts';

/** The stored arguments of a change, parsed again: its action and input as of now. */
export type Reparsed = { readonly action: AnyAction; readonly resolved: Resolved };

/** The arguments of a change, without its reason. */
export const argsOfChange = (change: Pick<Change, 'args'>): readonly string[] => parseStored(change.args);

/** The most characters in a button. */
const maxLength = 2_000;

/** Whether a button can hold these arguments. */
export const fitsButton = (args: Args): boolean => join(args).length <= maxLength;

/**
 * The arguments that ask for the same change again, at the same time, and for the same reason if a button has room for
 * it.
 */
export function argsToAskAgain(change: Pick<Change, 'args' | 'reason' | 'scheduled_at' | 'expires_at'>): Args {
  const args = timesOf(change).reduce(withOption, argsOfChange(change));
  const withReason = change.reason === null ? args : withOption(args, `--reason=${change.reason}`);
  return fitsButton(withReason) ? withReason : args;
}

const timesOf = ({ scheduled_at: at, expires_at: until }: Pick<Change, 'scheduled_at' | 'expires_at'>): Args =>
  at === null ? [] : timeOptions({ at, until });

/** Puts the option before `--`, which ends the options. */
export function withOption(args: Args, option: string): Args {
  const end = args.indexOf('--');
  return end === -1 ? [...args, option] : [...args.slice(0, end), option, ...args.slice(end)];
}

/** Parses a change's words again. Undefined if they no longer resolve: a target or the command is gone. */
export function reparse(change: Pick<Change, 'args'>, names: KnownNames): Reparsed | undefined {
  const parsed = parsedFrom(argsOfChange(change));
  if (parsed?.command.shape !== 'action') return undefined;
  const resolved = resolve(parsed, names);
  return resolved.missing.length + resolved.problems.length === 0 ? { action: parsed.command, resolved } : undefined;
}

function parsedFrom(words: readonly string[]): ParsedCommand | undefined {
  try {
    return parseArgs(words, catalogue);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

import { catalogue } from '../commands/index.ts';
import { rightOf } from '../commands/rights.ts';
import { usage } from '../language/usage.ts';
import { exitCodes } from './exit-codes.ts';
import { out } from './output.ts';

/** All slash commands for other programs: one line of JSON per command, in the order of help. */
export function commands(): number {
  for (const [path, command] of catalogue) {
    const { summary } = command;
    const line = { path, usage: usage(path, command), summary, class: rightOf(path, command).risk };
    out.write(`${JSON.stringify(line)}\n`);
  }
  return exitCodes.fine;
}

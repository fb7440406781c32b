import { catalogue } from './commands/index.ts';
import { rightOf } from './commands/rights.ts';
import { usage } from './pipeline/language/usage.ts';

/** All commands for other programs: one line of JSON per command, in the order of help. */

// The reader may stop early: `| head`.
process.stdout.on('error', () => process.exit(1));
for (const [path, command] of catalogue) {
  const { summary } = command;
  const line = { path, usage: usage(path, command), summary, class: rightOf(path, command).risk };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

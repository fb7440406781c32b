import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { lineFor, packageFile } from '../base/beside.ts';
import { exitCodes, out } from './output.ts';
import { catalogue } from '../commands/index.ts';
import { rightOf } from '../commands/rights.ts';
import { usage } from '../language/usage.ts';

const manifest = z.object({ version: z.string(), description: z.string() });
const read = (): z.output<typeof manifest> => manifest.parse(JSON.parse(readFileSync(packageFile, 'utf8')));

const steps = [
  ['playground', 'Try it in a browser: no account, and nothing leaves this machine'],
  ['setup', 'Connect it to your Slack workspace and your hosting API'],
  ['help', 'List what it can do on this machine'],
] as const;

/** Says what this is, and what to do next. */
export function about(): number {
  const { version, description } = read();
  out.write(`Sitehand ${version}: ${description[0]?.toLowerCase()}${description.slice(1)}.
You type a slash command. It shows what will happen, asks whoever must approve, and does it once.

${steps.map(([words, does]) => `  ${lineFor(words.padEnd(10))}  ${does}\n`).join('')}`);
  return exitCodes.fine;
}

export function version(): number {
  out.write(`${read().version}\n`);
  return exitCodes.fine;
}

/** All slash commands for other programs: one line of JSON per command, in the order of help. */
export function commands(): number {
  for (const [path, command] of catalogue) {
    const { summary } = command;
    const line = { path, usage: usage(path, command), summary, class: rightOf(path, command).risk };
    out.write(`${JSON.stringify(line)}\n`);
  }
  return exitCodes.fine;
}

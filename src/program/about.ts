import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../beside.ts';
import { exitCodes } from './exit-codes.ts';
import { out } from './output.ts';

const manifest = z.object({ name: z.string(), version: z.string(), description: z.string() });
const read = (): z.output<typeof manifest> => manifest.parse(JSON.parse(readFileSync(packageFile, 'utf8')));

/** Says what this is, and what to do next. `program` is the path by which it was called. */
export function about(program = process.argv[1]): number {
  const { name, version, description } = read();
  // npm and npx call it through this folder; otherwise it is in the path of the shell.
  const called = program?.includes('node_modules') ? `npx ${name}` : 'sitehand';
  out.write(`Sitehand ${version}: ${description[0]?.toLowerCase()}${description.slice(1)}.
You type a slash command. It shows what will happen, asks whoever must approve, and does it once.

  ${called} playground  Try it in a browser: no account, and nothing leaves this machine
  ${called} setup       Connect it to your Slack workspace and your hosting API
  ${called} help        List what it can do on this machine
`);
  return exitCodes.fine;
}

export function version(): number {
  out.write(`${read().version}\n`);
  return exitCodes.fine;
}

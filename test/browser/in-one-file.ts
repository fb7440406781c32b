import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { type Playground, type PlaygroundOptions, startPlayground } from '../../src/playground/playground.ts';
import { resourceAt } from '../lazy-resource.ts';

/**
 * Starts a playground whose bot, unless it is another program, and whose page are in one file each. Both are there in
 * half the time. The channel with many messages opens the page from the files that people have, and `npm run playground`
 * is tried with the bot's own sources.
 */
export async function startInOneFile(options: PlaygroundOptions = {}): Promise<Playground> {
  const [bot, pageInOneFile] = await Promise.all([
    options.program === undefined ? bundledBot() : {},
    resourceAt(inject('bundledPage')),
  ]);
  // A bot on a busy machine acks later than Slack waits; what a person sees then is no matter of these tests.
  const slack = { ackTimeoutMs: 60_000, ...options.slack };
  return startPlayground({ ...bot, pageInOneFile, ...options, slack });
}

async function bundledBot(): Promise<Pick<PlaygroundOptions, 'program' | 'environment'>> {
  const program = await resourceAt(inject('bundledBot'));
  return { program, environment: { NODE_COMPILE_CACHE: join(dirname(program), 'compiled') } };
}

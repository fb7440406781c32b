import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { type Playground, type PlaygroundOptions, startPlayground } from '../../src/playground/playground.ts';
import { resourceAt } from '../lazy-resource.ts';

/**
 * Starts a playground with bundled bot and page, which load in half the time. A given other program is not bundled.
 * Other tests cover the unbundled page and `npm run playground` from the sources.
 */
export async function startInOneFile(options: PlaygroundOptions = {}): Promise<Playground> {
  const [bot, page] = await Promise.all([options.program === undefined ? bundledBot() : {}, bundledPage()]);
  // On a busy machine the bot may ack too late for Slack, which these tests do not cover.
  const slack = { ackTimeoutMs: 60_000, ...options.slack };
  return startPlayground({ ...bot, page, ...options, slack });
}

/** The folder of the bundled page. */
export const bundledPage = async (): Promise<URL> => pathToFileURL(`${await resourceAt(inject('bundledPage'))}/`);

async function bundledBot(): Promise<Pick<PlaygroundOptions, 'program' | 'environment'>> {
  const program = await resourceAt(inject('bundledBot'));
  return { program, environment: { NODE_COMPILE_CACHE: join(dirname(program), 'compiled') } };
}

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../api/mcp.ts';
import { environmentOr, type EnvironmentVariables } from '../base/config.ts';
import { errorMessage } from '../base/errors.ts';
import { clientFor } from './ask.ts';
import { exitCodes, out, type Out } from './output.ts';

/** `sitehand mcp`: an agent on this machine reads and proposes, by the interface of a running bot. */

/** Runs until its input ends; resolves with an exit code only if it cannot begin. */
export async function mcp(given?: EnvironmentVariables, { complain }: Out = out): Promise<number | undefined> {
  const { SITEHAND_URL: url, SITEHAND_CALLER_KEY: key } = environmentOr(given);
  if (!url || !key) {
    complain('SITEHAND_URL and SITEHAND_CALLER_KEY have to be set. Nothing was started.\n');
    return exitCodes.wrong;
  }
  try {
    const client = clientFor(url, key);
    await createMcpServer(client);
    serveStdio(() => createMcpServer(client));
    return undefined;
  } catch (error) {
    complain(`Sitehand does not answer as an interface for programs: ${errorMessage(error)}\n`);
    return exitCodes.unknown;
  }
}

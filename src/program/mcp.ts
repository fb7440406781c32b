import { clientFor } from '../api/client.ts';
import { commandsFrom, createMcpServer } from '../api/mcp.ts';
import { environmentOr, type EnvironmentVariables } from '../base/config.ts';
import { errorMessage } from '../base/errors.ts';
import { exitCodes, out, type Out } from './output.ts';

/** `sitehand mcp`: an agent on this machine reads and proposes, by the interface of a running bot. */

/** Runs until its input ends; resolves with an exit code only if it cannot begin. */
export async function mcp(given?: EnvironmentVariables, { complain }: Out = out): Promise<number | undefined> {
  try {
    const client = clientFor(environmentOr(given));
    const commands = async () => commandsFrom(await client('/v1/commands'));
    // The key is tried before an agent is told of any tool.
    await commands();
    const { serveStdio } = await import('../api/protocol.ts');
    serveStdio(async () => createMcpServer(client, await commands()));
    return undefined;
  } catch (error) {
    complain(`No tools: ${errorMessage(error)}\n`);
    return exitCodes.wrong;
  }
}

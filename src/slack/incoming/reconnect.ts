import { setTimeout as wait } from 'node:timers/promises';
import type { SocketModeReceiver } from '@slack/bolt';

/** When Slack is asked again for a connection that it refused. */
const againMs = 5_000;

/**
 * Lets a client that was connected once ask for a connection until it has one: what Slack refuses it for may pass, and
 * the client would end the process instead. The first time it is told. `end`: it asks no more.
 */
export function reconnectAlways(
  { client }: SocketModeReceiver,
  onRefused: (error: unknown) => void,
): { readonly end: () => void } {
  const begin = client.start.bind(client);
  const over = new AbortController();
  let wasConnected = false;
  client.on('connected', () => void (wasConnected = true));
  client.start = async () => {
    for (;;) {
      try {
        return await begin();
      } catch (error) {
        if (!wasConnected) throw error;
        onRefused(error);
        await wait(againMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
        // Nobody waits for it any more, and nobody would hear why it ends.
        if (over.signal.aborted) return new Promise(() => undefined);
      }
    }
  };
  return { end: () => over.abort() };
}

import { setTimeout as wait } from 'node:timers/promises';
import type { SocketModeReceiver } from '@slack/bolt';
import type { Logger } from '../../base/log.ts';

/** The pause before the next try for a connection. */
const againMs = 5_000;

/**
 * Makes a client that was once connected retry forever. Slack's refusal may pass, and without this it would end the
 * process. A failed first connection still rejects. `end` stops the retries.
 */
export function reconnectAlways({ client }: SocketModeReceiver, log: Logger): { readonly end: () => void } {
  const connect = client.start.bind(client);
  const stopped = new AbortController();
  let wasConnected = false;
  client.on('connected', () => void (wasConnected = true));
  client.start = async () => {
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (!wasConnected) throw error;
        log.error({ err: error }, 'Slack refused a connection; trying again');
        await wait(againMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
        // Stopped: nobody waits for this promise, so never settle it.
        if (stopped.signal.aborted) return new Promise(() => undefined);
      }
    }
  };
  return { end: () => stopped.abort() };
}

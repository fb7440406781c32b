import { HTTPModuleFunctions, isRawBodyError, type HTTPReceiver, type SocketModeReceiver } from '@slack/bolt';
import type { Logger } from '../log.ts';

/** Bolt reads deliveries before it catches anything: what is thrown there would end the process. */

type Buffered = Awaited<ReturnType<typeof HTTPModuleFunctions.bufferIncomingMessage>>;

/** Refuses a body that is `null`, which Bolt reads as if it were something. Bodies are as long as `limit` at most, in bytes. */
export function refuseNull(receiver: HTTPReceiver, limit: number): void {
  const listen = receiver.requestListener;
  const { bufferIncomingMessage, buildNoBodyResponse } = HTTPModuleFunctions;
  receiver.requestListener = (request, response) => {
    // Only deliveries are posted; the health routes are asked for.
    if (request.method !== 'POST') return listen(request, response);
    bufferIncomingMessage(request, limit)
      .then((buffered) => (isNull(buffered) ? buildNoBodyResponse(response, 400) : listen(buffered, response)))
      .catch((error: unknown) => buildNoBodyResponse(response, statusOf(error)));
  };
}

function isNull(request: Buffered): boolean {
  try {
    return HTTPModuleFunctions.parseHTTPRequestBody(request) === null;
  } catch {
    // Bolt refuses what it cannot read.
    return false;
  }
}

/** What Bolt answers to that; an address that nothing listens on is no delivery. */
const statusOf = (error: unknown): number =>
  error instanceof Error && isRawBodyError(error) && error.type === 'entity.too.large' ? 413 : 404;

/** Lets a message that cannot be read be the end of that message alone. */
export function readSafely({ client }: SocketModeReceiver, log: Logger): void {
  const read = client.listeners('ws_message');
  client.removeAllListeners('ws_message').on('ws_message', (...message: unknown[]) => {
    for (const listener of read)
      Promise.resolve(message)
        .then((said): unknown => listener.apply(client, said))
        .catch((error: unknown) => log.warn({ err: error }, 'a message from Slack could not be read'));
  });
}

import { HTTPModuleFunctions, isRawBodyError, type HTTPReceiver, type SocketModeReceiver } from '@slack/bolt';

/** Bolt reads deliveries before it catches anything: what is thrown there would end the process. */

type Buffered = Awaited<ReturnType<typeof HTTPModuleFunctions.bufferIncomingMessage>>;

/** Told why a delivery was refused: an error, or a phrase; nothing of what stands in it. */
export type OnMalformed = (why: unknown) => void;

const shape = 'it is not what Slack delivers';
/** A form of a hundred inputs is a tenth of it. */
const maxLevels = 100;

/** Refuses a body that Bolt would stumble over. Bodies are as long as `limit` at most, in bytes. */
export function refuseMalformed(receiver: HTTPReceiver, limit: number, onMalformed: OnMalformed): void {
  const listen = receiver.requestListener;
  const { bufferIncomingMessage, buildNoBodyResponse } = HTTPModuleFunctions;
  receiver.requestListener = (request, response) => {
    // Its connection was ended for all that it asked for before.
    if (request.socket.destroyed) return;
    // Only deliveries are posted; the health routes are asked for.
    if (request.method !== 'POST') return listen(request, response);
    bufferIncomingMessage(request, limit)
      .then((buffered) => {
        if (!isMalformed(buffered)) return listen(buffered, response);
        onMalformed(shape);
        return buildNoBodyResponse(response, 400);
      })
      .catch((error: unknown) => buildNoBodyResponse(response, statusOf(error)));
  };
}

function isMalformed(request: Buffered): boolean {
  try {
    return !isDelivery(HTTPModuleFunctions.parseHTTPRequestBody(request));
  } catch {
    // Bolt refuses what it cannot read.
    return false;
  }
}

/** What Bolt answers to that; an address that nothing listens on is no delivery. */
const statusOf = (error: unknown): number =>
  error instanceof Error && isRawBodyError(error) && error.type === 'entity.too.large' ? 413 : 404;

/** Lets a message that cannot be read be the end of that message alone; one in an envelope is acked, and not sent again. */
export function readSafely({ client }: SocketModeReceiver, onMalformed: OnMalformed): void {
  const read = client.listeners('ws_message');
  client.removeAllListeners('ws_message').on('ws_message', (...message: unknown[]) => {
    const envelope = envelopeIn(message[0]);
    if (envelope !== undefined && !isDelivery(envelope.payload)) {
      onMalformed(shape);
      client.websocket?.send(JSON.stringify({ envelope_id: envelope.id }), () => undefined);
      return;
    }
    for (const listener of read)
      Promise.resolve(message)
        .then((said): unknown => listener.apply(client, said))
        .catch(onMalformed);
  });
}

/** What Slack wants acked; undefined: a word about the connection, or nothing that can be read. */
function envelopeIn(message: unknown): { readonly id: string; readonly payload: unknown } | undefined {
  try {
    const said: unknown = JSON.parse(
      message instanceof Uint8Array ? new TextDecoder().decode(message) : String(message),
    );
    return isObject(said) && typeof said['envelope_id'] === 'string'
      ? { id: said['envelope_id'], payload: said['payload'] }
      : undefined;
  } catch {
    return undefined;
  }
}

/** An object that says what it is, and an event in it as well. */
const isDelivery = (body: unknown): boolean =>
  isObject(body) &&
  ['type', 'command', 'ssl_check'].some((name) => typeof body[name] === 'string') &&
  (body['event'] === undefined || (isObject(body['event']) && typeof body['event']['type'] === 'string')) &&
  !isDeep(body, maxLevels);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether it has more levels than that: what is written by recursion would exhaust the stack. */
const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));

import { HTTPModuleFunctions, isRawBodyError, type HTTPReceiver, type SocketModeReceiver } from '@slack/bolt';
import { attempt } from '../../errors.ts';

/** Bolt parses deliveries outside its own error handling: an exception there would end the process. */

type Buffered = Awaited<ReturnType<typeof HTTPModuleFunctions.bufferIncomingMessage>>;

/** Called with why a delivery was refused: an error or a phrase, never its content. */
export type OnMalformed = (why: unknown) => void;

const notADelivery = 'it is not what Slack delivers';
/** A form with a hundred inputs has a tenth of these levels. */
const maxLevels = 100;

/** Refuses a body that would make Bolt throw. `limit` is the longest body in bytes. */
export function refuseMalformed(receiver: HTTPReceiver, limit: number, onMalformed: OnMalformed): void {
  const listen = receiver.requestListener;
  const { bufferIncomingMessage, buildNoBodyResponse } = HTTPModuleFunctions;
  receiver.requestListener = (request, response) => {
    // `boundConnections` closed this connection for too many requests.
    if (request.socket.destroyed) return;
    // Deliveries are POST; health checks are GET.
    if (request.method !== 'POST') return listen(request, response);
    bufferIncomingMessage(request, limit)
      .then((buffered) => {
        if (!isMalformed(buffered)) return listen(buffered, response);
        onMalformed(notADelivery);
        return buildNoBodyResponse(response, 400);
      })
      .catch((error: unknown) => buildNoBodyResponse(response, statusOf(error)));
  };
}

/** Bolt itself refuses a body it cannot parse. */
const isMalformed = (request: Buffered): boolean =>
  attempt(() => isDelivery(HTTPModuleFunctions.parseHTTPRequestBody(request))) === false;

/** The statuses Bolt would answer; 404 is for an address nothing listens on. */
const statusOf = (error: unknown): number =>
  error instanceof Error && isRawBodyError(error) && error.type === 'entity.too.large' ? 413 : 404;

/** An unreadable message fails alone. If it has an envelope, it is acked so that Slack does not send it again. */
export function readSafely({ client }: SocketModeReceiver, onMalformed: OnMalformed): void {
  const read = client.listeners('ws_message');
  client.removeAllListeners('ws_message').on('ws_message', (...message: unknown[]) => {
    const envelope = envelopeIn(message[0]);
    if (envelope !== undefined && !isDelivery(envelope.payload)) {
      onMalformed(notADelivery);
      client.websocket?.send(JSON.stringify({ envelope_id: envelope.id }), () => undefined);
      return;
    }
    for (const listener of read)
      Promise.resolve(message)
        .then((args): unknown => listener.apply(client, args))
        .catch(onMalformed);
  });
}

/** The envelope to ack; undefined for a message about the connection or one that cannot be read. */
function envelopeIn(data: unknown): { readonly id: string; readonly payload: unknown } | undefined {
  const envelope = attempt((): unknown =>
    JSON.parse(data instanceof Uint8Array ? new TextDecoder().decode(data) : String(data)),
  );
  return isObject(envelope) && typeof envelope['envelope_id'] === 'string'
    ? { id: envelope['envelope_id'], payload: envelope['payload'] }
    : undefined;
}

/** Whether it is an object with a type or a command; its event, if any, must have a type too. */
const isDelivery = (body: unknown): boolean =>
  isObject(body) &&
  ['type', 'command', 'ssl_check'].some((name) => typeof body[name] === 'string') &&
  (body['event'] === undefined || (isObject(body['event']) && typeof body['event']['type'] === 'string')) &&
  !isDeep(body, maxLevels);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether it nests deeper than `levels`: recursive code would exhaust the stack. */
const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));

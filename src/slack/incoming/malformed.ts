import { HTTPModuleFunctions, isRawBodyError, type HTTPReceiver, type SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';
import { attempt } from '../../errors.ts';

/** Bolt parses deliveries outside its own error handling, so an exception there would end the process. */

type Buffered = Awaited<ReturnType<typeof HTTPModuleFunctions.bufferIncomingMessage>>;

/** Called with why a delivery was refused: an error or a phrase, never the content. */
export type OnMalformed = (why: unknown) => void;

const notADelivery = 'it is not what Slack delivers';
/** The deepest nesting of a delivery. A form with a hundred inputs has a tenth of it. */
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

/** The status that Bolt would answer; 404 is for an address without a listener. */
const statusOf = (error: unknown): number =>
  error instanceof Error && isRawBodyError(error) && error.type === 'entity.too.large' ? 413 : 404;

/** An unreadable message fails alone. If it has an envelope, it is acked, so that Slack does not repeat it. */
export function readSafely({ client }: SocketModeReceiver, onMalformed: OnMalformed): void {
  const read = client.listeners('ws_message');
  client.removeAllListeners('ws_message').on('ws_message', (...message: unknown[]) => {
    const envelope = envelopeIn(message[0]);
    if (envelope !== undefined && !isDelivery(envelope.payload)) {
      onMalformed(notADelivery);
      client.websocket?.send(JSON.stringify({ envelope_id: envelope.envelope_id }), () => undefined);
      return;
    }
    for (const listener of read)
      Promise.resolve(message)
        .then((args): unknown => listener.apply(client, args))
        .catch(onMalformed);
  });
}

const envelopeShape = z.object({ envelope_id: z.string(), payload: z.unknown() });

/** The envelope to ack; undefined for a message about the connection or an unreadable one. */
const envelopeIn = (data: unknown): z.infer<typeof envelopeShape> | undefined =>
  attempt(() =>
    envelopeShape.parse(JSON.parse(data instanceof Uint8Array ? new TextDecoder().decode(data) : String(data))),
  );

/** An object with a type or a command; its event, if any, has a type too. */
const deliveryShape = z.intersection(
  z.union([z.object({ type: z.string() }), z.object({ command: z.string() }), z.object({ ssl_check: z.string() })]),
  z.object({ event: z.object({ type: z.string() }).optional() }),
);
const isDelivery = (body: unknown): boolean => deliveryShape.safeParse(body).success && !isDeep(body, maxLevels);

/** Whether it is nested deeper than `levels`: recursive code would overflow the stack. */
const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));

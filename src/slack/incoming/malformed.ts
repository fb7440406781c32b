import type { IncomingMessage, RequestListener } from 'node:http';
import { HTTPModuleFunctions, isRawBodyError, type HTTPReceiver, type SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';
import { attempt } from '../../base/errors.ts';
import type { SlackContext } from '../context/context.ts';

/** Refuses what Slack did not deliver, or what would make Bolt throw outside its own error handling and end the process. */

type Buffered = Awaited<ReturnType<typeof HTTPModuleFunctions.bufferIncomingMessage>>;

/** How far a delivery's time may be from ours, before or after it, in seconds. Bolt looks at the past only. */
const toleranceSeconds = 300;
/** The deepest nesting of a delivery. A form with a hundred inputs has a tenth of it. */
const maxLevels = 100;

/** What is answered to a refused delivery. */
const statuses: Readonly<Record<RefusalReason, number>> = { signature: 401, time: 401, length: 413, malformed: 400 };

/**
 * Answers every other request than a delivery with `other`.
 * Lets a delivery through only if it is whole, at most `bodyLimit` bytes long, signed by Slack within five
 * minutes of now, and readable. Nothing else of it reaches Bolt, which would write a line to the log for each.
 */
export function refuseForeign(
  receiver: HTTPReceiver,
  from: Expected,
  onRefused: OnRefused,
  other: RequestListener,
): void {
  const listen = receiver.requestListener;
  const { buildNoBodyResponse } = HTTPModuleFunctions;
  receiver.requestListener = (request, response) => {
    // `boundConnections` closed this connection for too many requests.
    if (request.socket.destroyed) return;
    // Deliveries are POST; health checks are GET.
    if (request.method !== 'POST') return other(request, response);
    verified(request, from)
      .then((delivery) => {
        if (typeof delivery !== 'string') return listen(delivery, response);
        onRefused(delivery);
        // What is left of it is not read.
        response.shouldKeepAlive = false;
        return buildNoBodyResponse(response, statuses[delivery]);
      })
      // Not whole, or an address without a listener.
      .catch(() => buildNoBodyResponse(response, 404));
  };
}

type Expected = { readonly signingSecret: string; readonly bodyLimit: number };

/** The request with its body, or why it is refused. Rejects if the request ends before its body does. */
async function verified(request: IncomingMessage, expected: Expected): Promise<Buffered | RefusalReason> {
  const { bufferIncomingMessage, parseAndVerifyHTTPRequest } = HTTPModuleFunctions;
  if (request.headers['x-slack-signature'] === undefined) return 'signature';
  const buffered = await bufferIncomingMessage(request, expected.bodyLimit).catch((error: unknown) => {
    if (error instanceof Error && isRawBodyError(error) && error.type === 'entity.too.large') return 'length' as const;
    throw error;
  });
  if (buffered === 'length') return buffered;
  const delivery = await parseAndVerifyHTTPRequest(expected, buffered).catch(() => undefined);
  if (!isOfNow(buffered)) return 'time';
  if (delivery === undefined) return 'signature';
  return isMalformed(delivery) ? 'malformed' : delivery;
}

/** False if it has a time that is not a number of seconds close to ours. What is signed has one. */
function isOfNow({ headers: { 'x-slack-request-timestamp': at } }: Buffered): boolean {
  if (at === undefined) return true;
  return /^\d+$/.test(String(at)) && Math.abs(Date.now() / 1_000 - Number(at)) <= toleranceSeconds;
}

/** Bolt itself refuses a body it cannot parse. */
const isMalformed = (request: Buffered): boolean =>
  attempt(() => isDelivery(HTTPModuleFunctions.parseHTTPRequestBody(request))) === false;

/** An unreadable message fails alone. If it has an envelope, it is acked, so that Slack does not repeat it. */
export function readSafely({ client }: SocketModeReceiver, onRefused: OnRefused): void {
  const read = client.listeners('ws_message');
  client.removeAllListeners('ws_message').on('ws_message', (...message: unknown[]) => {
    const envelope = envelopeIn(message[0]);
    if (envelope !== undefined && !isDelivery(envelope.payload)) {
      onRefused('malformed');
      client.websocket?.send(JSON.stringify({ envelope_id: envelope.envelope_id }), () => undefined);
      return;
    }
    for (const listener of read)
      Promise.resolve(message)
        .then((args): unknown => listener.apply(client, args))
        .catch((error: unknown) => onRefused('malformed', error));
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

/** Why a delivery was refused: it is not signed by Slack, not of this time, too long, or not what Slack delivers. */
type RefusalReason = 'signature' | 'time' | 'length' | 'malformed';
/** `error`: what was wrong with something that Slack delivered. */
export type OnRefused = (why: RefusalReason, error?: unknown) => void;

/** The least time between two lines about refused deliveries. */
const lineEveryMs = 60_000;

/**
 * Counts refused deliveries. Anybody can cause them, so the log gets one line at once, and then at most one a minute,
 * with their number by reason and the first error.
 */
export function createRefusals({ log, metrics }: Pick<SlackContext, 'log' | 'metrics'>): OnRefused {
  const refused = new Map<RefusalReason, number>();
  let first: unknown;
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    if (refused.size === 0) return;
    log.warn(
      { refused: Object.fromEntries(refused), ...(first !== undefined && { err: first }) },
      'deliveries were refused',
    );
    refused.clear();
    first = undefined;
    timer = setTimeout(tell, lineEveryMs).unref();
  };
  return (why, error) => {
    first ??= error;
    metrics.refused.inc({ why });
    // Slack delivered it, so something is wrong on one of our sides.
    if (why === 'malformed') metrics.faults.inc();
    refused.set(why, (refused.get(why) ?? 0) + 1);
    if (timer === undefined) tell();
  };
}

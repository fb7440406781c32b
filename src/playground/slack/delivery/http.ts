import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { fieldsOf, parseJson } from '../json-fields.ts';
import type { DeliveryResult, RawEnvelope, Transport } from './envelope.ts';

/** How requests are signed: correctly, with a wrong secret, or dated an hour ago or ahead. */
export const signatures = ['right', 'wrong', 'stale', 'ahead'] as const;
export type Signature = (typeof signatures)[number];

const OFF_SECONDS: Readonly<Partial<Record<Signature, number>>> = { stale: -3600, ahead: 3600 };
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The `v0` signature of a request body. https://docs.slack.dev/authentication/verifying-requests-from-slack */
const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;

/** Delivers as signed HTTP POST to one of `urls`, in turn. Redirects are not followed. */
export function createHttpDelivery(options: {
  readonly urls: () => readonly string[];
  readonly secret: string;
  readonly signature: () => Signature;
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Aborts requests under way. */
  readonly closed: AbortSignal;
}): Transport {
  let turn = 0;
  return async (envelope, attempt) => {
    const urls = options.urls();
    const url = urls[turn % Math.max(urls.length, 1)];
    turn += 1;
    if (url === undefined) return { acked: false, ms: 0, ack: undefined, failure: 'not_connected' };
    const body = encoded(envelope);
    const signature = options.signature();
    const seconds = Math.floor(options.now() / 1000) + (OFF_SECONDS[signature] ?? 0);
    const secret = signature === 'wrong' ? `${options.secret}-of-somebody-else` : options.secret;
    const headers = {
      'content-type': envelope.kind === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': signatureOf(secret, String(seconds), body),
      ...(attempt > 0 ? { 'x-slack-retry-num': String(attempt), 'x-slack-retry-reason': 'http_timeout' } : {}),
    };
    return send(url, headers, body, options);
  };
}

function encoded({ kind, payload }: RawEnvelope): string {
  if (kind === 'events_api') return JSON.stringify(payload);
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const fields = Object.entries(fieldsOf(payload)).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(fields).toString();
}

function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  limits: { readonly timeoutMs: number; readonly closed: AbortSignal },
): Promise<DeliveryResult> {
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<DeliveryResult>();
  const end = (answer: Omit<DeliveryResult, 'ms'>): void => {
    clearTimeout(timer);
    resolve({ ...answer, ms: Math.round(performance.now() - startedAt) });
    sent.destroy();
  };
  const sent = request(
    url,
    { method: 'POST', headers: { ...headers }, agent: false, signal: limits.closed },
    (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= MAX_ANSWER_BYTES) parts.push(part);
      });
      answer.on('error', () => end({ acked: false, ack: undefined, failure: 'unreachable' }));
      answer.on('end', () => {
        const status = answer.statusCode ?? 0;
        const text = Buffer.concat(parts).toString();
        if (status < 200 || status > 299) end({ acked: false, ack: undefined, failure: `http_${status}` });
        else end({ acked: true, ack: text === '' ? undefined : (parseJson(text) ?? text) });
      });
    },
  );
  const timer = setTimeout(() => end({ acked: false, ack: undefined, failure: 'timeout' }), limits.timeoutMs);
  sent.on('error', () => end({ acked: false, ack: undefined, failure: 'unreachable' }));
  sent.end(body);
  return promise;
}

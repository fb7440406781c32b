import { createHmac } from 'node:crypto';
import { Client, type Dispatcher } from 'undici';
import { AnswerTooLong, boundedConnector } from '../../base/answer-bounds.ts';
import { errorCode } from '../../base/errors.ts';
import { excerptBytes, readExcerpt, isPage, retryAfterOf } from '../../hosting/answer.ts';
import type { AuditBatch, DeliveryResult } from '../audit-out.ts';
import type { Secret } from '../../base/secret.ts';
import { startDeadline, type Deadline } from '../../base/time-limit.ts';
import { postBody } from './format.ts';

/** A POST of each batch, signed as the Standard Webhooks specification describes (version 1.0.0, symmetric). */

export type Webhook = {
  /** May hold a token in its path or query. */
  readonly url: Secret;
  /** The key of the signature: its characters are the bytes of the HMAC key. */
  readonly key: Secret;
  /** From the beginning to the end of the answer, in ms. */
  readonly limitMs?: number;
};

const defaultLimitMs = 15_000;
const connectMs = 5_000;

/** Sends a batch once, on a connection of its own, without following redirects. Never rejects. */
export async function postBatch(
  { url, key, limitMs = defaultLimitMs }: Webhook,
  batch: AuditBatch,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { origin, pathname, search } = new URL(url.reveal());
  const body = postBody(batch);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'sitehand',
    ...signedHeaders({ id: idOf(batch), seconds: Math.floor(Date.now() / 1_000), body }, key),
  };
  using late = startDeadline(limitMs);
  const client = new Client(origin, { connect: boundedConnector(excerptBytes, connectMs) });
  try {
    const answer = await client.request({
      method: 'POST',
      path: `${pathname}${search}`,
      headers,
      body,
      reset: true,
      signal: AbortSignal.any([signal, late.signal]),
    });
    const { statusCode, headers: answered } = answer;
    const said = await readExcerpt(answer);
    const isHtml =
      isPage(said) || (said === '' && isUnread(answered, late) && /html/i.test(String(answered['content-type'])));
    return resultOf(statusCode, isHtml, retryAfterOf(answered['retry-after'], Date.now()));
  } catch (error) {
    const why = late.signal.aborted ? `it gave no answer within ${limitMs / 1_000} s` : whyOf(error);
    return { kind: 'failed', why, lasting: false };
  } finally {
    await client.destroy().catch(() => undefined);
  }
}

/** The same id for the same lines. After a restore, other lines may have the same numbers, but not the same hash. */
const idOf = ({ installation, lines: [first], lines }: AuditBatch): string =>
  `${installation}-${first?.seq}-${lines.at(-1)?.seq}-${lines.at(-1)?.hash.slice(-16)}`;

/** The three headers; `seconds` since 1970. */
function signedHeaders(
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
  key: Secret,
): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', key.reveal()).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}

/** Whether the body can't be read: it is compressed, or did not arrive in time. */
const isUnread = (headers: Dispatcher.ResponseData['headers'], { signal }: Deadline): boolean =>
  headers['content-encoding'] !== undefined || signal.aborted;

/** A page comes from a gateway or a login, so it acknowledges nothing, whatever its status. */
function resultOf(status: number, isHtml: boolean, retryAfterMs: number | undefined): DeliveryResult {
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && !isHtml) return { kind: 'taken' };
  if (isSuccess) return { kind: 'failed', why: `a page answered ${status} in its place`, lasting: true };
  const redirects = status >= 300 && status < 400 ? ', and I follow no redirects' : '';
  return { kind: 'failed', why: `it answered ${status}${redirects}`, lasting: !isTransient(status), retryAfterMs };
}

const isTransient = (status: number): boolean => status >= 500 || status === 408 || status === 425 || status === 429;

/** An error's code. Messages that are not ours may contain the address, so they are left out. */
function whyOf(error: unknown): string {
  if (error instanceof AnswerTooLong) return `it ${error.message}`;
  const code = errorCode(error);
  return `the connection failed${code && ` (${code})`}`;
}

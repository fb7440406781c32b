import type { AuditBatch, SentLine, DeliveryResult, AuditDestination } from './audit-out.ts';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../base/errors.ts';
import { createHmac, createHash } from 'node:crypto';
import { Client, type Dispatcher } from 'undici';
import { AnswerTooLong, boundedConnector } from '../base/connections.ts';
import { excerptBytes, readExcerpt, isPage, retryAfterOf } from '../hosting/answer.ts';
import type { Secret } from '../base/secret.ts';
import { startDeadline, type Deadline, within } from '../base/time-limit.ts';
import type { Config } from '../base/config.ts';

/** Where the audit trail is sent: appended to a file, or posted to a webhook. */

/** The version of the documented formats. Raise it for any change that readers could notice. */
const version = 1;

/** The body of a POST: `{ version, installation, lines }`, JSON. */
const postBody = ({ installation, lines }: AuditBatch): string =>
  JSON.stringify({ version, installation, lines: lines.map(ordered) });

/** One JSON object with a line break for each line of the trail. The key `audit` tells them from lines of the log. */
const jsonLines = ({ installation, lines }: AuditBatch): string =>
  lines.map((line) => `${JSON.stringify({ audit: version, installation, ...ordered(line) })}\n`).join('');

/** The two databases return columns in different orders. */
const ordered = ({ seq, at, event, change, actor, details, previous, hash }: SentLine): SentLine => ({
  seq,
  at,
  event,
  change,
  actor,
  details,
  previous,
  hash,
});

/**
 * Appends the text to a file and waits for the disk. The file is opened each time, so it may be moved away at any time;
 * a new file is readable by this user only. If a crash left half a line, the line is ended, never removed. Never
 * rejects.
 */
export async function appendTo(path: string, text: string): Promise<DeliveryResult> {
  try {
    // Opening a pipe would wait for its reader.
    if ((await stat(path).catch(absent))?.isFile() === false) return failed('it is not a regular file');
    await using file = await open(path, 'a+', 0o600);
    await append(file, text, path);
    return { kind: 'taken' };
  } catch (error) {
    return failed(`it can't be written (${errorCode(error) || 'unknown error'})`);
  }
}

async function append(file: FileHandle, text: string, path: string): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile((await endsInLine(file, size)) ? text : `\n${text}`);
    await file.datasync();
    await flushFolder(path);
  } catch (error) {
    // Removes only what this call has written; it will be written again.
    await file.truncate(size).catch(() => undefined);
    throw error;
  }
}

async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() === '\n';
}

/** Without this, a power cut could lose a new file. */
async function flushFolder(path: string): Promise<void> {
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

const failed = (why: string): DeliveryResult => ({ kind: 'failed', why, lasting: false });

function absent(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

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
    ...signedHeaders({ id: idOfBatch(batch), seconds: Math.floor(Date.now() / 1_000), body }, key),
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
const idOfBatch = ({ installation, lines: [first], lines }: AuditBatch): string =>
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

type AuditOut = NonNullable<Config['auditOut']>;

/** The destination that the settings name. */
export function destinationOf(to: AuditOut): AuditDestination {
  switch (to.kind) {
    case 'webhook': {
      const url = to.url.reveal();
      return {
        id: idOf(url),
        name: new URL(url).host,
        deliver: (batch, signal) => postBatch(to, batch, signal),
      };
    }
    case 'file':
      return { id: idOf(`file:${to.path}`), name: to.path, deliver: oneAtATime((lines) => appendTo(to.path, lines)) };
    case 'stdout':
      return { id: idOf('stdout'), name: 'standard output', deliver: oneAtATime(writeToOutput) };
  }
}

/**
 * Allows one write at a time. A write to a disk that is gone, or to an output that nobody reads, may never end: it
 * counts as failed, and nothing more is written until it ends.
 */
export function oneAtATime(
  write: (lines: string) => Promise<DeliveryResult>,
  limitMs = 15_000,
): (batch: AuditBatch) => Promise<DeliveryResult> {
  let running: Promise<DeliveryResult> | undefined;
  const late: DeliveryResult = {
    kind: 'failed',
    why: `a write to it has not ended within ${limitMs / 1_000} s`,
    lasting: false,
  };
  return async (batch) => {
    if (running !== undefined) return late;
    running = write(jsonLines(batch)).finally(() => (running = undefined));
    return within(limitMs, running).catch(() => late);
  };
}

/** Writes the text to standard output, between lines of the log; resolves once the system has taken it. */
const writeToOutput = (text: string): Promise<DeliveryResult> =>
  new Promise((resolve) => {
    process.stdout.write(text, (error) =>
      resolve(error ? { kind: 'failed', why: 'it is closed', lasting: false } : { kind: 'taken' }),
    );
  });

/** A hash, because the address may hold a token and the database keeps the id. */
const idOf = (address: string): string => createHash('sha256').update(address).digest('hex').slice(0, 16);

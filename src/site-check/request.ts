import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { AnswerTooLong, boundAnswers } from '../base/connections.ts';
import { readBeginning } from '../base/bounded-reads.ts';
import type { Hop } from './connect.ts';

/** The most bytes of a body that are read. */
export const maxBody = 524_288;
/** The same before unpacking: what unpacks to a page of `maxBody` is hardly longer. */
const maxPacked = 2 * maxBody;
/** The most bytes of headers. */
const maxHeaders = 16_384;

/** The beginning of a body as text, and whether that is all of it. */
export type Body = { readonly text: string; readonly isWhole: boolean };

export type PageResponse = {
  readonly status: number;
  /** When the headers arrived, in milliseconds of `performance.now`. */
  readonly headersAt: number;
  readonly header: (name: string) => string | undefined;
  /** Undefined: compressed in a way that we did not ask for. */
  readonly body: Body | undefined;
  /** When the certificate expires, in epoch milliseconds; undefined without encryption. */
  readonly certificateUntil: number | undefined;
};

/**
 * Sends one GET on this socket, reads at most `maxBody` of the answer, and closes the socket. Rejects with the error of
 * HTTP, zlib or the socket, or with `AnswerTooLong`. `headers` have no cookie and no credential. Not with undici: if a
 * request is ended while a body without a length arrives, its client throws where nothing can catch it, which ends the
 * process.
 */
export async function requestOn(
  socket: Socket,
  { name, path }: Hop,
  headers: Readonly<Record<string, string>>,
): Promise<PageResponse> {
  const certificateUntil = expiryOf(socket);
  boundAnswers(socket, maxBody);
  try {
    const answer = await answerTo(socket, path, { host: name, ...headers, 'accept-encoding': 'gzip' });
    const headersAt = performance.now();
    const header = (of: string): string | undefined => [answer.headers[of] ?? []].flat()[0];
    const read = await bodyOf(answer, header('content-encoding'));
    const body = read && { text: textIn(read.bytes, header('content-type')), isWhole: read.isWhole };
    return { status: answer.statusCode ?? 0, headersAt, header, body, certificateUntil };
  } catch (error) {
    // Of a body that was cut, Node says only that it was.
    throw socket.errored instanceof AnswerTooLong ? socket.errored : error;
  } finally {
    socket.destroy();
  }
}

/** Uses this socket and never opens a second one, which would look the name up again. */
const answerTo = (socket: Socket, path: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ createConnection: () => socket, path, headers, maxHeaderSize: maxHeaders });
    // Keep both listeners: an error after the answer must not end the process.
    request.on('error', reject).on('upgrade', () => reject(new Error('the answer is no page')));
    request.on('response', resolve).end();
  });

function expiryOf(socket: Socket): number | undefined {
  const until = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : Number.NaN;
  return Number.isNaN(until) ? undefined : until;
}

async function bodyOf(answer: IncomingMessage, packedAs = 'identity') {
  // Leaving early destroys the stream, and its error needs a listener.
  answer.on('error', () => undefined);
  if (packedAs === 'identity' || packedAs === '') return readBeginning(answer, maxBody);
  if (!/^(x-)?gzip$/i.test(packedAs)) return undefined;
  // A small body that unpacks to a large one is cut while it is unpacked, in chunks of 16 KB.
  const unpacked = createGunzip();
  let packed = 0;
  answer.on('data', (part: Buffer) => {
    packed += part.length;
    if (packed > maxPacked) unpacked.destroy(Object.assign(new Error('too long'), { code: 'PACKED_TOO_LONG' }));
  });
  answer.once('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    return await readBeginning(unpacked, maxBody);
  } finally {
    unpacked.destroy();
  }
}

/** Decodes the text with the character set that the header or the beginning of the page names, else as UTF-8. */
function textIn(bytes: Buffer, type = ''): string {
  const beginning = bytes.toString('latin1', 0, 1_024);
  const [, name] =
    /charset\s*=\s*["']?([\w-]+)/i.exec(type) ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(beginning) ?? [];
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

import { STATUS_CODES, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { sendJson } from '../http.ts';
import type { Fault } from './faults.ts';
import type { Timers } from './timers.ts';

/** A fault that replaces the answer; a mere delay does not. */
export type ReplyFault = Exclude<Fault, { kind: 'delay' }>;
type Kind<K extends ReplyFault['kind']> = Extract<Fault, { kind: K }>;

/** An answer as bytes; `type` is its content type. */
export type WholeReply = { readonly status: number; readonly type: string; readonly body: Buffer };

/** Answers a request as the fault says instead of with `real`. */
export async function sendBroken(
  fault: ReplyFault,
  real: WholeReply,
  response: ServerResponse,
  timers: Timers,
): Promise<void> {
  if (fault.ms > 0) await timers.wait(fault.ms);
  const { status, body: whole } = real;
  const type = { 'content-type': real.type };
  switch (fault.kind) {
    case 'status':
      return sendStatus(fault, response);
    case 'gateway':
      return sendPage(fault, response);
    case 'hang':
      return;
    case 'reset':
      return reset(fault, real, response);
    case 'broken-json':
      response.writeHead(status, type).end(whole.subarray(0, whole.length - 2));
      return;
    case 'huge-body':
      response.writeHead(status, type);
      return untilDisconnect(pipeline(Readable.from(padding(fault.bytes)), response));
    case 'gzip-bomb':
      response.writeHead(status, { ...type, 'content-encoding': 'gzip' });
      return untilDisconnect(pipeline(Readable.from(padding(fault.bytes)), createGzip(), response));
    case 'slow-body':
      return drip(fault, real, response, timers);
    case 'slow-headers':
      return dripHeaders(fault, status, response, timers);
    case 'endless-103':
      if (response.socket) await untilDisconnect(pipeline(Readable.from(hints()), response.socket));
      return;
    case 'capital-ids':
      return sendJson(response, status, JSON.parse(whole.toString(), inCapitals));
    case 'odd-202':
      return sendOdd(fault, response);
  }
}

const id = z.guid();
/** A text that is an id and nothing else. Operation ids begin with words and stay as they are. */
const inCapitals = (_key: string, value: unknown): unknown =>
  id.safeParse(value).success ? String(value).toUpperCase() : value;

function sendStatus({ status, headers, body, text, base64 }: Kind<'status'>, response: ServerResponse): void {
  if (body !== undefined) return sendJson(response, status, body, headers);
  response.writeHead(status, headers);
  response.end(base64 === undefined ? (text ?? '') : Buffer.from(base64, 'base64'));
}

function sendPage({ status }: Kind<'gateway'>, response: ServerResponse): void {
  const title = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(`<html>\r\n<head><title>${title}</title></head>\r\n<body><h1>${title}</h1></body>\r\n</html>\r\n`);
}

/** Resets right after the last byte that must arrive: once `write` calls back, the receiver has it. */
function reset({ at }: Kind<'reset'>, { status, type, body }: WholeReply, response: ServerResponse): void {
  const { socket } = response;
  const cut = (): void => void socket?.resetAndDestroy();
  if (at === 'before-headers') return cut();
  if (at === 'after-status-line') return void socket?.write(`HTTP/1.1 ${status} Accepted\r\n`, cut);
  response.writeHead(status, { 'content-type': type, 'content-length': body.length });
  if (at === 'mid-body') return void response.write(body.subarray(0, body.length / 2), cut);
  response.flushHeaders();
  socket?.write('', cut);
}

async function drip(
  { everyMs }: Kind<'slow-body'>,
  { status, type, body }: WholeReply,
  response: ServerResponse,
  timers: Timers,
): Promise<void> {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length });
  for (const byte of body) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await timers.wait(everyMs);
  }
  response.end();
}

/** Headers that never end, each one a while after the other. */
async function dripHeaders(
  { everyMs }: Kind<'slow-headers'>,
  status: number,
  response: ServerResponse,
  timers: Timers,
): Promise<void> {
  const { socket } = response;
  socket?.write(`HTTP/1.1 ${status} Answered\r\n`);
  for (let number = 1; !response.destroyed; number += 1) {
    socket?.write(`x-header-${number}: a\r\n`);
    await timers.wait(everyMs);
  }
}

const oddIds: Readonly<Record<Exclude<Kind<'odd-202'>['shape'], 'no-body'>, object>> = {
  'no-id': {},
  'null-id': { operation_id: null },
  'empty-id': { operation_id: '' },
  'number-id': { operation_id: 42 },
  'odd-id': { operation_id: '../operations?x=1#\u0000\u202e' },
  'answered-200': { operation_id: 'environments:push-00000000-0000-4000-8000-000000000042' },
};

function sendOdd({ shape }: Kind<'odd-202'>, response: ServerResponse): void {
  if (shape === 'no-body') response.writeHead(202).end();
  else sendJson(response, shape === 'answered-200' ? 200 : 202, { message: 'Accepted', status: 202, ...oddIds[shape] });
}

/** Valid JSON of about this many bytes, in pieces. */
function* padding(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'a');
  yield Buffer.from('{"padding":"');
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
  yield Buffer.from('"}');
}

/** Answers 103 (Early Hints) in pieces of 64 KB, and never the final one. */
function* hints(): Generator<Buffer> {
  const piece = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_340));
  for (;;) yield piece;
}

/** A client should hang up on such an answer, so its error is expected. */
async function untilDisconnect(sent: Promise<void>): Promise<void> {
  await sent.catch(() => undefined);
}

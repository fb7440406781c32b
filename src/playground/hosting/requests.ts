import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { answerTo, withoutEffects, type Switches } from './answer.ts';
import { sendBroken } from './broken-replies.ts';
import type { Host } from './endpoint.ts';
import type { Fault, Faults } from './faults.ts';
import type { Entry, Journal } from './journal.ts';
import type { Operations } from './operations.ts';
import { errorBody } from './refused.ts';
import type { Reply } from './reply.ts';
import { routeFor } from './routes/table.ts';
import type { Timers } from './timers.ts';

/** The versioned root under which everything is served (section 9). */
export const base = '/v2';
const maxBody = 8 * 1024 * 1024;

/** What serving a request needs. */
export type Service = {
  readonly key: string;
  readonly timers: Timers;
  readonly host: Host & { readonly operations: Operations };
  readonly journal: Journal;
  readonly faults: Faults;
  readonly optional: Switches;
};

/** Serves one request. Its fault is chosen when the headers arrive; its effect comes after the whole body. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  service: Service,
): Promise<void> {
  const { host, journal, faults, optional } = service;
  const { path, below, query } = addressOf(request);
  const found = below === undefined ? undefined : routeFor(request.method ?? '', below);
  const section = found?.route.section;
  const authorization = credential(request.headers.authorization, service.key);
  const arrival = { at: host.now(), path, query: Object.fromEntries(query), authorization, section };
  const entry = journal.open(request, response, arrival);
  const fault = faults.take(entry.method, path, section);
  if (fault !== undefined) entry.fault = fault.kind;
  const untilReleased = faults.untilReleased();
  try {
    const body = await bodyOf(request);
    if (body === undefined) response.setHeader('connection', 'close');
    else journal.received(entry, body);
    const contentType = request.headers['content-type'] ?? '';
    const complete = { authorized: authorization === 'right', found, query, contentType, body };
    await respond(
      (on) => answerTo(complete, on, optional),
      fault && { ...fault, released: untilReleased },
      response,
      service,
    );
  } catch (error) {
    // A client that left mid-request gets nothing. Any other error is a bug of the stand-in.
    if (!response.headersSent && !response.destroyed) sendJson(response, 500, errorBody(500, String(error)));
  }
}

async function respond(
  answer: (host: Host) => Reply,
  fault: (Fault & { readonly released: Promise<void> }) | undefined,
  response: ServerResponse,
  { host, timers }: Service,
): Promise<void> {
  if (fault?.kind === 'delay') await Promise.race([timers.wait(fault.ms), fault.released]);
  if (fault === undefined || fault.kind === 'delay') {
    const { status, body } = answer(host);
    return sendJson(response, status, body);
  }
  const { status, body } = answer(fault.applied ? host : withoutEffects(host));
  const type = 'application/json; charset=utf-8';
  await sendBroken(fault, { status, type, body: Buffer.from(JSON.stringify(body)) }, response, timers);
}

/** Path and query exactly as sent (a URL parser would normalise them), and the path below the base, if it is. */
function addressOf({ url = '' }: IncomingMessage): { path: string; below: string | undefined; query: URLSearchParams } {
  const mark = url.includes('?') ? url.indexOf('?') : url.length;
  const whole = url.slice(0, mark);
  const below = whole.startsWith(`${base}/`) ? whole.slice(base.length) : undefined;
  return { path: below ?? whole, below, query: new URLSearchParams(url.slice(mark)) };
}

/** The whole body; undefined if its announced length is too large. A body that grows too large is cut off. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  return Number(request.headers['content-length'] ?? 0) > maxBody ? undefined : readBody(request, maxBody);
}

function credential(header: string | undefined, key: string): Entry['authorization'] {
  if (header === undefined) return 'absent';
  const given = Buffer.from(/^Bearer (.*)$/i.exec(header)?.[1] ?? '');
  const right = Buffer.from(key);
  return given.length === right.length && timingSafeEqual(given, right) ? 'right' : 'wrong';
}

import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { sendJson } from '../http.ts';
import type { Fault, ActiveFault } from './faults.ts';
import type { Fields } from './json-fields.ts';

/** An answer that is ready to be sent. */
export type Answer = {
  readonly status: number;
  readonly body: Fields;
  readonly headers?: Readonly<Record<string, string>>;
};

/** How the journal names an answer: `ok`, an error string, or the fault's kind; status 0 for a cut connection. */
export type SentAnswer = { readonly status: number; readonly result: string };

const refusal = (error: string): Answer => ({ status: 200, body: { ok: false, error } });

/** Slack's answer to a caller that is too fast; `retryAfter` is the header's text, if any. */
export const rateLimited = (retryAfter: string | undefined): Answer => ({
  ...refusal('ratelimited'),
  status: 429,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});

const HTML = '<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>';

/** Plays a fault, if any, around `act`, which has the real effect and makes the real answer. */
export async function answerWithFault(
  response: ServerResponse,
  fault: ActiveFault | undefined,
  act: () => Answer,
  closed: AbortSignal,
): Promise<SentAnswer> {
  if (fault?.delayMs !== undefined) {
    const signal = AbortSignal.any([closed, fault.released]);
    await wait(fault.delayMs, undefined, { signal }).catch(() => closed.throwIfAborted());
  }
  if (fault === undefined || fault.kind === 'delay') return send(response, act());
  return PLAY[fault.kind](response, fault, act);
}

type Play = (response: ServerResponse, fault: Fault, act: () => Answer) => SentAnswer;

const PLAY: Readonly<Record<Exclude<Fault['kind'], 'delay'>, Play>> = {
  error: (response, fault) => send(response, refusal(fault.error ?? 'internal_error')),
  off: (response) => send(response, refusal('unknown_method')),
  rate_limited: (response, fault) => send(response, rateLimited(fault.retryAfter)),
  status: (response, fault) => send(response, { ...refusal('internal_error'), status: fault.status ?? 500 }),
  html(response, { status = 502 }) {
    response.writeHead(status, { 'content-type': 'text/html' }).end(HTML);
    return { status, result: 'html' };
  },
  reset: (response) => reset(response, 'reset'),
  lost: (response, fault, act) => lose(response, fault.status, act()),
};

function lose(response: ServerResponse, status: number | undefined, answer: Answer): SentAnswer {
  const result = `lost: ${resultOf(answer).result}`;
  if (status === undefined) return reset(response, result);
  return { ...send(response, { ...refusal('internal_error'), status }), result };
}

function send(response: ServerResponse, answer: Answer): SentAnswer {
  sendJson(response, answer.status, answer.body, answer.headers);
  return resultOf(answer);
}

function reset(response: ServerResponse, result: string): SentAnswer {
  response.socket?.resetAndDestroy();
  return { status: 0, result };
}

function resultOf({ status, body }: Answer): SentAnswer {
  return { status, result: body['ok'] === false ? String(body['error']) : 'ok' };
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { TooLarge, readBody, sendJson } from '../http.ts';
import { argumentsOf } from './arguments.ts';
import type { Faults } from './faults.ts';
import { type Answer, answerWithFault, rateLimited } from './answer-with-fault.ts';
import { receiveFile } from './files.ts';
import { type Fields, fieldsOf, parseJson, textOf, nonEmptyTextOf } from './json-fields.ts';
import { METHODS } from './methods/index.ts';
import type { Context, Method } from './methods/method.ts';
import type { RateLimits } from './rate-limits.ts';
import { Refused } from './refused.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Call } from './shapes.ts';
import { complain } from './workspace.ts';

/** The app's secrets, as its settings page shows them. */
export type Tokens = { readonly bot: string; readonly app: string; readonly signingSecret: string };

/** What the HTTP side of the workspace needs. */
export type WebApi = {
  readonly context: Context;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly rateLimits: RateLimits | undefined;
  readonly responseUrls: ResponseUrls;
  /** Aborted when the workspace closes. */
  readonly closed: AbortSignal;
};

const BODY = 2 * 1024 * 1024;
const JOURNALLED = 50_000;

/** What the workspace answers over HTTP: the Web API, response URLs and uploads. */
export function listenerOf(api: WebApi): RequestListener {
  return (request, response) => {
    route(api, request, response).catch((error: unknown) => {
      if (api.closed.aborted) return response.destroy();
      if (error instanceof TooLarge) return sendJson(response, 413, { ok: false, error: 'request_too_large' });
      complain(
        api.context.workspace,
        'stand_in',
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
      return sendJson(response, 500, { ok: false, error: 'internal_error' });
    });
  };
}

async function route(api: WebApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://slack');
  const [, area, name = ''] = pathname.split('/');
  if (area === 'api') return answerCall(api, name, searchParams, request, response);
  if (area === 'response' && request.method === 'POST') return answerResponseUrl(api, name, request, response);
  if (area === 'upload' && request.method === 'POST') return answerUpload(api, name, request, response);
  return sendJson(response, 404, { ok: false, error: 'not_found' });
}

/** Answers one call of `/api/<method>` and records it in the journal. */
async function answerCall(
  api: WebApi,
  name: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await readBody(request, BODY)).toString();
  const call = argumentsFrom(request, query, body);
  const channel = nonEmptyTextOf(call.args['channel']) ?? nonEmptyTextOf(call.args['channel_id']);
  const token = tokenKind(api.tokens, request, call.args);
  const act = (): Answer => {
    if (call.refused !== undefined) return refusal(call.refused);
    return outcome(() => run(api, name, token, call.args, channel));
  };
  const fault = api.faults.next(name, { channel, usergroup: nonEmptyTextOf(call.args['usergroup']) });
  await journalled(api, { method: name, args: remembered(call.args), token }, () =>
    answerWithFault(response, fault, act, api.closed),
  );
}

/** Answers `POST /response/<id>`: 404 for a used-up address, 400 for content that Slack would not show. */
async function answerResponseUrl(
  api: WebApi,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await readBody(request, BODY)).toString();
  const payload = new URLSearchParams(body).get('payload');
  const args = fieldsOf(parseJson(body) ?? parseJson(payload ?? ''));
  const act = (): Answer => {
    try {
      api.responseUrls.use(id, args);
      return { status: 200, body: { ok: true } };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { ...refusal(error), status: ['expired_url', 'used_url'].includes(error.code) ? 404 : 400 };
    }
  };
  const fault = api.faults.next('response_url');
  await journalled(api, { method: 'response_url', args: remembered(args), token: 'none' }, () =>
    answerWithFault(response, fault, act, api.closed),
  );
}

/** Answers `POST /upload/<file id>` with the bytes of a file, at most 8 MiB. */
async function answerUpload(
  api: WebApi,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const act = (): Answer =>
    outcome(() => {
      receiveFile(api.context.workspace, id, body, request.headers['content-type'] ?? '');
      return {};
    });
  const fault = api.faults.next('upload');
  const args = { file: id, size: body.length };
  await journalled(api, { method: 'upload', args, token: 'none' }, () =>
    answerWithFault(response, fault, act, api.closed),
  );
}

/** Arguments as the journal keeps them: without tokens, and long ones as their length only. */
function remembered(args: Fields): Fields {
  const { token: _, ...rest } = args;
  const length = JSON.stringify(rest).length;
  return length > JOURNALLED ? { characters: length } : rest;
}

type Called = Pick<Call, 'method' | 'args' | 'token'>;

async function journalled(
  { context: { workspace } }: WebApi,
  called: Called,
  answer: () => Promise<Pick<Call, 'status' | 'result'>>,
): Promise<void> {
  const sent = await answer();
  workspace.calls.add({ at: workspace.now(), ...called, ...sent });
  if (sent.result !== 'ok') complain(workspace, 'refused', `${called.method}: ${sent.result}`);
}

function argumentsFrom(
  request: IncomingMessage,
  query: URLSearchParams,
  body: string,
): { args: Fields; refused?: Refused } {
  try {
    return { args: argumentsOf(request, query, body) };
  } catch (error) {
    if (error instanceof Refused) return { args: {}, refused: error };
    throw error;
  }
}

function tokenKind(tokens: Tokens, request: IncomingMessage, args: Fields): Call['token'] {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? textOf(args['token']);
  if (token === '') return 'none';
  if (token === tokens.bot) return 'bot';
  return token === tokens.app ? 'app' : 'wrong';
}

function run(
  api: WebApi,
  name: string,
  token: Call['token'],
  args: Fields,
  channel: string | undefined,
): Fields | Answer {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) throw new Refused('unknown_method', [], { req_method: name });
  checkToken(method, token, api.context.scopes);
  const wait = api.rateLimits?.(name, channel);
  return wait === undefined ? method.run(api.context, args) : rateLimited(String(wait));
}

function checkToken(method: Method, token: Call['token'], scopes: ReadonlySet<string>): void {
  if (token === 'none') throw new Refused('not_authed');
  if (token === 'wrong') throw new Refused('invalid_auth');
  if (token !== method.token) throw new Refused('not_allowed_token_type');
  if (method.token === 'bot' && method.scope !== undefined && !scopes.has(method.scope))
    throw new Refused('missing_scope', [], { needed: method.scope, provided: [...scopes].join(',') });
}

function outcome(act: () => Fields | Answer): Answer {
  try {
    const answer = act();
    return isAnswer(answer) ? answer : { status: 200, body: { ok: true, ...answer } };
  } catch (error) {
    if (error instanceof Refused) return refusal(error);
    throw error;
  }
}

const isAnswer = (value: Fields | Answer): value is Answer => typeof value['status'] === 'number' && 'body' in value;
const refusal = ({ code, detail }: Refused): Answer => ({ status: 200, body: { ok: false, error: code, ...detail } });

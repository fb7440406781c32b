import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bot } from '../bot.ts';
import { type ControlAnswer, type ControlRequest, TooLarge, readBody, sendJson, serve } from '../http.ts';
import { fieldsOf, parseJson } from '../slack/json-fields.ts';
import { type Events, type PageSources, createEvents } from './events.ts';
import { type Asset, assetAt } from './assets.ts';
import { HEADERS, refusalOf } from './guard.ts';

/** The page's running server; `url` without a trailing slash. */
export type PageServer = { readonly url: string; close(): Promise<void> } & Pick<
  Events,
  'botChanged' | 'changesMoved' | 'programsChanged'
>;

const BODY = 256 * 1024;
const SIGNALS = ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGSTOP', 'SIGCONT'] as const;

/**
 * Serves the page on loopback: `/`, its modules, `/events`, `/commands` and `/control/{slack,hosting,site,programs,bot}/…`. Port 0
 * takes a free one. Rejects with the system's error if the port is taken.
 */
export async function servePage(sources: PageSources, port = 0): Promise<PageServer> {
  const events = createEvents(sources);
  const served = await serve((request, response) => {
    answer(sources, events, request, response).catch((error: unknown) => fail(response, error));
  }, port);
  return {
    url: served.url,
    botChanged: () => events.botChanged(),
    changesMoved: () => events.changesMoved(),
    programsChanged: () => events.programsChanged(),
    async close() {
      events.close();
      await served.close();
    },
  };
}

async function answer(
  sources: PageSources,
  events: Events,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const refusal = refusalOf(request.headers);
  if (refusal !== undefined) return sendJson(response, 403, { error: refusal });
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
  if (pathname === '/events') return events.follow(request, response);
  if (pathname === '/commands' && request.method === 'GET') {
    return sendJson(response, 200, await sources.catalogue.commands());
  }
  const missing = { status: 404, body: { error: `there is no ${request.method} ${pathname}` } };
  if (pathname.startsWith('/control/')) {
    const result = await control(sources, request, pathname.slice('/control'.length), searchParams);
    if (request.method !== 'GET' && /\/(faults|break|mend)$/.test(pathname)) events.faultsChanged();
    const { status, body } = result ?? missing;
    return sendJson(response, status, body);
  }
  const asset = request.method === 'GET' ? await assetAt(pathname, sources.files) : undefined;
  if (asset === undefined) return sendJson(response, missing.status, missing.body);
  sendAsset(response, asset);
}

async function control(
  { slack, hosting, site, programs, bot }: PageSources,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<ControlAnswer | undefined> {
  const [, part = '', ...rest] = path.split('/');
  const text = (await readBody(request, BODY)).toString();
  const controlRequest = { method: request.method ?? '', path: `/${rest.join('/')}`, query, body: parsed(text) };
  if (part === 'slack') return slack.control(controlRequest);
  if (part === 'hosting') return hosting.control(controlRequest);
  if (part === 'site') return site.control(controlRequest);
  if (part === 'programs') return programs.control(controlRequest);
  return part === 'bot' ? controlBot(bot(), controlRequest) : undefined;
}

/** `GET /`: the bot's state and log; `POST /restart`; `POST /kill` with `{ signal }`, SIGKILL by default. */
async function controlBot(bot: Bot | undefined, request: ControlRequest): Promise<ControlAnswer | undefined> {
  if (bot === undefined) return { status: 503, body: { error: 'the bot is not started yet' } };
  switch (`${request.method} ${request.path}`) {
    case 'GET /':
      return { status: 200, body: bot.state() };
    case 'POST /restart':
      await bot.restart();
      return { status: 200, body: bot.state() };
    case 'POST /kill': {
      const { signal: named = 'SIGKILL' } = fieldsOf(request.body);
      const signal = SIGNALS.find((each) => each === named);
      if (signal === undefined) return { status: 400, body: { error: `a signal is one of ${SIGNALS.join(', ')}` } };
      bot.kill(signal);
      return { status: 200, body: bot.state() };
    }
    default:
      return undefined;
  }
}

/** A request's body is not JSON; nothing was done. */
class NotJson extends Error {}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  const body = parseJson(text);
  if (body === undefined) throw new NotJson('the body is not JSON');
  return body;
}

function sendAsset(response: ServerResponse, { type, text }: Asset): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const status = error instanceof TooLarge ? 413 : error instanceof NotJson ? 400 : 500;
  sendJson(response, status, { error: error instanceof Error ? error.message : String(error) });
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { TooLarge, sendJson } from '../http.ts';
import { type WebApi, answerCall, answerResponseUrl, answerUpload } from './web-api.ts';
import { complain } from './workspace.ts';

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

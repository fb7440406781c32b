import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Config } from '../base/config.ts';
import { boundConnections, serverOptions } from '../base/connections.ts';
import { notListening } from '../base/errors.ts';
import { settledWithin } from '../base/time-limit.ts';
import type { PipelineContext } from '../talk/context.ts';
import { createEventHub } from './events.ts';
import type { ApiOptions } from './changes.ts';
import { createApi } from './routes.ts';
import { createPlaces, mostRequests, mostStreams } from './request-limits.ts';
import { createAnswers } from './untaken.ts';

/** The interface for programs, on a port of its own. */
export type ApiServer = {
  /** Listens. */
  readonly start: () => Promise<void>;
  /** Takes no more requests, ends all streams, and waits at most `graceMs` for answers that are under way. */
  readonly stop: (graceMs: number) => Promise<void>;
};

const maxConnections = 1_200;

export function createApiServer(
  { port, host, url }: NonNullable<Config['api']>,
  context: PipelineContext,
  log: ApiOptions['log'],
): ApiServer {
  const events = createEventHub(context.database, (error) => context.onTrouble('looking for news of changes', error));
  const app = createApi({
    context,
    events,
    places: createPlaces(mostRequests),
    streams: createPlaces(mostStreams),
    hosts: hostsOf({ host, url }),
    log,
  });
  const answers = createAnswers();
  const server = createServer(serverOptions, (request, response) => {
    // At a stop, a connection ends with its answer.
    response.once('close', () => {
      if (!server.listening) server.closeIdleConnections();
    });
    const answering = answers.follow(request, response);
    const answer = getRequestListener((asked) => app.fetch(asked, { answering }));
    void answer(request, response).then(answers.bound);
  });
  const connections = boundConnections(server, maxConnections);
  return {
    start: async () => {
      await once(server.listen(port, host), 'listening').catch((error: unknown) =>
        notListening(`API_PORT ${port} on API_HOST ${host}`, error),
      );
      events.start();
    },
    stop: async (graceMs) => {
      const closed = once(server, 'close');
      server.close();
      connections.endUnheard();
      await settledWithin(graceMs, [events.stop(), closed]);
      server.closeAllConnections();
    },
  };
}

/** The names in `Host` that mean this interface, on any port: a page that has another name for this machine reaches nothing. */
function hostsOf({ host, url }: Pick<NonNullable<Config['api']>, 'host' | 'url'>): ReadonlySet<string> {
  const names = [host.includes(':') ? `[${host}]` : host, 'localhost', '127.0.0.1', '[::1]'];
  const outside = url === undefined ? [] : [new URL(url).hostname];
  return new Set([...names, ...outside].map((name) => name.toLowerCase()));
}

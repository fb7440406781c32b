import { resolve } from 'node:path';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { request } from 'undici';
import { startHosting } from '../../src/playground/hosting/server.ts';
import { startSlack } from '../../src/playground/slack/server.ts';

/**
 * Slack and the hosting API around a measured bot, as fast as possible. A read is answered by the stand-ins once and
 * from memory afterwards; posts are accepted and counted.
 */
export type World = {
  readonly environment: Readonly<Record<string, string>>;
  readonly signingSecret: string;
  /** Where the private answer to a command goes. */
  readonly responseUrl: (id: string) => string;
  /** Resolves when a command's last message arrives, by its id. */
  readonly lastWord: (id: string) => Promise<void>;
  /** Overrides answers of the hosting API by path: a body, or null to never answer. */
  readonly sayInstead: (of: (path: string) => string | null | undefined) => void;
  /** An environment's id, by its name. */
  readonly idOf: (name: string) => string;
  /** When the last write arrived (ms of this process). */
  readonly lastWriteAt: () => number;
  /** The number of calls of each kind so far. */
  readonly counts: () => Readonly<Record<'posts' | 'reads' | 'writes', number>>;
  readonly close: () => Promise<void>;
};

type Kept = { readonly status: number; readonly body: string };

/** Starts it on loopback. */
export async function startWorld(): Promise<World> {
  const [hosting, slack] = [await startHosting(), await startSlack({ delivery: { kind: 'http' } })];
  const kept = new Map<string, Promise<Kept>>();
  const waiting = new Map<string, () => void>();
  const counts = { posts: 0, reads: 0, writes: 0 };
  let [posted, lastWriteAt] = [0, 0];
  let instead: Parameters<World['sayInstead']>[0] = () => undefined;

  const resolveLastWord = (id: string): void => {
    counts.posts += 1;
    waiting.get(id)?.();
    waiting.delete(id);
  };
  const answer = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = asked;
    const body = await bodyOf(asked);
    if (url.startsWith('/respond/')) {
      resolveLastWord(url.slice('/respond/'.length));
      return end(response, { status: 200, body: 'ok' });
    }
    if (url === '/api/chat.postMessage' || url === '/api/chat.postEphemeral') {
      resolveLastWord(new URLSearchParams(body).get('text') ?? '');
      posted += 1;
      return end(response, { status: 200, body: `{"ok":true,"channel":"C0ACME","ts":"1.${posted}"}` });
    }
    if (url.startsWith('/v2/') && method !== 'GET') {
      counts.writes += 1;
      lastWriteAt = performance.now();
      return end(response, { status: 202, body: '{"operation_id":"bare","message":"taken","status":202}' });
    }
    counts.reads += 1;
    const said = instead(url);
    if (said === null) return;
    if (said !== undefined) return end(response, { status: 200, body: said });
    const key = `${method} ${url} ${body}`;
    let known = kept.get(key);
    if (known === undefined) {
      known = ask(
        url.startsWith('/v2/') ? hosting.url.replace(/\/v2$/, '') : slack.apiUrl.replace(/\/api\/$/, ''),
        asked,
        body,
      );
      if (kept.size < 1_000) kept.set(key, known);
    }
    end(response, await known);
  };
  const server = createServer((asked, response) => {
    answer(asked, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    signingSecret: slack.tokens.signingSecret,
    environment: {
      SLACK_BOT_TOKEN: slack.tokens.bot,
      SLACK_SIGNING_SECRET: slack.tokens.signingSecret,
      SLACK_API_URL: `${url}/api/`,
      HOSTING_API_URL: `${url}/v2`,
      HOSTING_API_KEY: hosting.key,
      HOSTING_COMPANY_ID: hosting.companyId,
      POLICY_FILE: resolve('src/playground/policy.yml'),
      LOG_LEVEL: 'error',
    },
    responseUrl: (id) => `${url}/respond/${id}`,
    lastWord: (id) => new Promise((resolve) => void waiting.set(id, resolve)),
    sayInstead: (of) => void (instead = of),
    idOf: (name) => hosting.world.environmentNamed(name)?.id ?? '',
    lastWriteAt: () => lastWriteAt,
    counts: () => ({ ...counts }),
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all([slack.close(), hosting.close()]);
    },
  };
}

async function bodyOf(asked: IncomingMessage): Promise<string> {
  let text = '';
  asked.setEncoding('utf8');
  for await (const part of asked) text += String(part);
  return text;
}

async function ask(to: string, { method, url, headers }: IncomingMessage, body: string): Promise<Kept> {
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const answer = await request(`${to}${url}`, {
    method: method === 'POST' ? 'POST' : 'GET',
    headers: { authorization, 'content-type': type },
    ...(body !== '' && { body }),
  });
  return { status: answer.statusCode, body: await answer.body.text() };
}

function end(response: ServerResponse, { status, body }: Kept): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body);
}

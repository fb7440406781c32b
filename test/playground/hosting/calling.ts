import { connect } from 'node:net';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import type { FileNode } from '../../../src/playground/hosting/resources.ts';
import { seededId } from '../../../src/playground/hosting/seed/ids.ts';
import { type HostingOptions, type HostingStandIn, startHosting } from '../../../src/playground/hosting/server.ts';

export const live = seededId('acme-shop/live');
export const staging = seededId('acme-shop/staging');
export const shop = seededId('acme-shop');
export const nowhere = '00000000-0000-4000-8000-00000000dead';

const atOnce = Object.fromEntries(
  [
    'sites:add-domain',
    'domains:update-dns-record',
    'site:clone',
    'environments:push',
    'environments:delete',
    'cdn:update-image-optimization',
    'cache:clear',
    'wp-themes:bulk-update',
    'sites:restart-php',
    'backups:add-manual',
  ].map((kind) => [kind, 1]),
);

/** A stand-in whose operations take a millisecond and are known at once; closed with the test. */
export async function start(options: HostingOptions = {}): Promise<HostingStandIn> {
  const hosting = await startHosting({ durations: atOnce, notKnownFor: 0, ...options });
  onTestFinished(() => hosting.close());
  return hosting;
}

export type Answer = { status: number; body: unknown };
type Sent = { body?: unknown; raw?: string; headers?: Record<string, string> };

/** Calls the API as any client would, with the right key unless `headers` say otherwise. */
export async function call(
  hosting: Pick<HostingStandIn, 'url' | 'key'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
  path: string,
  { body, raw, headers }: Sent = {},
): Promise<Answer> {
  const sent = raw ?? (body === undefined ? null : JSON.stringify(body));
  const usual = { authorization: `Bearer ${hosting.key}`, 'content-type': 'application/json' };
  const answer = await request(`${hosting.url}${path}`, { method, body: sent, headers: { ...usual, ...headers } });
  return { status: answer.statusCode, body: await answer.body.json() };
}

/** The value at `path` of an answer; throws if there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inside, step) => {
    if (typeof inside !== 'object' || inside === null || !(step in inside)) throw new Error(`no ${path.join('.')}`);
    return Reflect.get(inside, step);
  }, value);
}

/** Resolves when every operation accepted so far has ended. */
export async function settled(hosting: HostingStandIn): Promise<void> {
  await hosting.until(() => hosting.operations.list().every(({ state }) => state !== 'running') || undefined);
}

/** All paths of a tree, files and folders. */
export function paths(nodes: readonly FileNode[]): string[] {
  return nodes.flatMap((node) => [node.path, ...paths(node.children ?? [])]);
}

/** Sends these bytes. Resolves when the connection ends, with the received text and the error that ended it, if any. */
export function exchange(
  { url }: Pick<HostingStandIn, 'url'>,
  sent: string,
): Promise<{ text: string; error?: string }> {
  const { promise, resolve } = Promise.withResolvers<{ text: string; error?: string }>();
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(sent));
  let text = '';
  let failure: string | undefined;
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  socket.on('error', (error) => (failure = 'code' in error ? String(error.code) : error.message));
  socket.on('close', () => resolve(failure === undefined ? { text } : { text, error: failure }));
  return promise;
}

/** The bytes of a clear-cache request for the live shop. */
export function clearCache(hosting: Pick<HostingStandIn, 'key'>): string {
  const body = JSON.stringify({ environment_id: live });
  const head = ['POST /v2/sites/tools/clear-cache HTTP/1.1', 'host: x', `authorization: Bearer ${hosting.key}`];
  const about = ['content-type: application/json', `content-length: ${body.length}`, 'connection: close'];
  return [...head, ...about, '', body].join('\r\n');
}

import { randomUUID } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { newKey } from '../../src/api/authenticate.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { inScenario, type Scenario, type ScenarioOptions } from './scenario.ts';

/** A program that asks over HTTP for Ana: its key, the rules that name it, and how it asks. */

export const key = newKey();
export const policy = `version: 1
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI, U04DEE, U05FAY], ci-admins: [U04DEE, S0DEVS] }
callers:
  deploy-bot: { keys: ["${key.hash}"], for: U01ANA, operators: [ci-admins], channel: C0ACME, expires: 2099-01-01 }
rules:
  - { allow: [read, routine], to: [developers, leads] }
  - { allow: [push], to: [developers, leads], approval: { by: [leads] } }
  - { allow: [read, routine, push], to: ["caller:deploy-bot"], where: ["acme-shop/*"] }
  - { allow: [allowlist add], to: [developers, "caller:deploy-bot"], approval: none }
  - { allow: [images], to: [developers, "caller:deploy-bot"], approval: { by: [leads], reason: { match: '[A-Z]+-\\d+' } } }
  - { allow: [allowlist set, watch], to: [developers] }
  - { allow: [ssh expiry], to: [leads] }
  - { allow: [lock, resume, pause callers], to: [leads] }
channels: { C0ACME: { sites: [acme-shop] }, ops: C0OPS }
`;

type Answer = { readonly status: number; readonly body: Record<string, unknown> };
export type Asking = (path: string, options?: RequestInit & { readonly json?: unknown }) => Promise<Answer>;

/** Asks the interface at `base` with the key; what it asks for has an Idempotency-Key of its own unless one is given. */
export const askingAt =
  (base: string): Asking =>
  async (path, { json, headers, ...options } = {}) => {
    const response = await fetch(`${base}${path}`, {
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
      ...options,
      headers: {
        authorization: `Bearer ${key.key}`,
        ...(json !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
        ...Object.fromEntries(new Headers(headers)),
      },
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Every answer is an object.
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

/** A story with the interface open: `call` asks with the key. */
export const withApi =
  (
    story: (scenario: Scenario, call: Asking, base: string) => Promise<void>,
    options: ScenarioOptions = {},
  ): (() => Promise<void>) =>
  async () => {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const hosting = { durations: { 'environments:push': 0 } };
    const environment = { ...options.environment, API_PORT: String(port) };
    await inScenario({ policy, hosting, ...options, environment }, (scenario) =>
      story(scenario, askingAt(base), base),
    )();
  };

export const push = {
  say: 'push acme-shop/staging acme-shop/live --files',
  reason: 'release 42',
  typed_name: 'acme-shop/live',
};

/** What Node says of each request. */
export const requestSchema = z.object({ request: z.instanceof(IncomingMessage) });

type Event = { readonly id: number; readonly event: string };

/** The events of a change as a stream, after the event `after`. */
export async function openStream(base: string, number: number, after = 0) {
  const headers = { authorization: `Bearer ${key.key}`, accept: 'text/event-stream', 'last-event-id': String(after) };
  const { body } = await fetch(`${base}/v1/changes/${number}/events`, { headers });
  const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  const heard: Event[] = [];
  /** Reads on until this event, or until the stream ends or breaks; resolves with all that it has read. */
  const read = async (until?: string): Promise<readonly Event[]> => {
    for (;;) {
      const next = await events?.read().catch(() => undefined);
      if (next?.value === undefined) return heard;
      heard.push({ id: Number(next.value.id), event: next.value.event ?? '' });
      if (next.value.event === until) return heard;
    }
  };
  return { until: read, rest: () => read() };
}

import { randomUUID } from 'node:crypto';

/** What the interface for programs answered. */
export type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** Asks it; `json` is posted, as a request of its own. */
export type Asking = (path: string, options?: RequestInit & { readonly json?: unknown }) => Promise<Answer>;

/** A program that asks at this address with its key. */
export const programAt =
  (base: string, key: string): Asking =>
  async (path, { json, headers, ...options } = {}) => {
    const response = await fetch(`${base}${path}`, {
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
      ...options,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
        ...Object.fromEntries(new Headers(headers)),
      },
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Every answer is an object.
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

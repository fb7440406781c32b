import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';

/** An answer of the Web API. */
export type Answered = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly retryAfter: string | null;
};

/**
 * Calls a method the way the SDKs do: form-encoded, objects as JSON strings, with the bot's token unless another is
 * given.
 */
export async function call(
  slack: SlackStandIn,
  method: string,
  args: Record<string, unknown> = {},
  token: string | null = slack.tokens.bot,
): Promise<Answered> {
  const form = Object.entries(args).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return send(`${slack.apiUrl}${method}`, new URLSearchParams(form), token);
}

/** Posts JSON to an address that the workspace provided. */
export const postJson = (url: string, body: unknown): Promise<Answered> => send(url, JSON.stringify(body), null);

async function send(url: string, body: URLSearchParams | string, token: string | null): Promise<Answered> {
  const headers: Record<string, string> = {};
  if (typeof body === 'string') headers['content-type'] = 'application/json';
  if (token !== null) headers['authorization'] = `Bearer ${token}`;
  const response = await fetch(url, { method: 'POST', body, headers });
  const said: unknown = await response.json();
  if (typeof said !== 'object' || said === null) throw new Error('the answer is no object');
  return { status: response.status, body: { ...said }, retryAfter: response.headers.get('retry-after') };
}

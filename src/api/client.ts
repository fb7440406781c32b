import type { EnvironmentVariables } from '../base/config.ts';
import { problemSchema, type ChangeAnswer, type Problem } from './schemas.ts';

/** What the clients of the HTTP interface share: a terminal, and the door for agents. */

/** A request to the interface, with the key of the caller. */
export type ApiClient = (path: string, init?: RequestInit) => Promise<Response>;

/** The client for these settings. Throws if one of them is missing or cannot be used: `fetch` would quote it. */
export function clientFor({ SITEHAND_URL: url, SITEHAND_CALLER_KEY: key }: EnvironmentVariables): ApiClient {
  if (!url || !key) throw new Error('SITEHAND_URL and SITEHAND_CALLER_KEY have to be set. Nothing was asked.');
  const base = URL.parse(url);
  if (!base || base.username !== '' || base.password !== '')
    throw new Error('SITEHAND_URL is not an address, like http://127.0.0.1:4701. Nothing was asked.');
  if (!/^[\w-]+$/.test(key)) throw new Error('SITEHAND_CALLER_KEY is not the key of a caller. Nothing was asked.');
  return (path, init = {}) =>
    fetch(new URL(path, base), {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...Object.fromEntries(new Headers(init.headers)) },
    });
}

/** Asks for a report or a change. `key`: its `Idempotency-Key`. */
export const askFor = (client: ApiClient, body: object, key: string): Promise<Response> =>
  client('/v1/requests', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
  });

/** The problem that an answer tells of; of a proxy's answer, its status. */
export async function problemIn(response: Response): Promise<Pick<Problem, 'detail' | 'fields' | 'lines'>> {
  const read = problemSchema.safeParse(await response.json().catch(() => undefined));
  return read.success ? read.data : { detail: `The interface answered ${response.status}.` };
}

const maxChoices = 10;

/** What a form would ask for, and what can be said instead, one line each. */
export const problemLines = ({
  detail,
  fields = [],
  lines = [],
}: Pick<Problem, 'detail' | 'fields' | 'lines'>): readonly string[] => [
  ...fields.flatMap(({ field, says, choices }) => {
    if (says === detail) return [];
    const some = choices.length > 0 ? ` (${choices.slice(0, maxChoices).join(', ')})` : '';
    return `${field}: ${says ?? 'missing'}${some}`;
  }),
  ...lines.map((line) => `Try: ${line}`),
];

/** Whose approval it waits for: `1 of leads, until …`; undefined: nobody's. */
export function approvalIn({ waits_for: waits, expires_at: until }: ChangeAnswer): string | undefined {
  const asked = waits.map(({ count, of }) => `${count} of ${of.join(', ')}`).join('; ');
  return asked === '' ? undefined : `${asked}, until ${until}`;
}

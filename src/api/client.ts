import type { z } from 'zod';
import { plainMistakesIn } from '../base/addresses.ts';
import type { EnvironmentVariables } from '../base/config.ts';
import { attempt, errorMessage } from '../base/errors.ts';
import { problemSchema, type ChangeAnswer, type Problem } from './schemas.ts';

/** What the clients of the HTTP interface share: a terminal, and the door for agents. */

/** A request to the interface, with the key of the caller. */
export type ApiClient = (path: string, init?: RequestInit) => Promise<Response>;

/** The client for these settings. Throws if one of them is missing or cannot be used: `fetch` would quote it. */
export function clientFor(environment: EnvironmentVariables): ApiClient {
  const { SITEHAND_URL: url, SITEHAND_CALLER_KEY: key, ALLOW_PLAIN_HTTP } = environment;
  if (!url || !key) throw new Error('SITEHAND_URL and SITEHAND_CALLER_KEY have to be set. Nothing was asked.');
  const base = URL.parse(url);
  if (!base || base.username !== '' || base.password !== '')
    throw new Error('SITEHAND_URL is not an address, like http://127.0.0.1:4701. Nothing was asked.');
  const [inClear] = plainMistakesIn({ SITEHAND_URL: url, ALLOW_PLAIN_HTTP });
  if (inClear !== undefined) throw new Error(`${inClear}. Nothing was asked.`);
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

/**
 * What came of a request. `refused`: the interface says that nothing was done; `againMs`: until it may be repeated.
 * `unknown`: nothing says what was done. A proxy answered in its place, the answer broke off, or it met a fault.
 */
export type Came<A> =
  | { readonly kind: 'answered'; readonly answer: A }
  | { readonly kind: 'refused'; readonly problem: Problem; readonly againMs?: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** After how many seconds what was too much at once is asked again, if the interface does not say. */
const againS = 5;

/** Reads what came of a request that is answered with `schema`. Never rejects. */
export async function cameOf<A>(asked: Response | Promise<Response>, schema: z.ZodType<A>): Promise<Came<A>> {
  try {
    const response = await asked;
    const { ok, status, headers } = response;
    const text = await response.text();
    const body = attempt((): unknown => JSON.parse(text));
    const answer = schema.safeParse(body);
    if (ok && answer.success) return { kind: 'answered', answer: answer.data };
    const { data: problem } = problemSchema.safeParse(body);
    if (problem?.status !== status)
      return { kind: 'unknown', why: `the answer, ${status}, is none of Sitehand's interface for programs` };
    if (status >= 500 && status !== 503) return { kind: 'unknown', why: problem.detail };
    const againMs = (Number(headers.get('retry-after')) || againS) * 1_000;
    return { kind: 'refused', problem, ...(status === 429 && { againMs }) };
  } catch (error) {
    return { kind: 'unknown', why: errorMessage(error) };
  }
}

const maxChoices = 10;

/** A problem with its id, what a form would ask for, and what can be said instead, one line each. */
export const problemLines = ({ detail, request, fields = [], lines = [] }: Problem): readonly string[] => [
  `${detail} (${request})`,
  ...fields.flatMap(({ field, says, choices }) => {
    if (says === detail) return [];
    const some = choices.length > 0 ? ` (${choices.slice(0, maxChoices).join(', ')})` : '';
    return `  ${field}: ${says ?? 'missing'}${some}`;
  }),
  ...lines.map((line) => `  Try: ${line}`),
];

/** Whose approval it waits for: `1 of leads, until …`; undefined: nobody's. */
export function approvalIn({ waits_for: waits, expires_at: until }: ChangeAnswer): string | undefined {
  const asked = waits
    .map(({ count, of, also }) => {
      const later = also ? ` (from ${also.from} also ${also.of.join(', ')})` : '';
      return `${count} of ${of.join(', ')}${later}`;
    })
    .join('; ');
  return asked === '' ? undefined : `${asked}, until ${until}`;
}

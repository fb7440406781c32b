import { afterAll, beforeAll, expect, test } from 'vitest';
import { action } from '../../src/commands/kit/action.ts';
import { environment as environmentField } from '../../src/commands/kit/fields.ts';
import { Refusal } from '../../src/base/errors.ts';
import { clearCache } from '../../src/hosting/contract/environment.ts';
import { HostTrouble } from '../../src/hosting/client.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import type { Authorized } from '../../src/access/access-check.ts';
import { batchItemsOf } from '../../src/change/batch.ts';
import type { Pinned } from '../../src/change/pin.ts';
import { lookAndPin } from '../../src/decide/look-and-pin.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { plain, say } from '../../src/words/text.ts';
import {
  company,
  contextWith,
  emptyListing,
  environment,
  noCertificate,
  parsedFor,
  policyOf,
  refusalText,
} from '../fixtures.ts';

/** How a batch looks at its environments: a few at a time, all or nothing, and those with nothing to do are left out. */

let database: Database;
beforeAll(async () => {
  database = await openDatabase('sqlite::memory:', { now: () => 1_000 });
});
afterAll(() => database.close());

type Seen = 'due' | 'done already' | 'not answering';
const sites = (count: number): readonly Environment[] =>
  Array.from({ length: count }, (_, at) => environment(`s${at}/live`, at + 1));

/** Freezes a batch of as many environments; `seen`: what a look finds, by item. Counts the looks. */
async function pinnedFor(count: number, seen: (at: number) => Seen) {
  const looks = { begun: 0, atOnce: 0, most: 0 };
  const sweep = action({
    summary: 'Sweep',
    button: 'Sweep',
    examples: ['a/live'],
    risk: 'routine',
    fields: { env: environmentField() },
    target: 'env',
    look: async ({ input: { env } }) => {
      looks.begun += 1;
      looks.atOnce += 1;
      looks.most = Math.max(looks.most, looks.atOnce);
      // Another turn of the loop, as every read needs.
      await new Promise(setImmediate);
      looks.atOnce -= 1;
      const found = seen(Number(env.name.slice(1, env.name.indexOf('/'))));
      if (found === 'not answering')
        throw new HostTrouble({ kind: 'unreachable', says: 'no answer' }, { attempts: 1, elapsedMs: 1 });
      return found;
    },
    impossible: ({ input: { env }, snapshot }) =>
      snapshot === 'due' ? undefined : { says: say`${env.name} is swept already. Nothing was done.` },
    batch: ({ where }) => ({ title: say`Sweep ${where}`, done: say`Swept ${where}` }),
    call: ({ input }) => clearCache({ environment_id: input.env.id }),
    card: ({ input }) => ({ title: say`Sweep ${input.env.name}`, done: say`Swept ${input.env.name}` }),
  });
  const requestOf = (env: Environment | undefined): Authorized => ({
    parsed: parsedFor('cache clear', {}),
    input: { env },
    missing: [],
    problems: [],
    target: env,
    alsoReads: [],
    authorization: { approval: 'none', rules: [7], policy: 'p' },
  });
  const context = contextWith({
    database,
    company: () => company,
    policy: () => policyOf(),
    listing: () => emptyListing,
    certificate: noCertificate,
    read: () => Promise.reject(new Error('this action reads nothing by itself')),
  });
  const each = sites(count).map(requestOf);
  const result = await lookAndPin(context, { ...requestOf(undefined), each }, sweep).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  // The looks that are still under way.
  for (let turn = 0; turn < 2 * count; turn += 1) await new Promise(setImmediate);
  return { result, looks };
}
const namesIn = (pinned: Pinned | Refusal): readonly string[] =>
  pinned instanceof Refusal ? [refusalText(pinned)] : (batchItemsOf(pinned) ?? []).map(({ target }) => target.name);

test('all are looked at, four at once, and pinned in their order', async () => {
  const { result, looks } = await pinnedFor(30, () => 'due');
  expect(namesIn(result)).toEqual(sites(30).map(({ name }) => name));
  expect(looks).toEqual({ begun: 30, atOnce: 0, most: 4 });
});

test('those with nothing to do are left out, by name and reason', async () => {
  const { result } = await pinnedFor(4, (at) => (at % 2 === 0 ? 'due' : 'done already'));
  expect(namesIn(result)).toEqual(['s0/live', 's2/live']);
  expect(result instanceof Refusal ? [] : result.leftOut?.map(([label, value]) => [label, plain(value)])).toEqual([
    [
      'Not possible there, or done already',
      '2, left out: s1/live: s1/live is swept already.\ns3/live: s3/live is swept already.',
    ],
  ]);
});

test('if there is nothing to do for any of them, the sentence is the one for a single environment', async () => {
  const { result } = await pinnedFor(3, () => 'done already');
  expect(namesIn(result)).toEqual(['s0/live is swept already. Nothing was done. The same goes for all of them.']);
});

test('one that cannot be read is named, leaves nothing pinned, and ends the other looks', async () => {
  const { result, looks } = await pinnedFor(60, (at) => (at === 5 ? 'not answering' : 'due'));
  expect(namesIn(result)).toEqual(["s5/live: I can't reach the host. Nothing was changed."]);
  expect(result instanceof Refusal && result.isLater).toBe(true);
  expect(looks.begun).toBeLessThan(12);
});

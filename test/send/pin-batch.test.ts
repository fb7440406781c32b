import { describe, expect, test } from 'vitest';
import { action, type AnyAction } from '../../src/commands/kit/action.ts';
import { environment as environmentField } from '../../src/commands/kit/fields.ts';
import { clearCache } from '../../src/hosting/contract/environment.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import type { Authorized } from '../../src/access/access-check.ts';
import { batchItemsOf } from '../../src/change/batch.ts';
import { environmentsIn, pinBatch, leftOutFacts, withoutEnvironments } from '../../src/send/pin-batch.ts';
import { callOf, pinnedCardOf, fingerprint, pin, type Pinned } from '../../src/change/pin.ts';
import { plain, say } from '../../src/words/text.ts';
import { commandAt, environment, parsedFor, refusalOf, refusalText } from '../fixtures.ts';

/** How the pinned changes of many environments become one. */

function actionAt(path: string): AnyAction {
  const command = commandAt(path);
  if (command.shape !== 'action') throw new Error(`${path} is no action`);
  return command;
}
const [clear, add, pause] = [actionAt('cache clear'), actionAt('allowlist add'), actionAt('redirects clear')];
const sites = ['a/staging', 'b/live', 'c/live'].map((name, at) => environment(name, at + 1));

type Options = { readonly canary?: string | undefined; readonly lists?: readonly string[]; readonly for?: number };

function authorizedFor(of: AnyAction, env: Environment | undefined, { canary, for: forMs }: Options): Authorized {
  const path = of === add ? 'allowlist add' : 'cache clear';
  const input = { addresses: ['198.51.100.4'], ...(forMs !== undefined && { for: forMs }), ...(env && { env }) };
  const parsed = parsedFor(path, {}, canary === undefined ? {} : { canary });
  const authorization = { approval: 'none', rules: [7], policy: 'p' } as const;
  return { parsed, input, missing: [], problems: [], target: env, alsoReads: [], authorization };
}
/** Each of these environments pinned by itself. `lists`: the one address that each list has. */
const pinnedEach = (of: AnyAction, envs: readonly Environment[], { lists = [], ...more }: Options = {}) =>
  envs.map((env, at): Pinned => {
    const snapshot = of === add ? { list: [lists[at] ?? '10.0.0.1'], timed: [] } : undefined;
    return pin(authorizedFor(of, env, more), of, snapshot, { now: 1_000 });
  });
const batchOf = (of: AnyAction, envs: readonly Environment[] = sites, more: Options = {}): Pinned =>
  pinBatch(authorizedFor(of, undefined, more), of, pinnedEach(of, envs, more));

const factsOf = (pinned: Pinned): Readonly<Record<string, string>> =>
  Object.fromEntries(pinnedCardOf(pinned).facts.map(([label, value]) => [label, plain(value)]));
const namesIn = (pinned: Pinned): readonly string[] => (batchItemsOf(pinned) ?? []).map(({ target }) => target.name);

describe('what is pinned', () => {
  const batch = batchOf(add, sites, { canary: sites[1]?.id });

  test('is every call, card and precondition, in order, as each would be by itself', () => {
    const alone = pinnedEach(add, sites);
    expect(batchItemsOf(batch)).toEqual(
      alone.map(({ call, card, preconditions, fingerprint: own }, at) => ({
        target: sites[at],
        args: JSON.stringify(['allowlist', 'add', sites[at]?.id, '198.51.100.4']),
        snapshot: JSON.stringify({ list: ['10.0.0.1'], timed: [] }),
        call,
        card,
        preconditions,
        fingerprint: own,
      })),
    );
    expect(batch.fingerprint).toBe(fingerprint(batch.call, batch.card));
    expect(batch.input['env']).toMatchObject({ kind: 'environments', all: sites });
    expect(batch.alsoReads).toEqual(sites);
    expect(batch.target).toBeUndefined();
    expect(() => callOf(batch)).toThrow('a batch has no call of its own');
  });

  test('has another fingerprint if anything of any item differs', () => {
    const others = [
      batchOf(add, sites.slice(0, 2)),
      batchOf(add, sites.toReversed()),
      batchOf(add, sites),
      ...sites.map((_, at) =>
        batchOf(add, sites, { lists: sites.map((_, index) => (index === at ? '10.0.0.2' : '10.0.0.1')) }),
      ),
      batchOf(add, sites, { canary: sites[0]?.id }),
      batch,
    ].map((one) => one.fingerprint);
    expect(new Set(others).size).toBe(others.length);
  });

  test('is refused if the action is not done to many with these fields', () => {
    const refused = refusalOf(() => batchOf(add, sites, { for: 7_200_000 }));
    expect(refusalText(refused)).toMatch(/one environment at a time\. Nothing was done\. Name one, or leave out --for/);
    expect(refused.field).toBe('for');
    expect(() => pinBatch(authorizedFor(clear, undefined, {}), pause, pinnedEach(clear, sites))).toThrow(
      'this action is for one environment at a time',
    );
  });

  test('is refused if it is too long to be shown', () => {
    const long = pinnedEach(clear, sites).map((one) => ({ ...one, call: JSON.stringify('x'.repeat(700_000)) }));
    expect(refusalText(refusalOf(() => pinBatch(authorizedFor(clear, undefined, {}), clear, long)))).toMatch(
      /^I can show at most 2,000,000 characters of a change .* Nothing was done\./,
    );
  });
});

describe('the card', () => {
  test('says how many, which are live, and what is the same for all', () => {
    const card = batchOf(clear);
    expect(plain(pinnedCardOf(card).title)).toBe('Clear the cache of 3 environments');
    expect(plain(pinnedCardOf(card).done)).toBe('Cleared the cache of 3 environments');
    const { Clears: clears, ...others } = factsOf(card);
    expect(others).toEqual({
      Live: '2 · b/live, c/live',
      'Not live': '1 · a/staging',
      'Stops after': '30 min',
    });
    expect(clears).toContain('the page cache');
    expect(factsOf(batchOf(clear, sites.slice(1)))).not.toHaveProperty('Not live');
    const [staging, other] = [environment('a/staging', 1), environment('b/dev', 2)];
    expect(factsOf(batchOf(clear, [staging, other]))).toMatchObject({
      Live: 'none of them',
      'Not live': '2 · a/staging, b/dev',
    });
  });

  test('names what is not the same everywhere, and where it is shown', () => {
    const same = factsOf(batchOf(add));
    expect(Object.keys(same)).toEqual(expect.arrayContaining(['List before', 'Adds']));
    expect(same).not.toHaveProperty('Not the same everywhere');
    const differs = factsOf(batchOf(add, sites, { lists: ['10.0.0.1', '10.0.0.1', '10.0.0.2'] }));
    expect(differs).not.toHaveProperty('List before');
    expect(differs).toHaveProperty('Adds');
    expect(differs['Not the same everywhere']).toBe('List before: “Everything that will be sent” has them one by one');
  });

  test('says which one goes first', () => {
    expect(factsOf(batchOf(clear, sites, { canary: sites[2]?.id }))['Goes first, alone']).toBe(
      'c/live; the others follow once its site is known to be well',
    );
  });

  test('names at most forty', () => {
    const many = Array.from({ length: 50 }, (_, at) => environment(`s${at}/live`, at + 1));
    const { Live: names = '' } = factsOf(batchOf(clear, many));
    expect(names).toMatch(/^50 · s0\/live, /);
    expect(names).toContain('s39/live');
    expect(names).not.toContain('s40/live');
  });
});

/** Warns of each environment with the words in its site's name. */
const warning = action({
  summary: 'Warn',
  button: 'Warn',
  examples: ['a/live'],
  risk: 'routine',
  fields: { env: environmentField() },
  target: 'env',
  batch: ({ where }) => ({ title: say`Warn of ${where}`, done: say`Warned of ${where}` }),
  call: ({ input }) => clearCache({ environment_id: input.env.id }),
  card: ({ input: { env } }) => {
    const [words = ''] = env.name.split('/');
    return { title: say`Warn`, done: say`Warned`, ...(words !== 'none' && { warning: say`Beware of ${words}.` }) };
  },
});
const warned = (...all: readonly string[]): string | undefined => {
  const envs = all.map((words, at) => environment(`${words}/${at}`, at + 1));
  const { warning: says } = pinnedCardOf(batchOf(warning, envs));
  return says && plain(says);
};

test.each<[readonly string[], string | undefined]>([
  [['none', 'none'], undefined],
  [['dogs', 'dogs'], 'Beware of dogs.'],
  [['dogs', 'none'], 'dogs/0: Beware of dogs.'],
  [['dogs', 'cats', 'dogs'], 'dogs/0, dogs/2: Beware of dogs.\ncats/1: Beware of cats.'],
  [['dogs', 'dogs', 'dogs', 'dogs', 'dogs', 'none'], 'dogs/0, dogs/1, dogs/2 and 2 more: Beware of dogs.'],
])('warnings are said once, with those that they are about: %j', (all, says) => {
  expect(warned(...all)).toBe(says);
});
test('five kinds of warnings are shown, and the rest is counted', () => {
  const says = warned('a', 'b', 'c', 'd', 'e', 'f', 'g') ?? '';
  expect(says.split('\n')).toHaveLength(6);
  expect(says).toMatch(/\n2 more warnings are in “Everything that will be sent”\.$/);
});

describe('leaving out', () => {
  const [first, second, third] = sites.map(({ id }) => id);
  const batch = batchOf(clear);

  test('nothing, or an environment that is not in it, changes nothing', () => {
    expect(withoutEnvironments(batch, [])).toBe(batch);
    expect(withoutEnvironments(batch, ['elsewhere'])).toBe(batch);
  });
  test('gives what would have been pinned without it', () => {
    const fewer = withoutEnvironments(batch, [second ?? '', 'elsewhere']);
    expect(namesIn(fewer)).toEqual(['a/staging', 'c/live']);
    const plainly = batchOf(
      clear,
      sites.filter(({ id }) => id !== second),
    );
    expect(fewer).toMatchObject({ call: plainly.call, card: plainly.card, fingerprint: plainly.fingerprint });
    expect(environmentsIn(fewer.each ?? [])).toEqual(fewer.alsoReads);
  });
  test('all but one gives what was pinned for that one, which is not a batch', () => {
    const one = withoutEnvironments(batch, [first ?? '', second ?? '']);
    const [alone] = pinnedEach(clear, sites.slice(2));
    expect(one).toMatchObject({
      target: sites[2],
      call: alone?.call,
      card: alone?.card,
      fingerprint: alone?.fingerprint,
    });
    expect([one.items, one.each, batchItemsOf(one)]).toEqual([undefined, undefined, undefined]);
    expect(callOf(one)).toEqual(callOf(alone ?? one));
  });
  test('all is refused', () => {
    const refused = refusalOf(() =>
      withoutEnvironments(
        batch,
        sites.map(({ id }) => id),
      ),
    );
    expect([refusalText(refused), refused.field]).toEqual([
      'Every environment was left out. Nothing was done.',
      'leave-out',
    ]);
  });
  test('the canary is refused; the canary alone is no canary', () => {
    const guarded = batchOf(clear, sites, { canary: third });
    const refused = refusalOf(() => withoutEnvironments(guarded, [third ?? '']));
    expect(refusalText(refused)).toMatch(/^The canary itself would be left out\. Nothing was done\. Name another one/);
    expect(namesIn(withoutEnvironments(guarded, [first ?? '']))).toEqual(['b/live', 'c/live']);
    expect(withoutEnvironments(guarded, [first ?? '', second ?? '']).parsed.canary).toBeUndefined();
  });
});

test('what was left out before is told by name and reason', () => {
  const [staging, live, other] = sites;
  if (!staging || !live || !other) throw new Error('three sites');
  const facts = leftOutFacts([live, other], [{ env: staging, why: say`It is done. Nothing was changed.` }]);
  expect(facts.map(([label, value]) => [label, plain(value)])).toEqual([
    ['You may not change', '2 · b/live, c/live: left out'],
    ['Not possible there, or done already', '1, left out: a/staging: It is done.'],
  ]);
  expect(leftOutFacts([], [])).toEqual([]);
});

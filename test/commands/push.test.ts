import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { push } from '../../src/commands/push.ts';
import type { CardBackup } from '../../src/commands/backups/newest.ts';
import type { NewestBackup } from '../../src/commands/kit/site-status.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { canonicalArgs, resolve } from '../../src/language/resolve.ts';
import { nameToType, needsReview } from '../../src/change/confirmation.ts';
import { usage } from '../../src/language/usage.ts';
import { join } from '../../src/language/tokenize.ts';
import { inline, plain } from '../../src/words/text.ts';
import { decisionButtons } from '../../src/change/buttons.ts';
import { blog, changeOf, environment, live, names, path, refusalOf, refusalText, staging, uuid } from '../fixtures.ts';

type Input = Parameters<typeof push.call>[0]['input'];
const input = (more: Partial<Input> = {}): Input => ({
  from: staging,
  onto: live,
  files: false,
  database: false,
  searchReplace: false,
  only: undefined,
  ...more,
});
const siteless = (env: Environment, name: string | undefined): Environment => ({
  ...env,
  site: name === undefined ? undefined : { id: undefined, name },
});
const dayMs = 86_400_000;
const now = 10 * dayMs;
const backup: NewestBackup = { type: 'scheduled', at: now - dayMs };

describe('what can be pushed', () => {
  test.each<
    [string, Partial<Input>, { readonly field: string; readonly says: string; readonly unsaid?: true } | undefined]
  >([
    ['files', { files: true }, undefined],
    ['the database', { database: true }, undefined],
    ['both', { files: true, database: true, searchReplace: true }, undefined],
    ['some paths', { files: true, only: ['a'] }, undefined],
    ['some paths and the database', { files: true, database: true, only: ['a'] }, undefined],
    ['no choice', {}, { field: 'files', says: 'What should be pushed?', unsaid: true }],
    [
      'only a search and replace',
      { searchReplace: true },
      { field: 'files', says: 'What should be pushed?', unsaid: true },
    ],
    ['only paths', { only: ['a'] }, { field: 'files', says: 'What should be pushed?', unsaid: true }],
    ['paths and no files', { database: true, only: ['a'] }, { field: 'only', says: 'Paths only work with files' }],
    ['onto itself', { onto: staging, files: true }, { field: 'onto', says: 'both acme-shop/staging' }],
    [
      'onto another site',
      { onto: { ...blog, site: { id: uuid(901), name: 'acme-blog' } }, files: true },
      { field: 'onto', says: 'stays inside one site' },
    ],
    [
      'from an unknown site',
      { from: siteless(staging, undefined), files: true },
      { field: 'onto', says: "doesn't tell me which site" },
    ],
    [
      'onto an unknown site',
      { onto: siteless(live, undefined), files: true },
      { field: 'onto', says: "doesn't tell me which site" },
    ],
    [
      'between sites known only by name',
      { from: siteless(staging, 'acme-shop'), onto: siteless(live, 'acme-shop'), files: true },
      { field: 'onto', says: "doesn't tell me which site" },
    ],
  ])('%s', (_, more, expected) => {
    const wrong = push.invalid?.(input(more));
    if (expected === undefined) return expect(wrong).toBeUndefined();
    expect(wrong?.field).toBe(expected.field);
    expect(plain(inline(wrong?.says))).toContain(expected.says);
    expect(plain(inline(wrong?.says))).toMatch(/Nothing was done\.$/);
    expect(wrong?.unsaid).toBe(expected.unsaid);
  });
});

describe('the call', () => {
  const flags = [true, false];
  const cases = flags.flatMap((files) =>
    flags.flatMap((database) => flags.flatMap((searchReplace) => [{ files, database, searchReplace }])),
  );
  test.each(cases)('sends all optional fields: %o', (said) => {
    const call = push.call({ input: input(said), snapshot: { backup } });
    expect(call).toMatchObject({ kind: 'write', method: 'PUT', path: `/sites/${uuid(900)}/environments` });
    expect(call.body).toEqual({
      source_env_id: staging.id,
      target_env_id: live.id,
      push_db: said.database,
      push_files: said.files,
      run_search_and_replace: said.searchReplace,
      push_files_option: 'ALL_FILES',
    });
  });

  test('sends the paths, and the option for specific files', () => {
    const { body } = push.call({ input: input({ files: true, only: ['a', 'b/c'] }), snapshot: { backup } });
    expect(body).toMatchObject({ push_files_option: 'SPECIFIC_FILES', file_list: ['a', 'b/c'], push_db: false });
  });

  test.each<[string, Partial<Input>]>([
    ['onto itself', { onto: staging }],
    ['without a site', { onto: siteless(live, undefined) }],
    ['an empty list of paths', { files: true, only: [] }],
  ])('cannot be made: %s', (_, more) => {
    expect(() => push.call({ input: input(more), snapshot: { backup } })).toThrow(TypeError);
  });
});

describe('the card', () => {
  const cardOf = (more: Partial<Input>, newest: CardBackup = backup) =>
    push.card({ input: input(more), snapshot: { backup: newest }, now });
  const warning = (...of: Parameters<typeof cardOf>): readonly string[] =>
    plain(inline(cardOf(...of).warning)).split('\n');
  const lost = 'Newer orders, users and comments there are lost.';
  const database = `The DATABASE of acme-shop/live will be replaced. ${lost}`;
  const both = `The DATABASE and all files of acme-shop/live will be replaced. ${lost}`;
  const files = 'All files of acme-shop/live will be replaced.';
  const always = 'Redirects, geolocation, PHP and server settings are replaced too.';

  test.each<[string, Parameters<typeof cardOf>, readonly string[]]>([
    ['files', [{ files: true }], [files, always]],
    ['the database', [{ database: true }], [database, always]],
    ['both', [{ files: true, database: true }], [both, always]],
    ['one path', [{ files: true, only: ['a'] }], ['1 path of acme-shop/live will be replaced.', always]],
    [
      'many paths',
      [{ files: true, only: Array.from({ length: 5_000 }, (_, at) => `p${at}`) }],
      ['5,000 paths of acme-shop/live will be replaced.', always],
    ],
    ['no backup', [{ files: true }, null], [files, always, 'The host lists no backup of acme-shop/live.']],
    [
      'an old backup',
      [{ files: true }, { type: 'manual', at: now - dayMs - 1 }],
      [files, always, 'The newest backup of acme-shop/live is older than a day: 1970-01-09 23:59 UTC.'],
    ],
    [
      'a backup of unknown age',
      [{ files: true }, { type: 'manual', at: undefined }],
      [files, always, "The host doesn't say how old the newest backup of acme-shop/live is."],
    ],
    [
      'a backup that is dated in the future',
      [{ files: true }, { type: 'manual', at: now + dayMs }],
      [files, always, 'The host dates the newest backup of acme-shop/live in the future, so its age is unknown.'],
    ],
    [
      'backups that can not be read',
      [{ files: true }, 'unreadable'],
      [files, always, "I can't tell whether there is a backup of acme-shop/live. Please check the host's panel."],
    ],
  ])('warns of what will be lost: %s', (_, of, lines) => {
    expect(warning(...of)).toEqual(lines);
  });

  test.each<[string, Partial<Input>]>([
    ['database', { database: true }],
    ['all files', { files: true, searchReplace: true }],
    ['database and all files', { files: true, database: true }],
    ['database and 2 paths', { files: true, database: true, only: ['a', 'b'] }],
  ])('is called by what it carries: %s', (what, more) => {
    const { title, done } = cardOf(more);
    expect([title, done].map(plain)).toEqual(
      ['Push', 'Pushed'].map((verb) => `${verb} acme-shop/staging → acme-shop/live: ${what}`),
    );
  });

  test('what *Approve* asks fits what Slack takes, for a site with a long name too', () => {
    const site = (env: string): Environment => environment(`northern-bakery/${env}`, 7);
    const more = { from: site('staging'), onto: site('live'), files: true, database: true };
    const { title, done, warning: warns } = cardOf(more);
    const change = changeOf({
      state: 'waiting',
      cools_down: 1,
      card: JSON.stringify({ title, done, warning: warns, facts: [] }),
    });
    const asked = decisionButtons(change, 'f00d').flatMap(({ confirm }) => (confirm ? [plain(confirm.says)] : []));
    expect(asked[0]).toMatch(/^Push northern-bakery\/staging → .*\n.*DATABASE[^]*Then it can be stopped/);
    expect(asked[0]?.length).toBeLessThanOrEqual(300);
  });

  test('shows every choice, also parts that are not pushed, and no ids', () => {
    const facts = (more: Partial<Input>): readonly (readonly [string, string])[] =>
      Object.entries(cardOf(more).facts ?? {}).map(([label, value]) => [label, plain(inline(value))]);
    expect(facts({ database: true })).toEqual([
      ['Files', 'no'],
      ['Database', 'yes'],
      ['Search and replace', 'no'],
      ['Newest backup of acme-shop/live', 'scheduled, 1970-01-10 00:00 UTC'],
    ]);
    const nine = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    expect(facts({ files: true, only: nine })[0]).toEqual(['Files', 'only a, b, c, d, e, f, g, h and 1 more']);
    expect(facts({ files: true, only: nine.slice(0, 8) })[0]).toEqual(['Files', 'only a, b, c, d, e, f, g, h']);
    expect(facts({ files: true, searchReplace: true }).slice(0, 3)).toEqual([
      ['Files', 'all'],
      ['Database', 'no'],
      ['Search and replace', 'yes'],
    ]);
  });
});

test.each<[string, CardBackup, string]>([
  [
    'a new one',
    { type: 'system', at: 60_000 },
    'was made at 00:01 UTC. The host makes one before a push, so it probably started.',
  ],
  ['one just before, by a clock that is a little behind', { type: 'system', at: 55_000 }, 'so it probably started.'],
  ['an older one', { type: 'system', at: 54_999 }, 'there is no new one. It may not have started, or not yet.'],
  ['one without a time', { type: 'system', at: undefined }, "I can't tell whether there is a new one."],
  ['none', null, 'there is no new one.'],
  ['an answer that can not be read', 'unreadable', "I can't tell whether there is a new one."],
  [
    'one that was there before, dated in the future',
    { type: 'system', at: dayMs },
    "I can't tell whether there is a new one.",
  ],
])('the backup as traces for a push without an answer: %s', (_, newest, sentence) => {
  const snapshot = { backup: { type: 'system', at: dayMs } };
  const says = push.traces?.({
    input: input({ files: true }),
    snapshot,
    current: { backup: newest },
    sentAt: 60_000,
  });
  expect(plain(inline(says))).toContain(sentence);
});

test('a backup made meanwhile is no drift', () => {
  const of = input({ files: true });
  expect(push.preconditions?.({ input: of, snapshot: { backup } })).toEqual(
    push.preconditions?.({ input: of, snapshot: { backup: null } }),
  );
});

test('always has a review; the name is typed for live', () => {
  const copy = environment('acme-shop/copy', 7);
  for (const env of [live, staging, copy]) expect(needsReview(push, { target: env, input: {} })).toBe(true);
  expect([live, staging, copy].map((env) => nameToType(push, env))).toEqual([live.name, undefined, undefined]);
});

describe('its canonical line', () => {
  const line = usage('push', push);
  test('is as people type it', () => {
    expect(line).toBe(
      'push <from site/environment> <onto site/environment> [--files] [--database] [--search-replace] [--only path,…] [--reason "…"] [--dry-run] [--at "…"]',
    );
  });

  const ofLine = (typed: string) => {
    const parsed = parse(typed, catalogue);
    if (parsed === undefined) throw new Error('no words');
    return resolve(parsed, names);
  };

  test.each<[string, string, Partial<Input>]>([
    [
      'flags',
      'push acme-shop/staging acme-shop/live --files --database --search-replace',
      { files: true, database: true, searchReplace: true },
    ],
    ['a flag that is off', 'push acme-shop/staging acme-shop/live --files=no --database', { database: true }],
    [
      'paths by comma',
      'push acme-shop/staging acme-shop/live --files --only a,b/c',
      { files: true, only: ['a', 'b/c'] },
    ],
    [
      'paths one by one',
      'push acme-shop/staging acme-shop/live --files --only a --only=b/c',
      { files: true, only: ['a', 'b/c'] },
    ],
    [
      'paths with blanks',
      'push acme-shop/staging acme-shop/live --files --only "a b, c"',
      { files: true, only: ['a b', 'c'] },
    ],
  ])('%s', (_, typed, more) => {
    const { input: read, missing, problems } = ofLine(typed);
    expect({ missing, problems }).toEqual({ missing: [], problems: [] });
    expect({ only: undefined, ...read }).toEqual(input(more));
  });

  test.each(['--only', '--only=', '--only ""', '--only " "', '--only --files'])(
    'an empty %s never means all files',
    (option) => {
      const refused = refusalOf(() => parse(`push acme-shop/staging acme-shop/live --files ${option}`, catalogue));
      expect(refusalText(refused)).toContain('--only needs a value. Nothing was done.');
    },
  );
  test('invalid paths never mean all files', () => {
    const [problem] = ofLine('push acme-shop/staging acme-shop/live --files --only ","').problems;
    expect(problem?.field).toBe('only');
    expect(refusalText(problem?.refusal ?? refusalOf(() => undefined))).toContain('No path was given.');
  });

  test('means the same after storing and when typed again', () => {
    const any = fc.record({
      from: fc.constantFrom(...names.environments),
      onto: fc.constantFrom(...names.environments),
      files: fc.boolean(),
      database: fc.boolean(),
      searchReplace: fc.boolean(),
      only: fc.option(fc.uniqueArray(path, { minLength: 1, maxLength: 20 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(any, ({ only, ...said }) => {
        const meant = only === undefined ? said : { ...said, only };
        const parsed = { path: 'push', command: push, given: {}, reason: undefined, dryRun: false };
        const words = canonicalArgs({ parsed, input: meant });
        expect(resolve(parseArgs(words, catalogue), names).input).toEqual(meant);
        expect(ofLine(join(words)).input).toEqual(meant);
        expect(canonicalArgs(resolve(parseArgs(words, catalogue), names))).toEqual(words);
      }),
      { numRuns: 300 },
    );
  });
});

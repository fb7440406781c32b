import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ok, strictEqual } from 'node:assert';
import type { AnyAction } from '../../src/commands/kit/action.ts';
import type { AnyReport } from '../../src/commands/kit/report.ts';
import type { Command } from '../../src/commands/index.ts';
import { redirectsAdd } from '../../src/commands/redirects/add.ts';
import { redirectsClear } from '../../src/commands/redirects/clear.ts';
import { redirectsEdit } from '../../src/commands/redirects/edit.ts';
import {
  fromPath,
  scopeFields,
  ruleSelectors,
  redirectTarget,
  type as redirectType,
} from '../../src/commands/redirects/fields.ts';
import { redirectsList } from '../../src/commands/redirects/list.ts';
import { loopFrom } from '../../src/commands/redirects/loops.ts';
import { redirectsRemove } from '../../src/commands/redirects/remove.ts';
import { allRules, ruleInShort, type RedirectRule } from '../../src/commands/redirects/rules.ts';
import type { Args } from '../../src/base/errors.ts';
import type { HostReader, Write } from '../../src/hosting/contract/call.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { canonicalArgs, resolve } from '../../src/language/resolve.ts';
import { join } from '../../src/language/tokenize.ts';
import { inline, plain } from '../../src/words/text.ts';
import {
  company,
  live,
  names,
  noCertificate,
  nothingKnown,
  refusalOf,
  refusalText,
  reportDefaults,
} from '../fixtures.ts';
import { call as callOf, live as shopLive, start } from '../playground/hosting/calling.ts';

const catalogue = new Map<string, Command>([
  ['redirects list', redirectsList],
  ['redirects add', redirectsAdd],
  ['redirects edit', redirectsEdit],
  ['redirects remove', redirectsRemove],
  ['redirects clear', redirectsClear],
]);

const cell = z.string().nullish();
const given = z.strictObject({
  from: cell,
  to: cell,
  type: cell,
  domain: cell,
  traffic_from_country: cell,
  traffic_from_country_name: cell,
  traffic_from_city: cell,
  displayed_location: cell,
});
const update = z.strictObject({
  action_type: z.enum(['NEW', 'UPDATE', 'DELETE', 'DELETE_ALL']),
  new_value: given.optional(),
  rules_to_update: z.array(given).optional(),
});
const everywhere = {
  domain: '',
  traffic_from_country: '',
  traffic_from_country_name: '',
  traffic_from_city: '',
  displayed_location: '',
};
const rule = (from: string, to: string, more: Partial<RedirectRule> = {}): RedirectRule => ({
  from,
  to,
  type: 'permanent',
  ...everywhere,
  ...more,
});
/** Equal rules: absent, null and empty count as the same. */
const filled = (one: z.infer<typeof given>): RedirectRule => ({
  from: one.from ?? '',
  to: one.to ?? '',
  type: one.type ?? '',
  domain: one.domain ?? '',
  traffic_from_country: one.traffic_from_country ?? '',
  traffic_from_country_name: one.traffic_from_country_name ?? '',
  traffic_from_city: one.traffic_from_city ?? '',
  displayed_location: one.displayed_location ?? '',
});
const keyOf = (one: z.infer<typeof given>): string => JSON.stringify(Object.values(filled(one)));
const setOf = (rules: readonly RedirectRule[]): readonly string[] => rules.map(keyOf).sort();

/** How a host pages: a maximum page size, no paging, always the first page, or no total. */
type Paging = {
  readonly most?: number;
  readonly kind: 'pages' | 'all at once' | 'first page only' | 'uncounted' | 'first page only, uncounted';
};

/** A host that keeps one list of rules, as the document says. */
class Host {
  reads = 0;
  rules: readonly RedirectRule[];
  readonly paging: Paging;
  constructor(rules: readonly RedirectRule[], paging: Paging = { kind: 'pages' }) {
    this.rules = rules;
    this.paging = paging;
  }
  read: HostReader = async (call) => {
    strictEqual(`${call.kind} ${call.section}`, 'read 4.2');
    this.reads += 1;
    const { most = 1_000, kind } = this.paging;
    const limit = Math.min(Number(call.query?.['limit']), most);
    const offset = kind.startsWith('first page only') ? 0 : Number(call.query?.['offset']);
    const rules = kind === 'all at once' ? this.rules : this.rules.slice(offset, offset + limit);
    const counted = kind.endsWith('uncounted') ? {} : { redirect_rules_count: this.rules.length };
    return call.reply.parse({ environment: { container_info: { redirect_rules: { rules, ...counted } } } });
  };
  write({ section, body }: Write): void {
    strictEqual(section, '4.3');
    const { action_type: kind, new_value: wanted, rules_to_update: named = [] } = update.parse(body);
    const touched = new Set(named.map(keyOf));
    const isTouched = (one: RedirectRule): boolean => touched.has(keyOf(one));
    ok([...touched].every((key) => this.rules.some((one) => keyOf(one) === key)));
    if (kind === 'DELETE_ALL') this.rules = [];
    if (kind === 'DELETE') this.rules = this.rules.filter((one) => !isTouched(one));
    if (kind === 'NEW' && wanted) this.rules = [...this.rules, filled(wanted)];
    if (kind === 'UPDATE' && wanted) this.rules = this.rules.map((one) => (isTouched(one) ? filled(wanted) : one));
  }
}

function parsedFrom(words: Args) {
  const parsed = parse(join(words), catalogue);
  if (parsed === undefined) throw new Error('no words');
  expect(parseArgs(words, catalogue)).toEqual(parsed);
  const resolved = resolve(parsed, names);
  expect(resolved).toMatchObject({ missing: [], problems: [] });
  return { ...resolved, input: resolved.input };
}

/** A request at a host: what the action reads, as stored, and whether it is accepted. */
async function ask(words: Args, host: Pick<Host, 'read'>) {
  const { parsed, input } = parsedFrom(words);
  if (parsed.command.shape !== 'action') throw new Error('no action');
  const action: AnyAction = parsed.command;
  const look = async (): Promise<unknown> =>
    JSON.parse(
      JSON.stringify(
        await action.look?.({ input, read: host.read, company, certificate: noCertificate, ...nothingKnown }),
      ),
    );
  const invalid = action.invalid?.(input);
  const snapshot = await look();
  return { words, parsed, action, input, look, snapshot, wrong: invalid ?? action.impossible?.({ input, snapshot }) };
}
type Asked = Awaited<ReturnType<typeof ask>>;

const callFor = ({ action, input, snapshot }: Asked): Write => action.call({ input, snapshot });
const textOf = (value: unknown): string => z.string().default('').parse(value);
const saysOf = ({ wrong }: Pick<Asked, 'wrong'>): string => plain(inline(wrong?.says));
const hintOf = ({ wrong }: Pick<Asked, 'wrong'>): string => plain(inline(wrong?.hint));
const verdictOf = ({ action, input, snapshot }: Asked, now: unknown): string | undefined =>
  action.proof?.({ input, snapshot, current: now }).verdict;

/** Applies it, and checks what must hold for every change. */
async function applied(asked: Asked, host: Host): Promise<readonly RedirectRule[]> {
  const { action, input, snapshot, look } = asked;
  expect(verdictOf(asked, snapshot)).toBe('not yet');
  const was = host.rules;
  const call = action.call({ input, snapshot });
  expect(JSON.parse(JSON.stringify(call))).toEqual(call);
  const card = action.card({ input, snapshot, now: 1_000 });
  expect(action.card({ input, snapshot, now: 2_000 })).toEqual(card);
  expect(plain(card.title)).toMatch(/^[A-Z].*acme.*[^.!]$/s);
  host.write(call);
  const now = await look();
  expect(verdictOf(asked, now)).toBe('yes');
  const undo = action.undo?.({ input, snapshot });
  if (undo !== undefined) {
    const back = await ask(undo, host);
    expect(saysOf(back)).toBe('');
    expect(canonicalArgs({ parsed: back.parsed, input: back.input })).toEqual(undo);
    const other = new Host(host.rules);
    other.write(callFor(back));
    expect(setOf(other.rules)).toEqual(setOf(was));
  }
  return was;
}

const some = <T>(...of: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...of);
const anyRule: fc.Arbitrary<RedirectRule> = fc.record({
  from: fc.oneof(
    { weight: 20, arbitrary: some('/a', '/b', '/c', '/a b') },
    { weight: 1, arbitrary: some('^/x(.*)$', '', '/a\u0000', '//b') },
  ),
  to: some('/a', '/b', '/d', '/e?x=1', 'https://acme.com/a', 'https://else.example/', '//evil.example'),
  type: fc.oneof(
    { weight: 9, arbitrary: some<string | null>('permanent', 'redirect') },
    { weight: 1, arbitrary: some<string | null>('temporary', null) },
  ),
  domain: some<string | null>('', '', null, 'acme.com', 'ACME.com', 'Bücher.example', 'any'),
  traffic_from_country: some('', '', '', 'DE', 'no', 'Germany'),
  traffic_from_country_name: some('', '', '', 'Germany'),
  traffic_from_city: some('', '', '', 'Berlin', 'any'),
  displayed_location: some('', '', '', 'Berlin, Germany'),
});
/** Most hosts keep no duplicates; null and empty count as equal here. */
const anyRules = fc.uniqueArray(anyRule, { maxLength: 12, selector: keyOf });
const anyPaging: fc.Arbitrary<Paging> = fc.oneof(
  fc.constant<Paging>({ kind: 'pages' }),
  fc.constant<Paging>({ kind: 'all at once' }),
  fc.integer({ min: 1, max: 3 }).map((most): Paging => ({ kind: 'pages', most })),
  fc.integer({ min: 1, max: 3 }).map((most): Paging => ({ kind: 'uncounted', most })),
);
const anyFrom = some('/a', '/b', '/c', '/a b', '^/x(.*)$');
const anyTo = some('/a', '/b', '/d', 'https://acme.com/a');
const maybe = (option: string, ...of: readonly string[]): fc.Arbitrary<Args> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: some(...of).map((value) => [`--${option}=${value}`]) },
  );
const anyType = maybe('type', 'permanent', 'redirect');
const together = (...parts: readonly fc.Arbitrary<Args>[]): fc.Arbitrary<Args> =>
  fc.tuple(...parts).map((words) => words.flat());
const anySelectors = together(
  maybe('domain', 'acme.com', 'any', 'xn--bcher-kva.example'),
  maybe('country', 'DE', 'any'),
  maybe('city', 'Berlin', 'any'),
);
const one = (words: fc.Arbitrary<string>): fc.Arbitrary<Args> => words.map((word) => [word]);

/** Checks an accepted request with `holds`; a refused one must leave the host as it was. */
async function always(
  command: string,
  words: fc.Arbitrary<Args>,
  holds: (was: readonly RedirectRule[], now: readonly RedirectRule[], asked: Asked) => void,
): Promise<void> {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(words, anyRules, anyPaging, async (more, rules, paging) => {
      const host = new Host(rules, paging);
      const asked = await ask(['redirects', command, live.id, ...more], host);
      if (asked.wrong) {
        expect(saysOf(asked)).toMatch(/Nothing was (changed|done)\.$/);
        for (const { args } of asked.wrong.offers ?? []) parsedFrom(args);
        return;
      }
      accepted += 1;
      const was = await applied(asked, host);
      holds(was, host.rules, asked);
    }),
    { numRuns: 400 },
  );
  expect(accepted).toBeGreaterThan(10);
}

const without = (rules: readonly RedirectRule[], others: readonly RedirectRule[]): readonly RedirectRule[] => {
  const keys = new Set(others.map(keyOf));
  return rules.filter((one) => !keys.has(keyOf(one)));
};

describe('a change of any list of rules', () => {
  test('adds one rule, as requested', () =>
    always(
      'add',
      together(
        one(some('/a', '/b', '/c')),
        one(anyTo),
        anyType,
        maybe('domain', 'acme.com', 'shop.acme.com'),
        maybe('country', 'DE'),
        maybe('city', 'Berlin'),
      ),
      (was, now, { input }) => {
        expect(without(was, now)).toEqual([]);
        expect(without(now, was)).toEqual([
          rule(textOf(input['from']), textOf(input['to']), {
            type: textOf(input['type'] ?? 'permanent'),
            domain: textOf(input['domain']),
            traffic_from_country: textOf(input['country']),
            traffic_from_city: textOf(input['city']),
          }),
        ]);
      },
    ));

  test('edits exactly one rule, and only as requested', () =>
    always(
      'edit',
      together(one(anyFrom), maybe('to', '/a', '/b', '/d', '/z'), anyType, anySelectors),
      (was, now, { input }) => {
        const [gone, ...more] = without(was, now);
        expect(more).toEqual([]);
        expect(now).toHaveLength(was.length);
        expect(gone?.from).toBe(input['from']);
        const wanted = { ...gone, to: input['to'] ?? gone?.to, type: input['type'] ?? gone?.type };
        expect(without(now, was).map(keyOf)).toEqual([
          JSON.stringify(Object.values({ ...wanted, domain: gone?.domain ?? '' })),
        ]);
      },
    ));

  test('removes exactly one rule', () =>
    always('remove', together(one(anyFrom), anySelectors), (was, now, { input }) => {
      expect(without(now, was)).toEqual([]);
      expect(without(was, now).map(({ from }) => from)).toEqual([input['from']]);
    }));

  test('clears all rules, or exactly those that match the search', () =>
    always(
      'clear',
      fc.oneof(fc.constant([]), one(some('/a', 'ACME', 'evil', '/', 'nowhere'))),
      (was, now, { input }) => {
        const words = textOf(input['search']).toLowerCase();
        const kept = was.filter(
          ({ from, to, domain }) => ![from, to, domain].some((text) => (text ?? '').toLowerCase().includes(words)),
        );
        expect(now).toEqual(kept);
      },
    ));
});

describe('all pages are read', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => rule(`/${at}`, '/to'));
  test.each<[string, Paging, number, boolean]>([
    ['a host that pages', { kind: 'pages' }, 2_000, true],
    ['one with smaller pages', { kind: 'pages', most: 100 }, 2_000, true],
    ['one with tiny pages', { kind: 'pages', most: 7 }, 350, false],
    ['one that gives all at once', { kind: 'all at once' }, 2_000, true],
    ['one that does not count', { kind: 'uncounted' }, 2_000, true],
    ['one that does not count, with smaller pages', { kind: 'uncounted', most: 300 }, 2_000, true],
    ['one that never turns the page', { kind: 'first page only' }, 500, false],
    ['one that does neither', { kind: 'first page only, uncounted' }, 500, false],
  ])('of %s', async (_, paging, amount, whole) => {
    const host = new Host(many, paging);
    const listing = await allRules(host.read, live);
    expect({ amount: listing.rules.length, whole: listing.whole }).toEqual({ amount, whole });
    expect(host.reads).toBeLessThanOrEqual(50);
  });

  test('or nothing is changed, for any request', async () => {
    const host = new Host(many, { kind: 'first page only' });
    for (const words of [
      ['add', live.id, '/x', '/y'],
      ['edit', live.id, '/1', '--to=/y'],
      ['remove', live.id, '/1'],
      ['clear', live.id],
      ['clear', live.id, '/1'],
    ]) {
      expect(saysOf(await ask(['redirects', ...words], host))).toBe(
        "I can't read all redirects of acme-shop/live, or not every part of them, so the wrong ones could be touched. Nothing was changed.",
      );
    }
  });

  test.each<[string, Args]>([
    ['an edit', ['edit', live.id, '/1', '--to=/y']],
    ['a removal', ['remove', live.id, '/1']],
    ['a clearing', ['clear', live.id]],
    ['a clearing by words', ['clear', live.id, '/1']],
  ])('and %s is not proven by an incomplete listing, or while a rule is left', async (_, words) => {
    const asked = await ask(['redirects', ...words], new Host(many));
    const seen = async (rules: readonly RedirectRule[], paging?: Paging) =>
      verdictOf(asked, (await ask(['redirects', ...words], new Host(rules, paging))).snapshot);
    const done = [rule('/1', '/y')].filter(() => words[0] === 'edit');
    const others = Array.from({ length: 600 }, (_, at) => rule(`/z${at}`, '/z'));
    expect(await seen([...done, ...others], { kind: 'first page only' })).toBe('not yet');
    expect(await seen([...done, rule('/1', '/to')])).toBe('not yet');
    expect(await seen([...done, ...others])).toBe('yes');
  });
});

describe('the path and the destination of a rule', () => {
  test('may have the maximum length, and no more', () => {
    const longest = `/${'a'.repeat(1_999)}`;
    for (const field of [fromPath, redirectTarget]) {
      expect(field.read([longest])).toBe(longest);
      expect(refusalText(refusalOf(() => field.read([`${longest}a`])))).toContain(
        'has more than 2000 characters. Nothing was done.',
      );
    }
  });

  test.each<[string, string]>([
    ['old', 'does not begin with /'],
    ['https://acme.com/old', 'does not begin with /'],
    ['/a b', 'has a space'],
    ['/a\u00A0b', 'has a space'],
    ['/a\nb', 'has a space or a line break'],
    ['/a\u0000', 'cannot be seen (U+0000)'],
    ['/li\u200Bve', 'cannot be seen (U+200B)'],
    ['/\u202Eevil', 'cannot be seen (U+202E)'],
    ['/\uD800', 'cannot be seen (U+D800)'],
    ['/a\\b', 'has a backslash'],
    ['/a→/b', 'has an arrow in it'],
    ['/a->/b', 'has an arrow in it'],
    ['/a=>/b', 'has an arrow in it'],
  ])('from %j is refused', (word, why) => {
    const refused = refusalText(refusalOf(() => fromPath.read([word])));
    expect(refused).toContain(why);
    expect(refused).toContain('Nothing was done.');
  });
  test.each(['/', '/old', '/ä/ö?x=1#y', '/%20', '/--x'])('from %j is read', (word) => {
    expect(fromPath.read([word])).toBe(word);
  });

  test.each<[string, string]>([
    ['javascript:alert(1)', 'is neither a path nor an address'],
    ['JavaScript://acme.com/%0aalert(1)', 'is neither'],
    ['data:text/html,x', 'is neither'],
    ['//evil', 'leads to another host without saying how'],
    ['///evil', 'leads to another host'],
    ['/\\evil', 'has a backslash'],
    ['http:\\\\evil', 'has a backslash'],
    ['https:/evil', 'is neither'],
    ['https:evil', 'is neither'],
    ['https:///evil', 'is neither'],
    ['https://', 'is neither'],
    ['https://?x', 'is neither'],
    ['https://acme.com:99999/', 'is neither'],
    ['https://acme.com@evil.example/', 'has a name before its host'],
    ['https://@evil.example/', 'has a name before its host'],
    ['ftp://acme.com', 'is neither'],
    ['acme.com/new', 'is neither'],
    ['new', 'is neither'],
    ['/a\tb', 'has a space'],
    ['\u0001/a', 'cannot be seen'],
    [' /a', 'has a space'],
  ])('to %j is refused', (word, why) => {
    const refused = refusalText(refusalOf(() => redirectTarget.read([word])));
    expect(refused).toContain(why);
    expect(refused).toContain('Nothing was done.');
  });
  test.each([
    '/',
    '/new',
    '/new?x=1#y',
    'https://acme.com',
    'HTTP://acme.com:8080/a@b',
    'https://[::1]/',
    'https://bücher.example/ü',
  ])('to %j is read', (word) => expect(redirectTarget.read([word])).toBe(word));

  test.each([
    ['301', 'permanent'],
    ['302', 'redirect'],
  ])('the type %s, as lists show it, is %s', (word, value) => expect(redirectType.read([word])).toBe(value));

  test.each<[keyof typeof scopeFields, string, string | undefined, string | undefined]>([
    ['domain', 'ACME.com', 'acme.com', 'acme.com'],
    ['domain', 'bücher.example', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['domain', 'any', undefined, 'any'],
    ['domain', 'https://Acme.com', 'https://acme.com', 'acme.com'],
    ['domain', 'http://acme.com/', 'http://acme.com', 'acme.com'],
    ['domain', 'https://acme.com/a', undefined, undefined],
    ['domain', 'ftp://acme.com', undefined, undefined],
    ['country', 'de', 'DE', 'DE'],
    ['country', 'Any', undefined, 'any'],
    ['country', 'Germany', undefined, undefined],
    ['country', 'D1', undefined, undefined],
    ['city', ' São Paulo ', 'São Paulo', 'São Paulo'],
    ['city', 'any', undefined, 'any'],
    ['city', 'a\u0007', undefined, undefined],
    ['city', '  ', undefined, undefined],
  ])('%s %j', (field, word, added, selected) => {
    const readBy = (one: (typeof scopeFields)[typeof field], value: string | undefined): void => {
      if (value !== undefined) return expect(one.read([word])).toBe(value);
      expect(refusalText(refusalOf(() => one.read([word])))).toMatch(/Nothing was done\. Write it like .+\.$/);
    };
    readBy(scopeFields[field], added);
    readBy(ruleSelectors[field], selected);
  });

  test('an empty search never means all rules', () => {
    for (const line of ['redirects clear acme-shop/live ""', 'redirects clear acme-shop/live " "']) {
      expect(refusalText(refusalOf(() => parse(line, catalogue)))).toContain('Search is empty. Nothing was done.');
    }
  });
});

describe('adding', () => {
  const add = (rules: readonly RedirectRule[], ...words: Args): Promise<Asked> =>
    ask(['redirects', 'add', live.id, ...words], new Host(rules));

  test.each<[string, readonly RedirectRule[], Args, string]>([
    ['the very same', [rule('/a', '/b')], ['/a', '/b'], 'acme-shop/live already has the redirect /a → /b (301).'],
    ['the same path', [rule('/a', '/b')], ['/a', '/c'], 'acme-shop/live already redirects that path: /a → /b (301).'],
    ['another type', [rule('/a', '/b')], ['/a', '/b', '--type=redirect'], 'already redirects that path'],
    [
      'the same domain in other letters',
      [rule('/a', '/b', { domain: 'ACME.com' })],
      ['/a', '/b', '--domain=acme.com'],
      'already',
    ],
    ['to itself', [], ['/a', '/a'], 'From and to are both /a.'],
    [
      'to itself by its address',
      [rule('/x', '/y', { domain: 'acme.com' })],
      ['/a', 'https://acme.com/a'],
      'This would lead /a to itself.',
    ],
    ['to itself with a query', [], ['/a', '/a?x=1'], 'This would lead /a to itself.'],
    ['in a circle through a query', [rule('/b', '/a?x=1')], ['/a', '/b?y'], 'round in circles'],
    ['to itself with a fragment', [], ['/a', '/a#top'], 'This would lead /a to itself.'],
    [
      'in a circle of two',
      [rule('/b', '/a')],
      ['/a', '/b'],
      'Visitors would go around in circles: from there they are sent back to /a by /b → /a (301).',
    ],
    ['in a circle of three', [rule('/b', '/c'), rule('/c', '/a')], ['/a', '/b'], 'by /b → /c (301); /c → /a (301).'],
    ['in a circle for some', [rule('/b', '/a', { traffic_from_country: 'DE' })], ['/a', '/b'], 'round in circles'],
  ])('%s is refused', async (_, rules, words, says) => {
    const asked = await add(rules, ...words);
    expect(saysOf(asked)).toContain(says);
    expect(saysOf(asked)).toMatch(/Nothing was (changed|done)\.$/);
  });

  test.each<[string, readonly RedirectRule[], Args]>([
    [
      'the same path of another domain',
      [rule('/a', '/b', { domain: 'acme.com' })],
      ['/a', '/c', '--domain=shop.acme.com'],
    ],
    ['the same path of one domain', [rule('/a', '/b')], ['/a', '/c', '--domain=acme.com']],
    ['another site’s address', [], ['/a', 'https://else.example/a']],
    [
      'another domain of the site',
      [rule('/x', '/y', { domain: 'acme.com' })],
      ['/a', 'https://acme.com/a', '--domain=www.acme.com'],
    ],
    [
      'a loop that no request can follow',
      [rule('/b', '/a', { traffic_from_country: 'DE' })],
      ['/a', '/b', '--country=NO'],
    ],
    ['into a circle of others', [rule('/b', '/c'), rule('/c', '/b')], ['/a', '/b']],
    ['what only a query leads to', [rule('/b?x=1', '/a')], ['/a', '/b']],
    ['a query to the path', [], ['/a?x=1', '/a']],
  ])('%s is accepted', async (_, rules, words) => {
    expect(saysOf(await add(rules, ...words))).toBe('');
  });

  test('offers to edit the existing rule, and sends all of its fields', async () => {
    const { wrong } = await add([rule('/a', '/b')], '/a', '/c');
    expect(wrong?.offers).toEqual([
      {
        label: 'Change where it leads',
        opens: 'form',
        args: [
          'redirects',
          'edit',
          live.id,
          '/a',
          '--to=/c',
          '--type=permanent',
          '--domain=any',
          '--country=any',
          '--city=any',
        ],
      },
    ]);
    const { action, input, snapshot } = await add([], '/a', 'https://acmе.com/b', '--country=de', '--city=Berlin');
    expect(action.call({ input, snapshot }).body).toEqual({
      action_type: 'NEW',
      new_value: {
        from: '/a',
        to: 'https://acmе.com/b',
        type: 'permanent',
        domain: null,
        traffic_from_country: 'DE',
        traffic_from_city: 'Berlin',
      },
    });
    const facts = Object.entries(action.card({ input, snapshot, now: 0 }).facts ?? {});
    expect(facts.map(([label, value]) => `${label}: ${plain(inline(value))}`)).toEqual([
      'From: /a',
      'To: https://acmе.com/b',
      'Leads to the host: xn--acm-tdd.com',
      'Type: 301, for good: browsers remember it',
      'Domain: all',
      'Visitors from: Berlin, DE',
      'Same path elsewhere: ',
    ]);
    expect(action.undo?.({ input, snapshot })).toEqual([
      'redirects',
      'remove',
      live.id,
      '/a',
      '--domain=any',
      '--country=DE',
      '--city=Berlin',
    ]);
  });

  test('is not superseded by a rule for another path, or by another order', async () => {
    const rules = [rule('/a', '/b', { domain: 'acme.com' }), rule('/a', '/c', { domain: 'shop.acme.com' })];
    const preconditionsOn = async (of: readonly RedirectRule[]): Promise<unknown> => {
      const { action, input, snapshot } = await add(of, '/a', '/x');
      return action.preconditions?.({ input, snapshot });
    };
    const preconditions = await preconditionsOn(rules);
    expect(await preconditionsOn([...rules.toReversed(), rule('/other', '/c')])).toEqual(preconditions);
    expect(await preconditionsOn([...rules, rule('/x', '/a')])).not.toEqual(preconditions);
    expect(await preconditionsOn([...rules, rule('/a', '/y')])).not.toEqual(preconditions);
  });

  test.each([
    ['/a', '/a/', true],
    ['/a', '/a/?x=1', true],
    ['/a/', '/a', true],
    ['/a', '/a/b', false],
    ['/a', '/b', false],
  ])('%s to %s: whether a slash at the end is warned of', (from, to, isWarned) => {
    const input = { env: live, from, to, type: undefined, domain: undefined, country: undefined, city: undefined };
    const { warning } = redirectsAdd.card({ input, snapshot: { whole: true, same: [], loop: null }, now: 0 });
    expect(plain(warning ?? []).includes('with and without a slash')).toBe(isWarned);
    expect(redirectsAdd.isDoubtful?.(input)).toBe(isWarned);
  });

  test('loops are found as by following the rules', () => {
    const site = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 12 })), {
      selector: ([from]) => from,
      minLength: 1,
    });
    fc.assert(
      fc.property(site, ([start, ...others]) => {
        const [first, to] = start ?? [0, 0];
        const next = new Map(others);
        let at: number | undefined = to;
        for (let step = 0; step < 20 && at !== undefined && at !== first; step += 1) at = next.get(at);
        const way = loopFrom(
          rule(`/${first}`, `/${to}`),
          others.map(([from, to]) => rule(`/${from}`, `/${to}`)),
        );
        expect(way !== undefined).toBe(at === first);
        if (way?.[0]) expect(way.at(-1)?.to).toBe(`/${first}`);
      }),
    );
    const chain = Array.from({ length: 25_000 }, (_, at) => rule(`/${at + 1}`, `/${at + 2}`));
    expect(loopFrom(rule('/0', '/1'), chain)).toBeUndefined();
    expect(loopFrom(rule('/0', '/1'), [...chain, rule('/25001', '/0')])).toHaveLength(25_001);
  });
});

describe('picking one rule', () => {
  const three = [
    rule('/a', '/b'),
    rule('/a', '/c', { domain: 'acme.com' }),
    rule('/a', '/d', { domain: 'acme.com', traffic_from_country: 'DE', traffic_from_city: 'Berlin' }),
  ];
  test('one of several is refused with a button for each', async () => {
    const asked = await ask(['redirects', 'edit', live.id, '/a', '--to=/new', '--type=redirect'], new Host(three));
    expect(saysOf(asked)).toBe(
      'acme-shop/live has 3 redirects from /a: /a → /b (301); /a → /c (301), acme.com; /a → /d (301), acme.com, visitors from Berlin, DE. Nothing was changed.',
    );
    expect(hintOf(asked)).toBe('Which one? Add its --domain, --country or --city; any is the one that names none.');
    expect(asked.wrong?.offers?.map(({ label }) => label)).toEqual(three.map(ruleInShort));
    for (const [at, { args }] of (asked.wrong?.offers ?? []).entries()) {
      const picked = await ask(args, new Host(three));
      expect(saysOf(picked)).toBe('');
      expect(callFor(picked).body).toEqual({
        action_type: 'UPDATE',
        new_value: { ...three[at], to: '/new', type: 'redirect' },
        rules_to_update: [three[at]],
      });
    }
  });

  test('one that arguments cannot distinguish from another is left to the host', async () => {
    const twins = [rule('/a', '/b'), rule('/a', '/c')];
    const asked = await ask(['redirects', 'remove', live.id, '/a'], new Host(twins));
    expect(asked.wrong?.offers).toEqual([]);
    expect(hintOf(asked)).toBe("I can't tell them apart: change them in the host's panel.");
  });

  test.each<[string, Args, string]>([
    ['is not there', ['remove', live.id, '/z'], 'acme-shop/live has no redirect from /z. Nothing was changed.'],
    [
      'is not there',
      ['remove', live.id, '/a', '--domain=else.example'],
      'acme-shop/live has no redirect from /a with that domain, country and city. Nothing was changed.',
    ],
    [
      'is so already',
      ['edit', live.id, '/one', '--to=/b'],
      'acme-shop/live already has the redirect /one → /b (301). Nothing was changed.',
    ],
    [
      'is so already',
      ['edit', live.id, '/one', '--type=permanent'],
      'acme-shop/live already has the redirect /one → /b (301). Nothing was changed.',
    ],
    [
      'has no type',
      ['edit', live.id, '/odd', '--to=/x'],
      "The host doesn't give /odd → /b (temporary) a type that I know. Nothing was changed.",
    ],
    [
      'leads nowhere',
      ['edit', live.id, '/nowhere', '--type=redirect'],
      "The host doesn't tell me where /nowhere leads. Nothing was changed.",
    ],
    [
      'leads back',
      ['edit', live.id, '/one', '--to=/two'],
      'Visitors would go around in circles: from there they are sent back to /one by /two → /one (301). Nothing was changed.',
    ],
    ['changes nothing', ['edit', live.id, '/one'], 'What should change? Nothing was done.'],
    ['would lead to itself', ['edit', live.id, '/one', '--to=/one'], 'From and to are both /one. Nothing was done.'],
    [
      'cannot be sent',
      ['remove', live.id, '/bad'],
      'The redirect from /bad has characters that cannot be sent to the host, or is too long. Nothing was changed.',
    ],
  ])('one that %s is refused: %j', async (_, words, says) => {
    const rules = [
      ...three,
      rule('/one', '/b'),
      rule('/two', '/one'),
      rule('/odd', '/b', { type: 'temporary' }),
      rule('/nowhere', '', { to: null }),
      rule('/bad', '/b\u0000'),
    ];
    expect(saysOf(await ask(['redirects', ...words], new Host(rules)))).toBe(says);
  });

  test('opens only the form if nothing was given', async () => {
    expect((await ask(['redirects', 'edit', live.id, '/a', '--domain=any'], new Host(three))).wrong?.unsaid).toBe(true);
  });

  test('is superseded by a second match and by any change of the rule, but not by other rules', async () => {
    const rules = [rule('/a', '/b'), rule('/x', '/y')];
    for (const words of [
      ['edit', live.id, '/a', '--to=/c'],
      ['remove', live.id, '/a'],
    ]) {
      const preconditionsOn = async (of: readonly RedirectRule[]): Promise<unknown> => {
        const { action, input, snapshot } = await ask(['redirects', ...words], new Host(of));
        return action.preconditions?.({ input, snapshot });
      };
      const preconditions = await preconditionsOn(rules);
      expect(await preconditionsOn([rule('/new', '/y'), rule('/a', '/b')])).toEqual(preconditions);
      expect(await preconditionsOn([...rules, rule('/a', '/b', { domain: 'acme.com' })])).not.toEqual(preconditions);
      expect(await preconditionsOn([rule('/a', '/b', { displayed_location: 'x' })])).not.toEqual(preconditions);
      expect(await preconditionsOn([])).not.toEqual(preconditions);
    }
  });

  test('has a card that can be drawn again when the rule is gone', async () => {
    const { action, input } = await ask(['redirects', 'edit', live.id, '/a', '--to=/c'], new Host([rule('/a', '/b')]));
    const { snapshot } = await ask(['redirects', 'edit', live.id, '/a', '--to=/c'], new Host([]));
    expect(plain(action.card({ input, snapshot, now: 0 }).title)).toBe('Change the redirect from /a on acme-shop/live');
    expect(() => action.call({ input, snapshot })).toThrow(TypeError);
  });

  test.each<[string, Partial<RedirectRule>, boolean]>([
    ['everywhere', {}, true],
    [
      'for one domain, country and city',
      { domain: 'acme.com', traffic_from_country: 'DE', traffic_from_city: 'Berlin' },
      true,
    ],
    [
      'with a country name, which arguments cannot express',
      { traffic_from_country: 'DE', traffic_from_country_name: 'Germany' },
      false,
    ],
    ['with a location', { displayed_location: 'Berlin' }, false],
    ['of an unknown type', { type: 'temporary' }, false],
    ['to a place that may not be asked for', { to: '//evil.example' }, false],
    ['that leads to itself', { to: '/a' }, false],
  ])('can be undone after removing if arguments can express the rule: %s', async (_, more, hasUndo) => {
    const { action, input, snapshot } = await ask(
      ['redirects', 'remove', live.id, '/a'],
      new Host([rule('/a', '/b', more)]),
    );
    expect(action.undo?.({ input, snapshot }) !== undefined).toBe(hasUndo);
  });

  test('a form offers the existing paths', async () => {
    const of = {
      company,
      certificate: noCertificate,
      read: new Host([...three, rule('/z', '/b'), rule('', '/x')]).read,
    };
    for (const { dependent } of [redirectsEdit, redirectsRemove]) {
      expect(await dependent?.from?.choices?.({ ...of, input: { env: live } })).toEqual(['/a', '/z']);
      expect(await dependent?.from?.choices?.({ ...of, input: {} })).toEqual([]);
    }
  });
});

describe('nothing is proven by rules that can not be read', () => {
  const gone = rule('/a', '/b');
  test.each<[string, Args, readonly object[], 'yes' | 'not yet']>([
    ['one without a path', ['remove', live.id, '/a'], [{ ...gone, from: null }], 'not yet'],
    ['one without a target', ['remove', live.id, '/a'], [{ ...gone, to: null }], 'not yet'],
    ['one without a type', ['remove', live.id, '/a'], [{ ...gone, type: 7 }], 'not yet'],
    ['one with a domain that is no text', ['remove', live.id, '/a'], [{ ...gone, domain: 5 }], 'not yet'],
    ['another one without a target', ['remove', live.id, '/a'], [rule('/z', '/y', { to: null })], 'yes'],
    ['none', ['remove', live.id, '/a'], [], 'yes'],
    ['one without a path', ['clear', live.id], [{ ...gone, from: null }], 'not yet'],
    ['one without a target', ['clear', live.id], [{ ...gone, to: null }], 'not yet'],
    ['one without a target', ['clear', live.id, '/b'], [{ ...gone, to: null }], 'not yet'],
    ['none', ['clear', live.id, '/b'], [], 'yes'],
    [
      'one with a domain that is no text',
      ['add', live.id, '/new', '/b'],
      [{ ...rule('/new', '/b'), domain: 5 }],
      'not yet',
    ],
    ['the new one', ['add', live.id, '/new', '/b'], [rule('/new', '/b', { domain: null })], 'yes'],
  ])('%s: %j', async (_, words, left, verdict) => {
    const { action, input, snapshot, wrong } = await ask(['redirects', ...words], new Host([gone]));
    expect(wrong).toBeUndefined();
    const read: HostReader = async (call) =>
      call.reply.parse({
        environment: { container_info: { redirect_rules: { rules: left, redirect_rules_count: left.length } } },
      });
    const current = await action.look?.({ input, read, company, certificate: noCertificate, ...nothingKnown });
    const proof = action.proof?.({ input, snapshot, current });
    expect(proof?.verdict).toBe(verdict);
    // A rule that can't be read does not show that nothing happened either.
    expect(proof?.isUnclear === true).toBe(verdict === 'not yet');
  });
});

describe('a rule with a cell that is no text', () => {
  const odd = { ...rule('/a', '/b'), domain: 5 };
  const whole = { ...rule('/a', '/b'), domain: null };
  test.each<[string, Args, readonly object[]]>([
    ['removing', ['remove', live.id, '/a'], [odd]],
    ['removing the one beside it', ['remove', live.id, '/a'], [odd, whole]],
    ['editing', ['edit', live.id, '/a', '--to', '/c'], [odd]],
    ['clearing', ['clear', live.id], [odd]],
    ['adding', ['add', live.id, '/a', '/b'], [odd]],
  ])('%s is refused, because it may be another rule', async (_, words, rules) => {
    const { wrong } = await ask(['redirects', ...words], new Host(rules));
    expect(plain(inline(wrong?.says))).toContain("can't read all redirects of acme-shop/live");
  });
});

describe('clearing', () => {
  const rules = Array.from({ length: 14 }, (_, at) => rule(`/${at}`, at < 3 ? '/Sale' : '/x'));
  test.each<[string, Args, string, string, string]>([
    [
      'all',
      [],
      'Remove all 14 redirects of acme-shop/live',
      '14 redirects of acme-shop/live will be removed.',
      '/9 → /x (301)\nand 4 more',
    ],
    [
      'some',
      ['sALE'],
      'Remove the 3 redirects with “sALE” of acme-shop/live',
      '3 redirects of acme-shop/live will be removed.',
      '/2 → /Sale (301)',
    ],
  ])('has a card that says how many and which: %s', async (_, words, title, warning, last) => {
    const { action, input, snapshot } = await ask(['redirects', 'clear', live.id, ...words], new Host(rules));
    const card = action.card({ input, snapshot, now: 0 });
    expect(plain(card.title)).toBe(title);
    expect(plain(inline(card.warning))).toBe(`${warning} I can't undo this.`);
    expect(card.warning?.[0]).toEqual({ text: warning, style: 'bold' });
    expect(plain(inline(card.facts?.['Redirects'])).endsWith(last)).toBe(true);
    expect(action).not.toHaveProperty('undo');
    const body =
      words.length === 0
        ? { action_type: 'DELETE_ALL' }
        : { action_type: 'DELETE', rules_to_update: rules.slice(0, 3) };
    expect(action.call({ input, snapshot }).body).toEqual(body);
  });

  test.each<[string, readonly RedirectRule[], Args, string]>([
    ['nothing', [], [], 'acme-shop/live has no redirects.'],
    ['no match', rules, ['zzz'], 'No redirect of acme-shop/live has “zzz” in its path, target or domain.'],
    ['a rule that cannot be sent', [rule('/a', '/b\u0000')], ['/a'], 'has characters that cannot be sent to the host'],
    [
      'too many by name',
      Array.from({ length: 5_001 }, (_, at) => rule(`/${at}`, '/x')),
      ['/x'],
      '5,001 redirects have “/x” in them; at most 5000 can be named at once.',
    ],
  ])('%s is refused', async (_, of, words, says) => {
    const asked = await ask(['redirects', 'clear', live.id, ...words], new Host(of, { kind: 'all at once' }));
    expect(saysOf(asked)).toContain(says);
    expect(saysOf(asked)).toMatch(/Nothing was changed\.$/);
  });

  test('is superseded by one more rule that it would remove', async () => {
    const preconditionsOn = async (of: readonly RedirectRule[], ...words: Args): Promise<unknown> => {
      const { action, input, snapshot } = await ask(['redirects', 'clear', live.id, ...words], new Host(of));
      return action.preconditions?.({ input, snapshot });
    };
    expect(await preconditionsOn([...rules, rule('/more', '/x')])).not.toEqual(await preconditionsOn(rules));
    expect(await preconditionsOn([...rules.toReversed(), rule('/more', '/x')], 'sale')).toEqual(
      await preconditionsOn(rules, 'sale'),
    );
  });
});

describe('listing', () => {
  const rules = [
    rule('/b', '/x', { type: 'redirect', domain: 'acme.com', traffic_from_country: 'DE', traffic_from_city: 'Berlin' }),
    rule('/a', '/Sale', { type: 'temporary' }),
    rule('/c', '/x', { type: null, traffic_from_country_name: 'Norway' }),
  ];
  const list: AnyReport = redirectsList;
  const around = {
    company,
    certificate: noCertificate,
    ...reportDefaults,
  };
  const show = async (host: Host, ...words: Args) => {
    const { input } = parsedFrom(['redirects', 'list', live.id, ...words]);
    const page = await list.show({ ...around, input, read: host.read });
    const [part] = page.parts;
    const rows = part?.kind === 'list' ? part.entries.map(plain) : [];
    return { title: plain(page.title), rows, says: part?.kind === 'text' ? plain(part.text) : '', page };
  };

  test('shows each rule in a line, in the order of the host', async () => {
    const { title, rows, page } = await show(new Host(rules));
    expect(title).toBe('acme-shop/live · redirects · 3 redirects');
    expect(rows).toEqual([
      '• /b → /x (302), acme.com, visitors from Berlin, DE',
      '• /a → /Sale (temporary)',
      '• /c → /x (unknown type), visitors from Norway',
    ]);
    expect(page.offers).toEqual([{ label: 'Add a redirect', opens: 'form', args: ['redirects', 'add', live.id] }]);
    expect((await show(new Host(Array.from({ length: 3_000 }, (_, at) => rule(`/${at}`, '/x'))))).rows).toHaveLength(
      3_000,
    );
  });

  test.each<[Args, readonly string[]]>([
    [['SALE'], ['/a']],
    [['acme'], ['/b']],
    [['--sort=from'], ['/a', '/b', '/c']],
    [
      ['--sort=from', '--descending'],
      ['/c', '/b', '/a'],
    ],
    [['--sort=type'], ['/c', '/b', '/a']],
    [
      ['zzz', '--regex'],
      ['/b', '/a', '/c'],
    ],
  ])('%j is searched and sorted here too if the host does not; an expression never is', async (words, froms) => {
    expect((await show(new Host(rules), ...words)).rows.map((line) => line.split(' ')[1])).toEqual(froms);
  });

  test('lets the host search and sort if it can', async () => {
    const asked: unknown[] = [];
    const host = new Host(rules);
    const read: HostReader = (call) => {
      asked.push(call.query);
      return new Host(rules).read(call);
    };
    host.read = read;
    await show(host, '^/a', '--regex', '--sort=to', '--descending');
    await show(host, 'sale');
    expect(asked).toEqual([
      { limit: 500, offset: 0, key: 'to', order: 'descend', search_query: '^/a', regex_search: 'true' },
      { limit: 500, offset: 0, search_query: 'sale', regex_search: 'false' },
    ]);
  });

  test('says what is not known of the rules', async () => {
    const listing = (found: readonly object[], count: number) => {
      const host = new Host([]);
      host.read = async (call) =>
        call.reply.parse({
          environment: { container_info: { redirect_rules: { rules: found, redirect_rules_count: count } } },
        });
      return show(host);
    };
    const says =
      "I can't read all redirects of acme-shop/live, or not every part of them, so something may be missing here.";
    const none = await listing([], 40);
    expect([none.title, none.says]).toEqual(['acme-shop/live · redirects · at least 0 redirects', says]);
    const odd = await listing([rule('/a', '', { to: null }), rule('', '/b', { from: null }), rule('/c', '')], 3);
    expect(odd.says).toBe(says);
    expect(odd.page.parts.flatMap((part) => (part.kind === 'list' ? part.entries.map(plain) : []))).toEqual([
      '• /a → unknown (301)',
      '• unknown → /b (301)',
      '• /c → nothing (301)',
    ]);
  });

  test('says what to do if there are no rules', async () => {
    expect((await show(new Host([]))).says).toBe(
      'acme-shop/live has no redirects. Add the first one with /site redirects add.',
    );
    expect((await show(new Host(rules), 'zzz')).says).toBe(
      'No redirect of acme-shop/live matches. Leave the search out to see all of them.',
    );
  });

  test.each<[Args, string, string]>([
    [['--regex'], 'search', 'There is no expression to search for.'],
    [['(', '--regex'], 'search', '( is not a regular expression.'],
    [['--descending'], 'sort', 'There is nothing to sort by.'],
  ])('%j is refused before anything is read', (words, field, says) => {
    const { input } = parsedFrom(['redirects', 'list', live.id, ...words]);
    const wrong = list.invalid?.(input);
    expect(wrong?.field).toBe(field);
    expect(saysOf({ wrong })).toBe(`${says} Nothing was done.`);
    expect(hintOf({ wrong })).not.toBe('');
  });
});

describe('a rule shows its domain, also if it has none', () => {
  const everyDomain = { from: '/a', to: '/b', type: 'permanent', domain: null };
  const onLogin = { ...everyDomain, domain: 'https://login.acme.com' };
  const { domain: _, ...silent } = everyDomain;
  const bodyOf = async (rules: readonly RedirectRule[], ...words: Args): Promise<unknown> => {
    const asked = await ask(words, new Host(rules));
    expect(saysOf(asked)).toBe('');
    return callFor(asked).body;
  };

  test.each<[string, RedirectRule, readonly string[], object]>([
    ['as null', everyDomain, [], { ...everyDomain }],
    ['with its scheme', onLogin, ['--domain=login.acme.com'], { ...onLogin }],
    ['as the empty text it was read as', { ...everyDomain, domain: '' }, [], { ...everyDomain, domain: '' }],
    ['as null if the host omits it', silent, [], { ...everyDomain }],
  ])('%s', async (_, rule, selected, named) => {
    expect(await bodyOf([rule], 'redirects', 'edit', live.id, '/a', '--to=/c', ...selected)).toEqual({
      action_type: 'UPDATE',
      new_value: { ...named, to: '/c' },
      rules_to_update: [named],
    });
    const removal = { action_type: 'DELETE', rules_to_update: [named] };
    expect(await bodyOf([rule], 'redirects', 'remove', live.id, '/a', ...selected)).toEqual(removal);
    expect(await bodyOf([rule], 'redirects', 'clear', live.id, '/b')).toEqual(removal);
  });

  test('a new rule too, with its type', async () => {
    expect(await bodyOf([], 'redirects', 'add', live.id, '/a', '/b')).toEqual({
      action_type: 'NEW',
      new_value: everyDomain,
    });
  });

  test('a scheme in the address does not make it another domain', async () => {
    const clash = await ask(['redirects', 'add', live.id, '/a', '/z', '--domain=login.acme.com'], new Host([onLogin]));
    expect(saysOf(clash)).toContain('already redirects that path');
    const circle = await ask(['redirects', 'add', live.id, '/b', 'https://login.acme.com/a'], new Host([onLogin]));
    expect(saysOf(circle)).toContain('in circles');
    const added = await ask(['redirects', 'add', live.id, '/a', '/b', '--domain=login.acme.com'], new Host([]));
    const { look } = await ask(added.words, new Host([onLogin]));
    expect(verdictOf(added, await look())).toBe('yes');
    const removed = await ask(added.action.undo?.(added) ?? [], new Host([onLogin]));
    expect(saysOf(removed)).toBe('');
    expect(removed.action.undo?.(removed)).toContain('--domain=https://login.acme.com');
  });
});

test.each(['document', 'kinsta'] as const)('the stand-in behaves as the service is documented: %s', async (dialect) => {
  const hosting = await start({ dialect });
  const path = (call: { readonly path: string }): string => call.path.replace(live.id, shopLive);
  const host = {
    read: (async (call) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(call.query ?? {})) query.set(name, String(value));
      return call.reply.parse((await callOf(hosting, 'GET', `${path(call)}?${query.toString()}`)).body);
    }) satisfies HostReader,
  };
  const did = async (words: Args): Promise<Args | undefined> => {
    const asked = await ask(words, host);
    expect(saysOf(asked)).toBe('');
    const call = callFor(asked);
    expect((await callOf(hosting, 'POST', path(call), { body: call.body })).status).toBe(200);
    expect(verdictOf(asked, await asked.look())).toBe('yes');
    return asked.action.undo?.(asked);
  };
  const listed = async (): Promise<readonly string[]> => setOf((await allRules(host.read, live)).rules);
  const snapshot = await listed();
  const removal = await did(['redirects', 'add', live.id, '/brand-new', '/shop/', '--domain=acme.com', '--country=DE']);
  const back = await did(['redirects', 'edit', live.id, '/brand-new', '--to=https://else.example/', '--type=redirect']);
  await did(back ?? []);
  const again = await did(removal ?? []);
  expect(await listed()).toEqual(snapshot);
  await did(again ?? []);
  await did(['redirects', 'clear', live.id, '/BRAND-new']);
  expect(await listed()).toEqual(snapshot);
  await did(['redirects', 'clear', live.id]);
  expect(await listed()).toEqual([]);
});

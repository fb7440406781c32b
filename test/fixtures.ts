import type { Listing } from '../src/hosting/names.ts';
import * as fc from 'fast-check';
import { catalogue, type Command } from '../src/commands/index.ts';
import { isName } from '../src/commands/kit/action.ts';
import type { Field, Fields } from '../src/commands/kit/fields.ts';
import { rights } from '../src/commands/rights.ts';
import { analyze } from '../src/commands/logs/analyze.ts';
import type { ReportContext } from '../src/commands/kit/report.ts';
import type { LookSources, Sources } from '../src/commands/kit/sources.ts';
import { Refusal } from '../src/base/errors.ts';
import type { HostReader } from '../src/hosting/contract/call.ts';
import type { Company, Domain, Environment } from '../src/hosting/contract/target.ts';
import type { Person } from '../src/access/access-check.ts';
import type { ChangeContext } from '../src/change/context.ts';
import { createSight } from '../src/access/sight.ts';
import type { PipelineContext } from '../src/talk/context.ts';
import type { Asking } from '../src/decide/admin-actions.ts';
import type { ParsedCommand, Given } from '../src/language/bind-arguments.ts';
import type { KnownNames } from '../src/language/resolve.ts';
import { loadPolicy } from '../src/policy/load.ts';
import { mistakeLine } from '../src/policy/yaml-document.ts';
import type { Policy } from '../src/policy/rules.ts';
import { createSiteCheck } from '../src/site-check/site-check.ts';
import type { Change } from '../src/storage/changes.ts';
import { plain, say } from '../src/words/text.ts';
import { codePoint } from './code-points.ts';

/** Fixtures for tests of pure code: a company, its people, their rules, and a change. */

export const uuid = (end: number): string => `00000000-0000-4000-8000-${String(end).padStart(12, '0')}`;

export function environment(name: string, end: number): Environment {
  const [site = '', own] = name.split('/');
  return { kind: 'environment', id: uuid(end), name, live: own === 'live', site: { id: uuid(900), name: site } };
}
export const live = environment('acme-shop/live', 1);
export const staging = environment('acme-shop/staging', 2);
export const blog = environment('acme-blog/live', 3);
export const shopDomain: Domain = { kind: 'domain', id: uuid(50), name: 'acme.com', site: live.site };
/** A machine without certificates. */
export const noCertificate: Sources['certificate'] = () => ({ wrong: say`There is none. Nothing was done.` });
/** An environment without timed access. */
export const nothingKnown: Pick<LookSources, 'timed' | 'imagesOff'> = {
  timed: async () => [],
  imagesOff: 'off',
};
/** Defaults for a report's context; logs are analysed in this thread, not in a worker. */
export const reportDefaults: Omit<ReportContext, keyof Sources> = {
  now: 0,
  zone: 'UTC',
  ...nothingKnown,
  alias: () => 'client-3f2a',
  analyzeLog: (look, recall) => analyze(look, () => 'client-3f2a', recall),
  sentChanges: async () => [],
  seen: { environment: () => true, domain: () => true },
  withheld: () => undefined,
  each: () => Promise.reject(new Error('no test reads many environments here')),
  everything: () => ({ kind: 'environments', all: [live, staging], trouble: undefined }),
  siteCheck: {
    planFor: ({ name }) => ({ kind: 'cannot be checked', why: say`this test does not check ${name}` }),
    read: () => Promise.reject(new Error('no test reads a site here')),
    readOn: () => Promise.reject(new Error('no test reads a site here')),
    instead: undefined,
  },
};
/** Reads all of many environments at once. */
export const readEach =
  (read: HostReader): ReportContext['each'] =>
  async ({ all, first, work }) => {
    await first?.(read);
    return Promise.all(
      all.map(async (env) => ({ env, paths: [], part: { kind: 'found', found: await work(env, read) } as const })),
    );
  };
/** A listing before the host has listed anything. */
export const emptyListing: Listing = {
  at: undefined,
  environments: [],
  domains: [],
  environmentDomains: [],
  company: undefined,
  sitesAt: undefined,
  domainsAt: undefined,
  environmentsReadAt: undefined,
  domainsReadAt: undefined,
  cut: false,
  trouble: undefined,
};
/** A host that names no domain of any environment, so that no site is read around a change. */
export const noSites: Pick<ChangeContext, 'listing' | 'siteCheck'> = {
  listing: () => ({
    ...emptyListing,
    at: 0,
    sitesAt: 0,
    domainsAt: 0,
    environmentsReadAt: 0,
    domainsReadAt: 0,
  }),
  siteCheck: createSiteCheck({ now: () => 0 }),
};
const defaults = { leastTtl: undefined, imagesOff: 'off', listing: () => emptyListing, onCommand: () => undefined };
/** A context with only these parts. Access to another one throws an error that names it. */
export const contextWith = (parts: Partial<PipelineContext>): PipelineContext =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The proxy throws for missing parts.
  new Proxy({ ...defaults, ...parts } as PipelineContext, {
    get: (of, key): unknown => {
      if (!Reflect.has(of, key)) throw new Error(`this test's context has no ${String(key)}`);
      return Reflect.get(of, key);
    },
  });
/** A member who is answered by the command `path`. */
export const askingFor = (context: PipelineContext, person: Person, path: string): Asking => ({
  person,
  authorization: undefined,
  inbox: undefined,
  sight: createSight(context, person, path),
  saidIn: async () => undefined,
  cardChannel: async () => ({ id: person.id, shared: false }),
});
export const company: Company = { kind: 'company', id: uuid(99), name: 'Acme' };
export const names: KnownNames = { environments: [blog, live, staging], domains: [shopDomain] };

export const ana: Person = {
  id: 'U01ANA',
  name: 'Ana',
  team: 'T1',
  standing: 'member',
  groups: [],
  zone: 'Europe/Berlin',
};

/** Another member of the workspace. */
export const member = (id: string, name: string, more: Partial<Person> = {}): Person => ({ ...ana, id, name, ...more });
export const chi = member('U03CHI', 'Chi');
export const dee = member('U04DEE', 'Dee');
export const fay = member('U05FAY', 'Fay');
/** May only read. */
export const rob = member('U06ROB', 'Rob');

/** The policy in this file; a mistake in it fails the test. */
export function policyFrom(text: string): Policy {
  const loaded = loadPolicy(text, rights);
  if (loaded.kind === 'mistakes') throw new Error(loaded.mistakes.map(mistakeLine).join('\n'));
  return loaded.policy;
}

export const policyOf = (...rules: readonly string[]): Policy =>
  policyFrom(
    `version: 1\nlive: ["*/live"]\ngroups:\n  developers: [U01ANA]\n  leads: [U03CHI, U04DEE]\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`,
  );

export function commandAt(path: string): Command {
  const command = catalogue.get(path);
  if (command === undefined) throw new Error(`no command ${path}`);
  return command;
}

export const parsedFor = (path: string, given: Given, more: Partial<ParsedCommand> = {}): ParsedCommand => ({
  path,
  command: commandAt(path),
  given,
  reason: undefined,
  dryRun: false,
  ...more,
});

/** The refusal that `work` throws; anything else, or nothing, fails the test. */
export function refusalOf(work: () => unknown): Refusal {
  try {
    const result = work();
    throw new Error(`nothing was refused: ${JSON.stringify(result)}`);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
export const refusalText = (refusal: Refusal): string => `${plain(refusal.says)} ${plain(refusal.hint)}`.trim();

export const changeOf = (more: Partial<Change> = {}): Change => ({
  caller: null,
  caller_request: null,
  scheduled_at: null,
  post_review: null,
  batch: null,
  progress: null,
  number: 1042,
  command: 'cache clear',
  risk: 'routine',
  args: JSON.stringify(['cache', 'clear', live.id]),
  target: `environment:${live.id}`,
  target_name: live.name,
  cools_down: 0,
  targets: JSON.stringify([live]),
  snapshot: 'null',
  preconditions: 'null',
  call: '{}',
  card: JSON.stringify({
    title: say`Clear the cache of ${live.name}`,
    done: say`Cleared the cache of ${live.name}`,
    facts: [['Clears', say`the page cache`]],
  }),
  fingerprint: 'a'.repeat(64),
  reason: null,
  request: null,
  requester: ana.id,
  requester_name: ana.name,
  requester_team: ana.team,
  handed_on_by: null,
  channel: 'C1',
  authorization: JSON.stringify({ approval: 'none', rules: [7], policy: 'p' }),
  state: 'approved',
  version: 1,
  created_at: 1_000,
  expires_at: 301_000,
  settled_at: null,
  due_at: 1_000,
  owner: null,
  lease_until: null,
  attempts: 0,
  throttle_count: 0,
  sent_at: null,
  receipt: null,
  operation: null,
  poll_state: null,
  lost_at: null,
  reminders: null,
  last_note: null,
  undo: null,
  ...more,
});

const octet = fc.integer({ min: 1, max: 254 });
/** Addresses and ranges that may be allowed, in canonical spelling. */
export const address: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.')),
  fc.tuple(octet, octet, octet).map((parts) => `${parts.join('.')}.0/24`),
  octet.map((part) => `${part}.0.0.0/8`),
  fc.integer({ min: 1, max: 0xffff }).map((part) => `2001:db8::${part.toString(16)}`),
  fc.integer({ min: 1, max: 0xffff }).map((part) => `2001:db8:${part.toString(16)}::/48`),
);
/** Paths below the root of a site, as `--only` takes them. */
export const path: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom('wp-content', 'uploads', 'a b', 'ä', 'a\u0308', '.htaccess', '--x', '2026', '😀', "it's", 'x=y'),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((parts) => parts.join('/'));
/** Arbitrary text: markup, control characters, lone surrogates, other scripts, long text. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc.constantFrom(
    '<!channel> <@U123|bob> <#C1|x>',
    '&lt;!here&gt;',
    '<https://evil.example|acme.com>',
    '*bold* _it_ ~no~ `code` ```pre```',
    'a\r\n✅ **Done** · #1',
    '\u202Elive\u200B\uFEFF\u0000\u001B[31m',
    '\uD83D',
    '👩‍👩‍👧 ok',
    '__proto__',
    "'; DROP TABLE changes; --",
    '{"a":1}',
    '\u{E0061}\u{E0062}',
    '',
    ' ',
    '\u00A0\u2028',
  ),
  fc.integer({ min: 1, max: 9_000 }).map((length) => '<&"\\\n😀'.repeat(length / 6)),
);

/** Valid text for a field, in its canonical spelling. */
export function wordsFor(field: Field, name: string): fc.Arbitrary<readonly string[]> {
  if (field.kind === 'environment') return fc.constantFrom(...names.environments).map(({ id }) => [id]);
  if (field.kind === 'domain') return fc.constantFrom(...names.domains).map(({ id }) => [id]);
  if (isName(field)) return fc.constant([uuid(900)]);
  if (field.choices) return fc.constantFrom(...field.choices).map((choice) => [choice]);
  switch (name) {
    case 'addresses':
      return fc.uniqueArray(address, { minLength: 1, maxLength: 12 });
    case 'address':
      return fc.constantFrom(['203.0.113.7'], ['2001:db8::4']);
    case 'older':
      return fc.constantFrom(['1d'], ['1h30m']);
    case 'for':
      return fc.integer({ min: 5, max: 1_000 }).map((minutes) => field.show(minutes * 60_000));
    case 'since':
    case 'until':
      return fc.constantFrom(['1h30m'], ['14:05'], ['yesterday'], ['2026-03-01 14:05'], ['0s']);
    case 'lines':
    case 'number':
      return fc.integer({ min: 1, max: 20_000 }).map((value) => [String(value)]);
    case 'only':
      return fc.uniqueArray(path, { minLength: 1, maxLength: 12 });
    case 'path':
      return path.filter((one) => !one.startsWith('--')).map((one) => [one]);
    case 'depth':
      return fc.integer({ min: 1, max: 10 }).map((value) => [String(value)]);
    case 'themes':
      return fc.uniqueArray(fc.constantFrom('harvest', 'kiln', 'Divi', 'twenty.five_5', '__proto__', '--x'), {
        minLength: 1,
      });
    case 'visitor':
      return fc.constantFrom(['client-3f2a1c'], ['client-00ff']);
    case 'displayName':
      return fc.constantFrom(['Acme'], ['Acme', 'Shop', '2'], ['--', 'Ä/B', '--new', '“x”']);
    case 'from':
      return fc.constantFrom(['/old'], ['/a/b?x=1&y=%20'], ['/ü'], ['/--x']);
    case 'to':
      return fc.constantFrom(['/new'], ['/'], ['https://acme.com/new?x=1#y'], ['HTTP://acme.com']);
    case 'domain':
      return fc.constantFrom(['acme.com'], ['shop.acme.com'], ['xn--bcher-kva.example']);
    case 'certificate':
      return fc.constantFrom(['acme'], ['acme.com-2026'], ['--x']);
    case 'name':
      return fc.constantFrom(['@'], ['www'], ['*'], ['_dmarc'], ['www.acme.com'], ['mail.acme.com.']);
    case 'ttl':
      return fc.constantFrom(['0'], ['300'], ['2147483647']);
    case 'add':
    case 'remove':
      return fc.uniqueArray(fc.constantFrom('192.0.2.7', '10 mx.acme.com', 'v=spf1 a, b', '"x y"', '--x', 'a=b'), {
        minLength: 1,
        maxLength: 4,
      });
    case 'country':
      return fc.constantFrom(['DE'], ['NO']);
    case 'city':
      return fc.constantFrom(['Berlin'], ['São Paulo'], ['--x']);
    case 'names':
      return fc.constantFrom(['acme-shop'], ['acme-shop/live', 'acme-docs']);
    case 'quiet':
      return fc.constantFrom(['22:00-07:00'], ['00:00-23:59']);
    case 'match':
    case 'search':
      return printable.filter((word) => !/\p{Cc}/u.test(word)).map((word) => [word]);
    case 'person':
    case 'by':
      return fc.constantFrom(['@U01ANA'], ['@W0BEN12345']);
    case 'why':
      return fc.constantFrom(['release', '42'], ['maintenance'], ['--', 'it', 'is', '--urgent']);
    case 'pause':
      return fc.constantFrom(['1767225600000']);
    case 'command':
      return fc.constantFrom(['cache', 'clear'], ['logs']);
    default:
      throw new Error(`a new field: say here what words ${name} takes`);
  }
}

/** Text that somebody may type within quotes or into a form: not blank, without hidden characters. */
export const printable: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.constantFrom(
      '--force',
      '--',
      '-',
      '—',
      '–dry-run',
      '--reason=x',
      '=',
      'a=b',
      '"',
      '\\',
      '\\"',
      "it's",
      "'",
      '“x”',
      '«',
      '&lt;',
      '&amp;',
      '<@U1|bob>',
      '<!here>',
      '<http://a.com|b>',
      'a  b',
      'ä/ö',
      '😀',
      'x\ty',
      '__proto__',
      '10.0.0.0/8',
      'acme-shop/live',
      '*_~`',
    ),
  )
  .map((word) => word.trim())
  .filter((word) => word !== '');

/** Text for some of these fields, by field. */
export const givenFor = (
  fields: Fields,
  wordsOf: (field: Field, name: string) => fc.Arbitrary<readonly string[]>,
): fc.Arbitrary<Given> =>
  fc
    .tuple(
      ...Object.entries(fields).map(([name, field]) =>
        fc.option(wordsOf(field, name)).map((words) => ({ name, words })),
      ),
    )
    .map((said) =>
      Object.fromEntries(said.flatMap(({ name, words }) => (words === null ? [] : [[name, words] as const]))),
    );

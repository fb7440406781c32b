import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { domainsAdd, certificateName, certificateCovers } from '../../src/commands/domains/add.ts';
import { domainsList } from '../../src/commands/domains/list.ts';
import { domainsRecords } from '../../src/commands/domains/records.ts';
import { hostname, hostnameIn } from '../../src/commands/kit/values/hostnames.ts';
import { catalogue } from '../../src/commands/index.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import type { Sources } from '../../src/commands/kit/sources.ts';
import type { Certificate } from '../../src/hosting/contract/domains.ts';
import type { Read, HostReader } from '../../src/hosting/contract/call.ts';
import type { Company } from '../../src/hosting/contract/target.ts';
import { parse } from '../../src/language/parse.ts';
import { inline, plain, say, time } from '../../src/words/text.ts';
import {
  company,
  hostile,
  live,
  noCertificate,
  nothingKnown,
  refusalOf,
  refusalText,
  shopDomain,
  uuid,
  reportDefaults,
} from '../fixtures.ts';

type Listed = {
  readonly id?: string;
  /** A number is what can't be read. */
  readonly name?: string | number;
  readonly site_id?: string | null;
  readonly is_active?: boolean;
};

/** A host that lists these domains and gives this answer to 4.5. */
function host(domains: readonly Listed[], records: object = {}, dns?: readonly object[]) {
  const asked: string[] = [];
  const read: HostReader = async <R>(call: Read<R>): Promise<R> => {
    asked.push(call.section);
    if (call.section === '4.6a') return call.reply.parse({ domain: { dns_records: dns } });
    return call.reply.parse(call.section === '4.7' ? { company: { domains } } : records);
  };
  return { read, asked };
}
const certificate: Certificate = {
  key: { $secret: 'shop.key', sha256: 'a'.repeat(64) },
  chain: { $secret: 'shop.pem', sha256: 'b'.repeat(64) },
  names: ['new.example', '*.new.example'],
  validUntil: Date.UTC(2030, 0, 2),
};
type Input = Parameters<typeof domainsAdd.call>[0]['input'];
const input = (more: Partial<Input> = {}): Input => ({
  env: live,
  domain: 'new.example',
  www: false,
  noWildcard: false,
  setup: undefined,
  certificate: undefined,
  ...more,
});
const usual: readonly Listed[] = [
  { id: uuid(50), name: 'acme.com', site_id: uuid(900), is_active: true },
  { id: uuid(51), name: 'Bücher.example', site_id: null },
];

/** Checks a request at that host: its input, its snapshot, and `wrong` if it is refused. */
async function held(more: Partial<Input>, domains = usual, found: ReturnType<Sources['certificate']> = certificate) {
  const of = { input: input(more) };
  const look = async (listed: readonly Listed[], chosen = found) => {
    const seen = await domainsAdd.look?.({
      ...of,
      read: host(listed).read,
      company,
      certificate: () => chosen,
      ...nothingKnown,
    });
    if (seen === undefined) throw new Error('nothing was looked at');
    expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
    return seen;
  };
  const snapshot = await look(domains);
  return {
    ...of,
    snapshot,
    look,
    wrong: domainsAdd.invalid?.(of.input) ?? domainsAdd.impossible?.({ ...of, snapshot }),
  };
}

describe('adding a domain', () => {
  test.each<[string, Partial<Input>, object]>([
    ['as it comes', {}, { is_wildcardless: false, add_with_www_subdomain: false, setup_type: 'quick' }],
    ['with www', { www: true }, { is_wildcardless: false, add_with_www_subdomain: true, setup_type: 'quick' }],
    [
      'bare and slowly',
      { noWildcard: true, setup: 'avoid_downtime' },
      { is_wildcardless: true, add_with_www_subdomain: false, setup_type: 'avoid_downtime' },
    ],
    [
      'with a certificate',
      { certificate: 'shop' },
      {
        is_wildcardless: false,
        add_with_www_subdomain: false,
        setup_type: 'quick',
        custom_ssl_key: certificate.key,
        custom_ssl_cert: certificate.chain,
      },
    ],
  ])('sends all optional fields: %s', async (_, more, body) => {
    const { wrong, ...of } = await held(more);
    expect(wrong).toBeUndefined();
    expect(domainsAdd.call(of)).toEqual({
      kind: 'write',
      section: '4.4',
      method: 'POST',
      path: `/sites/environments/${live.id}/domains`,
      body: { domain_name: 'new.example', ...body },
    });
  });

  const bad = { wrong: say`The certificate shop expired on ${time(Date.UTC(2020, 0), 'date')}. Nothing was done.` };
  test.each<[string, Partial<Input>, ReturnType<Sources['certificate']>, string, string]>([
    ['both www and no wildcard', { www: true, noWildcard: true }, certificate, 'noWildcard', 'wildcard'],
    ['one that is there', { domain: 'acme.com' }, certificate, 'domain', 'already a domain of the company'],
    ['one that is there in letters', { domain: 'xn--bcher-kva.example' }, certificate, 'domain', 'already'],
    [
      'a certificate that cannot be used',
      { certificate: 'shop' },
      bad,
      'certificate',
      'expired on 2020-01-01 00:00 UTC',
    ],
    [
      'one for other domains',
      { domain: 'a.b.new.example', certificate: 'shop' },
      certificate,
      'certificate',
      'does not cover',
    ],
    [
      'a certificate without names',
      { certificate: 'shop' },
      { ...certificate, names: [] },
      'certificate',
      'does not cover',
    ],
  ])('refuses %s', async (_, more, found, field, why) => {
    const { wrong, ...of } = await held(more, usual, found);
    expect(wrong?.field).toBe(field);
    expect(plain(inline(wrong?.says))).toContain(why);
    expect(plain(inline(wrong?.says))).toMatch(/Nothing was done\.$/);
    expect(() => domainsAdd.card({ ...of, now: 1 })).not.toThrow();
  });

  test('is not sent with a certificate that cannot be used', async () => {
    const { wrong, ...of } = await held({ certificate: 'shop' }, usual, bad);
    expect(wrong).toBeDefined();
    expect(() => domainsAdd.call(of)).toThrow(TypeError);
  });

  test('has the domain’s presence and the certificate as preconditions, not other domains', async () => {
    const of = await held({ certificate: 'shop' });
    const preconditions = async (listed: readonly Listed[], chosen: ReturnType<Sources['certificate']> = certificate) =>
      domainsAdd.preconditions?.({ input: of.input, snapshot: await of.look(listed, chosen) });
    const now = await preconditions(usual);
    expect(await preconditions([{ id: uuid(7), name: 'other.example' }])).toEqual(now);
    expect(await preconditions(usual, { ...certificate, names: ['new.example'] })).toEqual(now);
    expect(await preconditions([...usual, { id: uuid(7), name: 'NEW.example' }])).not.toEqual(now);
    expect(
      await preconditions(usual, { ...certificate, key: { ...certificate.key, sha256: 'c'.repeat(64) } }),
    ).not.toEqual(now);
    expect(await preconditions(usual, bad)).not.toEqual(now);
  });

  test('is refused while an entry that can not be read may be the domain, and is not proven by it', async () => {
    const odd = [...usual, { name: 5 }];
    const { wrong, input, snapshot, look } = await held({}, odd);
    expect(plain(inline(wrong?.says))).toContain("I can't tell whether new.example is one of them. Nothing was done.");
    const current = await look(odd);
    expect(domainsAdd.proof?.({ input, snapshot, current }).verdict).toBe('not yet');
    const before = { input, snapshot: await look(usual) };
    expect(domainsAdd.preconditions?.({ input, snapshot: current })).toEqual(domainsAdd.preconditions?.(before));
    expect((await held({ domain: 'acme.com' }, odd)).wrong?.says).not.toEqual(wrong?.says);
  });

  test('is proven by the list alone', async () => {
    const { input, snapshot, look } = await held({});
    const verdict = async (listed: readonly Listed[]) =>
      domainsAdd.proof?.({ input, snapshot, current: await look(listed) }).verdict;
    expect(await verdict(usual)).toBe('not yet');
    expect(await verdict([...usual, { id: uuid(7), name: 'New.Example', site_id: uuid(900) }])).toBe('yes');
    expect(await verdict([...usual, { id: uuid(7), name: 'new.example', site_id: null }])).toBe('yes');
    expect(await verdict([...usual, { id: uuid(7), name: 'new.example', site_id: uuid(901) }])).toBe('no');
    expect(Object.keys(domainsAdd)).not.toContain('undo');
  });

  test('offers the command that shows the records to set', async () => {
    const { wrong, ...of } = await held({});
    expect(wrong).toBeUndefined();
    const [offer] = domainsAdd.next?.({ ...of, sentAt: 0 }) ?? [];
    expect(offer?.args).toEqual(['domains', 'records', 'new.example']);
    expect(parse(offer?.args.join(' ') ?? '', catalogue)).toMatchObject({
      path: 'domains records',
      given: { domain: ['new.example'] },
    });
    expect(domainsAdd.after).toContain('records are set');
  });
});

describe('the card of an added domain', () => {
  const cardOf = async (more: Partial<Input>, found = certificate) => {
    const { wrong, ...of } = await held(more, usual, found);
    expect(wrong).toBeUndefined();
    const { title, warning, facts = {} } = domainsAdd.card({ ...of, now: 1 });
    const shown = Object.entries(facts).map(([label, value]) => [label, plain(inline(value))] as const);
    return { title: plain(title), warning: plain(inline(warning)), facts: Object.fromEntries(shown) };
  };

  test('says everything that will happen', async () => {
    expect(await cardOf({ certificate: 'shop', noWildcard: true })).toEqual({
      title: 'Add new.example to acme-shop/live',
      warning: '',
      facts: {
        Domain: 'new.example',
        Wildcard: 'no',
        www: 'no',
        Setup: 'quick',
        Certificate: 'shop, for new.example, *.new.example, until 2030-01-02 00:00 UTC',
      },
    });
  });

  test('shows a look-alike name as such', async () => {
    const { facts } = await cardOf({ domain: hostname('Domain').read(['Аcme.com']) });
    expect(facts['Domain']).toBe('xn--cme-5cd.com (looks like “аcme.com”)');
  });

  test('warns of names that the certificate does not cover', async () => {
    const narrow = { ...certificate, names: ['new.example'] };
    expect((await cardOf({ certificate: 'shop', www: true }, narrow)).warning).toMatch(
      /^The certificate does not cover www\.new\.example and \*\.new\.example\./,
    );
    expect((await cardOf({ certificate: 'shop', noWildcard: true }, narrow)).warning).toBe('');
    expect((await cardOf({ certificate: 'shop', www: true })).warning).toBe('');
  });
});

describe('a domain name', () => {
  test.each([
    ['Shop.Example.COM', 'shop.example.com'],
    ['acme.com.', 'acme.com'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['ｅxample.com', 'example.com'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('%s is %s', (typed, name) => expect(hostnameIn(typed)).toEqual({ name }));

  test.each([
    ['https://acme.com', 'scheme'],
    ['//acme.com', 'scheme'],
    ['acme.com/shop', 'path'],
    ['acme.com?x', 'path'],
    ['acme.com:443', 'port'],
    ['*.acme.com', 'wildcard'],
    ['acme', 'single word'],
    ['192.0.2.7', 'IP address'],
    ['192.0.2.7.', 'IP address'],
    ['１９２.0.2.7', 'IP address'],
    ['0x7f.1', 'IP address'],
    ['[2001:db8::1]', 'IP address'],
    ['2001:db8::1', 'IP address'],
    [`${'a'.repeat(64)}.com`, 'more than 63'],
    [`${'ä'.repeat(60)}.com`, 'more than 63'],
    [`${'a.'.repeat(126)}com`, 'longer than 253'],
    ['a..com', 'empty part'],
    ['.acme.com', 'empty part'],
    ['-a.com', 'a part that a name cannot have'],
    ['a_b.com', 'characters'],
    ['ana@acme.com', 'characters'],
    ['ac me.com', 'characters'],
    ['ac\u200Bme.com', 'characters'],
    ['ac\u00ADme.com', 'characters'],
    ['ac%61me.com', 'characters'],
    ['xn--a.com', 'letters'],
    ['acme.1', 'letters'],
    ['xn--acme-.com', 'letters'],
    ['', 'characters'],
  ])('%j is refused', (typed, why) => {
    const refusal = refusalOf(() => hostname('Domain').read([typed]));
    expect(refusalText(refusal)).toMatch(new RegExp(why));
    expect(plain(refusal.says)).toMatch(/Nothing was done\.$/);
  });

  test('the parsed name is plain ASCII, and parses to itself', () => {
    const dotted = fc.tuple(hostile, hostile).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.oneof(hostile, dotted, fc.domain()), (typed) => {
        const read = hostnameIn(typed);
        if ('wrong' in read) return;
        expect(read.name).toMatch(/^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/);
        expect(hostnameIn(read.name)).toEqual(read);
      }),
    );
  });
});

test.each([
  [['acme.com'], 'acme.com', true],
  [['*.acme.com'], 'acme.com', false],
  [['*.acme.com'], 'www.acme.com', true],
  [['*.acme.com'], 'a.www.acme.com', false],
  [['*.acme.com'], '*.acme.com', true],
  [['acme.com'], '*.acme.com', false],
  [['*.com'], 'acme.com', true],
  [[], 'acme.com', false],
])('a certificate for %j covers %s: %s', (names, domain, speaks) =>
  expect(certificateCovers(names, domain)).toBe(speaks),
);

test.each(['..', '.', '', '../x', 'a/b', 'x'.repeat(101), 'ä'])('%j names no certificate', (name) =>
  expect(refusalText(refusalOf(() => certificateName.read([name])))).toContain('Nothing was done.'),
);

const around = (read: HostReader, of: Company = company) => ({
  read,
  company: of,
  certificate: noCertificate,
  ...reportDefaults,
});
const rowsOf = ({ parts: [part] }: Page): unknown =>
  part?.kind === 'table' ? part.rows.map((row) => row.map(plain)) : undefined;

describe('the list of domains', () => {
  test('shows the names in order, with what the host says about them', async () => {
    const page = await domainsList.show({ input: { search: undefined }, ...around(host([...usual, {}]).read) });
    expect(plain(page.title)).toBe('Domains · 3 domains');
    expect(rowsOf(page)).toEqual([
      ['without a name', 'not known'],
      ['acme.com', 'yes'],
      ['Bücher.example', 'not known'],
    ]);
    expect(page.offers?.map(({ args }) => args)).toEqual([
      ['domains', 'records', 'acme.com'],
      ['dns', 'list', 'acme.com'],
      ['domains', 'records', 'Bücher.example'],
      ['dns', 'list', 'Bücher.example'],
      ['domains', 'add'],
    ]);
  });

  test('two domains of one name are told apart by their sites', async () => {
    const twice = [...usual, { id: uuid(52), name: 'acme.com', site_id: uuid(901), is_active: true }];
    const page = await domainsList.show({ input: { search: undefined }, ...around(host(twice).read) });
    expect(rowsOf(page)).toEqual([
      ['acme.com', uuid(900), 'yes'],
      ['acme.com', uuid(901), 'yes'],
      ['Bücher.example', '', 'not known'],
    ]);
  });

  test('can be searched', async () => {
    const page = await domainsList.show({ input: { search: 'ACME' }, ...around(host(usual).read) });
    expect(rowsOf(page)).toEqual([['acme.com', 'yes']]);
    const none = await domainsList.show({ input: { search: 'nothing' }, ...around(host(usual).read) });
    expect(none.parts).toMatchObject([{ kind: 'text' }]);
  });

  test('says what can not be read of it', async () => {
    const list = (domains: unknown) =>
      domainsList.show({
        input: { search: undefined },
        ...around(async (call) => call.reply.parse({ company: { domains } })),
      });
    await expect(list(null)).rejects.toThrow('domains');
    const page = await list([null, { name: 'acme.com' }]);
    expect(plain(page.title)).toBe('Domains · 2 domains');
    expect(page.parts.map((part) => (part.kind === 'text' ? plain(part.text) : part.kind))).toEqual([
      "The host lists 1 domain that I can't read.",
      'table',
    ]);
    expect((await list([null])).parts).toHaveLength(1);
  });

  test('is not requested if the company is unknown', async () => {
    const { read, asked } = host(usual);
    const nobody = { ...company, id: '' };
    await expect(domainsList.show({ input: { search: undefined }, ...around(read, nobody) })).rejects.toThrow(
      'which company my key belongs to. Nothing was done.',
    );
    expect(asked).toEqual([]);
  });
});

describe('the records to set', () => {
  const shown = (records: object, dns?: readonly object[]) =>
    domainsRecords.show({ input: { domain: shopDomain }, ...around(host([], records, dns).read) });
  const again = [{ label: 'Check again', args: ['domains', 'records', shopDomain.id] }];

  test('are in one list, ready to copy', async () => {
    const page = await shown({
      site_domain: {
        verification_records: [{ name: '_v.acme.com', value: 'proof', type: 'TXT' }],
        pointing_records: [{ name: 'acme.com', value: '192.0.2.80', type: 'A' }, {}],
      },
    });
    expect(plain(page.title)).toBe('acme.com · records to set · 3 records');
    const entries = page.parts[0]?.kind === 'list' ? page.parts[0].entries : [];
    expect(entries.map(plain)).toEqual([
      'TXT _v.acme.com · for verification · proof',
      'A acme.com · for pointing · 192.0.2.80',
      'for pointing',
    ]);
    expect(entries[0]?.at(-1)).toEqual({ text: 'proof', style: 'code' });
    expect(page.offers).toEqual(again);
  });

  const txt = (value: string, more: object = {}) => ({
    type: 'TXT',
    name: '_v',
    ttl: 60,
    resource_records: [{ value }],
    ...more,
  });
  test.each<[string, readonly object[] | undefined, string | undefined]>([
    ['set, however it is spelled', [txt('"proof"')], 'set'],
    ['missing', [txt('other'), txt('proof', { name: '_w' }), txt('proof', { type: 'CAA' })], 'missing'],
    ['missing from an empty list', [], 'missing'],
    ['unknown, because a record has no name', [txt('proof', { name: 7 })], undefined],
    ['unknown, because its values are not known', [txt('', { resource_records: null })], undefined],
    ['unknown, because the list cannot be read', undefined, undefined],
  ])('say whether each is set: %s', async (_, dns, standing) => {
    const record = { name: '_v.acme.com', value: 'proof', type: 'TXT' };
    const page = await shown({ site_domain: { verification_records: [record], pointing_records: [] } }, dns);
    const [entry = []] = page.parts[0]?.kind === 'list' ? page.parts[0].entries : [];
    expect(plain(entry)).toBe(['TXT _v.acme.com', 'for verification', standing, 'proof'].filter(Boolean).join(' · '));
    expect(plain(say`${page.source}`).includes("can't tell which are set")).toBe(dns === undefined);
  });

  test.each<[string, object, string]>([
    ['are none', { verification_records: [], pointing_records: [] }, 'names no record that has to be set'],
    ['have no list', {}, "I can't read the verification records and the pointing records that the host lists."],
    [
      'are null',
      { verification_records: [], pointing_records: null },
      "I can't read the pointing records that the host lists.",
    ],
    [
      'are odd',
      { verification_records: [null], pointing_records: [] },
      "I can't read some verification records that the host lists.",
    ],
  ])('says so: %s', async (_, site_domain, says) => {
    const page = await shown({ site_domain });
    expect(page.parts).toMatchObject([{ kind: 'text' }]);
    expect(plain(page.parts[0]?.kind === 'text' ? page.parts[0].text : [])).toContain(says);
    expect(page.offers).toEqual(again);
  });

  test('an odd answer does not count as no records', async () => {
    await expect(shown({})).rejects.toThrow('site_domain');
  });
});

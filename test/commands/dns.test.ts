import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dnsList } from '../../src/commands/dns/list.ts';
import {
  recordName,
  comparableValue,
  recordType,
  recordTypes,
  recordValues,
  type RecordType,
} from '../../src/commands/dns/records.ts';
import { dnsSet } from '../../src/commands/dns/set.ts';
import { catalogue } from '../../src/commands/index.ts';
import type { Read, HostReader, Write } from '../../src/hosting/contract/call.ts';
import type { Args } from '../../src/base/errors.ts';
import type { Given } from '../../src/language/bind-arguments.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { canonicalArgs, resolve } from '../../src/language/resolve.ts';
import { join } from '../../src/language/tokenize.ts';
import { inline, joined, plain } from '../../src/words/text.ts';
import {
  company,
  names,
  noCertificate,
  nothingKnown,
  refusalOf,
  refusalText,
  shopDomain,
  uuid,
  reportDefaults,
} from '../fixtures.ts';

/** Each DNS command against a simulated zone that changes as the host's does. */

type Entry = {
  readonly type: string;
  readonly name: string;
  readonly ttl?: number;
  readonly values: readonly string[];
};

const valueList = z.array(z.strictObject({ value: z.string() })).transform((list) => list.map(({ value }) => value));
/** Every change sends all five. */
const changed = z.strictObject({
  type: z.string(),
  name: z.string(),
  ttl: z.number(),
  new_resource_records: valueList,
  removed_resource_records: valueList,
});

class Zone {
  entries: readonly Entry[];
  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }
  read: HostReader = async <R>(call: Read<R>): Promise<R> => {
    if (call.path !== `/domains/${shopDomain.id}/dns-records`) throw new Error(`nobody asked for ${call.path}`);
    const dns_records = this.entries.map(({ values, ...entry }) => ({
      ...entry,
      resource_records: values.map((value) => ({ value })),
    }));
    return call.reply.parse({ domain: { dns_records } });
  };
  write({ body }: Write): void {
    const { type, name, ttl, new_resource_records: added, removed_resource_records: gone } = changed.parse(body);
    const isIt = (one: Entry): boolean => one.type === type && one.name === name;
    const kept = (this.entries.find(isIt)?.values ?? []).filter((value) => !gone.includes(value));
    const values = [...kept, ...added];
    const others = this.entries.filter((one) => !isIt(one));
    this.entries = values.length === 0 ? others : [...others, { type, name, ttl, values }];
  }
  /** The zone's records, independent of order and of how names are spelled. */
  get asText(): readonly string[] {
    return this.entries
      .map(({ type, name, ttl, values }) => `${type} ${fullName(name)} ${ttl} ${[...values].sort().join(' | ')}`)
      .toSorted();
  }
}
function fullName(name: string): string {
  const bare = name.replace(/\.$/, '').toLowerCase();
  return bare === 'acme.com' || bare.endsWith('.acme.com') ? bare : `${bare}.acme.com`;
}

/** A zone that lists exactly this, readable or not. */
class OddZone extends Zone {
  readonly listed: readonly unknown[];
  constructor(listed: readonly unknown[]) {
    super([]);
    this.listed = listed;
  }
  override read: HostReader = async (call) => call.reply.parse({ domain: { dns_records: this.listed } });
}

const inputOf = ({ type = [], name = [], ttl, add, remove }: Given) => ({
  domain: shopDomain,
  type: dnsSet.fields.type.read(type),
  name: dnsSet.fields.name.read(name),
  ttl: ttl && dnsSet.fields.ttl.read(ttl),
  add: add && dnsSet.fields.add.read(add),
  remove: remove && dnsSet.fields.remove.read(remove),
});

/** Checks a request against a zone: its input, its snapshot, and `wrong` if it is refused. */
async function held(given: Given, zone: Zone, leastTtl?: number) {
  const input = inputOf(given);
  const snapshot = await look(input, zone, leastTtl);
  return { input, snapshot, wrong: dnsSet.invalid?.(input) ?? dnsSet.impossible?.({ input, snapshot }) };
}
async function look(input: ReturnType<typeof inputOf>, zone: Zone, leastTtl?: number) {
  const sources = { read: zone.read, company, certificate: noCertificate, leastTtl, ...nothingKnown };
  const records = await dnsSet.look?.({ input, ...sources });
  if (records === undefined) throw new Error('nothing was looked at');
  expect(JSON.parse(JSON.stringify(records))).toEqual(records);
  return records;
}

/** The arguments after storing and parsing them again. */
function readAgain(words: Args): Given {
  const parsed = parse(join(words), catalogue);
  expect(parsed).toEqual(parseArgs(words, catalogue));
  if (parsed === undefined) throw new Error('no words');
  const { input, problems, missing } = resolve(parsed, names);
  expect({ problems, missing }).toEqual({ problems: [], missing: [] });
  expect(canonicalArgs({ parsed, input })).toEqual(words);
  return parsed.given;
}

const usual: readonly Entry[] = [
  { type: 'A', name: 'acme.com', ttl: 3_600, values: ['192.0.2.80'] },
  { type: 'MX', name: 'acme.com.', ttl: 3_600, values: ['10 mx1.post.example', '20 MX2.post.example.'] },
  { type: 'TXT', name: 'acme.com', ttl: 600, values: ['"v=spf1 include:_spf.post.example -all"', '"owner=a, b"'] },
  { type: 'NS', name: 'acme.com', ttl: 86_400, values: ['ns1.names.example', 'ns2.names.example'] },
  { type: 'CNAME', name: 'www', ttl: 300, values: ['acme.com'] },
  { type: 'AAAA', name: 'api.acme.com', ttl: 60, values: ['2001:DB8:0::80'] },
  { type: 'CAA', name: 'api.acme.com', values: ['0 issue "ca.example"'] },
];
const asWords = ([type = '', name = '', ...options]: readonly string[]): Given => {
  const parsed = parse(join(['dns', 'set', shopDomain.id, type, name, ...options]), catalogue);
  return parsed?.given ?? {};
};

describe('a change', () => {
  test.each<[string, readonly string[], object]>([
    [
      'of a record that is not there',
      ['a', 'new', '--add=192.0.2.7'],
      { type: 'A', name: 'new.acme.com', ttl: 3_600, add: ['192.0.2.7'], remove: [] },
    ],
    [
      'in the host’s own spelling of the name',
      ['CNAME', 'www.acme.com', '--add=b.example', '--remove=ACME.com.'],
      { name: 'www', ttl: 300, add: ['b.example'], remove: ['acme.com'] },
    ],
    [
      'of the apex',
      ['MX', '@', '--remove=20 mx2.post.example'],
      { name: 'acme.com.', remove: ['20 MX2.post.example.'] },
    ],
    ['of a text, without its quotes', ['TXT', '@', '--remove=owner=a, b'], { add: [], remove: ['"owner=a, b"'] }],
    ['of a text with a comma', ['TXT', '@', '--add=x, y', '--add=z'], { ttl: 600, add: ['x, y', 'z'], remove: [] }],
    ['of only the TTL', ['A', 'acme.com.', '--ttl=0'], { name: 'acme.com', ttl: 0, add: [], remove: [] }],
    ['of an address in another spelling', ['AAAA', 'api', '--remove=2001:db8::80'], { remove: ['2001:DB8:0::80'] }],
    ['that is half there', ['A', '@', '--add=192.0.2.80', '--add=192.0.2.81'], { add: ['192.0.2.81'] }],
    [
      'with a TTL that the host does not tell',
      ['CAA', 'api', '--ttl=60', '--add=0 iodef "mailto:a@acme.com"'],
      { ttl: 60 },
    ],
    ['of another script', ['A', 'bücher', '--add=192.0.2.7'], { name: 'xn--bcher-kva.acme.com' }],
    ['of a wildcard', ['A', '*', '--add=192.0.2.7'], { name: '*.acme.com' }],
    ['of several labels', ['A', 'www.other.org', '--add=192.0.2.7'], { name: 'www.other.org.acme.com' }],
    ['of one label like the zone’s end', ['A', 'com', '--add=192.0.2.7'], { name: 'com.acme.com' }],
    ['that looks complete, in full', ['A', 'b.com.acme.com', '--add=192.0.2.7'], { name: 'b.com.acme.com' }],
    ['of the largest TTL', ['A', '@', '--ttl=2147483647'], { ttl: 2_147_483_647 }],
  ])('%s', async (_, words, expected) => {
    const { input, snapshot, wrong } = await held(asWords(words), new Zone(usual));
    expect(wrong).toBeUndefined();
    const {
      new_resource_records: add,
      removed_resource_records: remove,
      ...rest
    } = changed.parse(dnsSet.call({ input, snapshot }).body);
    expect({ ...rest, add, remove }).toMatchObject(expected);
  });

  describe('at a host that takes no TTL below 300 seconds', () => {
    test.each<[string, readonly string[], string]>([
      [
        'a lower one',
        ['A', '@', '--ttl=299'],
        'The host accepts no TTL below 300 s. Nothing was done. Type --ttl=300 or more.',
      ],
      [
        'values of a record that has a lower one',
        ['AAAA', 'api', '--add=2001:db8::81'],
        'The AAAA record api.acme.com has a TTL of 60 s, and the host accepts none below 300 s. Nothing was done. Type another one: --ttl=300.',
      ],
    ])('refuses %s', async (_, words, says) => {
      const { wrong } = await held(asWords(words), new Zone(usual), 300);
      expect(wrong?.field).toBe('ttl');
      expect(plain(joined([wrong?.says, wrong?.hint]))).toBe(says);
      expect((await held(asWords(words), new Zone(usual))).wrong).toBeUndefined();
    });

    test.each<[string, readonly string[], object]>([
      ['the least', ['A', '@', '--ttl=300'], { ttl: 300 }],
      ['values of it with a new TTL', ['AAAA', 'api', '--add=2001:db8::81', '--ttl=300'], { ttl: 300 }],
      ['the end of a record that has a lower one', ['AAAA', 'api', '--remove=2001:db8::80'], { ttl: 300 }],
    ])('takes %s', async (_, words, expected) => {
      const zone = new Zone(usual);
      const { input, snapshot, wrong } = await held(asWords(words), zone, 300);
      expect(wrong).toBeUndefined();
      expect(changed.parse(dnsSet.call({ input, snapshot }).body)).toMatchObject(expected);
      // The old TTL could not be sent again.
      const undo = dnsSet.undo?.({ input, snapshot });
      expect(undo === undefined).toBe(words.includes('api'));
    });
  });

  test.each<[string, readonly string[], string, string]>([
    ['nothing', ['A', '@'], 'add', 'What should be changed?'],
    ['a name elsewhere', ['A', 'www.other.org.', '--add=192.0.2.7'], 'name', 'not a name in acme.com'],
    ['a name elsewhere without its dot', ['A', 'www.other.com', '--add=192.0.2.7'], 'name', 'not a name in acme.com'],
    ['a name of 254 characters', ['A', `${'a.'.repeat(122)}a`, '--add=192.0.2.7'], 'name', 'longer than 253'],
    ['the same value both ways', ['TXT', '@', '--add=x', '--remove="x"'], 'remove', 'both added and removed'],
    ['the same address both ways', ['AAAA', '@', '--add=::1', '--remove=0::1'], 'remove', 'both added and removed'],
    ['an invalid address', ['A', '@', '--add=010.0.0.1'], 'add', 'not an IPv4 address'],
    ['the other kind of address', ['A', '@', '--add=2001:db8::1'], 'add', 'not an IPv4 address'],
    ['an address with a zone', ['AAAA', '@', '--add=fe80::1%eth0'], 'add', 'not an IPv6 address'],
    ['a mail server without a priority', ['MX', '@', '--add=mx.acme.com'], 'add', '10 mx.example.com'],
    ['a priority of 65536', ['MX', '@', '--add=65536 mx.acme.com'], 'add', '10 mx.example.com'],
    ['a mail server that is an address', ['MX', '@', '--add=10 192.0.2.7'], 'add', 'IP address'],
    ['an address as an alias', ['CNAME', 'shop', '--add=192.0.2.7'], 'add', 'IP address'],
    ['an alias with a scheme', ['CNAME', 'shop', '--add=https://b.example'], 'add', 'scheme'],
    ['an alias in another script', ['CNAME', 'shop', '--add=аcme.com'], 'add', 'plain Latin'],
    ['a service without a port', ['SRV', '_sip._tcp', '--add=10 5 sip.acme.com'], 'add', '10 5 443'],
    ['an odd CAA', ['CAA', '@', '--add=256 issue "x"'], 'add', '0 issue'],
    ['an alias at the apex', ['CNAME', '@', '--add=b.example'], 'name', "can't be a CNAME"],
    ['an alias at the apex by its name', ['CNAME', 'ACME.com', '--add=b.example'], 'name', "can't be a CNAME"],
    ['two aliases', ['CNAME', 'shop', '--add=b.example', '--add=c.example'], 'add', 'one value'],
    ['a second alias', ['CNAME', 'www', '--add=b.example'], 'add', 'already has a CNAME'],
    ['an alias beside others', ['CNAME', 'api', '--add=b.example'], 'type', 'has a AAAA record'],
    ['others beside an alias', ['TXT', 'www', '--add=x'], 'type', 'has a CNAME record'],
    ['removing a missing value', ['MX', '@', '--remove=30 mx3.post.example'], 'remove', 'is not in the MX record'],
    ['removing from a missing record', ['A', 'none', '--remove=192.0.2.7'], 'name', 'There is no A record'],
    ['the TTL of a missing record', ['A', 'none', '--ttl=60'], 'name', 'There is no A record'],
    ['the TTL of a removed record', ['A', '@', '--ttl=60', '--remove=192.0.2.80'], 'ttl', 'no TTL'],
    ['an unknown TTL', ['CAA', 'api', '--add=0 issuewild ";"'], 'ttl', "doesn't tell me the TTL"],
    ['an existing value', ['NS', '@', '--add=NS1.names.example.'], 'add', 'already'],
    ['the same TTL', ['A', '@', '--ttl=3600'], 'add', 'already has this TTL'],
    ['more than a card can show', ['TXT', '@', `--add=${'x'.repeat(901)}`, `--add=${'y'.repeat(901)}`], 'add', '1500'],
  ])('refuses %s', async (_, words, field, why) => {
    const { wrong } = await held(asWords(words), new Zone(usual));
    expect(wrong?.field).toBe(field);
    expect(plain(inline(wrong?.says))).toContain(why);
    expect(plain(inline(wrong?.says))).toMatch(/Nothing was done\.$/);
  });

  test.each<[string, readonly Entry[], string]>([
    [
      'the host lists twice',
      [...usual, { type: 'A', name: '@', ttl: 60, values: ['192.0.2.9'] }],
      "can't tell them apart",
    ],
    ['is listed without values', [{ type: 'A', name: '@', ttl: 60, values: [] }], 'without values'],
  ])('refuses a record that %s', async (_, entries, why) => {
    const { wrong } = await held(asWords(['A', '@', '--add=192.0.2.7']), new Zone(entries));
    expect(plain(inline(wrong?.says))).toContain(why);
  });

  const half = { type: 'A', name: '@', ttl: 60, resource_records: [{ value: '192.0.2.80' }, { value: null }] };
  test.each<[string, readonly unknown[], string]>([
    ['a value that is null', [half], "lists something of the A record acme.com that I can't read"],
    [
      'a value that could not be sent back',
      [{ ...half, resource_records: [{ value: '192.0.2.80' }, { value: 'a\tb' }] }],
      "lists something of the A record acme.com that I can't read",
    ],
    ['no list of values', [{ ...half, resource_records: null }], 'without values'],
    ['no name', [{ ...half, name: null }], "lists something of the A record acme.com that I can't read"],
    ['no type', [{ ...half, type: 7 }], "lists something of the A record acme.com that I can't read"],
  ])('refuses a record of which not all can be read: %s', async (_, listed, why) => {
    for (const option of ['--add=192.0.2.7', '--remove=192.0.2.80', '--ttl=300']) {
      const { wrong } = await held(asWords(['A', '@', option]), new OddZone(listed));
      expect(plain(inline(wrong?.says))).toContain(why);
    }
  });

  test('is not hindered by what can not be read of other records', async () => {
    const others = [
      { ...half, type: 'TXT', name: null },
      { ...half, type: 'MX' },
      { ...half, name: 'www', type: null },
    ];
    const whole = { ...half, resource_records: [{ value: '192.0.2.80' }] };
    const zone = new OddZone([whole, ...others]);
    expect((await held(asWords(['A', '@', '--add=192.0.2.7']), zone)).wrong).toBeUndefined();
  });

  test('has all records of its name as preconditions, in any order', async () => {
    const given = asWords(['MX', '@', '--add=30 mx3.post.example']);
    const preconditions = async (entries: readonly Entry[]) =>
      dnsSet.preconditions?.(await held(given, new Zone(entries)));
    const turned = usual.map((entry) => ({ ...entry, values: entry.values.toReversed() })).toReversed();
    expect(await preconditions(turned)).toEqual(await preconditions(usual));
    const elsewhere = [...usual, { type: 'A', name: 'other.acme.com', ttl: 1, values: ['192.0.2.1'] }];
    expect(await preconditions(elsewhere)).toEqual(await preconditions(usual));
    for (const change of [{ ttl: 61 }, { values: ['10 mx1.post.example'] }]) {
      expect(
        await preconditions(usual.map((entry) => (entry.type === 'MX' ? { ...entry, ...change } : entry))),
      ).not.toEqual(await preconditions(usual));
    }
  });
});

describe('the card', () => {
  const cardOf = async (words: readonly string[], zone = new Zone(usual)) => {
    const { wrong, ...of } = await held(asWords(words), zone);
    expect(wrong).toBeUndefined();
    const { title, done, warning, facts = {} } = dnsSet.card({ ...of, now: 1_000 });
    const shown = Object.entries(facts).map(([label, value]) => [label, plain(inline(value))] as const);
    return {
      title: plain(title),
      done: plain(done),
      warning: plain(inline(warning)).split('\n'),
      facts: Object.fromEntries(shown.filter(([, value]) => value !== '')),
    };
  };

  test('shows old and new side by side', async () => {
    expect(await cardOf(['MX', '@', '--ttl=300', '--add=30 mx3.post.example', '--remove=10 mx1.post.example'])).toEqual(
      {
        title: 'Change the MX record acme.com in the DNS of acme.com',
        done: 'Changed the MX record acme.com in the DNS of acme.com',
        warning: [
          'Mail to acme.com may stop: this says where it is delivered.',
          'This is the apex of acme.com: the site or its mail may stop.',
        ],
        facts: {
          Before: '10 mx1.post.example, 20 MX2.post.example.',
          After: '20 MX2.post.example., 30 mx3.post.example',
          Adds: '30 mx3.post.example',
          Removes: '10 mx1.post.example',
          TTL: '3600 s → 300 s (5m)',
          'Old answers': 'may live for up to 1h after it is sent',
        },
      },
    );
  });

  test.each<[string, readonly string[], readonly (string | RegExp)[]]>([
    ['a name of its own', ['A', 'new', '--add=192.0.2.7'], ['']],
    ['a whole record', ['CNAME', 'www', '--remove=acme.com'], ['The whole record will be gone.']],
    ['who answers', ['NS', 'sub', '--add=ns.b.example'], [/^Everything at sub\.acme\.com may stop being found/]],
    ['mail', ['MX', 'shop', '--add=10 mx.b.example'], [/^Mail to shop\.acme\.com may stop/]],
    ['who may send mail', ['TXT', 'shop', '--add=v=spf1 -all'], [/^Mail from shop\.acme\.com may be refused/]],
    ...(
      [
        ['SPF', 'v=spf1 -all', 'v=spf1 mx -all', 'receivers then believe none'],
        ['DMARC', 'v=DMARC1; p=none', '"v = DMARC1 ; p=reject"', 'receivers then apply none'],
        ['MTA-STS', 'v=STSv1; id=1', 'v=STSv1; id=2', 'senders then follow none'],
        ['TLS-RPT', 'v=TLSRPTv1; rua=mailto:a@acme.com', 'v=TLSRPTv1;rua=mailto:b@acme.com', 'nobody then reports'],
      ] as const
    ).map(([kind, one, other, then]): [string, readonly string[], readonly (string | RegExp)[]] => [
      `a second record of ${kind}`,
      ['TXT', 'new', `--add=${one}`, `--add=${other}`],
      [
        ...(kind === 'SPF' ? [/^Mail from/] : []),
        new RegExp(`^There will be more than one ${kind} record, and ${then}`),
      ],
    ]),
    ['a second SPF', ['TXT', '@', '--add="V=SPF1 -all"'], [/^Mail from/, /^There will be more than one SPF/, /apex/]],
    ['the apex', ['A', '@', '--ttl=60'], ['This is the apex of acme.com: the site or its mail may stop.']],
  ])('warns of %s', async (_, words, expected) => {
    const { warning } = await cardOf(words);
    expect(warning).toEqual(
      expected.map((line): unknown => (typeof line === 'string' ? line : expect.stringMatching(line))),
    );
  });

  test('says that a long text is split, and shows all of it', async () => {
    const key = `v=DKIM1; k=rsa; p=${'MIIBIjANBgkqhkiG9w0BAQ'.repeat(30)}`;
    const { facts } = await cardOf(['TXT', 'k1._domainkey', `--add=${key}`]);
    expect(facts['Adds']).toBe(key);
    expect(facts['Long text']).toContain('more than 255');
  });
});

/** Values of a type as hosts list and people type them: several spellings of a few values. */
const valuesOf: Readonly<Record<RecordType, readonly string[]>> = {
  A: ['192.0.2.1', '192.0.2.2', '198.51.100.3'],
  AAAA: ['2001:db8::1', '2001:DB8:0::1', '2001:db8::2', '::1'],
  CNAME: ['b.example', 'B.example.', 'c.example', '_x.acm.example'],
  MX: ['10 mx.b.example', '10  MX.b.example.', '20 mx.c.example', '0 .'],
  TXT: [
    'v=spf1 -all',
    '"v=spf1 -all"',
    '"v=spf1 " "-all"',
    'a, b',
    '"say \\"x\\""',
    '--x=y',
    '=',
    `"${'k'.repeat(300)}"`,
  ],
  NS: ['ns1.b.example', 'ns2.b.example', 'NS2.b.example.'],
  CAA: ['0 issue "ca.example"', '0 issue ca.example', '0 ISSUE "ca.example"', '128 iodef "mailto:a@b.example"'],
  SRV: ['10 5 443 sip.b.example', '10 05 443 SIP.b.example.', '1 1 1 .'],
};
const ofType = (type: RecordType, minLength: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...valuesOf[type]), {
    minLength,
    maxLength: 3,
    selector: (one) => comparableValue(type, one),
  });
const ownName = fc.constantFrom('@', 'www', 'WWW.acme.com', 'api.acme.com.', '*', '_dmarc');
const ttl = fc.constantFrom(0, 60, 3_600, 2_147_483_647);
const entry = fc
  .constantFrom(...recordTypes)
  .chain((type) => fc.record({ type: fc.constant(type), name: ownName, ttl, values: ofType(type, 1) }));
const zone = fc
  .uniqueArray(
    entry.map((one) => (one.name === '@' ? { ...one, name: 'acme.com' } : one)),
    { maxLength: 8, selector: ({ type, name }) => `${type} ${fullName(name)}` },
  )
  .map((entries) => {
    const crowded = new Set(entries.filter(({ type }) => type !== 'CNAME').map(({ name }) => fullName(name)));
    return entries.flatMap((one) => {
      if (one.type !== 'CNAME') return [one];
      return crowded.has(fullName(one.name)) || fullName(one.name) === 'acme.com'
        ? []
        : [{ ...one, values: one.values.slice(0, 1) }];
    });
  });
/** A request that often names existing records. */
const parsed = fc.tuple(zone, entry, fc.option(ttl), fc.nat()).chain(([entries, other, ttl, at]) => {
  const about = at % 3 === 0 ? other : (entries[at % Math.max(entries.length, 1)] ?? other);
  const { type, name, values } = about;
  return fc.record({
    entries: fc.constant(entries),
    given: fc
      .record({ add: ofType(type, 0), remove: fc.oneof(fc.subarray(values), ofType(type, 0)) })
      .map(({ add, remove }) => ({
        type: [type],
        name: [name],
        ...(ttl !== null && { ttl: [String(ttl)] }),
        ...(add.length > 0 && { add }),
        ...(remove.length > 0 && { remove }),
      })),
  });
});

test('every accepted request is proven only by its effect on the zone, and can be undone', async () => {
  const went = { on: 0, back: 0 };
  await fc.assert(
    fc.asyncProperty(parsed, async ({ entries, given }) => {
      const host = new Zone(entries);
      const { wrong, ...of } = await held(given, host);
      if (wrong) {
        expect(plain(inline(wrong.says))).toMatch(/Nothing was done\.$/);
        return;
      }
      went.on += 1;
      const was = host.asText;
      expect(dnsSet.proof?.({ ...of, current: of.snapshot }).verdict).not.toBe('yes');
      expect(dnsSet.card({ ...of, now: 1 })).toEqual(dnsSet.card({ ...of, now: 2 }));
      host.write(dnsSet.call(of));
      expect(host.asText).not.toEqual(was);
      expect(dnsSet.proof?.({ ...of, current: await look(of.input, host) }).verdict).toBe('yes');
      const undo = dnsSet.undo?.(of);
      expect(undo).toBeDefined();
      if (undo === undefined) return;
      const back = await held(readAgain(undo), host);
      expect(back.wrong).toBeUndefined();
      host.write(dnsSet.call(back));
      expect(host.asText).toEqual(was);
      went.back += 1;
    }),
    { numRuns: 400 },
  );
  expect(went.on).toBeGreaterThan(100);
  expect(went.back).toBe(went.on);
});

describe('a removal is not proven by a record of which not all can be read', () => {
  const record = { type: 'A', name: 'status', ttl: 60 };
  test.each<[string, readonly unknown[], 'yes' | 'not yet']>([
    ['values that are null', [{ ...record, resource_records: null }], 'not yet'],
    ['no values', [record], 'not yet'],
    ['a value that is null', [{ ...record, resource_records: [null] }], 'not yet'],
    ['a value that is a number', [{ ...record, resource_records: [{ value: 7 }] }], 'not yet'],
    ['another value, and one that is null', [{ ...record, resource_records: [{ value: '192.0.2.9' }, {}] }], 'not yet'],
    ['no name', [{ ...record, name: null, resource_records: [{ value: '198.51.100.24' }] }], 'not yet'],
    ['another value', [{ ...record, resource_records: [{ value: '192.0.2.9' }] }], 'yes'],
    ['no record', [], 'yes'],
  ])('%s', async (_, listed, verdict) => {
    const { wrong, ...of } = await held(
      asWords(['A', 'status', '--remove=198.51.100.24']),
      new Zone([{ ...record, values: ['198.51.100.24'] }]),
    );
    expect(wrong).toBeUndefined();
    const current = await look(of.input, new OddZone(listed));
    const proof = dnsSet.proof?.({ ...of, current });
    expect(proof?.verdict).toBe(verdict);
    // What can't be read does not show that nothing happened either.
    expect(proof?.isUnclear === true).toBe(verdict === 'not yet');
  });
});

test.each<[string, readonly Entry[], readonly string[]]>([
  ['with an unknown TTL', usual, ['CAA', 'api', '--ttl=60']],
  [
    'that could not be sent again',
    [{ type: 'A', name: 'www', ttl: 60, values: ['alias of a balancer'] }],
    ['A', 'www', '--remove=alias of a balancer'],
  ],
  [
    'that no zone should have',
    [{ type: 'CNAME', name: 'www', ttl: 60, values: ['b.example', 'c.example'] }],
    ['CNAME', 'www', '--remove=b.example'],
  ],
])('there is no undo for a record %s', async (_, entries, words) => {
  const { wrong, ...of } = await held(asWords(words), new Zone(entries));
  expect(wrong).toBeUndefined();
  expect(dnsSet.undo?.(of)).toBeUndefined();
});

describe('the fields', () => {
  test.each([
    ['@', '@'],
    ['WWW', 'www'],
    ['www.acme.com.', 'www.acme.com.'],
    ['_sip._tcp', '_sip._tcp'],
    ['*.shop', '*.shop'],
    ['bücher', 'xn--bcher-kva'],
  ])('the name %s', (typed, name) => expect(recordName().read([typed])).toBe(name));

  test.each(['', '.', 'a..b', 'a b', '-a', 'a.*', 'a*', 'x'.repeat(64), 'a/b', 'http://a', 'a\u200Bb', 'a\uD83D'])(
    'refuses the name %j',
    (typed) => expect(refusalText(refusalOf(() => recordName().read([typed])))).toContain('Nothing was done.'),
  );

  test('a type is taken in any case, and no other type', () => {
    expect(recordType().read(['aaaa'])).toBe('AAAA');
    expect(refusalText(refusalOf(() => recordType().read(['SOA'])))).toContain('A, AAAA, CNAME');
  });

  test('values are one per line, and are not split at commas', () => {
    expect(recordValues('Add').read([' a, b\r\n\n"c d" ', 'a, b'])).toEqual(['a, b', '"c d"']);
    for (const words of [
      ['\n'],
      ['a\tb'],
      ['a\u202Eb'],
      ['\uD83D'],
      ['x'.repeat(1_801)],
      Array.from({ length: 51 }, (_, at) => `v${at}`),
    ])
      expect(refusalText(refusalOf(() => recordValues('Add').read(words)))).toMatch(/Nothing was done\.$/);
  });

  test.each(['-1', '2147483648', '1.5', '1h', ''])('a TTL of %j is refused in one sentence', (typed) =>
    expect(refusalText(refusalOf(() => dnsSet.fields.ttl.read([typed])))).toBe(
      `TTL has to be a whole number from 0 to 2147483647, not “${typed}”. Nothing was done.`,
    ),
  );
});

test('two spellings of one value are duplicates', () => {
  for (const [type, ...spellings] of [
    ['TXT', 'a b', '"a b"', '"a " "b"', '"a\\032b"'],
    ['CNAME', 'b.example', 'B.example.'],
    ['MX', '10 b.example', '010  B.example.'],
    ['AAAA', '::1', '0:0::1'],
    ['CAA', '0 issue "x"', '0 ISSUE x'],
  ] as const)
    expect(new Set(spellings.map((one) => comparableValue(type, one))).size).toBe(1);
});

describe('the list', () => {
  const shown = async (zone: Zone) => {
    const show = dnsList.show({
      input: { domain: shopDomain },
      read: zone.read,
      company,
      certificate: noCertificate,
      ...reportDefaults,
    });
    const page = await show;
    const [part] = page.parts;
    const rows = part?.kind === 'list' ? part.entries.map(plain) : [];
    return { ...page, title: plain(page.title), rows };
  };

  test('shows each value in its own line, ready to copy', async () => {
    const page = await shown(new Zone(usual));
    expect(page.title).toBe('acme.com · DNS · 7 records, 10 values');
    expect(page.rows).toContainEqual('MX acme.com. · 20 MX2.post.example. · 3600 s (1h)');
    expect(page.rows).toContainEqual('CAA api.acme.com · 0 issue "ca.example" · TTL not known');
    expect(page.rows).toHaveLength(10);
    expect(page.offers).toEqual([{ label: 'Change a record', opens: 'form', args: ['dns', 'set', uuid(50)] }]);
  });

  test('says what is not known of a record', async () => {
    const value = { value: '192.0.2.1' };
    const { rows } = await shown(
      new OddZone([
        { type: 'A', name: 'a', ttl: 60, resource_records: null },
        { type: 'A', name: 'b', ttl: -1, resource_records: [value, null] },
        { ttl: 'x', resource_records: [{ value: '' }] },
      ]),
    );
    expect(rows).toEqual([
      'A a · values not known · 60 s (1m)',
      'A b · 192.0.2.1 · TTL not known',
      'A b · 1 value not known · TTL not known',
      'unknown type unknown name · empty value · TTL not known',
    ]);
  });

  test('says that there are no records', async () => {
    const { parts } = await shown(new Zone([]));
    expect(parts).toMatchObject([{ kind: 'text' }]);
  });
});

describe('what is pasted from a zone file', () => {
  const key = 'v=DKIM1; k=rsa; p=MIGfMA0';
  test.each<[string, string, readonly string[]]>([
    ['brackets and a comment', '( "v=DKIM1; k=rsa; " "p=MIGfMA0" )  ; ----- DKIM key mail for acme.example', [key]],
    ['several lines', '( "v=DKIM1; k=rsa; "\n\t  "p=MIGfMA0" ) ; ----- DKIM key', [key]],
    ['several lines with comments', '( "v=DKIM1; k=rsa; " ; one\n"p=MIGfMA0" ; two\n)', [key]],
    ['a comment after quotes', '"v=DKIM1; k=rsa; p=MIGfMA0" ; key', [key]],
    ['semicolons with backslashes', String.raw`v=DKIM1\; k=rsa\; p=MIGfMA0`, [key]],
    ['escapes in brackets', String.raw`( "a\"b\032c" )`, ['a"b c']],
    ['quotes alone', '"a; b" "c"', ['"a; b" "c"']],
    ['lines', 'one\n two ', ['one', 'two']],
    ['a text with a bracket', 'owner (a)', ['owner (a)']],
    ['a text with an open bracket in quotes', '"(a"\nb', ['"(a"', 'b']],
  ])('%s is read as what it means', (_, typed, values) => {
    expect(recordValues('Add').read([typed])).toEqual(values);
    expect(recordValues('Add').read(values)).toEqual(values);
  });

  test.each<[RecordType, string, string]>([
    ['TXT', '_dmarc.acme.com. 3600 IN TXT "v=DMARC1; p=none"', 'type only its value, "v=DMARC1; p=none"'],
    ['TXT', '_dmarc IN TXT ( "v=DMARC1;" " p=none" )', 'type only its value, v=DMARC1; p=none'],
    ['TXT', '@ 1h IN TXT v=spf1 -all', 'type only its value, v=spf1 -all'],
    ['TXT', '_dmarc 3600 in txt "v=DMARC1; p=none"', 'is a whole line of a zone file'],
    ['TXT', 'IN 3600 TXT "x"', 'is a whole line of a zone file'],
    ['TXT', 'TXT "x"', 'is a whole line of a zone file'],
    ['MX', 'acme.com. IN MX 10 mx.acme.com.', 'type only its value, 10 mx.acme.com.'],
    ['A', 'www 300 IN A 192.0.2.1', 'type only its value, 192.0.2.1'],
    ['CNAME', '*.dev.acme.com. CNAME acme.com.', 'type only its value, acme.com.'],
    ['TXT', '$TTL 3600', 'is an instruction of a zone file'],
    ['TXT', '(v=spf1 -all)', 'has a bracket of a zone file around it'],
    ['TXT', '( "a" b )', 'has a bracket of a zone file around it'],
    ['TXT', 'v=DKIM1; p=MIGf ; ----- DKIM key', 'has a comment of a zone file'],
  ])('a %s value %s is refused', async (type, value, says) => {
    const { wrong } = await held({ type: [type], name: ['new'], add: [value] }, new Zone(usual));
    expect(plain(inline(wrong?.says))).toContain(says);
    expect(plain(inline(wrong?.says))).toMatch(/Nothing was done\.$/);
  });

  test.each<[RecordType, string]>([
    ['TXT', 'v=spf1 a mx include:_spf.acme.com -all'],
    ['TXT', 'welcome in a world'],
    ['TXT', '"say IN TXT x"'],
    ['TXT', 'google-site-verification=abc--def; x'],
    ['MX', '10 mx.acme.com.'],
    ['SRV', '10 5 443 sip.acme.com'],
    ['CAA', '0 issue "ca.example"'],
  ])('a %s value %s is one', async (type, value) => {
    const { wrong } = await held({ type: [type], name: ['new'], add: [value] }, new Zone(usual));
    expect(wrong).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import { decideFreeze, freezesAround } from '../../src/policy/freezes.ts';
import type { AccessRequest } from '../../src/policy/matching.ts';
import type { Member, Policy } from '../../src/policy/rules.ts';
import type { Domain } from '../../src/hosting/contract/target.ts';
import { hourMs } from '../../src/words/duration.ts';
import { ana, chi, command, company, domain, environment, GROUPS, person, policyOf, rob, to } from './fixtures.ts';

const key = 'a'.repeat(64);
const caller = (name: string, id: string, hash: string): string =>
  `  ${name}: { keys: ["sha256:${hash}"], for: ${id}, operators: [${id}], channel: C0A, expires: 2030-01-01 }\n`;
const CALLERS = ['U03CHI', 'U06ROB', 'U09GUY']
  .map(
    (id, at) =>
      caller(`bot-${id.toLowerCase()}`, id, `${at}${key.slice(1)}`) +
      caller(`old-${id.toLowerCase()}`, id, `${at + 5}${key.slice(1)}`),
  )
  .join('');
const withFreezes = (...freezes: readonly string[]): Policy =>
  policyOf(`${GROUPS}  heads: [U10EVE, U11FLO]
callers:\n${CALLERS}rules: []\nfreezes:\n${freezes.map((freeze) => `  - { ${freeze} }\n`).join('')}`);
const utc = (text: string): number => Date.parse(`${text}Z`);
const push = to('push', 'acme-shop/live', 'acme-shop/staging');

describe('a person, the exceptions of two freezes, approvals, unknown user groups, callers', () => {
  const bots = ['caller:bot-u03chi', 'caller:bot-u06rob', 'caller:bot-u09guy'];
  const exceptions = [
    undefined,
    ['leads'],
    ['guides'],
    ['leads', 'guides'],
    ['leads', ...bots],
    ['guides', ...bots],
    bots,
  ];
  const approvals = [undefined, 'none', '{ by: [developers], count: 2, reason: required }'];
  const spans = { a: ['2026-01-01 00:00', '2026-01-03 00:00'], b: ['2026-01-02 00:00', '2026-01-04 00:00'] } as const;
  const moments = ['2025-12-31T12:00', '2026-01-01T00:00', '2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00'];

  /** What the model knows of a person: groups that they are in, and that they may be in. */
  type Known = { readonly member: Member; readonly isIn: readonly string[]; readonly mayBeIn: readonly string[] };
  const people: readonly Known[] = [
    { member: chi, isIn: ['leads'], mayBeIn: [] },
    { member: rob, isIn: ['readers'], mayBeIn: [] },
    { member: person('U09GUY', 'S0GUIDES'), isIn: ['guides'], mayBeIn: [] },
    { member: person('U09GUY'), isIn: [], mayBeIn: [] },
    // Another of their accounts is in the group.
    { member: { ...person('U09GUY'), joinedGroups: ['S0GUIDES'] }, isIn: [], mayBeIn: [] },
    { member: { id: 'U09GUY', groups: [] }, isIn: [], mayBeIn: ['guides'] },
    { member: { id: 'U03CHI', groups: [] }, isIn: ['leads'], mayBeIn: ['guides'] },
  ];
  const ways = ['alone', 'excepted', 'not excepted', 'with another key'] as const;
  type Way = (typeof ways)[number];

  function calling({ member }: Known, way: Way): Member {
    if (way === 'alone') return member;
    const id = member.id.toLowerCase();
    const at = ['u03chi', 'u06rob', 'u09guy'].indexOf(id);
    const known = `${way === 'not excepted' ? at + 5 : at}${key.slice(1)}`;
    const name = `${way === 'not excepted' ? 'old' : 'bot'}-${id}`;
    return { ...member, caller: { name, key: way === 'with another key' ? 'f'.repeat(64) : known } };
  }

  /** Whether the exception includes them: 2 for yes, 1 for perhaps, 0 for no. */
  function includes({ isIn, mayBeIn }: Known, way: Way, except: readonly string[] = []): number {
    const own = isIn.some((one) => except.includes(one)) ? 2 : mayBeIn.some((one) => except.includes(one)) ? 1 : 0;
    const bot = way === 'alone' || (way === 'excepted' && except.includes(bots[0] ?? '')) ? 2 : 0;
    return Math.min(own, bot);
  }

  type Cell = { readonly name: 'a' | 'b'; readonly except: readonly string[] | undefined; readonly asks: boolean };

  function model(cells: readonly Cell[], known: Known, way: Way, at: number): unknown {
    const isOn = ({ name }: Cell, then: number): boolean =>
      then >= utc(spans[name][0].replace(' ', 'T')) && then < utc(spans[name][1].replace(' ', 'T'));
    const on = cells.filter((one) => isOn(one, at));
    const rank = (one: Cell): number => includes(known, way, one.except);
    const held = on.filter((one) => rank(one) < 2);
    if (held.some((one) => rank(one) === 0)) {
      let until = at;
      while (cells.some((one) => rank(one) < 2 && isOn(one, until))) until += hourMs;
      const groups = ['leads', 'guides'].filter((group) => on.every(({ except = [] }) => except.includes(group)));
      return { kind: 'frozen', by: held.map(({ name }) => name), until, mayStill: groups };
    }
    if (held.length > 0) return { kind: 'unknown', by: held.map(({ name }) => name), groups: ['S0GUIDES'] };
    const later = cells.filter((one) => rank(one) < 2 || (one.asks && one.except));
    const begins = later.map(({ name }) => utc(spans[name][0].replace(' ', 'T'))).filter((from) => from > at);
    return {
      kind: 'open',
      approval: on.some(({ asks }) => asks) ? { by: ['developers'], count: 2 } : 'none',
      names: on.map(({ name }) => name),
      openUntil: begins.toSorted((x, y) => x - y)[0],
    };
  }

  const freezeText = (name: 'a' | 'b', except: readonly string[] | undefined, approval: string | undefined): string => {
    const asks = approval === undefined ? '' : `, approval: ${approval}`;
    const excepting = except ? `, except: { to: [${except.map((one) => `"${one}"`).join(', ')}]${asks} }` : '';
    return `name: ${name}, zone: UTC, from: ${spans[name][0]}, to: ${spans[name][1]}${excepting}`;
  };

  /** What the model also says. */
  function simple(decision: ReturnType<typeof decideFreeze>): unknown {
    if (decision.kind !== 'open') return { ...decision, by: decision.by.map(({ name }) => name) };
    if (decision.approval === 'none') return decision;
    const { requirements, reason } = decision.approval;
    expect(reason).toBe('required');
    return { ...decision, approval: requirements.length === 1 ? requirements[0] : requirements };
  }

  test.each(approvals)('with the approval %s', (approval) => {
    let cells = 0;
    const asks = approval?.startsWith('{') === true;
    for (const a of exceptions)
      for (const b of exceptions) {
        const policy = withFreezes(freezeText('a', a, approval), freezeText('b', b, undefined));
        const both: readonly Cell[] = [
          { name: 'a', except: a, asks: asks && a !== undefined },
          { name: 'b', except: b, asks: false },
        ];
        for (const known of people)
          for (const way of ways)
            for (const moment of moments) {
              const found = decideFreeze(policy, calling(known, way), push, utc(moment));
              const wanted = model(both, known, way, utc(moment));
              if (JSON.stringify(simple(found)) !== JSON.stringify(wanted))
                expect({ a, b, known, way, moment, is: simple(found) }).toEqual({
                  a,
                  b,
                  known,
                  way,
                  moment,
                  is: wanted,
                });
              cells += 1;
            }
      }
    expect(cells).toBe(exceptions.length ** 2 * people.length * ways.length * moments.length);
  });
});

describe('what a freeze holds', () => {
  const during = utc('2026-01-01T12:00');
  const always = 'name: f, zone: UTC, from: 2026-01-01 00:00, to: 2026-01-02 00:00';
  const isHeld = (freeze: string, request: AccessRequest): boolean =>
    decideFreeze(withFreezes(`${always}${freeze}`), ana, request, during).kind === 'frozen';
  const onDomain = (one: Domain): AccessRequest => to('dns set', one);

  test.each<[freeze: string, request: AccessRequest, held: boolean]>([
    ['', push, true],
    ['', to('cache clear', 'acme-shop/staging'), true],
    ['', to('dns set', domain('example.com')), true],
    ['', to('allowlist add', company), true],
    ['', { command: command('cache clear'), aims: [] }, true],
    // Reports, and what no class covers.
    ['', to('logs', 'acme-shop/live'), false],
    ['', to('lock', 'acme-shop/live'), false],
    ['', { command: command('pause'), aims: [] }, false],
    ['', to('unlock --force', 'acme-shop/live'), false],
    // By command, by class, by a command that includes it.
    [', what: [push]', push, true],
    [', what: [delete]', push, false],
    [', what: [destructive]', push, true],
    [', what: [routine, sensitive]', push, false],
    [', what: [push]', { ...push, command: { path: 'push part', risk: 'routine', within: 'push' } }, true],
    // By place, as a `deny` covers.
    [', where: ["*/live"]', push, true],
    [', where: ["*/staging"]', push, false],
    [', where: ["*/staging", "acme-*/*"]', push, true],
    [', where: ["*/live"]', to('cache clear', 'acme-shop/live\u200B.'), true],
    [', where: ["*/live"]', to('cache clear', 'somewhere'), true],
    [', where: ["*/live"]', { command: command('cache clear'), aims: [] }, true],
    [', where: ["domain:*.example.com"]', onDomain(domain('www.example.com')), true],
    [', where: ["domain:*.example.com"]', onDomain(domain('example.org')), false],
    [', where: ["acme-shop/live"]', onDomain(domain('example.org', 'acme-shop')), true],
    [', where: ["acme-shop/live"]', onDomain(domain('example.org', 'blog')), false],
    [', where: ["acme-shop/live"]', onDomain(domain('example.org')), true],
    [', where: [company]', to('allowlist add', company), true],
    [', where: ["*/*"]', to('allowlist add', company), false],
    // One of several.
    [
      ', where: ["blog/live"]',
      {
        command: command('cache clear'),
        aims: [
          { target: environment('acme-shop/live'), access: 'change' },
          { target: environment('blog/live'), access: 'change' },
        ],
      },
      true,
    ],
    // What is only read changes nothing.
    ['', { command: command('push'), aims: [{ target: environment('a/b'), access: 'read' }] }, true],
    [', where: ["*/*"]', { command: command('push'), aims: [{ target: environment('a/b'), access: 'read' }] }, false],
  ])('%s: %o', (freeze, request, held) => {
    expect(isHeld(freeze, request)).toBe(held);
  });
});

describe('how long', () => {
  const week = (name: string, ...parts: readonly string[]) => `name: ${name}, zone: UTC, weekly: [${parts.join(', ')}]`;
  const once = (name: string, from: string, until: string) => `name: ${name}, zone: UTC, from: ${from}, to: ${until}`;
  const at = utc('2026-11-27T20:00');

  test.each<[string, readonly string[], string | undefined]>([
    ['one', [week('w', 'fri 16:00 - mon 08:00')], '2026-11-30T08:00'],
    ['joined parts', [week('w', 'fri 16:00 - sun 00:00', 'sun 00:00 - mon 08:00')], '2026-11-30T08:00'],
    [
      'one after another',
      [week('w', 'fri 16:00 - mon 08:00'), once('o', '2026-11-30 08:00', '2026-12-01 08:00')],
      '2026-12-01T08:00',
    ],
    [
      'overlapping, into the next weekend',
      [week('w', 'fri 16:00 - mon 08:00'), once('o', '2026-11-29 08:00', '2026-12-04 17:00')],
      '2026-12-07T08:00',
    ],
    [
      'not one a minute later',
      [week('w', 'fri 16:00 - mon 08:00'), once('o', '2026-11-30 08:01', '2026-12-04 17:00')],
      '2026-11-30T08:00',
    ],
    ['400 days', [once('o', '2026-11-27 00:00', '2028-01-01 20:00')], '2028-01-01T20:00'],
    ['longer', [once('o', '2026-11-27 00:00', '2028-01-01 20:01')], undefined],
    ['without end', [week('w', 'mon 00:00 - fri 00:00', 'fri 00:00 - mon 00:00')], undefined],
    ['without end, in two', [week('w', 'mon 00:00 - fri 00:00'), week('v', 'fri 00:00 - mon 00:00')], undefined],
  ])('%s', (_, freezes, until) => {
    const decision = decideFreeze(withFreezes(...freezes), ana, push, at);
    expect(decision).toMatchObject({ kind: 'frozen' });
    const end = decision.kind === 'frozen' ? decision.until : 0;
    expect(end === undefined ? end : new Date(end).toISOString().slice(0, 16)).toBe(until);
  });

  test('while an exception is used, the next freeze may be the same one', () => {
    const weekends = week('w', 'fri 16:00 - mon 08:00');
    const next = (except: string) => decideFreeze(withFreezes(`${weekends}, except: { ${except} }`), chi, push, at);
    expect(next('to: [leads], approval: { by: [heads] }')).toMatchObject({ openUntil: utc('2026-12-04T16:00') });
    expect(next('to: [leads]')).toMatchObject({ kind: 'open', names: ['w'], openUntil: undefined });
  });

  test('what holds some environments soon, in order, each with its times', () => {
    const policy = withFreezes(
      once('later', '2026-11-28 19:59', '2026-11-29 08:00'),
      once('too-late', '2026-11-28 20:00', '2026-11-29 08:00'),
      once('over', '2026-11-26 08:00', '2026-11-27 20:00'),
      `${week('w', 'fri 16:00 - mon 08:00')}, where: ["blog/*", "acme-shop/live"]`,
      `${week('soon', 'sat 00:00 - sat 08:00')}, where: ["acme-shop/*"]`,
      `${week('elsewhere', 'fri 16:00 - mon 08:00')}, where: ["blog/*"]`,
    );
    const around = (...places: readonly string[]) =>
      freezesAround(policy, places.map(environment), { at, withinMs: 24 * hourMs }).map(({ freeze, from, until }) =>
        [freeze.name, ...[from, until].map((one) => new Date(one).toISOString().slice(0, 16))].join(' '),
      );
    const later = 'later 2026-11-28T19:59 2026-11-29T08:00';
    const weekend = 'w 2026-11-27T16:00 2026-11-30T08:00';
    const soon = 'soon 2026-11-28T00:00 2026-11-28T08:00';
    expect(around('acme-shop/live', 'acme-shop/staging')).toEqual([weekend, soon, later]);
    expect(around('acme-shop/staging')).toEqual([soon, later]);
    // One of an unknown site may be covered.
    expect(around('acme-shop/live\u200B.')).toEqual([weekend, soon, later]);
    expect(around()).toEqual([]);
  });

  test('fifty freezes are decided within 20 ms of a processor', () => {
    const many = Array.from({ length: 50 }, (_, nth) => week(`w-${nth}`, 'fri 16:00 - mon 08:00'));
    const policy = withFreezes(...many.map((one) => one.replace('UTC', 'Europe/Berlin')));
    decideFreeze(policy, ana, push, at);
    const before = process.cpuUsage();
    for (let nth = 0; nth < 20; nth += 1) decideFreeze(policy, ana, push, at + nth * hourMs);
    expect(process.cpuUsage(before).user / 20).toBeLessThan(20_000);
  });
});

import { describe, expect, test } from 'vitest';
import { loadPolicy } from '../../src/policy/load.ts';
import { catalogue, GROUPS, policyOf } from './fixtures.ts';

/** `freezes:` of the policy file. */

const CALLER = `callers: { bot: { keys: ["sha256:${'0'.repeat(64)}"], for: U01ANA, operators: [U01ANA], channel: C0A, expires: 2030-01-01 } }\n`;
const file = (...freezes: readonly string[]): string =>
  `${GROUPS}${CALLER}rules: []\nfreezes:\n${freezes.map((freeze) => `  - ${freeze}\n`).join('')}`;
const weekends = 'weekly: fri 16:00 – mon 08:00';
const ok = `name: a, zone: UTC, ${weekends}`;
const days = (from: string, to: string): string => `{ name: a, zone: Europe/Berlin, from: ${from}, to: ${to} }`;

/** The line of the first freeze. */
const LINE = 10;
/** Each mistake with the word that it points at. */
const mistakesOf = (...freezes: readonly string[]): readonly string[] => {
  const text = file(...freezes);
  const loaded = loadPolicy(text, catalogue);
  const wordAt = (line: number, column: number): string =>
    /^[^\s:,\]]*/.exec(text.split('\n')[line - 1]?.slice(column - 1) ?? '')?.[0] ?? '';
  return loaded.kind === 'mistakes'
    ? loaded.mistakes.map(({ line, column, says }) => `${line - LINE} ${wordAt(line, column)}: ${says}`)
    : [];
};

describe('mistakes are named with line and column', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      'an unknown zone',
      [`{ name: a, zone: Europe/Berlim, ${weekends} }`],
      ['0 zone: unknown time zone "Europe/Berlim"; did you mean "Europe/Berlin"?'],
    ],
    [
      'a short name that means several zones',
      [`{ name: a, zone: BST, ${weekends} }`],
      ['0 zone: unknown time zone "BST"'],
    ],
    ['an offset', [`{ name: a, zone: "+02:00", ${weekends} }`], ['0 zone: unknown time zone "+02:00"']],
    ['no zone', [`{ name: a, ${weekends} }`], ['0 {: "zone" is missing: a time zone, like Europe/Berlin']],
    ['no name', [`{ zone: UTC, ${weekends} }`], ['0 {: "name" is missing: a name']],
    [
      'a name',
      [`{ name: A b, zone: UTC, ${weekends} }`],
      ['0 name: "A b" cannot name a freeze; use small letters a to z, digits and -, 40 at most'],
    ],
    [
      'a short day',
      ['{ name: a, zone: UTC, weekly: fr 16:00 – mon 08:00 }'],
      ['0 weekly: "fr 16:00 – mon 08:00" is not a part of the week; write it like fri 16:00 – mon 08:00'],
    ],
    ['a name twice', [`{ ${ok} }`, `{ ${ok} }`], ['1 name: "a" is listed twice']],
    [
      'a reason of nothing',
      [`{ ${ok}, reason: "" }`],
      ['0 reason: "" cannot be a reason; use 1 to 200 characters on one line'],
    ],
    [
      'from after to',
      [days('2026-12-01 08:00', '2026-11-27 18:00')],
      ['0 to: "2026-11-27 18:00" is not after "2026-12-01 08:00"'],
    ],
    [
      'no time at all',
      [days('2026-12-01 08:00', '2026-12-01 08:00')],
      ['0 to: "2026-12-01 08:00" is not after "2026-12-01 08:00"'],
    ],
    [
      'a time that the clock skips whole',
      [days('2026-03-29 02:10', '2026-03-29 02:50')],
      ['0 to: the clock in Europe/Berlin skips all from 2026-03-29 02:10 to 2026-03-29 02:50'],
    ],
    [
      'a day that does not exist',
      [days('2026-02-29 08:00', '2026-11-31 18:00')],
      ['0 from: "2026-02-29" is not a day', '0 to: "2026-11-31" is not a day'],
    ],
    [
      'a time of day that does not exist',
      [days('2026-02-28 24:00', '2026-12-01 18:60')],
      ['0 from: "24:00" is not a time of day', '0 to: "18:60" is not a time of day'],
    ],
    [
      'a day alone',
      [days('2026-02-28', '2026-12-01')],
      [
        '0 from: "2026-02-28" is not a local time; write it like 2026-11-27 18:00',
        '0 to: "2026-12-01" is not a local time; write it like 2026-11-27 18:00',
      ],
    ],
    [
      'no end',
      ['{ name: a, zone: UTC, from: 2026-12-01 08:00 }'],
      ['0 {: a freeze has either "from" and "to", or "weekly"'],
    ],
    ['neither', ['{ name: a, zone: UTC }'], ['0 {: a freeze has either "from" and "to", or "weekly"']],
    ['both', [`{ ${ok}, to: 2026-12-01 08:00 }`], ['0 {: a freeze has either "from" and "to", or "weekly"']],
    [
      'part of a week',
      ['{ name: a, zone: UTC, weekly: friday }'],
      ['0 weekly: "friday" is not a part of the week; write it like fri 16:00 – mon 08:00'],
    ],
    [
      'a day of no week',
      ['{ name: a, zone: UTC, weekly: fry 16:00 - mon 08:00 }'],
      ['0 weekly: "fry 16:00" is not a time of the week; write it like fri 16:00'],
    ],
    [
      'an hour of no day',
      ['{ name: a, zone: UTC, weekly: [fri 16:00 - sun 24:00] }'],
      ['0 fri: "sun 24:00" is not a time of the week; write it like fri 16:00'],
    ],
    [
      'a part of zero',
      ['{ name: a, zone: UTC, weekly: fri 16:00 to friday 16:00 }'],
      ['0 weekly: "fri 16:00 to friday 16:00" ends when it begins'],
    ],
    [
      'parts that overlap, over Sunday night',
      [
        '{ name: a, zone: UTC, weekly: [fri 16:00 - mon 08:00, mon 07:59 - tue 08:00, sat 00:00 - sat 01:00, tue 08:00 - fri 16:01] }',
      ],
      [
        '0 mon: "mon 07:59 - tue 08:00" overlaps another part of this freeze',
        '0 sat: "sat 00:00 - sat 01:00" overlaps another part of this freeze',
        '0 tue: "tue 08:00 - fri 16:01" overlaps another part of this freeze',
      ],
    ],
    [
      'no parts',
      ['{ name: a, zone: UTC, weekly: [] }'],
      ['0 weekly: this list is empty; expected parts of the week, like [fri 16:00 – mon 08:00]'],
    ],
    [
      'what changes nothing',
      [`{ ${ok}, what: [read, logs, lock, unlock, pause, resume] }`],
      ['read', 'logs', 'lock', 'unlock', 'pause', 'resume'].map(
        (one) => `0 ${one}: "${one}" changes no site, and no freeze holds it`,
      ),
    ],
    [
      'an unknown command',
      [`{ ${ok}, what: [psuh] }`],
      ['0 psuh: unknown command or class "psuh"; did you mean "push"?'],
    ],
    [
      'no target',
      [`{ ${ok}, where: [live] }`],
      ['0 live: "live" is not a target: expected site/environment, domain:example.com or company'],
    ],
    [
      'everyone excepted',
      [`{ ${ok}, except: { to: everyone } }`],
      ['0 to: expected a list of groups, like [leads], found "everyone"'],
    ],
    ['everyone in a list', [`{ ${ok}, except: { to: [everyone] } }`], ['0 everyone: unknown group "everyone"']],
    [
      'unknown groups',
      [`{ ${ok}, except: { to: [laeds, "caller:bat"], approval: { by: [haeds] } } }`],
      [
        '0 laeds: unknown group "laeds"; did you mean "leads"?',
        '0 "caller: unknown group "caller:bat"; did you mean "caller:bot"?',
        '0 haeds: unknown group "haeds"',
      ],
    ],
    [
      'approval by a caller',
      [`{ ${ok}, except: { to: [leads], approval: { by: ["caller:bot"] } } }`],
      ['0 "caller: unknown group "caller:bot"'],
    ],
    [
      'an approval that nobody can give',
      [`{ ${ok}, what: [push], except: { to: [leads], approval: { by: [leads], count: 3 } } }`],
      [
        '0 {: "push" could never be approved: it needs 3 of leads, and there are only U03CHI and U04DEE and U05FAY, and the person who asks is one of them and does not count',
      ],
    ],
    ['an unknown key', [`{ ${ok}, until: 3 }`], ['0 until: unknown key "until"']],
    [
      'no mapping',
      ['black-friday'],
      [
        '0 black-friday: expected a freeze: name, reason, where, what, from and to or weekly, zone, except, found "black-friday"',
      ],
    ],
    [
      'too many',
      Array.from({ length: 51 }, (_, at) => `{ name: a-${at}, zone: UTC, ${weekends} }`),
      ['-1 freezes: a policy has at most 50 freezes'],
    ],
  ])('%s', (_, freezes, mistakes) => {
    expect(mistakesOf(...freezes)).toEqual(mistakes);
  });
});

test('parts of the week are written in several ways', () => {
  const parts = [
    'fri 16:00 – mon 08:00',
    'Friday 16:00-Monday 8:00',
    'fri 16:00 to mon 08:00',
    '[FRI 16:00 - mon 8:00]',
  ];
  const times = parts.map((part) => policyOf(file(`{ name: a, zone: UTC, weekly: ${part} }`)).freezes[0]?.time);
  const hours = 3_600_000;
  for (const time of times)
    expect(time).toMatchObject({ weekly: [{ from: (4 * 24 + 16) * hours, to: (7 * 24 + 8) * hours }] });
  expect(times.map((time) => time?.text)).toEqual([...parts.slice(0, 3), 'FRI 16:00 - mon 8:00']);
});

test('everything that a freeze can say', () => {
  const [freeze] = policyOf(
    file(
      '{ name: black-friday, reason: Peak trading, where: ["*/live"], what: [push, destructive], from: 2026-11-27 18:00, to: 2026-12-01 08:00, zone: Europe/Berlin, except: { to: [leads, "caller:bot"], approval: { by: [developers], reason: required } } }',
    ),
  ).freezes;
  expect(freeze).toMatchObject({
    name: 'black-friday',
    reason: 'Peak trading',
    what: new Set(['push', 'destructive']),
    time: { kind: 'once', span: { from: Date.parse('2026-11-27T17:00Z'), until: Date.parse('2026-12-01T07:00Z') } },
    except: { to: ['leads', 'caller:bot'], approval: { by: ['developers'], count: 1, reason: 'required' } },
    line: LINE,
    column: 5,
  });
  expect(policyOf(file(`{ ${ok}, except: { to: [leads] } }`)).freezes[0]).toMatchObject({
    what: undefined,
    where: undefined,
    except: { approval: 'none' },
  });
});

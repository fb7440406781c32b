import { expect, test } from 'vitest';
import {
  freezeInWords,
  freezeNote,
  freezesAt,
  freezeWarning,
  InFreeze,
  namesOf,
  refusedInFreeze,
} from '../../src/access/freeze-words.ts';
import { aboutOf } from '../../src/access/targets.ts';
import { MembershipUnknown } from '../../src/access/unknown-groups.ts';
import { catalogue } from '../../src/commands/index.ts';
import { parseArgs } from '../../src/language/parse.ts';
import { resolve, type Resolved } from '../../src/language/resolve.ts';
import { decideFreeze } from '../../src/policy/freezes.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { dayMs } from '../../src/words/duration.ts';
import { plain, type Text } from '../../src/words/text.ts';
import { ana, company, live, member, names, policyFrom, refusalText, staging } from '../fixtures.ts';

/** What people read of freezes. */

const at = Date.parse('2026-11-27T20:00Z');
const policyWith = (...freezes: readonly string[]): Policy =>
  policyFrom(`version: 1
groups: { developers: [U01ANA], leads: [U03CHI], heads: [U04DEE], oncall: [S0ONCALL] }
rules:
  - { allow: [read, routine], to: [developers, leads] }
freezes:
${freezes.map((one) => `  - { zone: UTC, ${one} }\n`).join('')}`);
const peak = 'name: peak, reason: Peak trading, from: 2026-11-27 18:00, to: 2026-12-01 08:00';
const soon = 'name: launch, from: 2026-11-28 19:59, to: 2026-11-29 08:00';
const endless = 'name: always, weekly: [mon 00:00 - fri 00:00, fri 00:00 - mon 00:00]';
const clears = resolve(parseArgs(['cache', 'clear', live.id], catalogue), names);

/** As plain text, with times in short. */
const shown = (text: Text | undefined): string | undefined =>
  text &&
  plain(text.map((one) => ('at' in one ? { text: `${new Date(one.at).toISOString().slice(0, 16)} ${one.as}` } : one)));
const noteOn = (request: Resolved, person = ana, ...freezes: readonly string[]): string | undefined => {
  const { asked, target } = aboutOf(request, company);
  const decision = decideFreeze(policyWith(...freezes), person, asked, at);
  return shown(freezeNote({ decision, at, now: at }, target?.name));
};
const note = noteOn.bind(undefined, clears);
const moment = { at, now: at };
const ahead = { at, now: at - 1 };

test.each<[what: string, freezes: readonly string[], says: string | undefined]>([
  ['one that is over', ['name: over, from: 2026-11-26 18:00, to: 2026-11-27 20:00'], undefined],
  ['one that begins in more than a day', [soon.replace('19:59', '20:00')], undefined],
  ['one that begins within a day', [soon], 'A freeze begins 2026-11-28T19:59 date. From then on this is not sent.'],
  ['one that holds it', [peak], 'acme-shop/live is in a freeze until 2026-12-01T08:00 date: peak (Peak trading).'],
  [
    'one that others may ignore',
    [`${peak}, except: { to: [leads, heads] }`],
    'acme-shop/live is in a freeze until 2026-12-01T08:00 date: peak (Peak trading). It excepts leads and heads, if they ask for it themselves.',
  ],
  ['two of them, without end', [peak, endless], 'acme-shop/live is in a freeze: peak (Peak trading), always.'],
  [
    'two exceptions that are used',
    [`${peak}, except: { to: [developers] }`, `${endless}, except: { to: [developers] }`],
    'This is in a freeze: peak, always. An exception lets this through.',
  ],
  [
    'an exception, and another freeze soon',
    [`${peak}, except: { to: [developers] }`, soon],
    'This is in a freeze: peak. An exception lets this through. A freeze begins 2026-11-28T19:59 date. From then on this is not sent.',
  ],
])('before it is asked for: %s', (_, freezes, says) => {
  expect(note(ana, ...freezes)).toBe(says);
});

test('what is ahead will be in a freeze then, and what is over is in one now', () => {
  const [freeze] = policyWith(peak).freezes;
  if (freeze === undefined) throw new Error('no freeze was read');
  const held = { kind: 'frozen', by: [freeze], until: undefined, mayStill: [] } as const;
  const lifted = { kind: 'open', approval: 'none', names: ['peak'], openUntil: undefined } as const;
  const said = [moment, ahead].flatMap((when) =>
    [held, lifted].map((decision) => shown(freezeNote({ decision, ...when }, undefined))),
  );
  expect(said).toEqual([
    'This is in a freeze: peak (Peak trading).',
    'This is in a freeze: peak. An exception lets this through.',
    'This will be in a freeze then: peak (Peak trading).',
    'This will be in a freeze then: peak. An exception lets this through.',
  ]);
});

test('before it is asked for: on many environments', () => {
  const many = resolve(parseArgs(['cache', 'clear', '*/*'], catalogue), names);
  expect(noteOn(many, ana, peak)).toMatch(/^This is in a freeze until /);
});

test('before it is asked for: an exception for people whom Slack does not name', () => {
  expect(note(member('U01ANA', 'Ana'), `${peak}, except: { to: [oncall] }`)).toMatch(
    /^A freeze may hold it\. .*S0ONCALL/,
  );
});

test('a refusal says until when, and what to do; an unknown group makes it later', () => {
  const policy = policyWith(peak);
  const [freeze] = policy.freezes;
  if (freeze === undefined) throw new Error('no freeze was read');
  const held = { kind: 'frozen', by: [freeze], until: at, mayStill: ['leads'] } as const;
  const refusal = refusedInFreeze(held, clears, undefined, moment);
  expect(refusal).toBeInstanceOf(InFreeze);
  expect(refusalText(refusal)).toMatch(
    /^This is in a freeze until .*: peak \(Peak trading\)\. It excepts leads, if they ask for it themselves\. Nothing was sent\. Ask again when it is over, or now with --at and a time after it\.$/,
  );
  expect(refusal.offers).toEqual([
    {
      label: 'Ask for the end of the freeze',
      args: ['cache', 'clear', live.id, '--at=2026-11-27T20:00Z'],
      opens: 'form',
    },
  ]);
  const ends: readonly [until: number | undefined, hint: RegExp][] = [
    [at + 30 * dayMs, /or now with --at and a time after it\.$/],
    [at + 30 * dayMs + 60_000, /over, or from 2026-11-27 20:01 UTC on with --at and a time after it\.$/],
    [undefined, /Ask again when it is over\.$/],
  ];
  for (const [index, [until, hint]] of ends.entries()) {
    const far = refusedInFreeze({ ...held, until }, clears, undefined, moment);
    expect(refusalText(far)).toMatch(hint);
    expect(far.offers).toHaveLength(index === 0 ? 1 : 0);
  }
  const schedule = { at: at - 60_000, until: at };
  const later = refusedInFreeze(
    held,
    { ...clears, parsed: { ...clears.parsed, when: schedule, reason: 'release 42' } },
    live.name,
    ahead,
  );
  expect(refusalText(later)).toMatch(/^acme-shop\/live will be in a freeze then, until /);
  expect(later.offers[0]?.args).toEqual(
    `cache|clear|${live.id}|--reason=release 42|--at=2026-11-27T20:00Z|--within=1m`.split('|'),
  );
  expect(freezeInWords(held, live.name, moment)).toContainEqual({ at, as: 'date' });
  const unknown = refusedInFreeze({ kind: 'unknown', by: [], groups: ['S0ONCALL'] }, clears, live.name, moment);
  expect(unknown).toBeInstanceOf(MembershipUnknown);
  expect(refusalText(unknown)).toMatch(/a freeze lets you run cache clear now.*S0ONCALL.*[Nn]othing was sent\./s);
});

test('the freezes of some environments, whoever asks: until when, for what, and who may', () => {
  const policy = policyWith(
    `${peak}, what: [push, destructive], except: { to: [leads, heads] }`,
    `${soon}, where: ["*/live"]`,
    soon.replace('launch', 'later').replace('19:59', '20:00'),
  );
  const [first, second, ...others] = freezesAt(policy, [live, staging], at).map(shown);
  expect(first).toBe(
    'acme-shop/live, acme-shop/staging: peak (Peak trading), until 2026-12-01T08:00 date, for push, destructive, except for leads and heads',
  );
  expect(second).toBe('acme-shop/live: launch, from 2026-11-28T19:59 date to 2026-11-29T08:00 date');
  expect(others).toEqual([]);
  const places = ['a', 'b', 'c', 'd'].map((name) => ({ ...live, name }));
  expect([places, places.slice(1)].map((some) => shown(freezesAt(policyWith(peak), some, at)[0]))).toEqual([
    expect.stringMatching(/^a, b, c and 1 more: peak/),
    expect.stringMatching(/^b, c, d: peak/),
  ]);
  const begun = freezesAt(policyWith(soon.replace('11-28 19:59', '11-27 20:00')), [live], at);
  expect(begun.map(shown)).toEqual(['launch, until 2026-11-29T08:00 date']);
});

test('a card says of the next freeze only if that begins while the change may be sent', () => {
  const next = { kind: 'open', approval: 'none', names: [], openUntil: at } as const;
  expect(freezeWarning(next, moment, at)).toBeUndefined();
  expect(shown(freezeWarning(next, moment, at + 1))).toMatch(/^A freeze begins/);
  expect(freezeWarning({ ...next, openUntil: undefined }, moment, at + dayMs)).toBeUndefined();
  expect(
    shown(
      namesOf([
        { name: 'a', reason: undefined },
        { name: 'b', reason: 'B' },
      ]),
    ),
  ).toBe('a, b (B)');
});

import { describe, expect, test } from 'vitest';
import { clone } from '../../src/commands/clone.ts';
import { images } from '../../src/commands/images.ts';
import { catalogue } from '../../src/commands/index.ts';
import { sshExpiry } from '../../src/commands/ssh/expiry.ts';
import { sshPassword } from '../../src/commands/ssh/password.ts';
import type { HostReader } from '../../src/hosting/contract/call.ts';
import { failureOfStatus, HostTrouble } from '../../src/hosting/failure.ts';
import type { AnyAction } from '../../src/commands/kit/action.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { canonicalArgs, resolve } from '../../src/language/resolve.ts';
import { needsReview } from '../../src/change/confirmation.ts';
import { usage } from '../../src/language/usage.ts';
import { inline, plain } from '../../src/words/text.ts';
import {
  company,
  hostile,
  live,
  names,
  noCertificate,
  nothingKnown,
  refusalOf,
  refusalText,
  staging,
  uuid,
} from '../fixtures.ts';
import * as fc from 'fast-check';

/** A line's command with its call and its card. */
function meant(line: string, snapshot?: unknown) {
  const parsed = parse(line, catalogue);
  if (parsed?.command.shape !== 'action') throw new Error(`no action: ${line}`);
  const { input, problems, missing } = resolve(parsed, names);
  if (problems[0]) throw problems[0].refusal;
  expect(missing).toEqual([]);
  const action: AnyAction = parsed.command;
  return { action, call: action.call({ input, snapshot }), card: action.card({ input, snapshot, now: 0 }), input };
}

const settings: readonly (readonly [line: string, path: string, body: object, words: RegExp])[] = [
  ...(['hours_24', 'days_7', 'days_30', 'days_90', 'never'] as const).map(
    (interval) =>
      [
        `ssh expiry acme-shop/live ${interval}`,
        `/sites/environments/${uuid(1)}/ssh/change-expiration-interval`,
        { exp_interval: interval },
        interval === 'never' ? /never expire.*A password that leaks/s : /expire after (?:24 hours|\d+ days)/,
      ] as const,
  ),
  ...(['on', 'off'] as const).map(
    (access) =>
      [
        `ssh password acme-shop/live ${access}`,
        `/sites/environments/${uuid(1)}/ssh/set-password-status`,
        { is_enabled: access === 'on' },
        access === 'on' ? /Everybody who knows the password/ : /with a password no longer can/,
      ] as const,
  ),
];

test.each(settings)('%s', (line, path, body, words) => {
  const { action, call, card, input } = meant(line);
  expect(call).toMatchObject({ kind: 'write', path, body });
  const facts = Object.entries(card.facts ?? {}).map(([label, value]) => `${label}: ${plain(inline(value))}`);
  expect([plain(card.title), plain(inline(card.warning)), ...facts].join('\n')).toMatch(words);
  // Nothing can be read back, so there is no look, proof or undo.
  expect(Object.keys(action)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(look|proof|undo|later)$/)]));
  expect(action.after).toMatch(/cannot be read back/);
  expect(facts.join()).toContain('Before: not known');
  for (const { args: next } of action.next?.({ input, snapshot: undefined, sentAt: 0 }) ?? []) {
    expect(canonicalArgs(resolve(parseArgs(next, catalogue), names))).toEqual(next);
  }
});

test.each([
  ['off', 'off', 'off'],
  [false, 'off', false],
  [false, 'lossy', 'lossy'],
  ['off', 'lossless', 'lossless'],
] as const)('where off is %j, images %s is sent as %j', (off, wanted, sent) => {
  const { call, card } = meant(`images acme-shop/live ${wanted}`, { images: null, off });
  expect(call.body).toEqual({ environment_id: uuid(1), image_optimization_type: sent });
  expect(plain(inline(card.facts?.['Before']))).toContain('not known');
});

test.each([
  ['lossy', 'lossy'],
  [false, 'off'],
  ['off', 'off'],
  [null, null],
  [true, null],
  [undefined, null],
])('an environment listed with %j has the setting %j', async (listed, setting) => {
  const environments = [{ id: live.id, image_optimization_type: listed }];
  const read: HostReader = async (call) => call.reply.parse({ company: { sites: [{ environments }] } });
  const input = { env: live, images: 'lossless' } as const;
  const sources = { read, company, certificate: noCertificate, ...nothingKnown };
  const snapshot = await images.look?.({ input, ...sources });
  expect(snapshot).toEqual({ images: setting, off: 'off' });
});

test.each([
  ['lossy', 'lossless', 'yes', undefined],
  ['lossy', 'lossy', 'not yet', undefined],
  ['lossy', null, 'no', true],
  [null, 'lossy', 'not yet', undefined],
  // Perhaps it was the same before.
  [null, 'lossless', 'no', true],
] as const)('listed as %j before and as %j after setting lossless: %s', (before, now, verdict, isUnclear) => {
  const proof = images.proof?.({
    input: { env: live, images: 'lossless' },
    snapshot: { images: before, off: 'off' },
    current: { images: now, off: 'off' },
  });
  expect({ isUnclear: undefined, ...proof }).toMatchObject({ verdict, isUnclear });
});

test.each([
  [404, null],
  [403, null],
  [401, undefined],
  [500, undefined],
])('a list of sites that answers %i leaves the setting unknown, or is later: %j', async (status, setting) => {
  const failure = failureOfStatus(status, '', undefined);
  const read = () => Promise.reject(new HostTrouble(failure, { attempts: 1, elapsedMs: 0 }));
  const sources = { read, company, certificate: noCertificate, ...nothingKnown };
  const look = images.look?.({ input: { env: live, images: 'off' }, ...sources });
  const seen = look?.then(({ images }) => images).catch(() => undefined);
  expect(await seen).toBe(setting);
});

test('the opposite of password access is offered as a command', () => {
  for (const [access, other] of [
    ['on', 'off'],
    ['off', 'on'],
  ] as const) {
    const [offer] = sshPassword.next?.({ input: { env: live, access }, snapshot: undefined, sentAt: 0 }) ?? [];
    expect(offer).toEqual({
      label: `Switch it ${other} on acme-shop/live`,
      args: ['ssh', 'password', live.id, other],
    });
  }
});

test.each([
  ['images acme-shop/live gzip', 'Image optimization has to be one of off, lossy, lossless'],
  ['ssh expiry acme-shop/live 8d', 'Passwords expire has to be one of hours_24, days_7'],
  ['ssh password acme-shop/live maybe', 'Password access has to be one of on, off'],
])('%s is refused', (line, words) => {
  expect(refusalText(refusalOf(() => meant(line)))).toContain(words);
});

test('passwords are reviewed on live environments, images nowhere', () => {
  expect(
    [sshExpiry, sshPassword].map((action) => [
      needsReview(action, { target: live, input: {} }),
      needsReview(action, { target: staging, input: {} }),
    ]),
  ).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(needsReview(images, { target: live, input: {} })).toBe(false);
  expect(usage('ssh expiry', sshExpiry)).toContain('<hours_24|days_7|days_30|days_90|never>');
});

describe('clone', () => {
  const snapshot = { company: company.id };
  test('names the company, the source and the new site', () => {
    const { call, card } = meant('clone acme-shop/live Acme Shop 2', snapshot);
    expect(call).toMatchObject({ method: 'POST', path: '/sites/clone' });
    expect(call.body).toEqual({ company: company.id, display_name: 'Acme Shop 2', source_env_id: live.id });
    expect(plain(card.title)).toBe('Clone acme-shop/live as “Acme Shop 2”');
    expect(JSON.stringify(card)).not.toMatch(/domain|dns/i);
  });

  test('looks up the company, and waits if it is unknown', async () => {
    const read = () => Promise.reject(new Error('nothing is read'));
    const look = async (id: string) =>
      clone.look?.({
        input: { env: live, displayName: 'x' },
        read,
        company: { ...company, id },
        certificate: noCertificate,
        ...nothingKnown,
      });
    expect(await look(company.id)).toEqual(snapshot);
    await expect(look('')).rejects.toThrow('Nothing was done.');
    expect(clone.alsoReads).toEqual(['env']);
    expect(needsReview(clone, { target: company, input: {} })).toBe(true);
  });

  test.each([
    ['hides something', 'clone acme-shop/live "Ac\u200Bme"', 'U+200B'],
    ['turns around', 'clone acme-shop/live "Ac\u202Eme"', 'U+202E'],
    ['is too long', `clone acme-shop/live ${'x'.repeat(101)}`, 'at most 100 characters'],
  ])('refuses a name that %s', (_, line, words) => {
    expect(refusalText(refusalOf(() => meant(line, snapshot)))).toContain(words);
  });

  test('takes a name unchanged or refuses it, and always makes a call that can be sent', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const parsed = { path: 'clone', command: clone, reason: undefined, dryRun: false };
        const { input, problems } = resolve({ ...parsed, given: { env: [live.id], displayName: [text] } }, names);
        const name = input['displayName'];
        if (typeof name !== 'string') {
          expect(problems.length > 0 || text.trim() === '').toBe(true);
          return;
        }
        expect(name).toBe(text.trim().split(/\s+/).join(' '));
        expect(clone.call({ input: { env: live, displayName: name }, snapshot }).body).toMatchObject({
          display_name: name,
        });
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, firstOf } from '../../../src/commands/index.ts';
import type { Authorized } from '../../../src/access/access-check.ts';
import { pin } from '../../../src/change/pin.ts';
import type { Given } from '../../../src/language/bind-arguments.ts';
import { resolve } from '../../../src/language/resolve.ts';
import { blockComplaints, viewComplaints } from '../../../src/playground/slack/block-kit/check.ts';
import {
  allCommandsView,
  formView,
  memoOf,
  noticeView,
  pickerView,
  reviewView,
} from '../../../src/slack/forms/views.ts';
import { optionOf, readInputs } from '../../../src/slack/forms/inputs.ts';
import { inline } from '../../../src/words/text.ts';
import { clearCache } from '../../../src/hosting/contract/environment.ts';
import {
  commandAt,
  givenFor,
  hostile,
  live,
  names,
  refusalOf,
  refusalText,
  uuid,
  parsedFor,
  wordsFor,
} from '../../fixtures.ts';
import { askedOf, untouched } from './untouched-form.ts';

const origin = { channel: 'C1', thread: '1.2' };
const named = [...names.environments, ...names.domains, { id: uuid(900), name: 'acme-shop' }];
const nameOf = (id: string): string | undefined => named.find((one) => one.id === id)?.name;

describe.each([...catalogue])('the form of %s', (path, command) => {
  const given = givenFor(command.fields, wordsFor);
  const parsed = (said: Given) => resolve({ path, command, given: said, reason: undefined, dryRun: false }, names);

  test('stays within limits for any typed text, and returns what it was filled in with', () => {
    fc.assert(
      fc.property(given, fc.option(fc.constant('release 42'), { nil: undefined }), (given, reason) => {
        const view = formView({ path, command, reason }, origin, nameOf, { fields: askedOf(command, given) });
        expect(viewComplaints(view, 'modal')).toEqual([]);
        const back = readInputs(untouched(view));
        expect(parsed(back.given).input).toEqual(parsed(given).input);
        expect(back.reason).toBe(command.shape === 'action' ? reason : undefined);
        expect(memoOf(view.private_metadata ?? '')).toEqual({ origin, path });
      }),
    );
  });

  test('returns a choice by its position in the list', () => {
    fc.assert(
      fc.property(given, fc.array(hostile), (given, others) => {
        const listOf = (name: string): readonly string[] => [...new Set([...others, ...(given[name] ?? [])])];
        const view = formView({ path, command, reason: undefined }, origin, nameOf, {
          fields: askedOf(command, given, listOf),
        });
        expect(viewComplaints(view, 'modal')).toEqual([]);
        const lists = new Map(Object.keys(command.fields).map((name) => [name, listOf(name)]));
        expect(parsed(readInputs(untouched(view), lists).given).input).toEqual(parsed(given).input);
      }),
      { numRuns: 50 },
    );
  });

  test('stays within limits for any content', () => {
    const anything = givenFor(command.fields, () => fc.array(hostile));
    fc.assert(
      fc.property(anything, hostile, hostile, (given, reason, name) => {
        const formContent = { fields: askedOf(command, given), says: inline(reason) };
        expect(
          viewComplaints(
            formView({ path, command, reason }, origin, () => name, formContent),
            'modal',
          ),
        ).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

const viewOf = (path: string, given: Given) =>
  formView(parsedFor(path, given), origin, nameOf, { fields: askedOf(commandAt(path), given) });

test('a list too long for a form is omitted, not cut: a cut address would be another address', () => {
  const addresses = Array.from({ length: 100 }, (_, index) => `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${index + 1000}`);
  expect(readInputs(untouched(viewOf('allowlist add', { addresses }))).given['addresses']).toBeUndefined();
});

test.each(['yes', 'on', 'TRUE', '1'])('a flag typed as %s is ticked', (word) => {
  expect(readInputs(untouched(viewOf('allowlist remove', { empty: [word] }))).given['empty']).toEqual(['yes']);
});

test('a choice that was typed by another of its names is chosen', () => {
  expect(readInputs(untouched(viewOf('redirects add', { type: ['302'] }))).given['type']).toEqual(['redirect']);
});

test('a review shows the text of the card, but stores no more of it than needed', () => {
  fc.assert(
    fc.property(hostile, hostile, (text, reason) => {
      const action = commandAt('cache clear');
      if (action.shape !== 'action') throw new Error('no action');
      const parsed = parsedFor('cache clear', { env: [live.id] }, { reason });
      const authorized: Authorized = {
        ...resolve(parsed, names),
        target: live,
        alsoReads: [],
        authorization: { approval: 'none', rules: [], policy: '' },
      };
      const odd = {
        ...action,
        card: () => ({ title: inline(text), done: inline(text), warning: inline(text), facts: { [text]: text } }),
      };
      const pinned = pin(authorized, odd, null, { now: 0 });
      const view = reviewView(pinned, { origin, args: ['cache', 'clear', live.id] }, { notice: inline(text) });
      expect(viewComplaints(view, 'modal')).toEqual([]);
      expect(memoOf(view.private_metadata ?? '')?.shown).toBe(pinned.fingerprint);
    }),
    { numRuns: 50 },
  );
});

test.each<[string, string, boolean]>([
  ['the token of a service', `ghp_${'a1'.repeat(18)}`, true],
  ['an ordinary value', 'v=spf1 -all', false],
])('the review of a DNS value says who can read it: %s', (_, value, isTold) => {
  const action = commandAt('dns set');
  if (action.shape !== 'action') throw new Error('no action');
  const [domain] = names.domains;
  const parsed = parsedFor('dns set', { domain: [domain?.name ?? ''], type: ['TXT'], name: ['@'], add: [value] });
  const authorized: Authorized = {
    ...resolve(parsed, names),
    target: domain,
    alsoReads: [],
    authorization: { approval: 'none', rules: [], policy: '' },
  };
  const title = inline('Add a record');
  const plainly = {
    ...action,
    preconditions: () => null,
    call: () => clearCache({ environment_id: live.id }),
    card: () => ({ title, done: title }),
  };
  const pinned = pin(authorized, plainly, null, { now: 0 });
  const view = JSON.stringify(reviewView(pinned, { origin, args: [] }).blocks);
  expect(view.includes('Everybody in the channel can read it')).toBe(isTold);
  expect(pinned.card).not.toContain('Everybody');
});

test('the other views stay within limits', () => {
  const listed = [...catalogue].map(([path, { summary }]) => ({ path, summary }));
  expect(viewComplaints(allCommandsView(listed, origin), 'modal')).toEqual([]);
  expect(viewComplaints(pickerView(firstOf(listed), true, origin), 'modal')).toEqual([]);
  expect(viewComplaints(noticeView('x'.repeat(99), inline('')), 'modal')).toEqual([]);
  expect(optionOf('v', 'x'.repeat(99)).text.text).toHaveLength(75);
  expect(blockComplaints([], 'message')).toEqual([]);
});

describe('the values of a view', () => {
  const value = (value: string) => ({ b: { search: { type: 'plain_text_input', value } } });
  test('hidden characters are refused, line breaks are not', () => {
    expect(refusalText(refusalOf(() => readInputs(value('li\u200Bve'))))).toContain('U+200B');
    expect(readInputs(value(' a\r\nb ')).given).toEqual({ search: ['a\r\nb'] });
  });
  test('blank text counts as empty', () => {
    expect(readInputs(value(' \u00A0 '))).toEqual({ given: {}, reason: undefined, leaveOut: [] });
  });
  test.each(['', 'null', '[]', '{"origin":1}', '{"path":"x"}', '{'])('foreign metadata is ignored: %s', (metadata) => {
    expect(memoOf(metadata)).toBeUndefined();
  });
});

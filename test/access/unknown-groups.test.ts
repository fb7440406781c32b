import { describe, expect, test } from 'vitest';
import type { Page } from '../../src/commands/kit/page.ts';
import type { Listing } from '../../src/hosting/names.ts';
import { builtinPages } from '../../src/talk/builtin-pages.ts';
import { authorize, type Person } from '../../src/access/access-check.ts';
import { refuseUnlessMayTry, mayRunSomewhere } from '../../src/access/may-run.ts';
import { createNames } from '../../src/change/visible-names.ts';
import { resolve } from '../../src/language/resolve.ts';
import { groupsOf, groupsToAsk, MembershipUnknown } from '../../src/access/unknown-groups.ts';
import { inline, plain } from '../../src/words/text.ts';
import {
  askingFor,
  ana,
  changeOf,
  commandAt,
  company,
  names,
  policyFrom,
  refusalOf,
  refusalText,
  staging,
  parsedFor,
  contextWith,
  emptyListing,
} from '../fixtures.ts';

/** Decisions while Slack does not say whether somebody is in a user group. */

const policy = policyFrom(`version: 1
live: ["*/live"]
groups:
  developers: [U02BEN]
  devs: [S0DEVS]
  leads: [S0LEADS]
  barred: [S0BARRED]
rules:
  - { allow: [read], to: [developers, devs] }
  - { allow: [routine], to: [devs] }
  - { deny: [images], to: [barred] }
  - { allow: [pause, resume], to: [leads] }
  - { allow: [push], to: [devs], approval: { by: [leads] } }
`);
/** A known developer whose other memberships are unknown. */
const dev: Person = { ...ana, groups: ['S0DEVS'] };
const stranger: Person = { ...ana, groups: [] };
const [resume, pause] = [commandAt('resume'), commandAt('pause')];
const asked =
  (person: Person, path: string, given = {}) =>
  () =>
    authorize(policy, person, resolve(parsedFor(path, { env: [staging.name], ...given }), names), company);

describe('a command', () => {
  test('is refused, with the name of the group, if a rule may deny it', () => {
    const refusal = refusalOf(asked(dev, 'images', { mode: ['off'] }));
    expect(refusal).toBeInstanceOf(MembershipUnknown);
    expect(refusalText(refusal)).toBe(
      "I can't tell whether you may run images on acme-shop/staging. Slack doesn't tell me who is in @S0BARRED (S0BARRED). Nothing was sent. Try again in a minute; /site doctor says what is wrong.",
    );
  });

  test('is allowed if no rule with that group is about it', () => {
    expect(asked(dev, 'cache clear')().authorization.rules).toEqual([10]);
  });

  test('on a target that may not be readable does not reveal what exists', () => {
    expect(refusalText(refusalOf(asked(stranger, 'cache clear')))).toBe(
      "I can't tell whether you can see what cache clear is about here. Slack doesn't tell me who is in @S0DEVS (S0DEVS). Nothing was done. Try again in a minute; /site doctor says what is wrong.",
    );
  });

  test('is refused only for now if it is unknown whether the person may read', () => {
    const parsed = resolve(parsedFor('resume', {}), names);
    expect(refusalText(refusalOf(() => authorize(policy, stranger, parsed, company)))).toContain(
      "I can't tell whether you may run resume. Slack doesn't tell me who is in @S0LEADS (S0LEADS). Nothing was done.",
    );
  });

  test('is not begun if it could not be finished', () => {
    expect(
      refusalText(refusalOf(() => refuseUnlessMayTry(policy, dev, { path: 'resume', command: resume }))),
    ).toContain("I can't tell whether you may use resume. Slack doesn't tell me who is in @S0LEADS (S0LEADS).");
  });

  test('pause is open to people who may turn out to be allowed it, resume is not', () => {
    for (const person of [dev, stranger]) {
      expect(mayRunSomewhere(policy, person, 'pause', pause)).toBe('yes');
      expect(mayRunSomewhere(policy, person, 'resume', resume)).toEqual(['S0LEADS']);
    }
    const known = { ...stranger, otherGroups: ['S0DEVS', 'S0LEADS', 'S0BARRED'] };
    for (const [path, command] of [
      ['pause', pause],
      ['resume', resume],
    ] as const)
      expect(mayRunSomewhere(policy, known, path, command)).toBe('no');
  });
});

const listing: Listing = {
  ...emptyListing,
  at: 1,
  environments: [
    {
      id: staging.id,
      name: 'staging',
      displayName: 'staging',
      site: { id: 's', name: 'acme-shop', displayName: 'x' },
      named: 'by the host',
    },
  ],
};

describe('what people are shown', () => {
  const textOf = ({ parts }: Page): string => JSON.stringify(parts);
  const { can, help, whoami } = builtinPages;
  const askedBy = (person: Person) => {
    const context = contextWith({
      policy: () => policy,
      company: () => company,
      names: () => names,
      membersOf: async () => undefined,
      personOf: async () => person,
    });
    return [context, askingFor(context, person, 'status')] as const;
  };

  test('help marks commands that only the unknown group withholds', async () => {
    const page = await help(...askedBy(dev), { command: 'all' });
    const [list] = page.parts;
    if (list?.kind !== 'list') throw new Error('no list');
    const rows = new Map(list.entries.map(plain).map((line) => [line.split('  ')[0], line]));
    expect(rows.get('/site resume')).toMatch(/ ⚠️ Not now: Slack doesn't tell me who is in S0LEADS\.$/);
    expect(rows.get('/site images')).toContain('Not now');
    for (const path of ['cache clear', 'pause', 'clone']) expect(rows.has(`/site ${path}`)).toBe(false);
  });

  test('whoami does not say that somebody is in no group if that is unknown', () => {
    const page = whoami(...askedBy(stranger));
    expect(textOf(page)).toMatch(/names, as far as I know\..*doesn't tell me who is in .*S0DEVS.*S0LEADS.*S0BARRED/);
  });

  test('can says which group it depends on', async () => {
    const page = await can(...askedBy(dev), { command: ['resume'], person: undefined });
    expect(plain(page.title)).toBe('You may or may not run resume');
    expect(textOf(page)).toMatch(/S0LEADS.*Slack doesn't tell me. Until it does, I refuse it\./);
    const clear = { command: ['cache', 'clear', staging.name], person: undefined };
    expect(plain((await can(...askedBy(dev), clear)).title)).toMatch(/^You may run cache clear/);
    expect(textOf(await can(...askedBy(stranger), clear))).toContain('S0DEVS');
  });

  test('a note says that names may be hidden, and each person’s names are cached separately', () => {
    const namesOf = createNames(
      () => listing,
      () => policy,
    );
    expect(namesOf(dev)).toMatchObject({ environments: [{ name: 'acme-shop/staging' }], trouble: undefined });
    const none = namesOf(stranger);
    expect([none.environments, plain(inline(none.trouble))]).toEqual([
      [],
      "Slack doesn't tell me who is in @S0DEVS (S0DEVS).",
    ]);
    expect(namesOf({ ...stranger, otherGroups: ['S0DEVS'] })).toMatchObject({ environments: [], trouble: undefined });
  });
});

test('which groups have to be known for a command, for a change and its approvers, and for help', () => {
  expect(groupsToAsk(policy)).toEqual(['S0DEVS']);
  expect(groupsToAsk(policy, { path: 'resume', command: resume })).toEqual(['S0LEADS', 'S0DEVS']);
  expect(groupsToAsk(policy, { path: 'help', command: commandAt('help') })).toEqual(['S0DEVS', 'S0LEADS', 'S0BARRED']);
  const authorization = JSON.stringify({ approval: 'none', rules: [], policy: 'p' });
  const push = changeOf({ command: 'push', authorization });
  expect([groupsOf(policy, push, 'requester'), groupsOf(policy, push, 'approver')]).toEqual([
    ['S0DEVS'],
    ['S0DEVS', 'S0LEADS'],
  ]);
  const unlocking = policyFrom(
    policy.text.replace('resume]', 'resume, unlock]').replace('to: [leads]', 'to: [barred]'),
  );
  expect(groupsOf(unlocking, push, 'ender')).toEqual(['S0DEVS', 'S0LEADS', 'S0BARRED']);
});

import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { assertChannel } from '../../src/access/assert-channel.ts';
import { authorize, assertMember, type Person } from '../../src/access/access-check.ts';
import { mayRunSomewhere } from '../../src/access/may-run.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import type { Domain, Target } from '../../src/hosting/contract/target.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { plain } from '../../src/words/text.ts';
import {
  ana,
  blog,
  commandAt,
  company,
  live,
  names,
  policyOf,
  refusalOf,
  rob,
  refusalText,
  shopDomain,
  staging,
  parsedFor,
} from '../fixtures.ts';

const READ = '{ allow: [read], to: [developers, leads] }';
const asked = (policy: Policy, person: Person, path: string, env = staging.name, given = {}) =>
  authorize(policy, person, resolve(parsedFor(path, { env: [env], ...given }), names), company);

describe('people without any rights', () => {
  test.each([
    ['guest', 'Guests of this workspace may not use Sitehand.'],
    ['bot', 'Other bots may not use Sitehand.'],
    ['stranger', 'Only members of this workspace may use Sitehand.'],
    ['deactivated', 'This account is deactivated.'],
  ] as const)('a %s, whatever the rules allow everyone', (standing, why) => {
    const policy = policyOf('{ allow: [read, routine, sensitive, destructive], to: everyone, approval: none }');
    const expected = `${why} Nothing was done.`;
    expect(refusalText(refusalOf(() => asked(policy, { ...ana, standing }, 'cache clear')))).toBe(expected);
    expect(() => assertMember({ ...ana, standing })).toThrow(expected);
    expect(() => assertMember(ana)).not.toThrow();
  });
});

describe('what the rules say', () => {
  const approval = 'approval: { by: [leads], count: 2, expires: 1h }';
  test.each<[string, readonly string[], string, string, 'none' | 'approval' | 'not allowed' | 'unknown']>([
    ['a routine action', [READ, '{ allow: [routine], to: [developers] }'], 'cache clear', staging.name, 'none'],
    [
      'the class of another',
      [READ, '{ allow: [routine], to: [developers] }'],
      'allowlist add',
      staging.name,
      'not allowed',
    ],
    ['by name', [READ, '{ allow: [allowlist add], to: [developers] }'], 'allowlist add', staging.name, 'none'],
    [
      'by another name',
      [READ, '{ allow: [allowlist add], to: [developers] }'],
      'allowlist remove',
      staging.name,
      'not allowed',
    ],
    [
      'elsewhere',
      [READ, '{ allow: [routine], to: [developers], where: ["*/staging"] }'],
      'cache clear',
      live.name,
      'not allowed',
    ],
    ['for others', [READ, '{ allow: [routine], to: [leads] }'], 'cache clear', staging.name, 'not allowed'],
    [
      'with an approval',
      [READ, `{ allow: [sensitive], to: [developers], ${approval} }`],
      'allowlist add',
      staging.name,
      'approval',
    ],
    [
      'the strictest of two',
      [
        READ,
        '{ allow: [sensitive], to: [developers], approval: none }',
        `{ allow: [sensitive], to: [developers], ${approval} }`,
      ],
      'allowlist add',
      live.name,
      'approval',
    ],
    [
      'denied in spite of all',
      [READ, '{ allow: [routine], to: [developers] }', '{ deny: [cache clear], to: everyone, where: ["*/live"] }'],
      'cache clear',
      live.name,
      'not allowed',
    ],
    ['a report', [READ], 'logs', live.name, 'none'],
    [
      'a report elsewhere',
      ['{ allow: [read], to: [developers], where: ["acme-blog/*"] }'],
      'logs',
      live.name,
      'unknown',
    ],
    [
      'changing an unreadable target',
      ['{ allow: [routine], to: [developers] }'],
      'cache clear',
      staging.name,
      'unknown',
    ],
    ['no rule at all', ['{ allow: [read], to: [leads] }'], 'logs', live.name, 'unknown'],
  ])('%s', (_, rules, path, env, wanted) => {
    const given = path.startsWith('allowlist') ? { addresses: ['1.1.1.1'] } : {};
    const outcome = (): string => {
      const { authorization, target } = asked(policyOf(...rules), ana, path, env, given);
      expect(target?.name).toBe(env);
      expect(authorization.rules.length).toBeGreaterThan(0);
      return authorization.approval === 'none' ? 'none' : 'approval';
    };
    if (wanted === 'none' || wanted === 'approval') {
      expect(outcome()).toBe(wanted);
      return;
    }
    expect(refusalText(refusalOf(outcome))).toContain(
      wanted === 'unknown' ? 'among the environments you can see' : 'You may not run',
    );
    expect(refusalText(refusalOf(outcome))).toMatch(/Nothing was (done|sent)\./);
  });

  test('an unreadable target is refused in the same words as one that does not exist', () => {
    const policy = policyOf(
      '{ allow: [read], to: [developers], where: ["acme-blog/*"] }',
      '{ allow: [routine], to: [developers] }',
    );
    const parsed = parsedFor('cache clear', { env: [live.name] });
    const unknown = resolve(parsed, { environments: [], domains: [] }).problems[0]?.refusal;
    const unreadable = refusalOf(() => authorize(policy, ana, resolve(parsed, names), company));
    expect(refusalText(unreadable)).toBe(unknown && refusalText(unknown));
    expect(unreadable.field).toBe(unknown?.field);
  });

  test('somebody who may read the target is told the rule and whom it allows', () => {
    const policy = policyOf(READ, '{ allow: [routine], to: [leads] }');
    expect(refusalText(refusalOf(() => asked(policy, ana, 'cache clear')))).toBe(
      'You may not run cache clear on acme-shop/staging. Line 8 of the policy lets leads do it. Nothing was sent.',
    );
    expect(refusalText(refusalOf(() => asked(policyOf(READ), ana, 'cache clear')))).toContain(
      'No rule allows anybody to do it.',
    );
    const denied = policyOf(READ, '{ allow: [routine], to: [leads] }', '{ deny: [routine], to: [developers] }');
    expect(refusalText(refusalOf(() => asked(denied, ana, 'cache clear')))).toContain(
      'Line 9 of the policy forbids it; leads may do it. Nothing was sent.',
    );
  });

  test('somebody who may read nothing is told no rule; somebody who may read is told the company’s rules like those of any target', () => {
    const bare = (path: string, ...rules: readonly string[]) =>
      refusalText(refusalOf(() => authorize(policyOf(...rules), ana, resolve(parsedFor(path, {}), names), company)));
    for (const path of ['pause', 'themes list'])
      expect(bare(path, '{ allow: [pause, read], to: [leads] }')).toBe(`You may not use ${path}. Nothing was done.`);
    expect(bare('themes list', '{ allow: [read], to: [developers], where: ["*/staging"] }')).toBe(
      'You may not run themes list. No rule allows anybody to do it. Nothing was sent. /site themes list in site/environment asks about an environment.',
    );
    expect(
      bare(
        'domains list',
        '{ allow: [read], to: [developers], where: [company] }',
        '{ deny: [domains list], to: everyone, where: [company] }',
      ),
    ).toBe('You may not run domains list. Line 8 of the policy forbids it. Nothing was sent.');
  });

  test('if several rules allow others, each is named once, without repeating another', () => {
    const refused = (...rules: readonly string[]) =>
      refusalText(refusalOf(() => asked(policyOf('{ allow: [read], to: everyone }', ...rules), rob, 'cache clear')));
    const [leads, developers] = ['{ allow: [routine], to: [leads] }', '{ allow: [cache clear], to: [developers] }'];
    expect(refused(leads, '{ allow: [push], to: [leads] }', developers)).toContain(
      'Lines 8 and 10 of the policy let leads and developers do it.',
    );
    expect(refused(leads, developers, leads)).toContain(
      'Lines 8, 9 and 10 of the policy let leads and developers do it.',
    );
    expect(refused(leads, leads, leads, leads)).toContain('Lines 8, 9, 10 and 11 of the policy let leads do it.');
    expect(refused(leads, leads, leads, leads, leads, leads)).toContain(
      'Lines 8, 9, 10, 11 and 2 more of the policy let leads do it.',
    );
  });

  test('a built-in command needs no right, or the right to read', () => {
    const nothing = policyOf('{ allow: [read], to: [leads] }');
    expect(mayRunSomewhere(nothing, ana, 'whoami', commandAt('whoami'))).toBe('yes');
    expect(mayRunSomewhere(nothing, ana, 'environments', commandAt('environments'))).toBe('no');
    expect(mayRunSomewhere(policyOf(READ), ana, 'environments', commandAt('environments'))).toBe('yes');
    const parsed = resolve(parsedFor('environments', {}), names);
    expect(refusalText(refusalOf(() => authorize(nothing, ana, parsed, company)))).toContain(
      'You may not use environments.',
    );
    const policy = policyOf(READ);
    const authorization = { approval: 'none', rules: [], policy: policy.hash };
    const allowed = authorize(policy, ana, parsed, company);
    expect(allowed).toMatchObject({ authorization });
    expect(allowed.target).toBeUndefined();
    const [rule] = policy.rules;
    expect(asked(policy, ana, 'changes', live.name).authorization).toEqual({ ...authorization, rules: [rule?.line] });
  });
});

describe('an action on several environments', () => {
  const clear = (...rules: readonly string[]) => {
    const parsed = parse('cache clear acme-shop/live, acme-shop/staging', catalogue);
    if (parsed === undefined) throw new Error('nothing was typed');
    return authorize(policyOf(READ, ...rules), ana, resolve(parsed, names), company);
  };

  test('is decided for each, and those that the rules do not allow are named', () => {
    const both = clear('{ allow: [routine], to: [developers] }');
    expect(both.each?.map(({ target }) => target)).toEqual([staging, live]);
    expect([both.target, both.notAllowed]).toEqual([undefined, []]);
    const one = clear('{ allow: [routine], to: [developers], where: ["*/staging"] }');
    expect(one.each?.map(({ target }) => target)).toEqual([staging]);
    expect(one.notAllowed).toEqual([live]);
  });

  test('is refused if the rules allow it on none of them', () => {
    expect(refusalText(refusalOf(() => clear()))).toMatch(/^You may not run cache clear on .* The same goes for all/);
  });
});

describe('help and App Home show what the rules of the person allow', () => {
  const everywhere = '{ allow: [read, sensitive], to: [developers] }';
  const shop = '{ allow: [read, sensitive], to: [developers], where: ["acme-shop/*"] }';
  const stagings = '{ allow: [read, sensitive], to: [developers], where: ["*/staging"] }';
  const domains = '{ allow: [read, sensitive], to: [developers], where: ["domain:acme.com"] }';
  const no = (where: string): string => `{ deny: [read, sensitive], to: everyone, where: ["${where}"] }`;
  test.each<[string, readonly string[], readonly string[]]>([
    ['all of it', [everywhere], ['domains list', 'themes list', 'clone', 'dns set', 'allowlist show', 'changes']],
    [
      'of a site neither what concerns the company alone',
      [shop],
      ['themes list', 'dns set', 'allowlist show', 'changes'],
    ],
    ['nor, of some of its environments, its domains', [stagings], ['themes list', 'allowlist show', 'changes']],
    ['of a domain', [domains], ['dns set', 'changes']],
    ['all but the company', [everywhere, no('company')], ['themes list', 'dns set', 'allowlist show', 'changes']],
    [
      'all but domains',
      [everywhere, no('domain:*')],
      ['domains list', 'themes list', 'clone', 'allowlist show', 'changes'],
    ],
    ['nothing of any site', [everywhere, no('*/*')], ['domains list', 'themes list', 'clone', 'changes']],
    [
      'not what is forbidden in some places alone',
      [shop, no('acme-shop/live')],
      ['themes list', 'dns set', 'allowlist show', 'changes'],
    ],
  ])('%s', (_, rules, shown) => {
    const policy = policyOf(...rules);
    const asked = ['domains list', 'themes list', 'clone', 'dns set', 'allowlist show', 'changes'];
    expect(asked.filter((path) => mayRunSomewhere(policy, ana, path, commandAt(path)) === 'yes')).toEqual(shown);
    for (const path of ['domains list', 'themes list']) {
      const run = () => authorize(policy, ana, resolve(parsedFor(path, {}), names), company);
      // Both are about the company, but `themes list` can be narrowed to environments.
      if (shown.includes('domains list')) expect(run().target).toEqual(company);
      else expect(refusalText(refusalOf(run))).toContain('You may not run');
    }
  });
});

describe('a built-in command that needs a rule with its name', () => {
  const rules = policyOf(
    '{ allow: [read], to: everyone }',
    '{ allow: [lock, audit, pause], to: [developers], where: ["*/staging"] }',
    '{ allow: [resume], to: [developers] }',
    '{ deny: [lock], to: everyone, where: ["acme-blog/*"] }',
  );
  const lock = (env: string) => asked(rules, ana, 'lock', env, { why: ['release'] });
  const bare = (path: string) => authorize(rules, ana, resolve(parsedFor(path, {}), names), company);

  test('is allowed only on targets that the rule covers, and names the rule', () => {
    expect(lock(staging.name)).toMatchObject({ target: staging, authorization: { approval: 'none', rules: [8] } });
    expect(asked(rules, ana, 'audit', staging.name).authorization.rules).toEqual([8]);
  });

  test('is not allowed on another target, or where a rule denies it', () => {
    expect(refusalText(refusalOf(() => lock(live.name)))).toBe(
      'You may not run lock on acme-shop/live. No rule allows anybody to do it. Nothing was done.',
    );
    expect(refusalText(refusalOf(() => lock(blog.name)))).toContain(
      'Line 10 of the policy forbids it. Nothing was done.',
    );
    expect(refusalText(refusalOf(() => asked(rules, ana, 'audit', live.name)))).toContain('You may not run audit');
  });

  test('about everything is not allowed by a rule for some places, unless it only shows what the person may read', () => {
    expect(refusalText(refusalOf(() => bare('pause')))).toBe(
      'You may not run pause. No rule allows anybody to do it. Nothing was done.',
    );
    const places = policyOf('{ allow: [pause, resume], to: [developers], where: ["*/*"] }');
    expect(['pause', 'resume'].map((path) => mayRunSomewhere(places, ana, path, commandAt(path)))).toEqual([
      'no',
      'no',
    ]);
    expect(bare('resume').authorization.rules).toEqual([9]);
    expect(bare('audit').target).toBeUndefined();
  });

  test('about the audit trail has one right for its three commands', () => {
    for (const path of ['audit', 'audit verify', 'audit export']) {
      expect(mayRunSomewhere(rules, ana, path, commandAt(path))).toBe('yes');
      expect(mayRunSomewhere(rules, { ...ana, id: 'U03CHI' }, path, commandAt(path))).toBe('no');
    }
  });
});

describe('where a card may be posted', () => {
  const policy = policyOf(
    READ,
    `{ allow: [routine], to: [developers] }\nchannels:\n  CSHOP: { sites: ["acme-shop"] }\n  deny: [CNO]`,
  );
  const nowhere: Domain = { ...shopDomain, site: undefined };
  test.each<[string, string, boolean | undefined, readonly (Target | undefined)[], string | undefined]>([
    ['an internal channel', 'C1', false, [live], undefined],
    ['one shared with another organisation', 'C1', true, [live], 'shared with another organisation'],
    ['one that Slack gives no answer about', 'C1', undefined, [live], 'Slack gives no answer'],
    ['one that the rules exclude', 'CNO', false, [live], "Sites can't be discussed in this channel"],
    ['one of this site', 'CSHOP', false, [live, shopDomain, undefined], undefined],
    ['one of another site', 'CSHOP', false, [blog], 'for other sites.'],
    [
      'one of another site for what is only read',
      'CSHOP',
      false,
      [live, blog, live],
      `for other sites than ${blog.site?.name}.`,
    ],
    ['one of a site, for what is nowhere', 'CSHOP', false, [nowhere], 'for other sites.'],
    ['one of a site, for the company', 'CSHOP', false, [company], 'for other sites.'],
    ['one of a site, for that and the company', 'CSHOP', false, [live, company], 'for other sites.'],
  ])('%s', (_, id, shared, targets, why) => {
    const checkChannel = (): void => assertChannel(policy, { id, shared }, targets);
    if (why === undefined) {
      expect(checkChannel).not.toThrow();
      return;
    }
    expect(refusalText(refusalOf(checkChannel))).toContain(why);
    expect(refusalText(refusalOf(checkChannel))).toContain('Nothing was done.');
    expect(plain(refusalOf(checkChannel).hint)).toMatch(/^Ask me in (.* or )?(in )?a direct message\.$/);
    // Only Slack's answer can come later; the rest stays as it is.
    expect(refusalOf(checkChannel).isLater).toBe(shared === undefined);
  });
});

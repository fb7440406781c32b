import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { isName } from '../../src/commands/kit/action.ts';
import { rightOf } from '../../src/commands/rights.ts';
import type { Target } from '../../src/hosting/contract/target.ts';
import type { Person } from '../../src/access/access-check.ts';
import { explainAccess } from '../../src/access/explain-access.ts';
import { mayRunOn } from '../../src/access/may-run.ts';
import { mayShow } from '../../src/access/visibility.ts';
import { createSight, mayBeShown, refuseUnlessShown } from '../../src/access/sight.ts';
import type { KnownNames } from '../../src/language/resolve.ts';
import { unknownGroups } from '../../src/policy/memberships.ts';
import { covers } from '../../src/policy/pattern.ts';
import type { Member, Policy } from '../../src/policy/rules.ts';
import {
  ana,
  blog,
  company,
  contextWith,
  environment,
  live,
  member,
  names,
  policyFrom,
  refusalOf,
  refusalText,
  shopDomain,
  staging,
  uuid,
} from '../fixtures.ts';

/** What an answer may show: every target takes the right to read it, and to the command that shows it. */

const header = `version: 1
live: ["*/live"]
groups:
  developers: [U01ANA, S0DEVS]
  readers: [U06ROB, S0READERS]
  barred: [U03CHI, S0BARRED]
people:
  chi: [U03CHI, U07TWO]
rules:
`;
const userGroups = ['S0DEVS', 'S0READERS', 'S0BARRED'] as const;
const policyOf = (...rules: readonly string[]): Policy =>
  policyFrom(`${header}${rules.map((rule) => `  - ${rule}\n`).join('')}`);

const contextOf = (policy: Policy, known: KnownNames = names, asked: Person = ana) =>
  contextWith({
    policy: () => policy,
    company: () => company,
    names: () => known,
    personOf: async () => asked,
    membersOf: async () => [],
  });

const unlisted = environment('gone/live', 77);
const siteless: Target = { kind: 'environment', id: uuid(78), name: uuid(78), live: true, site: undefined };
const foreignDomain: Target = { kind: 'domain', id: uuid(79), name: 'other.example', site: undefined };
const targets: readonly Target[] = [live, staging, blog, shopDomain, company, unlisted, siteless, foreignDomain];
const rowOf = (about: readonly Target[]) => ({ targets: JSON.stringify(about) });

/** The commands whose right is decided on a target. */
const decided = [...catalogue].flatMap(([path, command]) =>
  command.shape === 'builtin' && (command.everywhere || command.right === 'anyone') ? [] : [path],
);
const shows = (path: string): readonly string[] => catalogue.get(path)?.shows ?? [];

const some = <T>(...values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const what = some(
  'read',
  'routine',
  'logs',
  'changes',
  'timers',
  'status',
  'audit',
  'watch',
  'backups list',
  'themes show',
  'cache clear',
  'queue',
);
const to = fc.oneof({ weight: 4, arbitrary: some('developers', 'readers', 'barred') }, fc.constant('everyone'));
const where = fc.option(
  some('*/live', 'acme-shop/*', '*/*', 'acme-blog/live', 'domain:acme.com', 'domain:*', 'company'),
  { nil: undefined },
);
const rule = fc
  .record({ effect: fc.constantFrom('allow', 'allow', 'deny'), named: what, to, where })
  .map(({ effect, named, ...more }) => JSON.stringify({ [effect]: named, ...more }));
const policy = fc.array(rule, { minLength: 1, maxLength: 7 }).map((rules) => policyOf(...rules));

/** Somebody of whom Slack tells only some user groups. */
const person: fc.Arbitrary<Person> = fc
  .record({
    id: fc.constantFrom('U01ANA', 'U03CHI', 'U06ROB', 'U07TWO', 'U0NOBODY'),
    of: fc.tuple(...userGroups.map(() => fc.constantFrom('in', 'joined', 'out', 'out', 'unknown'))),
  })
  .map(({ id, of }) => {
    const which = (is: string): readonly string[] => userGroups.filter((_, at) => of[at] === is);
    return member(id, id, { groups: which('in'), joinedGroups: which('joined'), otherGroups: which('out') });
  });
const about = fc.uniqueArray(fc.constantFrom(...targets), { minLength: 1, maxLength: 3, selector: ({ id }) => id });
const call = fc.record({ path: fc.constantFrom(...decided), by: fc.nat(), about, isRow: fc.boolean() });

/** Everybody that this person can turn out to be. */
function resolutions(of: Policy, { id, groups, joinedGroups = [], otherGroups = [] }: Member): readonly Member[] {
  const known = { id, groups, joinedGroups, otherGroups };
  return unknownGroups(of, known).reduce<readonly (typeof known)[]>(
    (all, group) =>
      all.flatMap((one) => [
        { ...one, groups: [...one.groups, group] },
        { ...one, joinedGroups: [...one.joinedGroups, group] },
        { ...one, otherGroups: [...one.otherGroups, group] },
      ]),
    [known],
  );
}

/** The rules as the documentation puts them, for somebody of whom all is known: a rule allows it, and none denies it. */
function isAllowed(of: Policy, who: Member, right: { path: string; risk: string }, target: Target): boolean {
  const namesOf = (ids: readonly string[]): readonly string[] =>
    [...of.groups].flatMap(([name, held]) => (ids.some((id) => held.has(id)) ? [name] : []));
  const own = namesOf([who.id, ...who.groups]);
  const any = [...own, ...namesOf([...(of.people.get(who.id) ?? []), ...(who.joinedGroups ?? [])])];
  const fitting = of.rules.filter(
    ({ effect, what: named, to: audience, where: places }) =>
      (named.has(right.path) || named.has(right.risk)) &&
      (audience === 'everyone' || audience.some((name) => (effect === 'allow' ? own : any).includes(name))) &&
      (places === undefined || places.some((pattern) => covers(pattern, target, effect))),
  );
  return fitting.some(({ effect }) => effect === 'allow') && fitting.every(({ effect }) => effect === 'allow');
}

/** For everybody that this person can turn out to be: whether they may be shown what a command shows about a target. */
function answersFor(of: Policy, who: Member, path: string | undefined, target: Target): readonly boolean[] {
  const command = path === undefined ? undefined : catalogue.get(path);
  const right = path !== undefined && command ? rightOf(path, command) : undefined;
  // That there is a company is no secret: a report about it takes the right to that report alone.
  const isRead = target.kind !== 'company' || command?.shape !== 'report';
  return resolutions(of, who).map(
    (one) =>
      (!isRead || isAllowed(of, one, { path: '', risk: 'read' }, target)) &&
      (right === undefined || isAllowed(of, one, right, target)),
  );
}
const certainly = (...asked: Parameters<typeof answersFor>): boolean => answersFor(...asked).every(Boolean);
const perhaps = (...asked: Parameters<typeof answersFor>): boolean => answersFor(...asked).some(Boolean);

/** A row about the company can name any site, so it is shown only to people whom certainly no rule denies anything. */
const isDeniedNothing = (of: Policy, who: Member, path = ''): boolean => {
  const command = catalogue.get(path);
  const risks = command ? rightOf(path, command) : { path, risk: 'read' };
  const denials = of.rules.filter(
    ({ effect, what: named }) => effect === 'deny' && ['read', risks.path, risks.risk].some((one) => named.has(one)),
  );
  return resolutions(of, who).every(({ id, groups, joinedGroups = [] }) => {
    const ids = [...(of.people.get(id) ?? [id]), ...groups, ...joinedGroups];
    const any = new Set([...of.groups].flatMap(([name, held]) => (ids.some((one) => held.has(one)) ? [name] : [])));
    return denials.every(({ to: audience }) => audience !== 'everyone' && !audience.some((name) => any.has(name)));
  });
};

describe('under any rules, for anybody', () => {
  test('what passes is allowed however the unknown groups turn out, and what is refused for certain is not', () => {
    fc.assert(
      fc.property(policy, person, call, (rules, who, { path, by, about: on, isRow }) => {
        const owner = [path, ...shows(path)][by % (shows(path).length + 1)] ?? path;
        const sight = createSight(contextOf(rules), who, path);
        const namesAny = ({ kind }: Target): boolean => kind === 'company' && catalogue.get(owner)?.shape !== 'report';
        const isCertain = (target: Target): boolean =>
          certainly(rules, who, owner, target) && (!namesAny(target) || isDeniedNothing(rules, who, owner));
        if (isRow) {
          expect(sight.reader(owner)(rowOf(on))).toBe(on.every(isCertain));
          return;
        }
        for (const target of on) {
          const may = sight.may(owner, target);
          expect(may === 'yes').toBe(isCertain(target));
          if (target.kind === 'company') continue;
          if (may === 'no') expect(perhaps(rules, who, owner, target)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('what passed is noted, and nothing else; later it is decided again, under the names of then', () => {
    const renamed: KnownNames = {
      environments: names.environments.map((one) => (one.id === live.id ? environment('acme-blog/live', 1) : one)),
      domains: [],
    };
    const nowCalled = (target: Target, known: KnownNames): Target =>
      known.environments.find(({ id }) => id === target.id) ?? target;
    fc.assert(
      fc.property(
        policy,
        policy,
        fc.constantFrom(names, renamed),
        person,
        fc.constantFrom('status', 'digest', 'changes', 'logs'),
        fc.array(call, { maxLength: 6 }),
        (rules, then, known, who, path, calls) => {
          const sight = createSight(contextOf(rules), who, path);
          const passed = new Set<string>();
          const all = [path, ...shows(path)];
          for (const { by, about: on, isRow } of calls) {
            const owner = all[by % all.length] ?? path;
            if (isRow && sight.reader(owner)(rowOf(on))) for (const { id } of on) passed.add(`${owner} ${id}`);
            if (!isRow)
              for (const target of on) if (sight.may(owner, target) === 'yes') passed.add(`${owner} ${target.id}`);
          }
          const noted = sight.shown().flatMap(({ path: by, targets: of }) => of.map((target) => ({ by, target })));
          expect(new Set(noted.map(({ by, target }) => `${by} ${target.id}`))).toEqual(passed);
          expect(mayBeShown(contextOf(rules), who, sight.shown())).toBe('yes');
          const later = noted.map(({ by, target }) => mayShow(then, who, by, nowCalled(target, known)));
          const again = mayBeShown(contextOf(then, known), who, sight.shown());
          expect(again === 'yes').toBe(later.every((may) => may === 'yes'));
          expect(again === 'no').toBe(later.includes('no'));
          for (const { by, target } of noted)
            if (again === 'yes') expect(certainly(then, who, by, nowCalled(target, known))).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('names that were noted take the right to read them', () => {
    fc.assert(
      fc.property(policy, person, about, (rules, who, on) => {
        const sight = createSight(contextOf(rules), who, 'status');
        sight.note(on);
        const may = mayBeShown(contextOf(rules), who, sight.shown());
        const isCertain = (target: Target): boolean =>
          certainly(rules, who, undefined, target) && (target.kind !== 'company' || isDeniedNothing(rules, who));
        expect(may === 'yes').toBe(on.every(isCertain));
      }),
    );
  });

  test('can says what the commands do', async () => {
    const onOne = decided.filter((path) => {
      const command = catalogue.get(path);
      if (command === undefined || (command.shape === 'action' && command.risk === 'destructive')) return false;
      const named = Object.entries(command.fields).filter(([, field]) => isName(field));
      const [[name, field] = []] = named;
      const isItsTarget = command.shape === 'builtin' || command.target === name;
      return named.length === 1 && isItsTarget && field?.kind === 'environment';
    });
    expect(onOne.length).toBeGreaterThan(15);
    await fc.assert(
      fc.asyncProperty(
        policy,
        person,
        fc.constantFrom(...onOne),
        fc.constantFrom(live, staging, blog),
        async (rules, who, path, env) => {
          const { answer } = await explainAccess(
            contextOf(rules, names, who),
            ana,
            [...path.split(' '), env.id],
            who.id,
          );
          const reads = mayShow(rules, who, undefined, env);
          const runs = mayRunOn(rules, who, path, env);
          expect([path, answer.kind === 'allowed']).toEqual([path, reads === 'yes' && runs === 'yes']);
          if (answer.kind === 'unknown') expect([reads, runs].some((one) => one !== 'yes' && one !== 'no')).toBe(true);
          expect(answer.kind === 'allowed').toBe(mayShow(rules, who, path, env) === 'yes');
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('what a command shows of others', () => {
  test('is declared, exists, and is named once', () => {
    for (const [path, command] of catalogue) {
      const { shows: declared = [] } = command;
      expect([path, new Set(declared).size]).toEqual([path, declared.length]);
      for (const other of declared) expect([path, other, catalogue.has(other)]).toEqual([path, other, true]);
      expect(declared).not.toContain(path);
    }
  });

  test('is refused by every other command, as a mistake', () => {
    const allowing = contextOf(policyOf('{ allow: [read], to: everyone }'));
    for (const path of catalogue.keys()) {
      const sight = createSight(allowing, ana, path);
      for (const other of catalogue.keys()) {
        const isDeclared = other === path || shows(path).includes(other);
        if (isDeclared) continue;
        expect(() => sight.may(other, live)).toThrow(`${path} shows what belongs to ${other}`);
        expect(() => sight.reader(other)).toThrow(`${path} shows what belongs to ${other}`);
      }
      expect(sight.shown()).toEqual([]);
    }
  });

  test('is declared by every action whose form offers what a command shows', () => {
    const offering = [...catalogue].filter(
      ([, command]) =>
        command.shape === 'action' && Object.values(command.dependent ?? {}).some((one) => one?.choices !== undefined),
    );
    expect(offering.length).toBeGreaterThan(3);
    for (const [path] of offering) expect([path, shows(path).length]).toEqual([path, 1]);
  });
});

describe('a kept answer', () => {
  const shown = [{ path: 'logs', targets: [live] }];
  const refused = (rules: readonly string[], who: Person = ana): string =>
    refusalText(refusalOf(() => refuseUnlessShown(contextOf(policyOf(...rules)), who, shown)));

  test('is shown again with the rights to all that it shows', () => {
    const rules = policyOf('{ allow: [logs, read], to: everyone }');
    expect(() => refuseUnlessShown(contextOf(rules), ana, shown)).not.toThrow();
  });

  test.each([
    ['a denied command', ['{ allow: [read], to: everyone }', '{ deny: [logs], to: everyone, where: ["*/live"] }']],
    ['a target that cannot be read', ['{ allow: [read], to: everyone, where: ["acme-blog/*"] }']],
  ])('is refused: %s', (_, rules) => {
    expect(refused(rules)).toMatch(/^You may no longer see all of this\. Nothing was shown\./);
  });

  test('is for later if a user group is unknown', () => {
    const rules = ['{ allow: [read], to: everyone }', '{ deny: [logs], to: [barred] }'];
    expect(refused(rules)).toMatch(
      /^I can't tell right now whether you may still see all of this\. Nothing was shown\./,
    );
  });
});

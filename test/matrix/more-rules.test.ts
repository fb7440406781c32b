import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ability } from '../../src/access/ability.ts';
import { catalogue } from '../../src/commands/index.ts';
import { Refusal } from '../../src/base/errors.ts';
import { explainAccess } from '../../src/access/explain-access.ts';
import { authorize } from '../../src/access/access-check.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { resolve, type Resolved } from '../../src/language/resolve.ts';
import { rights } from '../../src/commands/rights.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import type { Policy, Needed } from '../../src/policy/rules.ts';
import { company, refusalOf, refusalText, contextWith } from '../fixtures.ts';
import { refusedAs } from './outcome-codes.ts';
import { submits, type Cell } from './expected.ts';
import { commands, pathOf, argsById } from './surfaces.ts';
import { isPlace, namesOf, policy, roles, rules, textOf, refusedRoles } from './people-and-rules.ts';

/** The permission matrix with additional rules, and as `can` reports it. */

const names = namesOf()(undefined);
const invalidRows = new Set(submits.filter(({ says }) => says === 'x').map(({ row }) => row.join(' ')));
const requests = submits.filter(({ row }) => !invalidRows.has(row.join(' ')) && !row.join(' ').includes('missing'));
const wordsIn = ({ row: [row, place] }: Cell): readonly string[] => argsById(row, isPlace(place) ? place : undefined);

type Ruled =
  | { readonly kind: 'allowed'; readonly approval: 'none' | Needed }
  | { readonly kind: 'refused'; readonly says: string };

const resolved = new Map<string, Resolved>();
/** The outcome of a cell under these rules. */
function ruled(cell: Cell, rulesThen: Policy): Ruled {
  const parsed = resolved.get(cell.row.join(' ')) ?? resolve(parseArgs(wordsIn(cell), commands), names);
  resolved.set(cell.row.join(' '), parsed);
  try {
    return {
      kind: 'allowed',
      approval: authorize(rulesThen, roles[cell.role], parsed, company).authorization.approval,
    };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', says: refusalText(error) };
    throw error;
  }
}

describe('additional rules, in any position', () => {
  const one = <const T>(...of: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...of);
  const groups = one('everyone', '[developers]', '[leads, readers]', '[bloggers]', '[barred]');
  const where = one('', ', where: ["*/*"]', ', where: ["acme-shop/*"]', ', where: ["*/live"]', ', where: [company]');
  const what = one(
    'read',
    'routine',
    'sensitive',
    'destructive',
    'push',
    'delete',
    'cache clear',
    'allowlist add',
    'lock',
    'pause',
  );
  const approval = one('', ', approval: none', ', approval: { by: [leads] }', ', approval: { by: [leads], count: 2 }');
  const allowing = fc.tuple(what, groups, where, approval).map(
    ([what, to, where, approval]) =>
      // `approval` is allowed only on commands that change something.
      `{ allow: [${what}], to: ${to}${where}${['read', 'lock', 'pause'].includes(what) ? '' : approval} }`,
  );
  const denying = fc.tuple(what, groups, where).map(([what, to, where]) => `{ deny: [${what}], to: ${to}${where} }`);
  const more = (rule: fc.Arbitrary<string>): fc.Arbitrary<Policy> =>
    fc
      .array(fc.tuple(rule, fc.nat({ max: Object.keys(rules).length })), { minLength: 1, maxLength: 4 })
      .map((added) => {
        const lines = added.reduce<readonly string[]>(
          (all, [line, at]) => all.toSpliced(at, 0, line),
          Object.values(rules),
        );
        const loaded = loadPolicy(textOf(lines), rights);
        // A policy with rules that nobody could satisfy is refused.
        return loaded.kind === 'policy' ? loaded.policy : undefined;
      })
      .filter((rulesThen) => rulesThen !== undefined);
  /** Each run compares all such cells under one policy. */
  const holds = (
    cells: readonly Cell[],
    policies: fc.Arbitrary<Policy>,
    isFine: (is: Ruled, cell: Cell) => boolean,
  ) => {
    expect(cells.length).toBeGreaterThan(20);
    fc.assert(
      fc.property(policies, (rulesThen) => {
        const wrong = cells.filter((cell) => !isFine(ruled(cell, rulesThen), cell));
        expect(wrong.map((cell) => [...cell.row, cell.role, ruled(cell, rulesThen)])).toEqual([]);
      }),
      { numRuns: 20 },
    );
  };
  const note = (code: RegExp): readonly Cell[] => requests.filter(({ says }) => code.test(says));

  test('allow nothing that a rule denies', () => {
    holds(note(/^d/), more(fc.oneof(allowing, denying)), ({ kind }) => kind === 'refused');
  });

  test('show nobody an unreadable target, unless they allow reading', () => {
    const others = more(allowing.filter((rule) => !rule.includes('read]')));
    holds(note(/^\?/), others, (is) => is.kind === 'refused' && is.says.startsWith("I can't find"));
  });

  test('allow nothing to guests, bots, strangers and deactivated accounts', () => {
    const outsiders = requests.filter(({ role }) => refusedRoles.some((one) => one === role));
    const refused = /^(Guests of|Other bots|Only members|This account)/;
    holds(outsiders, more(allowing), (is) => is.kind === 'refused' && refused.test(is.says));
  });

  test('promise 3: never weaken a required approval', () => {
    holds(note(/^v[\da]/), more(fc.oneof(allowing, denying)), (is, cell) => {
      const then = ruled(cell, policy);
      if (then.kind === 'refused' || then.approval === 'none') return false;
      return is.kind === 'refused' || (is.approval !== 'none' && isAsStrict(is.approval, then.approval));
    });
  });
});

const isAsStrict = (now: Needed, then: Needed): boolean =>
  now.expires <= then.expires &&
  (then.reason === 'optional' || now.reason === 'required') &&
  then.requirements.every(({ by, count }) =>
    now.requirements.some((one) => String(one.by) === String(by) && one.count >= count),
  );

describe('what can tells a lead about others', () => {
  const readable = new Set(
    submits.filter(({ role, says }) => role === 'chi' && says !== '?').map(({ row }) => row.join(' ')),
  );
  const isReal = (path: string): boolean => catalogue.get(path) === commands.get(path);
  const readableRequests = requests.filter(({ row }) => readable.has(row.join(' ')) && isReal(pathOf(row[0])));
  // Stand-ins for other commands cannot be typed.
  const answerAs: Readonly<Record<Ability['answer']['kind'], RegExp>> = {
    'for everybody': /^\.$/,
    allowed: /^[.v]/,
    'allowed somewhere': /(?!)/,
    denied: /^d/,
    'no rule': /^[nu]/,
    'not welcome': /^!$/,
    unknown: /(?!)/,
    hidden: /^\?$/,
    'only people': /(?!)/,
  };

  test('756 cells are the same as what the others would be told themselves', async () => {
    const wrong: string[] = [];
    for (const cell of readableRequests) {
      const person = roles[cell.role];
      const context = contextWith({
        policy: () => policy,
        company: () => company,
        names: namesOf(),
        membersOf: async () => [],
        personOf: async () => person,
      });
      const { answer } = await explainAccess(context, roles.chi, wordsIn(cell), person.id);
      const approving = answer.kind === 'allowed' && answer.approval !== 'none';
      const isSame = answerAs[answer.kind].test(cell.says) && approving === /^v[\da]/.test(cell.says);
      if (!isSame) wrong.push(`${cell.row.join(' ')}, ${cell.role}: ${answer.kind}, and not ${cell.says}`);
    }
    expect(wrong).toEqual([]);
    expect(readableRequests).toHaveLength(756);
  });
});

test.each(['approve 1', 'decline 1', 'stop 1', 'happened 1'])('promise 3: no words decide anything: %s', (line) => {
  const refusal = refusalOf(() => parse(line, catalogue));
  expect(refusedAs(refusal)).toContain("I don't know");
});

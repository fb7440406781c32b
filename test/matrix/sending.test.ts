import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../src/access/access-check.ts';
import { recheck, type Rechecked } from '../../src/change/recheck.ts';
import { rowOf } from '../../src/send/new-change.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { insertChange, type Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { sending, submits, type Cell } from './expected.ts';
import {
  approvedBy,
  changesIn,
  contextOver,
  pinnedFrom,
  now,
  openStill,
  restoreChange,
  whoIs,
  type Name,
} from './waiting-changes.ts';
import { pathOf, argsById } from './surfaces.ts';
import { isPlace, policy, policyWith, roles, rules, refusedRoles } from './people-and-rules.ts';

/** The permission matrix at sending: the rights of that moment, on a real database. */

let database: Database;
let changes: Readonly<Record<Name, Change>>;
beforeAll(async () => {
  database = await openStill();
  changes = await changesIn(database);
});
afterAll(() => database.close());

const approved = (change: Change): Promise<Change> =>
  restoreChange(database, change, { state: 'approved', version: 2 });
const kindOf = ({ kind }: Rechecked): string => kind;

test('promise 4: 35 sets of approvers are enough or not, judged when the change is sent', async () => {
  const wrong: string[] = [];
  for (const [name, voters, isSent] of sending) {
    const change = await approved(changes[name]);
    const people: readonly Person[] = voters.map((role) => roles[role]);
    await approvedBy(
      database,
      change,
      people.map(({ id }) => id),
    );
    const is = kindOf(await recheck(contextOver(database, { whoIs: whoIs(...people) }), change));
    if (is !== (isSent ? 'as it was' : 'invalidated')) wrong.push(`${name}, ${voters.join(' and ')}: ${is}`);
  }
  expect(wrong).toEqual([]);
  expect(sending).toHaveLength(35);
});

test('promise 4: if an approver’s membership is unknown, the change waits, unless the membership does not matter', async () => {
  const unknown = { ...roles.kim, groups: [], otherGroups: [] };
  const cells = sending.filter(([, voters]) => voters.includes('kim'));
  const outcomes = new Set<string>();
  for (const [name, voters] of cells) {
    const change = await approved(changes[name]);
    await approvedBy(
      database,
      change,
      voters.map((role) => roles[role].id),
    );
    const others = voters.filter((role) => role !== 'kim').map((role) => roles[role]);
    const asIf = async (kim: Person): Promise<string> =>
      kindOf(await recheck(contextOver(database, { whoIs: whoIs(kim, ...others) }), change));
    const [inIt, notInIt, is] = [await asIf(roles.kim), await asIf(roles.lost), await asIf(unknown)];
    expect([name, voters, is]).toEqual([name, voters, inIt === notInIt ? inIt : 'later']);
    outcomes.add(is);
  }
  expect([...outcomes]).toContain('later');
  expect(cells).toHaveLength(3);
});

test.each(refusedRoles)('promise 4: an approver who has become a %s does not count', async (role) => {
  for (const name of ['one-lead', 'another'] as const) {
    const change = await approved(changes[name]);
    await approvedBy(database, change, [roles.dee.id]);
    const dee = { ...roles.dee, standing: roles[role].standing };
    expect([name, kindOf(await recheck(contextOver(database, { whoIs: whoIs(dee) }), change))]).toEqual([
      name,
      'invalidated',
    ]);
    const silent = async (id: string): Promise<Person | undefined> => (id === dee.id ? undefined : whoIs()(id));
    expect([name, kindOf(await recheck(contextOver(database, { whoIs: silent }), change))]).toEqual([name, 'later']);
  }
});

test('promise 4: the approval required at the request is needed, even if the rules now require less', async () => {
  const change = await approved(changes['two-leads']);
  await approvedBy(database, change, [roles.chi.id]);
  for (const approval of [', approval: none', ', approval: { by: [leads] }']) {
    const less = policyWith(Object.values({ ...rules, push: `{ allow: [push], to: [developers]${approval} }` }));
    expect(kindOf(await recheck(contextOver(database, {}, less), change))).toBe('invalidated');
  }
});

/** What differs between the request and the sending. */
type Difference = {
  readonly wanted: string;
  readonly rules?: Policy;
  readonly requester?: Partial<Person> | 'silence';
};

const lostGroup: readonly [string, Difference] = [
  'the requester left the group',
  { wanted: 'invalidated', requester: { groups: [], otherGroups: ['S0LEADS'] } },
];

const unknownGroup: readonly [string, Difference] = [
  'it is not known whether the requester is in the group',
  { wanted: 'later', requester: { groups: [], otherGroups: [] } },
];

const later = new Map<string, ReadonlyMap<string, Difference>>();
function differencesFor(path: string): ReadonlyMap<string, Difference> {
  const known = later.get(path);
  if (known) return known;
  const all = Object.values(rules);
  const reading = [rules.read, rules.readAll, rules.readBlog];
  const found = new Map<string, Difference>([
    ['nothing', { wanted: 'as it was' }],
    ['Slack is silent', { wanted: 'later', requester: 'silence' }],
    ...refusedRoles.map(
      (role) =>
        [
          `the requester is a ${role}`,
          { wanted: 'invalidated', requester: { standing: roles[role].standing } },
        ] as const,
    ),
    ['no rule allows it', { wanted: 'invalidated', rules: policyWith(reading) }],
    ['a rule forbids it', { wanted: 'invalidated', rules: policyWith([...all, `{ deny: [${path}], to: everyone }`]) }],
    ['it may not be read', { wanted: 'invalidated', rules: policyWith([...all, '{ deny: [read], to: everyone }']) }],
    [
      'another approval is asked for',
      {
        wanted: 'invalidated',
        rules: policyWith([...all, `{ allow: [${path}], to: everyone, approval: { by: [readers] } }`]),
      },
    ],
  ]);
  later.set(path, found);
  return found;
}

/** A requested change, approved by two leads other than the requester. */
async function saved({ row: [row, place], role }: Cell): Promise<Change> {
  if (!isPlace(place)) throw new Error(`no place ${place}`);
  const requester = { person: roles[role], channel: { id: 'C1', shared: false } };
  const pinned = await pinnedFrom(contextOver(database), role, argsById(row, place));
  const newRow = { ...rowOf(pinned, requester, now), state: 'approved' } as const;
  const change = await database.transaction((tx) => insertChange(tx, newRow));
  const voters = [roles.dee, role === 'chi' ? roles.kim : roles.chi];
  await approvedBy(database, change, pinned.authorization.approval === 'none' ? [] : voters.map(({ id }) => id));
  return change;
}

test('promise 4: 688 allowed cells are checked again at sending', async () => {
  const actions = new Set(['cache clear', 'allowlist add', 'push', 'delete']);
  const allowed = submits.filter(({ row: [row], says }) => actions.has(pathOf(row)) && /^[.v]/.test(says));
  const wrong: string[] = [];
  let looked = 0;
  for (const cell of allowed) {
    const { row, role } = cell;
    const change = await saved(cell);
    const meanwhiles = [...differencesFor(pathOf(row[0])), ...(role === 'kim' ? [lostGroup, unknownGroup] : [])];
    for (const [what, { wanted, rules: rulesThen = policy, requester }] of meanwhiles) {
      const people = requester === 'silence' ? [] : [{ ...roles[role], ...requester }];
      const known = whoIs(...people);
      const silent = async (id: string): Promise<Person | undefined> => (id === roles[role].id ? undefined : known(id));
      const context = contextOver(database, { whoIs: requester === 'silence' ? silent : known }, rulesThen);
      const is = kindOf(await recheck(context, change));
      looked += 1;
      if (is !== wanted) wrong.push(`${row.join(' ')}, ${role}, ${what}: ${is}, and not ${wanted}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(looked).toBe(688);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../src/decide/decide.ts';
import { deliverAll } from '../post/deliver-all.ts';
import { overviewFor } from '../../src/waiting/overview.ts';
import { authorizationOf } from '../../src/access/authorization.ts';
import type { Card, Note } from '../../src/change/card.ts';
import { createPostQueues } from '../../src/post/fair-order.ts';
import { drawCard, drawNote } from '../../src/block-kit/blocks.ts';
import { decisionIn } from '../../src/block-kit/button-value.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { findChange, type Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { clickRefusedAs } from './outcome-codes.ts';
import { clicks, type Cell } from './expected.ts';
import { changesIn, contextOver, openStill, restoreChange, whoIs, type Name } from './waiting-changes.ts';
import { refusalIn, valuesOf } from './surfaces.ts';
import { roles, refusedRoles, type Role } from './people-and-rules.ts';

/** The permission matrix of clicks: verdict × change × person, each decided on a real database. */

let database: Database;
let changes: Readonly<Record<Name, Change>>;
/** The value of each button, by place, then by change and verdict. */
let pressed: ReadonlyMap<string, ReadonlyMap<string, string>>;

beforeAll(async () => {
  database = await openStill();
  changes = await changesIn(database);
  pressed = await buttonsEverywhere();
});
afterAll(() => database.close());

const placed = ['the channel', 'direct messages', 'App Home'] as const;
const isName = (name: string): name is Name => Object.hasOwn(changes, name);
const changeIn = ({ row: [, name] }: Cell): Change => {
  if (!isName(name)) throw new Error(`no change ${name}`);
  return changes[name];
};
const verdictOf = ({ row: [verdict] }: Cell): string => verdict.replaceAll('-', '_');
const keyOf = (value: string): string => {
  const decision = decisionIn(value);
  return decision ? `${decision.number} ${decision.verdict}` : `no decision: ${value}`;
};

/** All decision buttons of the waiting changes, in their real places. */
async function buttonsEverywhere(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, Map<string, string>>(placed.map((place) => [place, new Map()]));
  const note = (place: (typeof placed)[number], what: Card | Note): void => {
    const drawn = 'headline' in what ? drawCard(what) : drawNote(what);
    for (const value of valuesOf(drawn)) found.get(place)?.set(keyOf(value), value);
  };
  let ts = 0;
  const messenger = {
    post: async (to: object, what: Card | Note) => {
      note('person' in to ? 'direct messages' : 'the channel', what);
      return { channel: 'C1', ts: String((ts += 1)) };
    },
    edit: async () => undefined,
  };
  const sender = contextOver(database, {
    messenger,
    isTaken: () => true,
    onCard: () => undefined,
    onUntold: () => undefined,
  });
  const nothing = (): undefined => undefined;
  await deliverAll({ ...sender, turns: createPostQueues(), onOps: nothing, onPace: nothing });
  for (const role of ['ana', 'chi', 'dee'] as const) {
    const { toDecide, mine } = await overviewFor(contextOver(database), roles[role]);
    for (const card of [...toDecide, ...mine]) note('App Home', card);
  }
  return found;
}

/** The result of a person's click on this button. Restores the change afterwards. */
async function clicked(value: string, role: Role, change: Change): Promise<string> {
  const decision = decisionIn(value);
  if (decision === undefined) return 'no button';
  const person = roles[role];
  const isIn = !refusedRoles.some((one) => one === role);
  let looks = 0;
  const policy = (): Policy => {
    looks += 1;
    // For a person without any rights, only the list of user groups is read.
    if (looks > 1) throw new Error('a rule was read');
    return contextOver(database).policy();
  };
  const context = contextOver(database, { whoIs: whoIs(person), ...(isIn ? {} : { policy }) });
  try {
    await decide(context, { ...decision, person: person.id, team: 'T1', inbox: undefined, reason: 'because' });
    const { state, post_review: review } = (await findChange(database.db, change.number)) ?? { state: 'gone' };
    if (state === 'waiting') return 'vote';
    if (state === 'done') return review?.includes(`"by":"${person.id}"`) ? 'reviewed' : 'nothing';
    return state === 'did_not_happen' ? 'gone' : state;
  } catch (error) {
    return clickRefusedAs(refusalIn(error));
  } finally {
    await restoreChange(database, change);
  }
}

test('391 clicks match the table', async () => {
  const wrong: string[] = [];
  for (const cell of clicks) {
    const { number, version } = changeIn(cell);
    const value = `${database.installation} ${number} ${version} ${verdictOf(cell)}`;
    const is = await clicked(value, cell.role, changeIn(cell));
    if (is !== cell.says) wrong.push(`${cell.row.join(' ')}, ${cell.role}: ${is}, and not ${cell.says}`);
  }
  expect(wrong).toEqual([]);
  expect(clicks).toHaveLength(391);
});

describe('the place of a button', () => {
  const waiting = ['one-lead', 'two-leads', 'another'] as const;

  test.each(waiting)('does not change its value: %s', (name) => {
    const { number, version } = changes[name];
    for (const verdict of ['approve', 'decline', 'cancel']) {
      const said = placed.map((place) => pressed.get(place)?.get(`${number} ${verdict}`));
      const value = `${database.installation} ${number} ${version} ${verdict}`;
      // Copies in direct messages go to those who cannot cancel it.
      const isThere = (place: (typeof placed)[number]): boolean => verdict !== 'cancel' || place !== 'direct messages';
      expect(said).toEqual(placed.map((place) => (isThere(place) ? value : undefined)));
    }
  });

  test.each(placed)(
    'promise 3: gives a requester no way to approve, with neither of their accounts: %s',
    async (place) => {
      const own = clicks.filter(({ row: [verdict], says }) => verdict === 'approve' && says === 'own');
      expect(own).toHaveLength(6);
      for (const cell of own) {
        const value = pressed.get(place)?.get(`${changeIn(cell).number} approve`) ?? '';
        expect([...cell.row, await clicked(value, cell.role, changeIn(cell))]).toEqual([...cell.row, 'own']);
      }
    },
  );

  test('App Home and direct messages show a waiting change to the people whose click would count', async () => {
    for (const name of waiting) {
      const approving = clicks.filter(({ row: [verdict, of] }) => verdict === 'approve' && of === name);
      const counting = approving.filter(({ says }) => says === 'approved' || says === 'vote').map(({ role }) => role);
      const isShown = async (role: Role): Promise<boolean> => {
        const { toDecide } = await overviewFor(contextOver(database), roles[role]);
        return toDecide
          .flatMap((card) => valuesOf(drawCard(card)))
          .some((value) => keyOf(value) === `${changes[name].number} approve`);
      };
      const admitted = approving.map(({ role }) => role).filter((role) => !refusedRoles.some((one) => one === role));
      const shown = await Promise.all(admitted.map(async (role) => ((await isShown(role)) ? [role] : [])));
      expect([name, ...shown.flat()]).toEqual([name, ...counting]);
      const asks = authorizationOf(changes[name]).asks ?? [];
      // A person gets one message, whatever accounts they have.
      const once = counting.filter((role) => role !== 'chi2').map((role): string => roles[role].id);
      expect([name, ...asks.flatMap(({ people }) => people).toSorted()]).toEqual([name, ...once.toSorted()]);
    }
  });

  test('promise 3: two accounts of one lead count as one lead', async () => {
    const change = changes['two-leads'];
    const value = `${database.installation} ${change.number} ${change.version} approve`;
    const press = async (role: Role): Promise<string> => {
      const decision = decisionIn(value);
      if (decision === undefined) throw new Error(value);
      try {
        await decide(contextOver(database), { ...decision, person: roles[role].id, team: 'T1', inbox: undefined });
        return (await findChange(database.db, change.number))?.state ?? '';
      } catch (error) {
        return clickRefusedAs(refusalIn(error));
      }
    };
    expect(await press('chi')).toBe('waiting');
    expect(await press('chi2')).toContain("You've already approved");
    expect(await press('ana2')).toBe('own');
    expect(await press('dee')).toBe('approved');
    await restoreChange(database, change);
  });

  test.each<[string, string]>([
    ['another installation', 'ffffffffffffffff 1 1 approve'],
    ['no number', 'x x 1 approve'],
    ['no verdict that there is', 'x 1 1 send'],
    ['words', 'push acme-shop/staging acme-shop/live'],
  ])('a value of %s decides nothing', async (_, value) => {
    const result = await clicked(value, 'chi', changes['one-lead']);
    expect(result).toMatch(/^no button$|belongs to another Sitehand installation/);
  });
});

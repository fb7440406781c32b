import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import type { Refusal } from '../../src/base/errors.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import { mayRunSomewhere } from '../../src/access/may-run.ts';
import type { ParsedCommand } from '../../src/language/bind-arguments.ts';
import { resolve, type KnownNames } from '../../src/language/resolve.ts';
import { nameToType } from '../../src/change/confirmation.ts';
import { evaluate } from '../../src/talk/conversation.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { createPayloadStore } from '../../src/slack/context/button-payloads.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { commandAt, company, noCertificate, refusalText, contextWith } from '../fixtures.ts';
import { evaluatedAs, type Evaluated, refusedAs } from './outcome-codes.ts';
import { offers, readable, submits, type Cell } from './expected.ts';
import { pathOf, refusalIn, surfacesOf } from './surfaces.ts';
import { isPlace, namesOf, policy, roles, targets, refusedRoles, type Place, type Role } from './people-and-rules.ts';
import type { SendContext } from '../../src/send/context.ts';

/**
 * The permission matrix of requests: risk × role × target × surface. Clicks and sending are in `matrix/`. Every cell is
 * compared with a table written by hand.
 */

let database: Database;
let context: SendContext;
/** Each row of the table as a request on every surface. */
const rows = new Map<string, ReadonlyMap<string, ParsedCommand>>();
const names = namesOf();
const placeOf = ({ row: [, place] }: Cell): Place | undefined => (isPlace(place) ? place : undefined);
const rowOf = ({ row }: Cell): string => row.join(' ');

beforeAll(async () => {
  database = await openDatabase('sqlite::memory:', { now: () => 1_000 });
  const changeStore = createChangeStore({
    auditKey: undefined,
    installation: database.installation,
    onEvent: () => undefined,
  });
  context = contextWith({
    database,
    changeStore,
    policy: () => policy,
    company: () => company,
    names,
    membersOf: async () => [],
    personOf: async () => undefined,
    certificate: noCertificate,
    read: () => Promise.reject(new Error('nothing is read of the host to know who may what')),
    freshenNames: async () => 0,
    onSaved: () => undefined,
  });
  const payloads = createPayloadStore(database, (error) => {
    throw error;
  });
  const cells = new Map(submits.map((cell) => [rowOf(cell), cell]));
  await Promise.all(
    [...cells].map(async ([row, cell]) => rows.set(row, await surfacesOf(cell.row[0], placeOf(cell), payloads))),
  );
});
afterAll(() => database.close());

const surfacesIn = (cell: Cell): ReadonlyMap<string, ParsedCommand> => rows.get(rowOf(cell)) ?? new Map();

function asked(parsed: ParsedCommand, role: Role, known: KnownNames, at: SendContext = context): Evaluated | Refusal {
  const person = roles[role];
  try {
    return evaluate(at, resolve(parsed, known), { person, channel: { id: 'C1', shared: false } });
  } catch (error) {
    return refusalIn(error);
  }
}
const codeOf = (of: Evaluated | Refusal): string => ('kind' in of ? evaluatedAs(of) : refusedAs(of));

/** Compares each cell on each surface, and returns the differences. */
function wrongIn(
  cells: readonly Cell[],
  came: (cell: Cell, parsed: ParsedCommand) => string,
  wanted: (cell: Cell) => string = ({ says }) => says,
): { readonly looked: number; readonly wrong: readonly string[] } {
  const looks = cells.flatMap((cell) => [...surfacesIn(cell)].map(([surface, parsed]) => ({ cell, surface, parsed })));
  const wrong = looks.flatMap(({ cell, surface, parsed }) => {
    const [is, should] = [came(cell, parsed), wanted(cell)];
    return is === should ? [] : [`${rowOf(cell)}, ${cell.role}, ${surface}: ${is}, and not ${should}`];
  });
  return { looked: looks.length, wrong };
}
const isAdmitted = ({ role }: Cell): boolean => !refusedRoles.some((one) => one === role);
const admitted = submits.filter(isAdmitted);

describe('any request, by anybody, for any target, on any surface', () => {
  test('4840 cells match the table', () => {
    const { looked, wrong } = wrongIn(admitted, ({ role }, parsed) => codeOf(asked(parsed, role, names(roles[role]))));
    expect(wrong).toEqual([]);
    expect(looked).toBe(4840);
  });

  test('4700 cells are the same if names were resolved that the person may not read', () => {
    const all = names(undefined);
    // An invalid request is refused before rights are checked, so here the names are those that the person may read.
    const invalidRows = new Set(admitted.filter(({ says }) => says === 'x').map(rowOf));
    const requests = admitted.filter((cell) => !invalidRows.has(rowOf(cell)));
    const { looked, wrong } = wrongIn(requests, ({ role }, parsed) => codeOf(asked(parsed, role, all)));
    expect(wrong).toEqual([]);
    expect(looked).toBe(4700);
  });

  test('1936 cells of guests, bots, strangers and deactivated people are refused before any rule is read', () => {
    const unread = {
      ...context,
      policy: (): Policy => {
        throw new Error('a rule was read');
      },
    };
    const all = names(undefined);
    const refused = submits.filter((cell) => !isAdmitted(cell));
    const { looked, wrong } = wrongIn(refused, ({ role }, parsed) => codeOf(asked(parsed, role, all, unread)));
    expect(wrong).toEqual([]);
    expect(looked).toBe(1936);
  });

  test('a dry run needs the same rights as the change', () => {
    const actions = admitted.filter((cell) => commandsAre(cell, 'action'));
    const { wrong } = wrongIn(
      actions,
      ({ role }, parsed) => codeOf(asked({ ...parsed, dryRun: true }, role, names(roles[role]))),
      ({ says }) => (says.startsWith('v') ? says.slice(1) || '.' : says),
    );
    expect(wrong).toEqual([]);
  });

  test('the name to type is that of a deleted target, or of a live one that a push overwrites', () => {
    const live = new Set<Place | undefined>(['live', 'new', 'blog', 'secret']);
    const typed = (came: Evaluated | Refusal): string | undefined => {
      if (!('kind' in came) || came.kind === 'ask' || came.will !== 'review') return undefined;
      const { parsed, target } = came.authorized;
      return parsed.command.shape === 'action' ? nameToType(parsed.command, target) : undefined;
    };
    const { wrong } = wrongIn(
      admitted.filter(({ says }) => says.startsWith('v')),
      ({ role }, parsed) => typed(asked(parsed, role, names(roles[role]))) ?? 'nothing',
      (cell) => {
        const [path] = cell.row;
        const place = placeOf(cell);
        const asks = path === 'delete' || (path.startsWith('push') && live.has(place));
        return (asks && place !== undefined && targets[place]) || 'nothing';
      },
    );
    expect(wrong).toEqual([]);
  });
});

const commandsAre = (cell: Cell, shape: string): boolean => catalogue.get(pathOf(cell.row[0]))?.shape === shape;

describe('targets that a person may not read', () => {
  const hidden = admitted.filter(({ says }) => says === '?');
  const withoutNames = (came: Evaluated | Refusal): string =>
    'kind' in came ? evaluatedAs(came) : JSON.stringify([refusalText(came), came.field, came.offers]);

  test('promise 4: are refused in the same way as targets that do not exist, on every surface', () => {
    const { looked, wrong } = wrongIn(
      hidden,
      ({ role }, parsed) => withoutNames(asked(parsed, role, names(roles[role]))),
      () => '',
    );
    expect(looked).toBeGreaterThan(1_000);
    const without = new Map(Object.entries(readable).map(([role, places]) => [role, namesOf(places)]));
    const alone = wrongIn(
      hidden,
      ({ role }, parsed) => withoutNames(asked(parsed, role, without.get(role)?.(roles[role]) ?? names(undefined))),
      () => '',
    );
    expect(wrong).toEqual(alone.wrong);
  });

  test.each(Object.entries(readable))('%s can name only these targets', (role, places) => {
    if (!(role in roles)) throw new Error(role);
    const person = Object.entries(roles).find(([name]) => name === role)?.[1];
    if (person === undefined) throw new Error(role);
    const { environments, domains } = names(person);
    expect([...environments, ...domains].map(({ name }) => name).toSorted()).toEqual(
      places.map((place): string => targets[place]).toSorted(),
    );
  });
});

describe('what help and App Home show', () => {
  const mayRunIt = ({ row: [path], role }: Cell): boolean =>
    mayRunSomewhere(policy, roles[role], pathOf(path), commandAt(pathOf(path))) === 'yes';

  test('120 cells match the table', () => {
    const known = offers.filter(isAdmitted);
    const wrong = known.flatMap((cell) => {
      const is = mayRunIt(cell) ? 'yes' : 'no';
      return is === cell.says ? [] : [`${rowOf(cell)}, ${cell.role}: ${is}, and not ${cell.says}`];
    });
    expect(wrong).toEqual([]);
    expect(known).toHaveLength(120);
  });

  test('include a command for everybody who may run it somewhere', () => {
    const may = admitted.filter(({ row: [path], says }) => /^[.v]/.test(says) && catalogue.has(pathOf(path)));
    expect(may.filter((cell) => !mayRunIt(cell))).toEqual([]);
  });
});

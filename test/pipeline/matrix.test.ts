import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import type { Refusal } from '../../src/errors.ts';
import { createLedger } from '../../src/pipeline/advance.ts';
import { mayRun } from '../../src/pipeline/authorise.ts';
import type { Wish } from '../../src/pipeline/parse.ts';
import { resolve, type Names } from '../../src/pipeline/resolve.ts';
import { consider, nameToType, type Considered, type FrontDesk } from '../../src/pipeline/submit.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { commandAt, company, said } from './given.ts';
import { consideredAs, refusedAs } from './matrix/answers.ts';
import { offers, readable, submits, type Cell } from './matrix/expected.ts';
import { pathOf, refusalIn, surfacesOf } from './matrix/surfaces.ts';
import { isPlace, namesOf, policy, roles, targets, unwelcome, type Place, type Role } from './matrix/world.ts';

/**
 * The permission matrix: risk × role × target × surface, when it is asked for. Clicks and sending stand in
 * `matrix/`; every cell is held against a table that was written by hand.
 */

let database: Database;
let desk: FrontDesk;
/** The rows of the table, each with its wish on every surface. */
const rows = new Map<string, ReadonlyMap<string, Wish>>();
const names = namesOf();
const placeOf = ({ row: [, place] }: Cell): Place | undefined => (isPlace(place) ? place : undefined);
const rowOf = ({ row }: Cell): string => row.join(' ');

beforeAll(async () => {
  database = await openDatabase('sqlite::memory:', { now: () => 1_000 });
  const ledger = createLedger({ auditKey: undefined, installation: database.installation, onEvent: () => undefined });
  desk = {
    database,
    ledger,
    policy: () => policy,
    company: () => company,
    names,
    membersOf: async () => [],
    read: () => Promise.reject(new Error('nothing is read of the host to know who may what')),
    freshenNames: async () => undefined,
    onSaved: () => undefined,
  };
  for (const cell of submits) {
    if (!rows.has(rowOf(cell))) rows.set(rowOf(cell), await surfacesOf(cell.row[0], placeOf(cell), database));
  }
});
afterAll(() => database.close());

const surfacesIn = (cell: Cell): ReadonlyMap<string, Wish> => rows.get(rowOf(cell)) ?? new Map();

function asked(wish: Wish, role: Role, known: Names, at: FrontDesk = desk): Considered | Refusal {
  const person = roles[role];
  try {
    return consider(at, resolve(wish, known), { person, channel: { id: 'C1', shared: false } });
  } catch (error) {
    return refusalIn(error);
  }
}
const cameTo = (of: Considered | Refusal): string => ('kind' in of ? consideredAs(of) : refusedAs(of));

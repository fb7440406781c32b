import { insertChange, type Change, type NewChange } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';

/** A waiting change, as `submit` saves it. */
export const sample: NewChange = {
  command: 'cache clear',
  risk: 'routine',
  args: '["cache","clear","acme-shop/live"]',
  target: 'environment:e1',
  target_name: 'acme-shop/live',
  is_live: 1,
  targets: '[]',
  snapshot: 'null',
  preconditions: 'null',
  call: '{}',
  card: '{}',
  fingerprint: 'f00d',
  requester: 'U1',
  requester_name: 'Ana',
  requester_team: 'T1',
  channel: 'C1',
  authorization: '{}',
  state: 'waiting',
  created_at: 1_000,
  expires_at: 9_000,
};

/** Saves a sample change with some columns replaced. */
export const save = (database: Database, row: Partial<NewChange> = {}): Promise<Change> =>
  database.transaction((tx) => insertChange(tx, { ...sample, ...row }));

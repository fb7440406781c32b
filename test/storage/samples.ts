import { insertChange, type Change, type NewChange } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { enqueueMessage, markDelivered, type MessagePlace, type NewMessage } from '../../src/storage/messages.ts';
import type { insertQueued } from '../../src/storage/queue.ts';
import type { Tx } from '../../src/storage/schema.ts';
import type { NewWaiting } from '../../src/storage/waiting.ts';

/** A waiting change, as `submit` saves it. */
export const sample: NewChange = {
  command: 'cache clear',
  risk: 'routine',
  args: '["cache","clear","acme-shop/live"]',
  target: 'environment:e1',
  target_name: 'acme-shop/live',
  cools_down: 0,
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

const told = { requester: 'U1', requester_name: 'Ana', channel: 'C1', zone: 'UTC' };

export const sampleWatch: NewWaiting<'watch'> = {
  ...told,
  kind: 'watch',
  target: 'environment:e1',
  targets: '[{"kind":"environment","id":"e1"}]',
  match: null,
  quiet: null,
  created_at: 0,
  expires_at: 1_000_000,
  read_to: 0,
  progress: '{}',
  due_at: 100_000,
};

export const sampleDigest: NewWaiting<'digest'> = {
  ...told,
  kind: 'digest',
  target: 'digest',
  targets: '[]',
  sites: '[]',
  created_at: 0,
  expires_at: 1_000_000,
};

export const sampleHandedOn: NewWaiting<'hand_on'> = {
  kind: 'hand_on',
  uuid: 'h',
  target: '["cache","clear","e1"]',
  requester: 'U1',
  created_at: 10,
  expires_at: 1_000,
  command: 'cache clear',
  says: '[]',
  posted: '[]',
  used_by: null,
  change: null,
};

export const sampleQueued: Parameters<typeof insertQueued>[1] = {
  target: 'environment:e1',
  target_name: 'acme-shop/live',
  command: 'cache clear',
  risk: 'routine',
  args: '["cache","clear","e1"]',
  targets: '[]',
  behind: 6,
  requester: 'U1',
  requester_name: 'Ana',
  requester_team: 'T1',
  channel: 'C1',
  created_at: 10,
  expires_at: 1_000,
};

/** Queues a message and records that it was posted there. */
export async function post(tx: Tx, message: NewMessage, place: MessagePlace): Promise<void> {
  const queued = await enqueueMessage(tx, message);
  if (queued === undefined) throw new Error('a change of a batch has no messages of its own');
  await markDelivered(tx, queued, place);
}

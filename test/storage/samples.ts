import { insertChange, type Change, type NewChange } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { enqueueMessage, markDelivered, type MessagePlace, type NewMessage } from '../../src/storage/messages.ts';
import type { NewQueuedRequest } from '../../src/storage/queue.ts';
import type { Tx } from '../../src/storage/tx.ts';
import type { NewWatch } from '../../src/storage/watches.ts';

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

export const sampleWatch: NewWatch = {
  target_key: 'environment:e1',
  target: '{"kind":"environment","id":"e1"}',
  match: null,
  requester: 'U1',
  requester_name: 'Ana',
  channel: 'C1',
  quiet: null,
  zone: 'UTC',
  created_at: 0,
  ends_at: 1_000_000,
  read_to: 0,
  progress: '{}',
  due_at: 100_000,
};

export const sampleQueued: NewQueuedRequest = {
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

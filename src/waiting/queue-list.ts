import type { QueryService, QueueLine } from '../commands/kit/builtin.ts';
import { idsOf } from '../policy/people.ts';
import { listQueued, type QueuedRequest } from '../storage/queue.ts';
import { targetKey } from '../access/targets.ts';
import { queuedWords } from '../change/queue.ts';
import type { ChangeContext } from '../change/context.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { leaveQueue } from './queue.ts';

/** The queues, limited to what one person may read, and the person's own places. */

const maxShown = 50;
const maxRead = 1_000;

export function queuesFor(context: ChangeContext, asking: Asking): Pick<QueryService, 'queue' | 'leaveQueue'> {
  const lineOf = (row: QueuedRequest): QueueLine => ({
    number: row.id,
    target: row.target_name,
    what: queuedWords(row),
    requester: row.requester,
    isOwn: idsOf(context.policy(), asking.person.id).includes(row.requester),
    behind: row.behind ?? undefined,
    isTurn: row.turn_at !== null,
    until: row.expires_at,
  });
  return {
    queue: async (env) => {
      const found = await listQueued(context.database.db, maxRead);
      const mayRead = asking.sight.reader('queue');
      const shown = found
        .filter((row) => env === undefined || row.target === targetKey(env))
        .map((row) => ({ row, line: lineOf(row) }))
        .filter(({ row, line }) => line.isOwn || mayRead(row))
        .toSorted((one, other) => one.row.target.localeCompare(other.row.target) || one.row.id - other.row.id);
      const lines = shown.slice(0, maxShown).map(({ line }) => line);
      return { lines, more: shown.length > maxShown || found.length === maxRead };
    },
    leaveQueue: async (place) => {
      const row = await leaveQueue(context, asking, place);
      return row && { what: queuedWords(row), target: row.target_name };
    },
  };
}

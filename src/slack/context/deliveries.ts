import { receive, type InboxRow } from '../../storage/inbox.ts';
import { scrub } from '../../secret.ts';
import { leaseMs } from './slow-work.ts';
import { close, within } from './handler.ts';
import type { SlackContext } from './context.ts';
import type { Kept, Deliveries } from './context.ts';

/** Writing a delivery down before it is acked, and what is known of its copies. */

/** Slack sends what was not acked for five minutes. */
const maxKnown = 5_000;
const keepMs = 1_000;

/**
 * Another copy may have been taken by another process, or by one that has ended: that nothing was done is true only
 * where nothing of it is heard.
 */
export const noDatabase =
  'My database does not answer. Where neither a card nor another answer to this comes, nothing was done: try again in a minute.';

type Row = Pick<InboxRow, 'key' | 'kind' | 'person'> & { channel?: string | undefined; content: string };

/** Writes a delivery down; of several copies of it that come to this process, one. */
export async function keep(context: SlackContext, row: Row): Promise<Kept> {
  const { deliveries } = context;
  const earlier = deliveries.get(row.key);
  if (earlier !== undefined) return (await earlier) === 'failed' ? 'told' : 'seen';
  const came = keepFirst(context, row);
  keepInMind(deliveries, row.key, came);
  return came;
}

/** The same for what changes nothing, of which nothing is written down: its answer comes once. */
export function keepUnwritten({ deliveries }: SlackContext, key: string): 'seen' | undefined {
  if (deliveries.has(key)) return 'seen';
  keepInMind(deliveries, key, Promise.resolve('new'));
  return undefined;
}

function keepInMind(deliveries: Deliveries, key: string, came: ReturnType<typeof keepFirst>): void {
  deliveries.set(key, came);
  const [oldest] = deliveries.keys();
  if (deliveries.size > maxKnown && oldest !== undefined) deliveries.delete(oldest);
}

async function keepFirst(context: SlackContext, row: Row): Promise<Exclude<Kept, 'told'>> {
  const { database } = context.front;
  const content = scrub(row.content).slice(0, 10_000);
  const write = async (): Promise<'new' | 'seen'> => {
    const now = await database.now();
    const leased = { owner: context.owner, lease_until: now + leaseMs, received_at: now };
    return database.statement((db) => receive(db, { ...row, channel: row.channel ?? '', content, ...leased }));
  };
  const writing = write();
  try {
    return await within(keepMs, writing);
  } catch (error) {
    context.log.error({ err: error, key: row.key }, 'a delivery could not be written down');
    closeIfWritten(context, row.key, writing);
    return 'failed';
  }
}

/** Its sender hears now that it is not worked on: written down late, it must not be found open and told of again. */
function closeIfWritten(context: SlackContext, inbox: string, writing: Promise<'new' | 'seen'>): void {
  writing
    .then((kept) => kept === 'new' && close(context, { inbox }))
    .catch((error: unknown) => context.log.error({ err: error }, 'a delivery stays open'));
}

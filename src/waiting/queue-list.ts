import { Refusal } from '../base/errors.ts';
import { counted, listOr, paragraph, type Page } from '../commands/kit/page.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { idsOf } from '../policy/people.ts';
import { listOpen, type QueuedRequest } from '../storage/waiting.ts';
import { code, mention, say, time, typed, type Text } from '../words/text.ts';
import { targetKey } from '../access/targets.ts';
import { queuedWords } from '../change/queue.ts';
import type { ChangeContext } from '../change/context.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { leaveQueue } from './join-queue.ts';

/** The queues, limited to what one person may read, and the person's own places. */

const maxShown = 50;
const maxRead = 1_000;

export async function queuePage(
  context: ChangeContext,
  { person, sight }: Asking,
  { env }: { readonly env: Environment | undefined },
): Promise<Page> {
  const found = await listOpen(context.database.db, ['queue'], { limit: maxRead });
  const mayRead = sight.reader('queue');
  const ids = idsOf(context.policy(), person.id);
  const isOwn = ({ requester }: QueuedRequest): boolean => ids.includes(requester);
  const shown = found
    .filter((row) => (env === undefined || row.target === targetKey(env)) && (isOwn(row) || mayRead(row)))
    .toSorted((one, other) => one.target.localeCompare(other.target));
  const rows = shown.slice(0, maxShown);
  const isMore = shown.length > maxShown || found.length === maxRead;
  const own = rows.filter(isOwn);
  const [first] = own;
  return {
    title: say`**${env ? `The queue for ${env.name}` : 'Queues'}** · ${isMore ? `the first ${rows.length}` : counted(rows.length, 'request')}`,
    parts: listOr(say`Nothing that you can see is waiting for a lock.`, rows.map(inWords)),
    ...(first && { source: say`${typed(`queue leave ${first.id}`)} gives up place ${first.id}` }),
    offers: own.map(({ id }) => ({ label: `Leave the queue: place ${id}`, args: ['queue', 'leave', String(id)] })),
  };
}

function inWords(row: QueuedRequest): Text {
  const status =
    row.turn_at === null
      ? `waits behind ${row.behind === null ? 'a lock' : `#${row.behind}`}`
      : 'their turn: waits for their review';
  return say`${code(String(row.id))} for **${row.target_name}**: ${queuedWords(row)} · ${mention(row.requester)} · ${status} · until ${time(row.expires_at)}`;
}

export async function queueLeavePage(
  context: ChangeContext,
  asking: Asking,
  { number }: { readonly number: number },
): Promise<Page> {
  const left = await leaveQueue(context, asking, number);
  if (left === undefined)
    throw new Refusal(say`**You have no place ${number} in a queue.** Nothing was done.`, {
      hint: say`It may have been used or ended already. ${typed('queue')} shows who waits.`,
    });
  return {
    title: say`**You've left the queue for ${left.target_name}**`,
    parts: [paragraph(say`${queuedWords(left)} was not sent.`)],
  };
}

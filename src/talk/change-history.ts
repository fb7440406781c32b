import type { SentChange } from '../commands/kit/log-query.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { listChanges, type Change } from '../storage/changes.ts';
import { plain, type Text } from '../words/text.ts';
import { stateLabel } from '../words/states.ts';
import { frozenCardOf, isDone, titleNow } from '../change/freeze.ts';
import { targetKey } from '../access/targets.ts';
import type { MayRead } from '../access/visibility.ts';
import { markOf, stateText } from '../change/state-words.ts';
import type { ChangeContext } from '../change/context.ts';

/** Past changes, limited to what one person may read. */

/** How many of an environment's newest changes are read. */
const maxSent = 100;
const maxTitleLength = 200;

/**
 * What was sent for an environment since `since` (epoch ms) and may be read, oldest first, among its newest changes.
 */
export async function sentTo(
  context: ChangeContext,
  mayRead: MayRead,
  env: Environment,
  since: number,
): Promise<readonly SentChange[]> {
  const changes = await listChanges(context.database.db, { target: targetKey(env), limit: maxSent });
  return changes
    .flatMap((change) =>
      change.sent_at === null || change.sent_at < since || change.state === 'rejected' || !mayRead(change)
        ? []
        : [{ at: change.sent_at, number: change.number, mark: markOf(change), says: whatCameOf(change) }],
    )
    .toSorted((one, other) => one.at - other.at);
}

/** What was sent, in a few words that begin with what came of it, unless it is known to be done. */
export function whatCameOf(change: Pick<Change, 'state' | 'card'>): string {
  const title = plain(titleNow(change)).slice(0, maxTitleLength);
  if (isDone(change)) return title;
  return `${change.state === 'unknown' ? 'outcome unknown' : stateLabel(change.state)}: ${title}`;
}

/** A change in a list; `requester` is a Slack user id, `at` epoch milliseconds. */
export type ListedChange = {
  readonly number: number;
  /** Its symbol and its state. */
  readonly state: string;
  readonly title: string;
  readonly requester: string;
  /** Slack user id of whoever handed the request on to the requester. */
  readonly handedOnBy: string | undefined;
  /** How it was cancelled, which names who did it: the requester, or somebody who stopped it. */
  readonly cancelled: Text | undefined;
  readonly at: number;
  /** When it was sent; undefined: it was not. */
  readonly sentAt: number | undefined;
};

/** A change as one line of a list. */
export const listedChange = (change: Change): ListedChange => ({
  number: change.number,
  state: `${markOf(change)} ${stateLabel(change.state)}`,
  title: plain(frozenCardOf(change).title).slice(0, maxTitleLength),
  requester: change.requester,
  handedOnBy: change.handed_on_by ?? undefined,
  cancelled: change.state === 'cancelled' ? stateText(change) : undefined,
  at: change.created_at,
  sentAt: change.sent_at ?? undefined,
});

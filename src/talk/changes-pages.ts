import { Refusal, type Args } from '../base/errors.ts';
import { type Page, type PageDecision, counted, listOr } from '../commands/kit/page.ts';
import { type Change, listChanges } from '../storage/changes.ts';
import { code, joined, say, time, type Text, plain, mention, sample, typed, through } from '../words/text.ts';
import { isToReview } from '../change/post-review.ts';
import { besideState, markOf, stateInShort } from '../change/states-and-events.ts';
import { pinnedCardOf, titleNow, isDone } from '../change/pin.ts';
import { decisionsFor } from './page-decisions.ts';
import { targetKey } from '../access/targets.ts';
import type { ChangeContext } from '../change/context.ts';
import type { Asking } from '../decide/admin-actions.ts';
import type { SentChange } from '../commands/kit/log-query.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { stateLabel } from '../words/states.ts';
import type { MayRead } from '../access/visibility.ts';
import { changes } from '../commands/builtin/changes.ts';
import type { Input } from '../commands/kit/fields.ts';
import { startOf } from '../commands/kit/values/times.ts';
import { idsOf } from '../policy/memberships.ts';
import { openAbout } from '../decide/open-changes.ts';
import type { PipelineContext } from './context.ts';
import { timeLineFor } from './time-line.ts';
import { timeLinePage } from './time-line-page.ts';

/** Lists of past changes, as one person may read them. */

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
  readonly caller: string | null;
  /** Slack user id of whoever handed the request on to the requester. */
  readonly handedOnBy: string | undefined;
  /** How it was cancelled, or when it is to be sent, and whether by break-glass. */
  readonly beside: Text | undefined;
  readonly at: number;
  /** When it was sent; undefined: it was not. */
  readonly sentAt: number | undefined;
};

/** A change as one line of a list. */
export const listedChange = (change: Change): ListedChange => ({
  number: change.number,
  state: stateInShort(change),
  title: plain(pinnedCardOf(change).title).slice(0, maxTitleLength),
  requester: change.requester,
  caller: change.caller,
  handedOnBy: change.handed_on_by ?? undefined,
  beside: besideState(change),
  at: change.created_at,
  sentAt: change.sent_at ?? undefined,
});

/** How many changes a list shows. */
const maxShown = 100;
/** How many rows each query reads. */
const batch = 200;
/** How many rows are read for one list. */
const maxRead = 1_000;

export async function changesPage(
  context: PipelineContext,
  asking: Asking,
  { since, ...query }: Input<typeof changes.fields>,
): Promise<Page> {
  if (since === undefined) return changesListPage(query, await changesFor(context, asking, query));
  const { env, mine, waiting, scheduled, unreviewed } = query;
  if (mine || waiting || scheduled || unreviewed)
    throw new Refusal("A time line has everybody's changes in every state. Nothing was done.", {
      hint: 'Leave out --mine, --waiting, --scheduled and --unreviewed, or --since.',
      field: 'since',
    });
  if (env === undefined) throw unnamed(changes.fields.since.show(since));
  const from = startOf(since, Date.now(), asking.person.zone, '2d');
  return timeLinePage(env, await timeLineFor(context, asking, env, from));
}

type ChangesQuery = Omit<Input<typeof changes.fields>, 'since'>;
/** Newest first, or what is to be sent next first. `more`: there may be older ones. */
type FoundChanges = {
  readonly lines: readonly ListedChange[];
  readonly more: boolean;
  readonly decisions: readonly PageDecision[];
};

/** The changes that this person may read. */
export async function changesFor(context: ChangeContext, asking: Asking, query: ChangesQuery): Promise<FoundChanges> {
  const { newest, more } = await newestOf(context, asking, query);
  const shown = query.scheduled ? newest.toSorted((one, other) => timeOf(one) - timeOf(other)) : newest;
  const decisionsAt = (change: Change, row: number): readonly PageDecision[] =>
    decisionsFor(context, asking.person, change).map((button) => ({ ...button, row }));
  return { lines: shown.map(listedChange), more, decisions: shown.flatMap(decisionsAt) };
}

const timeOf = ({ scheduled_at: at, created_at }: Change): number => at ?? created_at;

/** Whether an open change is one of these. */
const narrowedTo =
  ({ waiting, scheduled, unreviewed }: ChangesQuery, requesters: readonly string[] | undefined) =>
  (change: Change): boolean =>
    (requesters?.includes(change.requester) ?? true) &&
    (!waiting || change.state === 'waiting') &&
    (!scheduled || change.scheduled_at !== null) &&
    (!unreviewed || isToReview(change));

/** The newest ones that this person may read. */
async function newestOf(
  context: ChangeContext,
  { person, sight }: Asking,
  query: ChangesQuery,
): Promise<{ readonly newest: readonly Change[]; readonly more: boolean }> {
  const { env, mine, waiting, scheduled, unreviewed } = query;
  const mayRead = sight.reader('changes');
  const requesters = mine ? idsOf(context.policy(), person.id) : undefined;
  if (env && (waiting || scheduled)) {
    const { open, more } = await (await openAbout(context.database.db))(env);
    return { newest: open.filter(narrowedTo(query, requesters)).filter(mayRead), more };
  }
  const wanted = {
    ...(env ? { target: targetKey(env) } : { isOwn: true }),
    requesters,
    ...(waiting && { state: 'waiting' as const }),
    ...(scheduled && { isScheduled: true, isOpen: true }),
    ...(unreviewed && { isUnreviewed: true }),
  };
  const shown: Change[] = [];
  let beforeNumber: number | undefined;
  for (let read = 0; read < maxRead; read += batch) {
    const rows = await listChanges(context.database.db, { ...wanted, limit: batch, beforeNumber });
    for (const change of rows) {
      if (!mayRead(change)) continue;
      if (shown.length === maxShown) return { newest: shown, more: true };
      shown.push(change);
    }
    beforeNumber = rows.at(-1)?.number;
    if (rows.length < batch) return { newest: shown, more: false };
  }
  return { newest: shown, more: true };
}

/** What each flag narrows a list to, and what is said if nothing is left. */
const narrowings = [
  ['unreviewed', ' sent by break-glass and not reviewed', 'is left to review'],
  ['scheduled', ' to be sent later', 'is to be sent later'],
  ['waiting', ' waiting for approval', 'is waiting for approval'],
] as const;

export function changesListPage(query: ChangesQuery, { lines, more, decisions }: FoundChanges): Page {
  const { env, mine } = query;
  const [first] = lines;
  const whose = mine ? 'Your changes' : 'Changes';
  const count = !more
    ? counted(lines.length, 'change')
    : first
      ? `the newest ${lines.length}`
      : 'none among the newest';
  const asked = narrowings.filter(([flag]) => query[flag]);
  const title = `${whose}${env ? ` of ${env.name}` : ''}${asked.map(([, words]) => words).join('')}`;
  return {
    title: say`**${title}** · ${count}`,
    parts: listOr(
      more ? say`I read only the newest ones, and found none that you can see.` : noneText(asked[0]),
      lines.map(({ state, number, title: what, requester, caller, handedOnBy: by, beside, at }) => {
        const handed = by === undefined ? '' : say`, handed on by ${mention(by)}`;
        const askedBy = say`asked by ${through(caller, mention(requester))}${handed} ${time(at, 'date')}`;
        return joined([say`${state} · ${code(`#${number}`)} ${what}`, askedBy, beside], ' · ');
      }),
    ),
    ...(first && {
      source: say`${typed(`change ${first.number}`)} shows the whole story of #${first.number}${more ? '; name an environment to find older ones' : ''}`,
    }),
    decisions,
    ...(env && { offers: [{ label: 'Time line of two days', args: ['changes', env.id, '--since=2d'] }] }),
  };
}

/** The refusal of a time line without an environment, with the form that asks for one. */
const unnamed = (since: Args): Refusal =>
  new Refusal('A time line needs an environment. Nothing was done.', {
    hint: say`Name one, as in ${sample('changes acme-shop/live --since 2d')}.`,
    field: 'env',
    offers: [{ label: 'Choose an environment', opens: 'form', args: ['changes', `--since=${since.join(' ')}`] }],
  });

const noneText = ([, , says]: readonly string[] = []): Text =>
  say`${says === undefined ? 'There are none yet that you can see' : `None that you can see ${says}`}.`;

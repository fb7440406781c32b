import type { AnyAction } from '../commands/kit/action.ts';
import { Refusal, type Args } from '../base/errors.ts';
import { idsOf, ownIdsOf } from '../policy/memberships.ts';
import { scrub } from '../base/secret.ts';
import type { Tx } from '../storage/database.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { endTurn, insertQueued, queueOf, removeQueued } from '../storage/queue.ts';
import { findOpen, type QueuedRequest, listOpen } from '../storage/waiting.ts';
import { joined, say, time, typed, type Text, code, mention } from '../words/text.ts';
import type { Authorized, Person } from '../access/access-check.ts';
import { freezeLines } from '../access/freeze-words.ts';
import { freezesOnAny } from '../change/freeze-check.ts';
import { lockAndHolder, lockInWords, lockRefusal, type Held } from '../change/lock-in-the-way.ts';
import type { Note } from '../change/card.ts';
import type { ChangeContext } from '../change/context.ts';
import {
  asSaved,
  leaveButton,
  maxPlaces,
  placeMs,
  placesOf,
  recordQueued,
  turnTaken,
  withdrawTurn,
  queuedWords,
} from '../change/queue.ts';
import { fitsButton, reparse, withOption } from '../language/reparse.ts';
import { canonicalArgs } from '../language/resolve.ts';
import type { Actor, Asking } from '../decide/admin-actions.ts';
import { answerDelivery, requestDetails } from '../decide/claim-delivery.ts';
import type { Requester } from '../send/new-change.ts';
import { counted, listOr, paragraph, type Page } from '../commands/kit/page.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { storedTargets, targetKey } from '../access/targets.ts';

/** What people do with queues: join, leave and look at them. */

/** How many may wait for one target. */
const maxEach = 10;

/**
 * `queued`: it is in the queue, and this is what the requester is told. Otherwise no lock is in the way, and these
 * arguments can run.
 */
export type JoinResult =
  | { readonly kind: 'queued'; readonly note: Note }
  | { readonly kind: 'instead'; readonly args: Args };

/** Puts an allowed request into the queue of the lock in its way. Throws `Refusal`. */
export function joinQueue(
  context: ChangeContext,
  authorized: Authorized,
  action: AnyAction,
  { person, channel }: Requester,
  inbox: string | undefined,
): Promise<JoinResult> {
  const { target, alsoReads, parsed } = authorized;
  const wants = { risk: action.risk, targets: JSON.stringify([target, ...alsoReads]) };
  return exclusiveTransaction(context.database, async (tx, at) => {
    const held = await lockAhead(tx, wants, at);
    if (held === undefined) return { kind: 'instead', args: canonicalArgs(authorized, { reason: parsed.reason }) };
    const args = JSON.stringify(wordsOf(authorized));
    const own = await placesOf(tx, idsOf(context.policy(), person.id));
    const same = own.find((row) => asSaved(row) === asSaved({ args }));
    const ahead = (await queueOf(tx, held.lock.target)).length;
    if (same === undefined || same.turn_at === null)
      refuseTooMany({ same, places: own.length, ahead, where: held.target });
    await answerDelivery(tx, inbox, at);
    if (same) return queued(same, await backInLine(context, tx, same, person.id, at), held, at);
    const row = await insertQueued(tx, {
      target: held.lock.target,
      target_name: held.target,
      command: parsed.path,
      ...wants,
      args,
      behind: held.lock.change,
      requester: person.id,
      requester_name: person.name,
      requester_team: person.team,
      channel: channel.id,
      created_at: at,
      expires_at: at + placeMs,
    });
    const by = { by: person.id, at, ...requestDetails(inbox) };
    await recordQueued(tx, context.changeStore.note, row, 'queue_join', by);
    return queued(row, ahead + 1, held, at);
  });
}

/** The arguments of a request. Throws `Refusal` if they don't fit into the buttons *Review* and *Queue again*. */
function wordsOf(authorized: Authorized): Args {
  const { reason } = authorized.parsed;
  const words = canonicalArgs(authorized, { reason: reason === undefined ? undefined : scrub(reason) });
  if (fitsButton(withOption(words, '--queue'))) return words;
  throw new Refusal('This is too long to wait in a queue. Nothing was sent.', {
    hint: 'Ask again when the lock is gone.',
  });
}

/** Ends the turn of somebody whom a lock came before, and resolves with their place. */
async function backInLine(
  { changeStore }: ChangeContext,
  tx: Tx,
  row: QueuedRequest,
  person: string,
  at: number,
): Promise<number> {
  await endTurn(tx, row, at);
  await withdrawTurn(tx, row, turnTaken, at);
  await recordQueued(tx, changeStore.note, row, 'queue_join', { by: person, at });
  return (await queueOf(tx, row.target)).findIndex(({ id }) => id === row.id) + 1;
}

/** The lock in the way of this request, or undefined. Throws `Refusal` if nobody can queue behind it. */
async function lockAhead(tx: Tx, wants: Pick<QueuedRequest, 'risk' | 'targets'>, at: number) {
  const held = await lockAndHolder(tx, wants, at);
  if (held?.holder?.state === 'unknown')
    throw new Refusal(lockRefusal(held, at), {
      hint: 'There is no queue behind that. Ask again when somebody has closed it.',
    });
  return held;
}

const queued = (row: QueuedRequest, place: number, held: Held, at: number): JoinResult => ({
  kind: 'queued',
  note: { text: joinedWords(row, place, held, at), buttons: [leaveButton(row)] },
});

function joinedWords(row: QueuedRequest, place: number, held: Held, at: number): Text {
  const then =
    row.risk === 'routine'
      ? say`When it's your turn, I'll check everything again and send it.`
      : say`When it's your turn, I'll tell you, and you review it.`;
  const { until } = held.lock;
  const isTooShort = until !== null && until > row.expires_at;
  const tooShort = isTooShort && 'The lock lasts longer, so nothing will be sent unless somebody unlocks it first.';
  return joined([
    say`**You're number ${place} in the queue.** ${lockInWords(held, at)}`,
    then,
    say`Nothing was sent yet. I'll keep your place until ${time(row.expires_at)}.`,
    tooShort || undefined,
  ]);
}

type QueueCounts = {
  readonly same: QueuedRequest | undefined;
  readonly places: number;
  readonly ahead: number;
  readonly where: string;
};

function refuseTooMany({ same, places, ahead, where }: QueueCounts): void {
  const hint = say`${typed('queue')} shows who waits.`;
  if (same !== undefined)
    throw new Refusal(say`**You're already in the queue with that.** Nothing was sent.`, { hint });
  if (places >= maxPlaces)
    throw new Refusal(say`**You already have ${maxPlaces} places in queues.** Nothing was sent.`, { hint });
  if (ahead >= maxEach)
    throw new Refusal(say`**The queue for ${where} is full:** ${maxEach} requests wait. Nothing was sent.`, { hint });
}

/** Gives up a place of this person; undefined if they have no such place. */
function leaveQueue(context: ChangeContext, actor: Actor, id: number): Promise<QueuedRequest | undefined> {
  return exclusiveTransaction(context.database, async (tx, at) => {
    const row = await findOpen(tx, ['queue'], id);
    const own = idsOf(context.policy(), actor.person.id);
    if (row === undefined || !own.includes(row.requester)) return undefined;
    await answerDelivery(tx, actor.inbox, at);
    await removeQueued(tx, row, at);
    await withdrawTurn(tx, row, say`You left the queue.`, at);
    const by = { by: actor.person.id, at, name: actor.person.name };
    await recordQueued(tx, context.changeStore.note, row, 'queue_leave', by);
    return row;
  });
}

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
  const ids = ownIdsOf(context.policy(), person);
  const isOwn = ({ requester }: QueuedRequest): boolean => ids.includes(requester);
  const shown = found
    .filter((row) => (env === undefined || row.target === targetKey(env)) && (isOwn(row) || mayRead(row)))
    .toSorted((one, other) => one.target.localeCompare(other.target));
  const rows = shown.slice(0, maxShown);
  const isMore = shown.length > maxShown || found.length === maxRead;
  const own = rows.filter(isOwn);
  const [first] = own;
  const words = async (row: QueuedRequest): Promise<Text> => inWords(row, await freezesOn(context, person, row));
  return {
    title: say`**${env ? `The queue for ${env.name}` : 'Queues'}** · ${isMore ? `the first ${rows.length}` : counted(rows.length, 'request')}`,
    parts: listOr(say`Nothing that you can see is waiting for a lock.`, await Promise.all(rows.map(words))),
    ...(first && { source: say`${typed(`queue leave ${first.id}`)} gives up place ${first.id}` }),
    offers: own.map(({ id }) => ({ label: `Leave the queue: place ${id}`, args: ['queue', 'leave', String(id)] })),
  };
}

/** The freezes of a request, now or soon, whoever asks for it. */
async function freezesOn(context: ChangeContext, person: Person, row: QueuedRequest): Promise<readonly Text[]> {
  const reparsed = reparse(row, context.names(undefined));
  return reparsed ? freezesOnAny(context, person, reparsed.resolved, storedTargets(row).slice(0, 1)) : [];
}

function inWords(row: QueuedRequest, freezes: readonly Text[]): Text {
  const status =
    row.turn_at === null
      ? `waits behind ${row.behind === null ? 'a lock' : `#${row.behind}`}`
      : 'their turn: waits for their review';
  return say`${code(String(row.id))} for **${row.target_name}**: ${queuedWords(row)} · ${mention(row.requester)} · ${joined([status, freezeLines(freezes)], ' · ')} · until ${time(row.expires_at)}`;
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

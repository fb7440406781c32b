import { randomUUID } from 'node:crypto';
import { spokenDuration, hourMs } from '../words/duration.ts';
import { Refusal } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { idsOf } from '../policy/memberships.ts';
import { scrub } from '../base/secret.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { countWaiting, insertWaiting, listOpen, type HandedOnRequest } from '../storage/waiting.ts';
import type { Tx } from '../storage/database.ts';
import { channel, either, joined, mention, say, time, type Text } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import type { NotAllowed } from '../access/not-allowed.ts';
import { assertChannel, isDirect } from '../access/assert-channel.ts';
import { displayNames } from '../access/approver-lookup.ts';
import { targetsOf } from '../access/targets.ts';
import { whoMayRun, type Runners } from '../access/who-may-run.ts';
import { endedLine, endOffers, handedOnWords, offerNote, postOffers, type OfferMessage } from '../change/handed-on.ts';
import { canonicalArgs, type Resolved } from '../language/resolve.ts';
import { join } from '../language/tokenize.ts';
import { answerDelivery, requestDetails } from '../decide/claim-delivery.ts';
import type { Requester } from '../send/new-change.ts';
import type { SendContext } from '../send/context.ts';
import { waitingKind, type DueKind } from './due-turns.ts';

/** Handing a request on to people who may run it, and its end if nobody does. */

/** How long a handed-on request can be run. */
const keptMs = hourMs;
/** How many requests one person may hand on, and in how long. */
const maxEach = 5;
const windowMs = hourMs;
/** How many people get a direct message about one request. */
const maxTold = 3;
/** The most characters of a command that fit into a button. */
const maxLength = 1_500;

/** Asks people who may run what this person may not. Resolves with what the person is told; throws `Refusal`. */
export async function handOn(
  context: SendContext,
  { resolved }: NotAllowed,
  { person, channel: place }: Requester,
  inbox: string | undefined,
): Promise<Text> {
  const { target, alsoReads } = targetsOf(resolved, context.company());
  const targets = [target, ...alsoReads].filter((one) => one !== undefined);
  if (join(canonicalArgs(resolved, { reason: resolved.parsed.reason })).length > maxLength)
    throw new Refusal('This is too long to hand it on. Nobody was asked, and nothing was sent.', {
      hint: 'Ask somebody in your own words.',
    });
  const channelId = isDirect(place.id) ? undefined : place.id;
  if (channelId !== undefined) assertChannel(context.policy(), place, targets);
  const runners = await whoMayRun(context, resolved, person.id);
  if (runners.people.length === 0 && (channelId === undefined || runners.unknown.length === 0))
    throw nobodyToAsk(runners);
  return saveAndPost(context, resolved, person, { targets, runners, channelId, inbox });
}

/** The refusal if there is nobody to ask. While Slack doesn't answer, it says that this is unknown. */
const nobodyToAsk = ({ later }: Runners): Refusal =>
  later === undefined
    ? new Refusal(say`**I can't find anybody else who may do this.** Nobody was asked, and nothing was sent.`)
    : new Refusal(say`**I can't tell right now who may do this.** ${later} Nobody was asked, and nothing was sent.`, {
        hint: 'Try again in a minute.',
        isLater: true,
      });

/** `channelId`: the channel in which everybody is asked; undefined: none. */
type Recipients = {
  readonly targets: readonly Target[];
  readonly runners: Runners;
  readonly channelId: string | undefined;
  readonly inbox: string | undefined;
};

async function saveAndPost(
  context: SendContext,
  resolved: Resolved,
  person: Person,
  { targets, runners, channelId, inbox }: Recipients,
): Promise<Text> {
  const { parsed } = resolved;
  const id = randomUUID();
  const told = runners.people.slice(0, maxTold);
  const about = JSON.stringify(targets);
  const posted: readonly OfferMessage[] = [
    ...told.map((one) => ({ key: `hand_on:${id}:${one.id}`, kind: 'direct' as const, recipient: one.id, about })),
    ...(channelId === undefined
      ? []
      : [{ key: `hand_on:${id}`, kind: 'notice' as const, recipient: channelId, about }]),
  ];
  const says = handedOnWords(context, resolved, person.name);
  const until = await exclusiveTransaction(context.database, async (tx, at) => {
    const args = JSON.stringify(canonicalArgs(resolved));
    await refuseTooMany(context, tx, { person: person.id, args, at });
    await answerDelivery(tx, inbox, at);
    const [command, expires_at] = [parsed.path, at + keptMs];
    const row = { uuid: id, target: args, requester: person.id, created_at: at, expires_at, command };
    await insertWaiting(tx, { ...row, ...unused, says: JSON.stringify(says), posted: JSON.stringify(posted) });
    const reason = parsed.reason === undefined ? undefined : scrub(parsed.reason);
    const carried = { ...resolved, parsed: { ...parsed, reason, handedOn: id } };
    await postOffers(tx, posted, offerNote(person.name, says, runners, carried, expires_at), at);
    const people = told.map((one) => one.id);
    const details = { name: person.name, handed_on: id, command, args, reason, told: people, ...requestDetails(inbox) };
    await context.changeStore.note(tx, { event: 'hand_on', by: person.id, at, about: targets, details });
    return expires_at;
  });
  context.onSaved();
  // The policy may send cards, and so this message, to another channel than the one where the request was made.
  const where = channelId === undefined ? undefined : say`in ${channel(channelId)}`;
  const direct = told.length > 0 ? say`${either(displayNames(told), 'and')} directly` : undefined;
  return say`**I asked ${joined([direct, where], ' and ')}.** Whoever may run it can do so as their own change until ${time(until)}. Nothing was sent yet.`;
}

const unused = { kind: 'hand_on', used_by: null, change: null } as const;

async function refuseTooMany(
  { policy }: SendContext,
  tx: Tx,
  { person, args, at }: { readonly person: string; readonly args: string; readonly at: number },
): Promise<void> {
  const requesters = idsOf(policy(), person);
  const all = await listOpen(tx, ['hand_on'], { target: args, limit: 100 });
  const same = all.find(({ expires_at }) => expires_at > at);
  if (same)
    throw new Refusal(
      say`**${requesters.includes(same.requester) ? "You've" : say`${mention(same.requester)} has`} already asked for this.** It can be run until ${time(same.expires_at)}. Nothing was asked again.`,
    );
  if ((await countWaiting(tx, 'hand_on', { requesters, since: at - windowMs })) >= maxEach)
    throw new Refusal(
      say`**You've asked others ${maxEach} times within ${spokenDuration(windowMs)}.** Nobody was asked, and nothing was sent. Try again later.`,
    );
}

/** Ends requests that nobody ran in time. */
export const handOnExpiry = (context: SendContext): DueKind =>
  waitingKind('hand_on', { what: 'handed-on request', atOnce: 4, leaseMs: 60_000 }, async (row) =>
    expire(context, row),
  );

const expire = (context: SendContext, row: HandedOnRequest): Promise<void> =>
  exclusiveTransaction(context.database, async (tx, at) => {
    const says = say`⌛ Nobody ran it in time. Nothing was sent.`;
    await endOffers(context, tx, row, { at, says, isMine: true, line: endedLine('expired') });
  });

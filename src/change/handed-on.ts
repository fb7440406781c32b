import { byOne } from '../policy/approval-requirement.ts';
import { parseStored } from '../storage/parse-json.ts';
import type { Field } from '../commands/kit/fields.ts';
import { scrub } from '../base/secret.ts';
import type { Change } from '../storage/changes.ts';
import { enqueueMessage, ownWords, type Message } from '../storage/messages.ts';
import type { Tx } from '../storage/database.ts';
import { endWaiting, findHandedOn, type HandedOnRequest } from '../storage/waiting.ts';
import { Refusal } from '../base/errors.ts';
import { clipped, code, either, joined, mention, named, say, time, type Text } from '../words/text.ts';
import { displayNames, whomToAsk, withMembers } from '../access/approver-lookup.ts';
import { refuseIfNobodyApproves } from '../access/nobody-approves.ts';
import { type Runners } from '../access/who-may-run.ts';
import type { Target } from '../hosting/contract/target.ts';
import { aboutOf } from '../access/targets.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import { canonicalArgs, isNamed, isSite, shownAs, storedArgs, type Resolved } from '../language/resolve.ts';
import type { ChangeContext } from './context.ts';
import { type Note } from './card.ts';
import type { Pinned } from './pin.ts';
import { runButton } from './buttons.ts';

/** A handed-on request: what its messages say, and how it is run and ends. */

const maxValueLength = 300;

export type OfferMessage = Pick<Message, 'key' | 'recipient' | 'about'> & { readonly kind: 'direct' | 'notice' };

/** What is asked for, and who asks. Mentions nobody. */
export function handedOnWords(context: Pick<ChangeContext, 'company'>, resolved: Resolved, name: string): Text {
  const { parsed, input } = resolved;
  const where = aboutOf(resolved, context.company()).target?.name;
  const fields = Object.entries<Field>(parsed.command.fields).flatMap(([key, field]) => {
    const value = input[key];
    const shown = isNamed(value) || isSite(value) ? [value.name] : shownAs(field, value);
    const words = clipped(scrub(shown.join(' ')), maxValueLength);
    return words === '' ? [] : [say`${field.label}: ${code(words)}`];
  });
  const reason = parsed.reason === undefined ? undefined : say`“${scrub(parsed.reason)}”`;
  return joined(
    [
      say`🙋 **${named(name)} asks somebody who may: ${parsed.path}${where === undefined ? '' : ` on ${where}`}.**`,
      ...fields,
      reason,
    ],
    '\n',
  );
}

/** The message that offers the request of whoever has this name. `resolved` has the id of the handed-on request. */
export function offerNote(
  name: string,
  says: Text,
  { people, unknown }: Runners,
  resolved: Resolved,
  expiresAt: number,
): Note {
  const who = people.length > 0 ? say`${either(displayNames(people))} may run it.` : undefined;
  const rest =
    unknown.length > 0 ? say`${membersUnknownQuietly(unknown)} They may run it${who ? ' too' : ''}.` : undefined;
  const until = say`It can be run once, until ${time(expiresAt)}, and becomes the change of whoever runs it. If it needs approval, somebody else has to give it.`;
  return {
    text: joined([says, joined([who, rest, until])], '\n'),
    buttons: [
      {
        label: `Run it for ${name}…`,
        press: { kind: 'review', args: canonicalArgs(resolved, { reason: resolved.parsed.reason }) },
        style: 'primary',
      },
    ],
  };
}

/** Queues the messages that offer the request. `isNews` false: what they say once it is over. */
export async function postOffers(
  tx: Tx,
  all: readonly OfferMessage[],
  note: Note,
  at: number,
  isNews = true,
): Promise<void> {
  const body = JSON.stringify(note);
  for (const one of all) await enqueueMessage(tx, { ...one, body, at, isNews });
}

/** How a request ends: what its offers then say, who ran it as which change, and the audit line. */
type OfferEnd = {
  readonly at: number;
  readonly says: Text;
  readonly used?: Pick<HandedOnRequest, 'used_by' | 'change'>;
  /** Only if the caller has claimed it. */
  readonly isMine?: boolean;
  readonly line: { readonly event: string; readonly by: string; readonly details: Readonly<Record<string, unknown>> };
};

/** What the request is about, from its offers. */
const targetsIn = (offers: readonly OfferMessage[]): readonly Target[] | 'company' => {
  const about = offers.find((one) => one.about !== ownWords)?.about;
  return about ? parseStored<readonly Target[]>(about) : 'company';
};

/** Ends the request and replaces every offer. False, with nothing written, if it has ended already. */
export async function endOffers(
  { changeStore }: Pick<ChangeContext, 'changeStore'>,
  tx: Tx,
  row: HandedOnRequest,
  { at, says, used, isMine = false, line }: OfferEnd,
): Promise<boolean> {
  const buttons =
    used?.change == null ? [] : [runButton({ label: `Show #${used.change}`, args: ['change', String(used.change)] })];
  const { uuid: id, command, target: args, requester: person, says: asked, posted } = row;
  if ((await endWaiting(tx, row, at, { isMine, patch: used ?? {} })) === undefined) return false;
  const text = joined([parseStored<Text>(asked), says], '\n');
  const offers = parseStored<readonly OfferMessage[]>(posted);
  await postOffers(tx, offers, { text }, at, false);
  // Without a message in a channel, whoever asked sees none of the offers.
  if (offers.every(({ kind }) => kind === 'direct'))
    await postOffers(
      tx,
      [{ key: `hand_on:${id}:end`, kind: 'direct', recipient: person, about: ownWords }],
      { text, buttons },
      at,
    );
  const details = { handed_on: id, command, args, handed_on_by: person, ...line.details };
  await changeStore.note(tx, { ...line, at, about: targetsIn(offers), details });
  return true;
}

/**
 * The handed-on request that these arguments belong to, or undefined. Throws `Refusal` if it was run already, has
 * expired, or had other arguments.
 */
export async function handedOnWith(
  { database }: ChangeContext,
  resolved: Resolved,
): Promise<HandedOnRequest | undefined> {
  const { handedOn } = resolved.parsed;
  if (handedOn === undefined) return undefined;
  const row = await findHandedOn(database.db, handedOn);
  if (row === undefined || row.target !== storedArgs(resolved))
    throw new Refusal('This request was not handed on like that. Nothing was done.');
  if (row.ended_at !== null || (await database.now()) >= row.expires_at) throw ended(row);
  return row;
}

/** As `whoWouldBeInvolved`, and the change with it. Throws `Refusal` if nobody can approve all of a batch. */
export async function whoIsInvolved(context: ChangeContext, pinned: Pinned, requester: string) {
  const { handedOn, approvers, reviewers, askers } = await whoWouldBeInvolved(context, pinned, requester);
  if (pinned.items) await refuseIfNobodyApproves(context, pinned, askers, approvers.asks);
  const calling = askers.caller && { calling: askers.caller };
  const { breakGlass: skips } = pinned.authorization;
  const breakGlass = skips && reviewers && { breakGlass: { ...skips, reviewers } };
  const authorization = { ...pinned.authorization, ...approvers, ...calling, ...breakGlass };
  return { handedOn, known: { ...pinned, authorization } };
}

/** The handed-on request that this change runs, and who is asked to approve the change: neither of its askers. */
export async function whoWouldBeInvolved(context: ChangeContext, pinned: Pinned, requester: string) {
  const { approval } = pinned.authorization;
  const handedOn = await handedOnWith(context, pinned);
  const { calling, timerOf } = pinned.authorization;
  // The operators of a timer's change are those of the grant.
  const caller = calling && timerOf === undefined ? await withMembers(context, calling) : calling;
  const askers = { requester, handedOnBy: handedOn?.requester ?? null, caller };
  if (approval === 'none') return { handedOn, approvers: { asks: [] }, askers };
  const approvers = await whomToAsk(context, approval, pinned, { ...askers, waited: 0 });
  if (!pinned.authorization.breakGlass) return { handedOn, approvers, askers };
  const reviewers = await whomToAsk(context, byOne(approval), pinned, { ...askers, waited: Infinity });
  return { handedOn, approvers, reviewers, askers };
}

/** Ends a handed-on request in the transaction that saves its change. Throws `Refusal` if somebody else ran it first. */
export async function useHandedOnFor(
  context: ChangeContext,
  tx: Tx,
  row: HandedOnRequest,
  saved: Change,
  at: number,
): Promise<void> {
  const { number, requester, requester_name: name } = saved;
  const says = say`▶️ ${named(name)} runs it as #${number}.`;
  const used = { used_by: requester, change: number };
  const line = { event: 'hand_on_used', by: requester, details: { name, used: number } };
  if (at < row.expires_at && (await endOffers(context, tx, row, { at, says, used, line }))) return;
  throw ended((await findHandedOn(tx, row.uuid)) ?? row);
}

function ended({ used_by: by, change, ended_at, expires_at }: HandedOnRequest): Refusal {
  if (by !== null)
    return new Refusal(say`**${mention(by)} has already run this as #${change ?? ''}.** Nothing was done.`);
  const isSetBack = ended_at !== null && ended_at < expires_at;
  return new Refusal(
    say`${isSetBack ? setBack : say`**It has expired: it could be run until ${time(expires_at)}.**`} Nothing was done.`,
    {
      hint: isSetBack ? 'Compare with the panel of the host first.' : 'You can type the command yourself.',
    },
  );
}

const setBack = say`My database was set back, so this can't be run from here any more. It may have been run already.`;

export const endedLine = (why: 'expired' | 'set back') => ({ event: 'hand_on_end', by: 'sitehand', details: { why } });

/** Ends a handed-on request after the database was set back: it may have been run already. */
export const endSetBack = (context: ChangeContext, tx: Tx, row: HandedOnRequest, at: number): Promise<boolean> =>
  endOffers(context, tx, row, { at, says: say`⚠️ ${setBack}`, line: endedLine('set back') });

import { Refusal } from '../base/errors.ts';
import type { Write } from '../hosting/contract/call.ts';
import type { Environment, Target } from '../hosting/contract/target.ts';
import { changesInBatch, findChange, isBatch, type Change } from '../storage/changes.ts';
import { listVotes } from '../storage/votes.ts';
import {
  amount,
  bold,
  code,
  inline,
  inShort,
  itemsOf,
  joined,
  mention,
  plain,
  say,
  time,
  unseen,
  type Text,
  userGroup,
} from '../words/text.ts';
import { storedTargets, targetKey } from '../access/targets.ts';
import { type AskedRequirement, authorizationOf } from '../access/authorization.ts';
import { whoIsNotified } from '../access/approver-lookup.ts';
import { alsoLater, fromWhen, type When } from '../access/escalation.ts';
import type { Person } from '../access/access-check.ts';
import { exactLines, exactRequest } from './exact-request.ts';
import { batchItemsOf, type BatchItem } from './batch.ts';
import { itemsShown } from './batch-card.ts';
import { callOf, pinnedCardOf, titleNow, type Pinned, type PinnedCard } from './pin.ts';
import { reasonText } from '../access/reason.ts';
import { readerOf } from '../access/visibility.ts';
import { glassMark } from '../access/break-glass.ts';
import { glassLine } from './post-review.ts';
import { approvedBy, askersNamed, renderCard, type Approved } from './card.ts';
import { decisionButtons, type ShownChange, type ShownVersion, refuseUnlessOurs } from './buttons.ts';
import { markOf, stateText } from './states-and-events.ts';
import type { ChangeContext } from './context.ts';

/** A pinned change in full, as lines: its whole card, and the request byte for byte. */

export type DetailLine =
  | { readonly kind: 'text'; readonly text: Text }
  /** In fixed width, with every character visible. */
  | { readonly kind: 'exact'; readonly text: string };

export type CallDetails = {
  readonly title: Text;
  readonly lines: readonly DetailLine[];
  /** Index in `lines` at which the request begins. */
  readonly requestAt: number;
  /** The change and version to approve, while it waits for approval. */
  readonly waiting?: ShownVersion;
};

/** Longer text is shown in fixed-width lines. */
const maxTextLength = 1_000;

/** The details of a saved change. Throws `Refusal` if this person may not read it. */
export async function detailsFor(context: ChangeContext, reader: Person, shown: ShownChange): Promise<CallDetails> {
  const change = await readableChange(context, reader, shown);
  const { installation, number } = shown;
  return {
    ...detailsOfChange(change, await listVotes(context.database.db, number)),
    ...(change.state === 'waiting' && { waiting: { installation, number, version: change.version } }),
  };
}

/**
 * The question behind *Approve* (what somebody approves with this version of a change), its fingerprint, and the card.
 * Throws `Refusal` if they may not read the change, or it differs from what they saw.
 */
export async function questionFor(context: ChangeContext, reader: Person, shown: ShownVersion) {
  const change = await readableChange(context, reader, shown);
  const [approve] = change.state === 'waiting' && change.version === shown.version ? decisionButtons(change, '') : [];
  if (approve?.confirm === undefined) {
    throw new Refusal(
      say`#${change.number}: It has changed since you saw it. ${stateText(change)} Nothing was approved.`,
    );
  }
  const says = joined([approve.confirm.says, say`Fingerprint: ${code(change.fingerprint)}`], '\n');
  return { says, card: renderCard(change, await listVotes(context.database.db, change.number), shown.installation) };
}

/** What is reviewed with this change: what was sent, by whom and why, and how it ended. Throws as `detailsFor`. */
export async function reviewQuestion(context: ChangeContext, reader: Person, shown: ShownChange): Promise<Text> {
  const change = await readableChange(context, reader, shown);
  const reason = reasonText(change);
  const by = say`Asked for by ${askersNamed(change)}, ${time(change.created_at, 'date')}${reason && say`: “${reason}”`}`;
  const glass = say`${glassMark} Break-glass: ${glassLine(change) ?? []}`;
  const open = say`Everybody who can read the change can read what you say, and it stays in the audit trail.`;
  return joined([say`**${titleNow(change)}** · #${change.number}`, by, glass, stateText(change), open], '\n');
}

/**
 * The environments that a stopped batch has not begun. Throws `Refusal` if there is none, or the person may not read
 * it.
 */
export async function leftToDo(
  context: ChangeContext,
  reader: Person,
  shown: ShownChange,
): Promise<readonly Environment[]> {
  const batch = await readableChange(context, reader, shown);
  const all = isBatch(batch) ? itemsShown(batch, await changesInBatch(context.database.db, batch.number)) : [];
  const left = all.flatMap(({ item, standing }) => (standing === 'to do' ? [item.target] : []));
  if (left.length > 0) return left;
  throw new Refusal(say`#${batch.number} has no environment left to begin. Nothing was done.`);
}

async function readableChange(
  context: ChangeContext,
  reader: Person,
  { installation, number }: ShownChange,
): Promise<Change> {
  const { database } = context;
  await refuseUnlessOurs(database, installation, 'shown');
  const change = await findChange(database.db, number);
  if (change === undefined || !readerOf(context, reader)(change)) {
    throw new Refusal(say`I can't find #${number} among the changes you can see. Nothing was shown.`);
  }
  return change;
}

/** The details of a change row; `approved` are the approvals so far. */
export function detailsOfChange(change: Change, approved: readonly Approved[]): CallDetails {
  const { asks = [], breakGlass } = authorizationOf(change);
  const reviewers = change.state === 'waiting' ? undefined : breakGlass?.reviewers;
  const reason = reasonText(change);
  const glass = glassLine(change);
  const notified = whoIsNotified(asks);
  return detailsOf(change, say`${markOf(change)} **${pinnedCardOf(change).title}** · #${change.number}`, [
    stateText(change),
    fact('Asked by', joined([askersNamed(change), time(change.created_at, 'date'), reason && say`“${reason}”`], ' · ')),
    ...(glass ? [fact(`${glassMark} Break-glass`, glass)] : []),
    ...(reviewers?.asks ?? asks).map((ask) =>
      fact(reviewers ? 'Can review it' : 'Asked to approve', askInWords(ask, fromWhen(change))),
    ),
    ...(notified.length > 0 ? [fact('Notified', notified)] : []),
    ...(change.state === 'waiting' ? [fact('Until', [time(change.expires_at, 'date')])] : []),
    ...(approved.length > 0 ? [fact('Approved by', joined(approvedBy(approved), '; '))] : []),
    ...(isBatch(change) ? [] : targetFacts(storedTargets(change))),
  ]);
}

/** As `detailsOfChange`, for a pinned request that was not submitted yet. */
export const detailsOfPinned = (pinned: Pinned): CallDetails =>
  detailsOf(pinned, say`**${pinnedCardOf(pinned).title}**`, [
    say`Nothing has been asked for yet.`,
    ...(pinned.items ? [] : targetFacts([pinned.target, ...pinned.alsoReads].filter((one) => one !== undefined))),
  ]);

const fact = (label: string, value: Text): Text => say`**${label}:** ${value}`;

/** The names and ids of the targets: first the one that is changed, then those that are only read. */
const targetFacts = (targets: readonly Target[]): readonly Text[] =>
  targets.map((target, index) =>
    fact(index === 0 ? 'Target' : 'Reads', joined([target.name, code(targetKey(target))])),
  );

const askInWords = ({ count, people, groups, userGroups = [], escalate }: AskedRequirement, when: When): Text => {
  const some = [...people.map((id) => [mention(id)]), ...userGroups.map((id) => [userGroup(id)])];
  const who = some.length > 0 ? some : groups.map((group) => [bold(group)]);
  return joined([`${count} of`, joined(who, ', '), alsoLater(escalate, when)]);
};

function detailsOf(
  pinned: Pick<Change, 'call' | 'card' | 'fingerprint'>,
  title: Text,
  about: readonly Text[],
): CallDetails {
  const { warning, facts } = pinnedCardOf(pinned);
  const shown = [
    ...about.map((text) => ({ kind: 'text', text }) as const),
    ...textLines(warning ?? []),
    ...facts.flatMap(factLines),
    ...textLines(say`**Fingerprint:** ${code(pinned.fingerprint)}`),
    ...textLines(say`This is the SHA-256 of the call and the card. I check it just before I send anything.`),
  ];
  const items = batchItemsOf(pinned);
  if (items) return { title, lines: [...shown, ...items.flatMap(itemLines)], requestAt: shown.length };
  const call = callOf(pinned);
  if (call === undefined) {
    const nothing = textLines(say`**No request:** nothing is sent to the host. Only the end of the access changes.`);
    return { title, lines: [...shown, ...nothing], requestAt: shown.length };
  }
  const help = pinned.call.includes('"$secret"') ? textLines(secretHelp) : [];
  const request = [...textLines(say`**The request, byte for byte.** ${readingHelp}`), ...requestLines(call), ...help];
  return { title, lines: [...shown, ...request], requestAt: shown.length };
}

const requestLines = (call: Write): readonly DetailLine[] => [
  ...exact(exactRequest(call)),
  ...(call.body === undefined ? textLines(say`It has no body.`) : []),
];

/** One environment of a batch: what its own card says, and its request. */
function itemLines(item: BatchItem, at: number): readonly DetailLine[] {
  const { title, warning, facts } = pinnedCardOf(item);
  const call = callOf(item);
  return [
    ...textLines(say`**${at + 1}. ${title}** ${code(targetKey(item.target))}`),
    ...textLines(warning ?? []),
    ...facts.flatMap(factLines),
    ...(call ? requestLines(call) : textLines(say`Nothing is sent to the host for it.`)),
  ];
}

const readingHelp =
  'The path follows the address of the hosting API. Line breaks are only for reading: nothing that is sent has one. ↩ means that the line goes on below. A character outside plain ASCII is followed by its code: ⟨U+00FC⟩.';
const secretHelp = say`A credential replaces ${code('$secret')} when it is sent. Shown here: its name, and the SHA-256 that it must have.`;

const exact = (lines: readonly string[]): readonly DetailLine[] => lines.map((text) => ({ kind: 'exact', text }));

/** A text as it is, or in fixed-width lines if it is long or has invisible characters. */
function textLines(text: Text): readonly DetailLine[] {
  if (text.length === 0) return [];
  const read = plain(text);
  return read.length <= maxTextLength && !unseen.test(read)
    ? [{ kind: 'text', text }]
    : exact(exactLines(read.split('\n')));
}

/** A fact of the card; if it is a list, each item gets its own line. */
function factLines([label, value]: PinnedCard['facts'][number]): readonly DetailLine[] {
  const items = itemsOf(value);
  if (items.length === 0) {
    const whole = joined([[bold(label)], inShort(value)], '  ');
    return plain(whole).length <= maxTextLength ? textLines(whole) : [...textLines([bold(label)]), ...textLines(value)];
  }
  const beside = joined(value.filter((span) => !('list' in span)).map((span) => inline(span)));
  return [...textLines(joined([[bold(label)], beside, `(${amount(items.length)})`])), ...exact(exactLines(items, '→'))];
}

import type { Change } from '../storage/changes.ts';
import { joined, named, say, time, typed, type Text } from '../words/text.ts';
import {
  badChanges,
  begunFor,
  batchItemsOf,
  batchProgress,
  standingsOf,
  type BatchItem,
  type BatchProgress,
  type Standing,
  type StopReason,
} from './batch.ts';
import type { ChangeEvent } from './change.ts';
import { factsOf } from './pin.ts';
import type { TransitionNote } from './change-messages.ts';
import { renderCard, type Approved, type Card, type Note } from './card.ts';
import {
  confirming,
  decisionButtonOf,
  decisionButtons,
  everythingButton,
  type Button,
  type CardReader,
  type Press,
} from './buttons.ts';
import { stateText } from './states-and-events.ts';

/** What people see of a batch: its card and its replies. Pure. */

const maxLines = 12;
const maxClosable = 4;
const barLength = 20;
/** Facts that matter only before the batch begins. */
const before = new Set(['Goes first, alone', 'Not the same everywhere', 'Stops after']);

export type ShownItem = {
  readonly item: BatchItem;
  readonly standing: Standing;
  readonly change: Change | undefined;
  readonly skipped: Text | undefined;
};
type WithStanding = Pick<ShownItem, 'standing'>;

/** Every item of a batch with its result. `changes`: those that the batch began. */
export function itemsShown(batch: Change, changes: readonly Change[]): readonly ShownItem[] {
  const progress = batchProgress(batch);
  const standings = standingsOf(progress, changes);
  return (batchItemsOf(batch) ?? []).map((item, at) => {
    const own = progress.items[at] ?? {};
    return { item, standing: standings[at] ?? 'to do', change: begunFor(own, changes), skipped: own.skipped };
  });
}

/** The items with these standings, in the order of the standings. */
const itemsWith = <Item extends WithStanding>(
  all: readonly Item[],
  ...standings: readonly Standing[]
): readonly Item[] => standings.flatMap((standing) => all.filter((item) => item.standing === standing));

const has = (all: readonly WithStanding[], ...standings: readonly Standing[]): boolean =>
  itemsWith(all, ...standings).length > 0;

/** Whether it may still begin changes, by itself or once somebody lets it go on. */
const mayBegin = (batch: Change, all: readonly WithStanding[]): boolean =>
  batch.settled_at === null && has(all, 'to do', 'not sent') && !batchProgress(batch).isOver;

/**
 * The card of a batch. Until it begins, it is that of any change. One for a `reader` (a copy, or one in App Home) has no
 * numbers until no change is under way, so that it needs no edit for each of them.
 */
export function renderBatch(
  batch: Change,
  changes: readonly Change[],
  approved: readonly Approved[],
  installation: string,
  reader?: CardReader,
): Card {
  const card = renderCard(batch, approved, installation, reader);
  if (!['running', 'stopped', 'ended', 'done', 'accepted'].includes(batch.state)) return card;
  const all = itemsShown(batch, changes);
  if (reader && (batch.state === 'running' || has(all, 'under way'))) {
    const stop = batch.state === 'running' ? [stopButton(batch, installation)] : [];
    const where = reader.cardIn === undefined ? typed(`change ${batch.number}`) : 'The card';
    return { ...card, lines: [...card.lines, say`${where} says how far it is.`], buttons: [...stop, ...card.buttons] };
  }
  return {
    ...card,
    lines: [...card.lines, countsOf(all), ...canaryLine(batch, all), ...openLines(batch, all)],
    warning: undefined,
    facts: [
      ...card.facts.filter(([label]) => !before.has(label)),
      ...factsOf({ 'Stops at': mayBegin(batch, all) ? time(batch.expires_at) : undefined }),
    ],
    buttons: buttonsOf(batch, all, installation),
  };
}

/** Which environment goes first while the batch runs, and what the others wait for. */
function canaryLine(batch: Change, all: readonly ShownItem[]): readonly Text[] {
  const { canary } = batchProgress(batch);
  const first = all[canary?.item ?? -1];
  if (batch.state !== 'running' || canary === undefined || first === undefined) return [];
  const { name } = first.item.target;
  // Somebody may have let the others follow without its site being known to be well.
  if (canary.isPassed) return first.change === undefined ? [] : [say`**${name} went first.**`];
  if (first.standing === 'to do' || first.standing === 'under way')
    return [say`**${name} goes first, alone.** The others follow if its site is known to be well after that.`];
  if (first.standing !== 'done' && first.standing !== 'accepted') return [];
  return [say`**${name} went first.** The others follow if its site is known to be well.`];
}

/** A bar and the numbers: `▰▰▰▱▱ 12 of 40 done · 8 under way · 20 to do`. The bar counts what was accepted, too. */
export function countsOf(all: readonly WithStanding[]): Text {
  const count = (standing: Standing): number => itemsWith(all, standing).length;
  const done = count('done');
  const filled = Math.floor((barLength * (done + count('accepted'))) / all.length);
  const others = (
    ['accepted', 'under way', 'unknown', 'failed', 'not sent', 'changed meanwhile', 'left out', 'to do'] as const
  )
    .filter((one) => count(one) > 0)
    .map((one) => `${count(one)} ${one}`);
  const bar = '▰'.repeat(filled) + '▱'.repeat(barLength - filled);
  return say`${bar} **${done} of ${all.length} done**${others.map((one) => ` · ${one}`).join('')}`;
}

const marks: Readonly<Record<Standing, string>> = {
  unknown: '⚠️',
  failed: '❌',
  'not sent': '⛔',
  'changed meanwhile': '⛔',
  'under way': '▶️',
  'left out': '➖',
  'to do': '⏳',
  accepted: '☑️',
  done: '✅',
};

/** One item in one line. One under way has no state here: it moves on before the card is drawn again. */
export function itemLine(shown: ShownItem): Text {
  const { item, standing, change } = shown;
  const number = change ? ` · #${change.number}` : '';
  return joined([say`${marks[standing]} **${item.target.name}**${number}`, itemText(shown)]);
}

/** What is known of it beyond its standing. */
export const itemText = ({ standing, change, skipped }: ShownItem): Text | undefined =>
  skipped ?? (change && standing !== 'done' ? standingText(standing, change) : undefined);

const standingText = (standing: Standing, change: Change): Text =>
  standing !== 'under way'
    ? stateText(change)
    : change.last_note === null
      ? say`Under way.`
      : say`Under way. When I last looked: ${stateText(change)}`;

/** At most `most` lines, one for each item, and `rest` with how many items are left out. */
function linesOf(items: readonly ShownItem[], most: number, rest: (count: number) => Text): readonly Text[] {
  const lines = items.slice(0, most).map(itemLine);
  return items.length > most ? [...lines, rest(items.length - most)] : lines;
}

/** A line for each item that is neither done nor to do, the worst first. */
function openLines({ number }: Change, all: readonly ShownItem[]): readonly Text[] {
  const open = itemsWith(all, 'unknown', 'failed', 'not sent', 'changed meanwhile', 'under way');
  return linesOf(open, maxLines, (count) => say`… and ${count} more: ${typed(`change ${number}`)} lists all.`);
}

function buttonsOf(batch: Change, all: readonly ShownItem[], installation: string): readonly Button[] {
  const { number, version, state } = batch;
  const button = decisionButtonOf(batch, installation);
  const everything = everythingButton({ installation, number }, mayBegin(batch, all));
  const toClose = all.flatMap((one) => closeButtons(one, installation)).slice(0, 2 * maxClosable);
  if (state === 'running') return [stopButton(batch, installation), ...toClose, everything];
  if (state !== 'stopped') return toClose;
  const { isOver = false } = batchProgress(batch);
  const count = (standing: Standing): number => (isOver ? 0 : itemsWith(all, standing).length);
  const [left, unsent] = [count('to do'), count('not sent')];
  const goesOn = say`${left === 1 ? 'The one that remains' : `The remaining ${left}`} will be sent as approved.`;
  const those = unsent === 1 ? 'The one that was not sent is' : `The ${unsent} that were not sent are`;
  const retries = say`${those} tried again as approved, and then the rest. What was sent, or may have been, is not sent again.`;
  const ends = say`Nothing more is sent for it.`;
  const without: Press = { kind: 'without', verdict: 'go_on', installation, number, version };
  const buttons: readonly (Button | undefined)[] = [
    left > 0 ? button('go_on', 'Go on', { style: 'primary', ...confirming('Go on', number, goesOn) }) : undefined,
    left > 1 ? { label: 'Go on without some…', press: without } : undefined,
    unsent > 0 ? button('retry', 'Retry those not sent', confirming('Retry', number, retries)) : undefined,
    has(all, 'under way', 'unknown') ? undefined : button('end', 'End it', confirming('End', number, ends)),
  ];
  return [...buttons.filter((one) => one !== undefined), ...toClose, everything];
}

const stopButton = (batch: Change, installation: string): Button =>
  decisionButtonOf(batch, installation)('halt', 'Stop', { style: 'danger' });

/** The buttons that close an unknown outcome, with the name of the environment. */
const closeButtons = ({ standing, change, item }: ShownItem, installation: string): readonly Button[] =>
  standing !== 'unknown' || change === undefined
    ? []
    : decisionButtons(change, installation).map((one) => ({
        ...one,
        label: `${one.label}: ${item.target.name}`,
      }));

/** Why the batch stopped, for its card. */
export function whyStopped(batch: Change, why: StopReason, by?: string): Text {
  switch (why.kind) {
    case 'ended badly': {
      const items = batchItemsOf(batch) ?? [];
      const names = why.items.map((at) => items[at]?.target.name ?? '').join(', ');
      return say`**Stopped: ${names} did not end well.** Nothing more is sent.`;
    }
    case 'canary':
      return say`**Stopped after its canary:** ${why.says}. Nothing more is sent.`;
    case 'person':
      return say`**Stopped by ${by === undefined ? 'somebody' : named(by)}.** Nothing more is sent.`;
    case 'time over':
      return say`**Its time is over.** Nothing more is sent.`;
    case 'all tried':
      return say`**All were tried, and not all are done.**`;
  }
}

/** The reply when a batch stops: what was sent, what was not, and what people can do. The numbers come once they stand. */
export function stoppedReply(batch: Change, changes: readonly Change[], why: Text): Note {
  const all = itemsShown(batch, changes);
  const isUnderWay = has(all, 'under way');
  return {
    text: joined(
      [
        joined([say`✋ ${why}`, isUnderWay ? 'What is under way is followed to its end.' : undefined]),
        isUnderWay ? undefined : countsOf(all),
        ...unwell(all),
        has(all, 'unknown') ? unknownHint : undefined,
        mayBegin(batch, all) ? say`Its card has the buttons to go on, until ${time(batch.expires_at)}.` : undefined,
      ],
      '\n',
    ),
  };
}

const unknownHint = say`What is unknown won't be sent again. Please check the host's panel, then press **It happened** or **It did not happen** on the card.`;

const changedHint = say`What changed in the meantime needs a new review: please ask for it anew.`;

/** Key of the last reply about the beginning or a stop; a new one replaces it. */
export const stoppedReplyKey = ({ number }: Pick<Change, 'number'>): string => `${number}:stopped`;

/** The note of a stop or of the end; its reply replaces an earlier one. `progress`: as of then. */
export function stopNote(
  batch: Change,
  changes: readonly Change[],
  progress: BatchProgress,
  says: Text,
): Pick<TransitionNote, 'also' | 'reply' | 'replyKey' | 'tellKey' | 'ops'> {
  const all = itemsShown(batch, changes);
  const isSummaryPending = has(all, 'under way');
  const shownBad = badChanges(progress, changes);
  return {
    reply: stoppedReply(batch, changes, says),
    replyKey: stoppedReplyKey(batch),
    tellKey: `${stoppedReplyKey(batch)}:${progress.stops ?? 0}`,
    ops: has(all, 'unknown'),
    also: { progress: JSON.stringify({ ...progress, isSummaryPending, shownBad } satisfies BatchProgress) },
  };
}

type BatchEnd = Extract<ChangeEvent['kind'], 'end' | 'all_done' | 'all_accepted'>;

const endings: Readonly<Record<BatchEnd, Text>> = {
  all_done: say`✅ **All are done.**`,
  all_accepted: say`☑️ **The host accepted all of them.** Not all can be verified from here.`,
  end: say`⛔ **It is over, and not all are done.** Nothing more is sent for it.`,
};

/** The last reply. The file of all lines is added now, because only now is it final. `why`: what ended it. */
export function endedReply(batch: Change, changes: readonly Change[], how: BatchEnd, why?: Text): Note {
  const all = itemsShown(batch, changes);
  const where = say`${typed(`change ${batch.number}`)} lists each one.`;
  return { text: joined([joined([endings[how], why]), countsOf(all), ...unwell(all), where], '\n'), withFile: true };
}

const maxNamed = 8;

/** Lines for items that are unknown, failed or not sent, and what to do about those that changed in the meantime. */
function unwell(all: readonly ShownItem[]): readonly Text[] {
  const bad = itemsWith(all, 'unknown', 'failed', 'not sent', 'changed meanwhile');
  return [
    ...linesOf(bad, maxNamed, (count) => say`… and ${count} more on the card.`),
    ...(has(all, 'changed meanwhile') ? [changedHint] : []),
  ];
}

/** A batch that was under way when the database was set back: nobody knows which of its changes are missing here. */
export function batchSetBack(change: Change, why: Text): Pick<TransitionNote, 'reply' | 'lastNote' | 'ops' | 'tell'> {
  const lastNote = say`I ended this when my database was set back. More of it may have been done than I know.`;
  const text = say`⛔ **I've ended this batch.** ${why} More of it may have been done than its card says: please compare ${change.target_name} with the host's panel, and ask for the rest anew.`;
  return { reply: { text }, lastNote, ops: true, tell: [change.requester] };
}

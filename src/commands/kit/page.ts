import { minuteMs } from '../../words/duration.ts';
import type { Offer } from '../../base/errors.ts';
import type { PartialList } from '../../hosting/contract/fields.ts';
import { scrub } from '../../base/secret.ts';
import { amount, beginning, say, time, type Inline, type Text, joined } from '../../words/text.ts';

/** A part of an answer, as plain data. */
export type PagePart =
  | { readonly kind: 'text'; readonly text: Text }
  /** Lines shown verbatim, in a fixed-width font. */
  | { readonly kind: 'code'; readonly text: string }
  /** One line for each entry, for whole sentences: a table of sentences is too wide for a phone. */
  | { readonly kind: 'list'; readonly entries: readonly Text[] }
  /** For comparing line by line, at a desk: a phone shows two or three columns. */
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly Text[])[] };

/** The answer of a report or a builtin: shown privately, in pages if it is long. */
export type Page = {
  readonly title: Text;
  readonly parts: readonly PagePart[];
  /** Where the data came from and how old it is. */
  readonly source?: Inline;
  readonly offers?: readonly PageOffer[];
  readonly decisions?: readonly PageDecision[];
  /** Content too long for a message; sent as a file to this person only. */
  readonly file?: { readonly name: string; readonly content: string };
  /** The whole answer in rows, for the *File* button of a kept answer. */
  readonly sheet?: {
    readonly name: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly Text[])[];
  };
  /** A second answer that takes longer. It begins after the first was sent, and is lost if Sitehand is killed. */
  readonly later?: () => Promise<Page>;
};

/** A button under a page. With a checklist it opens a form with everything ticked; `args` stand for everything. */
export type PageOffer = Offer & { readonly checklist?: Checklist };

/** A button of a change's card that takes it back before it is sent, or opens the form for its review. */
export type PageDecision = {
  readonly label: string;
  readonly verdict: 'cancel' | 'stop' | 'reviewed';
  /** The change in its database, as it was shown. */
  readonly installation: string;
  readonly number: number;
  readonly version: number;
  /** The row of the list that it stands for, beside which alone it is shown. */
  readonly row?: number;
};

/** The items of a command for many environments that people can untick before the review. */
export type Checklist = {
  /** The field of the command that takes the words. */
  readonly field: string;
  /** What one item is: `theme`. */
  readonly noun: string;
  readonly items: readonly ChecklistItem[];
  /** What was also found but is not in the list. */
  readonly note?: Text;
};

export type ChecklistItem = {
  readonly word: string;
  /** What it would do, in a few words of plain text: `4.1.2 → 4.3.0`. */
  readonly says: string;
  /** The ids of the environments where it was found. */
  readonly on: readonly string[];
};

/** A paragraph of these lines; empty lines are left out. */
export const paragraph = (...lines: readonly Inline[]): PagePart => ({ kind: 'text', text: joined(lines, '\n') });

/** The text parts, for places that can show only text. */
export const textsIn = (parts: readonly PagePart[]): readonly Text[] =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));

/** A list, or `none` if it has no entries. `unread` says that there are, or may be, more; then nobody hears of `none`. */
export const listOr = (none: Inline, entries: readonly Text[], unread?: Text): readonly PagePart[] => [
  ...(unread === undefined ? [] : [paragraph(unread)]),
  ...(entries.length > 0 ? [{ kind: 'list', entries } as const] : unread === undefined ? [paragraph(none)] : []),
];

/** A table, or `none` if it has no rows; `unread` as in `listOr`. */
export const tableOr = (
  none: Inline,
  columns: readonly string[],
  rows: readonly (readonly Text[])[],
  unread?: Text,
): readonly PagePart[] => [
  ...(unread === undefined ? [] : [paragraph(unread)]),
  ...(rows.length > 0 ? [{ kind: 'table', columns, rows } as const] : unread === undefined ? [paragraph(none)] : []),
];

/** Says that entries of a list can't be read; undefined if all can. */
export const unreadText = (
  { unread }: Pick<PartialList<unknown>, 'unread'>,
  noun: string,
  plural?: string,
): Text | undefined =>
  unread === 0 ? undefined : say`**The host lists ${counted(unread, noun, plural)} that I can't read.**`;

/** Says how many entries the person may not see. Count all of them: which of them match a search is theirs to hide. */
export const leftOutText = (hidden: number, noun: string): Text | undefined =>
  hidden === 0 ? undefined : say`${counted(hidden, noun)} that you can't see ${hidden === 1 ? 'is' : 'are'} left out.`;

/** Clocks differ by less; a time further ahead is wrong, so it says nothing about an age. */
const maxAheadMs = 5 * minuteMs;
export const isAhead = (at: number, now: number): boolean => at - now > maxAheadMs;

/** How long ago, in one unit: `3 h ago`, `2 days ago`; `dated in the future` if that can't be. */
export function age(milliseconds: number): string {
  if (isAhead(0, milliseconds)) return 'dated in the future';
  const minutes = milliseconds / minuteMs;
  if (minutes < 1) return 'just now';
  if (minutes < 90) return `${Math.round(minutes)} min ago`;
  if (minutes < 36 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
}

/** The source and time of a page. The time is absolute, because a shared page is read later. */
export const readAt = (now: number): Text => say`read from the host ${time(now, 'date')}`;

/** A number with its noun: `1 rule`, `3 rules`. */
export const counted = (number: number, noun: string, plural = `${noun}s`): string =>
  `${amount(number)} ${number === 1 ? noun : plural}`;

/**
 * Free text of the host, such as a note, with known shapes of credentials masked. Only for reading: what is sent, or
 * typed to name something, is shown as it is.
 */
export function freeText(text: string, maxLength: number): string {
  const masked = scrub(text.slice(0, 4 * maxLength));
  if (masked.length <= maxLength && text.length <= 4 * maxLength) return masked;
  const kept = beginning(masked, maxLength);
  return `${kept}… (${amount(text.length - kept.length)} more characters)`;
}

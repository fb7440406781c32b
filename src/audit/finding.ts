import { counted, type Page, paragraph } from '../commands/kit/page.ts';
import { bold, code, say, time, type Text } from '../words/text.ts';

/** What verifying the trail showed, and how it is told. */

/** Lines `from` to `to`, inclusive, that are not provable, and why. `key` is the id of the key they name. */
type TrailGap = {
  readonly from: number;
  readonly to: number;
  readonly why: 'no key' | 'unknown key' | 'former key' | 'replaced key' | 'unknown seal' | 'not confirmed' | 'no line';
  readonly key?: string;
};

/** What verifying the trail showed. Times are epoch milliseconds. */
export type Finding = {
  readonly verdict:
    | { readonly kind: 'proven'; readonly lines: number; readonly head: TrailHead }
    /** No line is wrong, but not every line is provable. */
    | {
        readonly kind: 'unproven';
        readonly lines: number;
        readonly head: TrailHead;
        readonly gaps: readonly TrailGap[];
      }
    /** `seq` is the first wrong line, `why` a clause without a full stop. */
    | { readonly kind: 'altered'; readonly seq: number; readonly why: string };
  /** When the first line was written. */
  readonly since: number | undefined;
  /** The head that was published last, and when. */
  readonly published: (TrailHead & { readonly at: number }) | undefined;
  /** The newest line in which a person of the machine (`by`) confirmed the lines before it, although `found`. */
  readonly confirmed?: { readonly seq: number; readonly at: number; readonly by: string; readonly found: string };
  /** When the database was last restored (`at`), and to which state (`from`). */
  readonly restored?: { readonly at: number; readonly from: number };
  /** The id of the chain's key; undefined if the chain is a plain hash. */
  readonly key: string | undefined;
};

/** The end of the trail: the number of its newest line, and its hash. */
export type TrailHead = { readonly seq: number; readonly hash: string };

const shownDigits = 16;
const maxGaps = 5;

/** The digits of a hash that people compare, without the id of its key. */
export const shortHash = (hash: string): string =>
  hash.slice(hash.indexOf(':') + 1, hash.indexOf(':') + 1 + shownDigits);

/** The result of verifying: one sentence, then how far it can be trusted. */
export function findingPage(finding: Finding): Page {
  const says = [
    verdictOf(finding),
    ...gapsOf(finding),
    confirmationOf(finding),
    headOf(finding),
    announcedOf(finding),
    restoreOf(finding),
    keyOf(finding),
  ];
  const [title = [], ...rest] = says.filter((text) => text.length > 0);
  return { title, parts: rest.map((text) => paragraph(text)) };
}

function verdictOf({ verdict, since, confirmed }: Finding): Text {
  if (verdict.kind === 'altered') {
    return say`⚠️ **The audit trail was altered: line ${verdict.seq} is wrong.** ${capital(verdict.why)}.`;
  }
  if (verdict.kind === 'unproven') {
    const [first, ...more] = verdict.gaps.map(gapInWords);
    const others = more.length > 0 ? say`, and ${counted(more.length, 'finding')} more` : '';
    return say`⚠️ **The audit trail is not provable: ${first}**${others}. I know of no wrong line.`;
  }
  if (verdict.lines === 0) return say`**The audit trail is still empty.**`;
  if (confirmed !== undefined) {
    const { seq, by, at } = confirmed;
    return say`**The audit trail is unaltered from line ${seq} on. ${by} confirmed the lines before on ${time(at, 'date')}**, and they are as they were then.`;
  }
  const all = verdict.lines === 1 ? 'The one line' : `All ${counted(verdict.lines, 'line')}`;
  return say`**${all} of the audit trail ${verdict.lines === 1 ? 'is' : 'are'} unaltered**${since === undefined ? '' : say` since ${time(since, 'date')}`}.`;
}

/** A clause that says what is not provable, without a full stop. */
function gapInWords({ from, to, why, key = '' }: TrailGap): string {
  const lines = from === to ? `line ${from}` : `lines ${from}–${to}`;
  const are = from === to ? 'is' : 'are';
  switch (why) {
    case 'no key':
      return `${lines} ${are} not keyed, although a key is set`;
    case 'unknown key':
      return `${lines} ${are} keyed with ${key}, which I don't have`;
    case 'former key':
      return `${lines} ${are} keyed with the former key ${key}, and no line with the new key follows`;
    case 'replaced key':
      return `${lines} ${are} keyed with ${key} after that key was replaced`;
    case 'unknown seal':
      return `${lines} ${are} sealed with ${key}, which I don't have`;
    case 'not confirmed':
      return `${lines} ${are} older than the key ${key}, and nobody has confirmed ${from === to ? 'it' : 'them'}`;
    case 'no line':
      return 'it is empty, although this database is more than two hours old';
  }
}

const confirmWith = code('sitehand audit confirm');
const isYours = say`If the key is yours, add it to ${code('AUDIT_KEYS_FORMER')}; if you have lost it, run ${confirmWith} on the machine. If it never was, somebody else wrote these lines.`;
/** What each kind of gap means, and what to do. */
const meaning: Readonly<Record<TrailGap['why'], Text>> = {
  'no key': say`If Sitehand has not started with ${code('AUDIT_KEY')} yet, its next start seals them. If it has, somebody rewrote them without the key.`,
  'unknown key': isYours,
  'unknown seal': isYours,
  'former key': say`If Sitehand has not started with the new ${code('AUDIT_KEY')} yet, its next start seals them. If it has, somebody wrote them with the former key.`,
  'replaced key': say`Either a replica was still using it, or somebody who has it wrote them. Never set a replaced key again: make a new one.`,
  'not confirmed': say`If ${code('AUDIT_KEY')} was set for the first time then, confirm them. If there was a key before, somebody rewrote them without it.`,
  'no line': say`Sitehand writes the first line at its first start. If it has ever started on this database, somebody has removed every line.`,
};

function gapsOf({ verdict }: Finding): readonly Text[] {
  if (verdict.kind !== 'unproven') return [];
  const shown = verdict.gaps.slice(0, maxGaps);
  return [
    ...shown.slice(1).map((gap) => say`${capital(gapInWords(gap))}.`),
    ...new Set(shown.map(({ why }) => meaning[why])),
    say`Before you start or change anything, compare its newest line with the heads in the ops channel and in the log.`,
  ];
}

/** What ends only with a confirmation; the other gaps close with the key or with the next start. */
const isLasting = ({ why }: TrailGap): boolean => why === 'not confirmed' || why === 'replaced key';

/** What was confirmed, or what has to be. */
function confirmationOf({ verdict, confirmed }: Finding): Text {
  if (verdict.kind === 'altered' || (verdict.kind === 'unproven' && verdict.gaps.some(isLasting)))
    return say`This stays so until somebody who knows why runs ${confirmWith} on the machine.`;
  return verdict.kind !== 'proven' || confirmed === undefined
    ? []
    : say`Line ${confirmed.seq} says what was found in them: “${confirmed.found}”`;
}

const headOf = ({ verdict }: Finding): Text =>
  verdict.kind !== 'altered' && verdict.lines > 0
    ? say`The newest is line ${verdict.head.seq}, ${code(shortHash(verdict.head.hash))}.`
    : [];

function announcedOf({ verdict, published }: Finding): Text {
  if (published === undefined)
    return say`No announced head is on record, so I couldn't tell if lines were cut off at the end.`;
  const line = say`line ${published.seq}, ${code(shortHash(published.hash))}, on ${time(published.at, 'date')}`;
  const told = verdict.kind === 'altered' ? 'The head announced last' : 'It contains the head announced last';
  return say`${told}: ${line}. Compare it with the ops channel and the log: the database alone can't prove that no newer lines were cut off.`;
}

const restoreOf = ({ restored }: Finding): Text =>
  restored === undefined
    ? []
    : say`The database was restored on ${time(restored.at, 'date')} to its state of ${time(restored.from, 'date')}. Lines written between these times are lost, so heads announced then are not in it.`;

const keyOf = ({ key }: Finding): Text =>
  key === undefined
    ? say`The chain is ${bold('a plain hash')}: it shows accidents, but not whether somebody with write access to the database rewrote the trail from some line on. ${code('AUDIT_KEY')} closes that gap.`
    : say`The chain is keyed (${code(key)}): without ${code('AUDIT_KEY')}, even somebody with write access to the database can't forge a line.`;

const capital = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1);

import type { Words } from '../errors.ts';
import type { Receipt } from '../hosting/client.ts';
import type { Change } from '../storage/changes.ts';
import { code, joined, say, time, type Text } from '../text.ts';
import type { Happening } from './change.ts';
import type { Note } from './render.ts';

/** The sentences of a change's thread, one for each thing that happens to it. Pure. */

/** The first reply, under the fresh card. */
export const asked = (change: Change): Note => ({
  text: change.state === 'approved' ? say`The rules ask for no approval. Sending it now.` : say`Waiting for approval.`,
});

/** What came of the write, as far as its answer tells. */
export function answered(receipt: Receipt, change: Change): Text {
  switch (receipt.kind) {
    case 'accepted':
      return receipt.operation === undefined
        ? say`Sent. The host accepted it.`
        : say`Sent. The host accepted it as ${code(receipt.operation)}.`;
    case 'rejected':
      return say`**The host refused it** (${receipt.status}${refusedBecause(receipt.status)}). Nothing was changed.${hostSays(receipt.message)}`;
    case 'throttled':
      return say`The host is busy (429) and took nothing.`;
    case 'unknown':
      return say`**Outcome unknown.** I sent it at ${time(change.sent_at ?? change.created_at)}, and ${receipt.why}. It may have happened, or it may not. I will not send it again.`;
  }
}

const refusals: Readonly<Record<number, string>> = {
  400: ': it calls the request malformed',
  401: ': it does not take my key',
  403: ': my key may not do this',
  404: ': gone, or my key may not see it',
};
const refusedBecause = (status: number): string => refusals[status] ?? '';
const hostSays = (message: string | undefined): string => (message ? ` It says: “${message.slice(0, 300)}”` : '');

/** After death while sending: the process that sent, or was about to, is gone. */
export const orphaned = (change: Change): Text =>
  say`**Outcome unknown.** I was stopped at ${time(change.sent_at ?? change.created_at)} while I sent this, before I saw an answer. It may have happened, or it may not. I will not send it again.`;

/** What reading the host again shows of a change whose outcome is unknown: what is, not that we did it. */
export const evidence = (says: Text, verdict: 'yes' | 'not yet' | 'no'): Text =>
  verdict === 'yes'
    ? say`Read back: ${says}. So it probably happened; it can also have been there by somebody else's hand.`
    : say`Read back: ${says}. So it probably did not happen; it can still be on its way.`;

/** Where nothing can be read back. */
export const noEvidence = say`Nothing that I can read shows whether it happened. Look at the host's panel.`;

/** The last word of a change that was proven by reading, or that the host called finished. */
export const finished = (how: { readonly proof: Text } | 'host', afterMs: number): Text =>
  how === 'host'
    ? say`Done after ${spoken(afterMs)}: the host reports it finished.`
    : say`${how.proof}: read back ${spoken(afterMs)} later.`;

/** The last word of a change that the host accepted and nothing more can be seen of. */
export const left = (
  change: Change,
  why: { readonly proof: Text } | 'not followed' | 'no proof' | 'never finished',
): Text => {
  const accepted =
    change.operation === null ? say`Accepted by the host.` : say`Accepted by the host as ${code(change.operation)}.`;
  if (typeof why === 'object') return say`${accepted} Read back: ${why.proof}. I do not know why.`;
  if (why === 'never finished') return say`${accepted} It still says running; I stop asking.`;
  const unseen = why === 'not followed' ? 'It does not say when it is finished.' : 'This cannot be verified from here.';
  return joined([accepted, unseen]);
};

/** The host says that it failed. */
export const failed = (message: string | undefined): Text => say`The host reports that it failed.${hostSays(message)}`;

/** It stopped answering about an operation that it had accepted. */
export const lostSight = (why: string): Text =>
  say`**Outcome unknown.** The host accepted it, and ${why}. I will not send it again. Look at the host's panel.`;

/** Nothing was sent, and why: the last word on the card. */
export const nothingSent = (why: Text): Text => say`**Nothing was sent.** ${why}`;

/** The same in the thread, with the words to ask again. */
export const notSent = (why: Text, again: Words | undefined): Note => ({
  text: say`⛔ ${nothingSent(why)}`,
  buttons: again ? [{ label: 'Ask again', press: { kind: 'words', words: again } }] : [],
});

/** One more try is to come. */
export const tryingAgain = (why: Text, at: number): Text =>
  say`${why} Nothing was sent. The next try is at ${time(at)}.`;

/** The mark that a reply begins with, by what it tells. */
export const markFor: Readonly<Partial<Record<Happening['kind'], string>>> = {
  finish: '✅',
  leave: '☑️',
  fail: '❌',
  reject: '❌',
  'reject late': '❌',
  lose: '⚠️',
};

/** A length of time in words: `2 s`, `2 min 14 s`, `1 h 5 min`. */
export function spoken(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

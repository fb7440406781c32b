import { setTimeout as wait } from 'node:timers/promises';
import type { Receipt, Unsent } from '../hosting/client.ts';
import { passing } from '../points.ts';
import { linesOfChanges } from '../storage/audit.ts';
import { findChange, type Change } from '../storage/changes.ts';
import type { Database, Tx } from '../storage/database.ts';
import { thawed } from '../storage/json.ts';
import { joined, say, type Text } from '../text.ts';
import type { Ledger, Saying } from './advance.ts';
import { move, type Happening } from './change.ts';
import { wordsOfChange } from './restore.ts';
import { alarm, answered, nothingSent, notSent, tryingAgain } from './tell.ts';

export type Bookkeeping = {
  readonly database: Database;
  readonly ledger: Ledger;
  /** This process: owner of what it sends. */
  readonly owner: string;
  /** Told of a receipt that could not be saved yet. */
  readonly onTrouble: (what: string, error: unknown) => void;
};

/** What came of a change in `sending`: the host's answer, or the certainty that nothing was written. */
export type Outcome = Receipt | Unsent;

const busyAgainMs = 15_000;
const longestBusyMs = 5 * 60_000;
/** How long a receipt is held while the database is away; after that its change is found in `sending` and unknown. */
const saveAgainAfterMs = [100, 400, 1_500, 5_000, 10_000, 15_000, 30_000];

/** Saves what came of it; if somebody has said *unknown* meanwhile, as the late answer that it is. */
export async function saveOutcome(desk: Bookkeeping, sent: Change, outcome: Outcome): Promise<void> {
  passing('answered', sent.number);
  for (const afterMs of [0, ...saveAgainAfterMs]) {
    if (afterMs > 0) await wait(afterMs, undefined, { ref: false });
    try {
      await desk.database.transaction((tx) => record(desk, tx, sent, outcome));
      passing('answer saved', sent.number);
      return;
    } catch (error) {
      desk.onTrouble(`saving what came of #${sent.number}`, error);
    }
  }
}

async function record(desk: Bookkeeping, tx: Tx, sent: Change, outcome: Outcome): Promise<void> {
  const at = await desk.database.now(tx);
  const now = await findChange(tx, sent.number);
  if (now === undefined) return;
  const mine = now.state === 'sending' && now.owner === desk.owner && now.version === sent.version;
  if (!mine && (await isSaid(tx, sent, outcome))) return;
  const happening = mine ? happeningOf(outcome) : lateHappening(outcome);
  const saying = sayingOf(now, outcome, happening, at);
  if (happening && (mine || now.state === 'unknown')) {
    if (await desk.ledger.advance(tx, now, happening, saying)) return;
  }
  await desk.ledger.remark(tx, now, 'late answer', saying);
}

/** An earlier try was saved after all, and only the word of it was lost: it would be told a second time, as a late answer. */
async function isSaid(tx: Tx, sent: Change, outcome: Outcome): Promise<boolean> {
  const events = [happeningOf(outcome).kind, 'accept late', 'reject late', 'late answer'];
  const answer = JSON.stringify(outcome.kind === 'not sent' ? undefined : outcome);
  return (await linesOfChanges(tx, [sent.number], events)).some(({ details }) => {
    const { version, receipt } = thawed<{ readonly version: number; readonly receipt?: unknown }>(details);
    return version > sent.version && JSON.stringify(receipt) === answer;
  });
}

function happeningOf(outcome: Outcome): Happening {
  switch (outcome.kind) {
    case 'not sent':
      return { kind: 'hand back' };
    case 'accepted':
      return { kind: 'accept', operation: outcome.operation ?? null };
    case 'throttled':
      return { kind: 'throttle', retryAfterMs: Math.min(outcome.retryAfterMs ?? busyAgainMs, longestBusyMs) };
    case 'rejected':
      return { kind: 'reject' };
    case 'unknown':
      return { kind: 'lose' };
  }
}

function lateHappening(outcome: Outcome): Happening | undefined {
  if (outcome.kind === 'accepted') return { kind: 'accept late', operation: outcome.operation ?? null };
  return outcome.kind === 'rejected' ? { kind: 'reject late' } : undefined;
}

function sayingOf(change: Change, outcome: Outcome, happening: Happening | undefined, at: number): Saying {
  const base = { by: 'sitehand', at };
  if (outcome.kind === 'not sent') {
    const why = say`I wrote nothing: ${outcome.why}.`;
    return happening ? triedInVain(change, happening, at, why) : { ...base, reply: { text: why } };
  }
  const text = answered(outcome, change);
  const saying = { ...base, details: { receipt: outcome }, also: { receipt: JSON.stringify(outcome) } };
  if (outcome.kind === 'throttled') {
    const tried = happening ? triedInVain(change, happening, at, text) : { ...base, reply: { text } };
    return { ...saying, ...tried, details: { ...tried.details, ...saying.details } };
  }
  const late = happening?.kind.endsWith('late') ? say`The answer came late. ${text}` : text;
  if (outcome.kind === 'accepted') return { ...saying, reply: { text: late } };
  if (outcome.kind === 'unknown') return { ...saying, ...alarm(change, text) };
  const reply = { text: joined(['❌', late]) };
  return { ...saying, reply, outcome: text, tell: [change.asker] };
}

/** What is said of a try that sent nothing: when the next one is, or that there is none. */
export function triedInVain(change: Change, happening: Happening, at: number, why: Text): Saying {
  const next = move(change, happening, at)?.patch;
  const base = { by: 'sitehand', at, details: { why } };
  if (next?.state === 'approved') return { ...base, reply: { text: tryingAgain(why, next.due_at ?? at) } };
  const reply = notSent(why, wordsOfChange(change));
  return { ...base, reply, outcome: nothingSent(why) };
}

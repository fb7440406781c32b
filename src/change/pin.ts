import { parseStored } from '../storage/parse-json.ts';
import { type Args, Refusal } from '../base/errors.ts';
import { createHash } from 'node:crypto';
import type { Access, AnyAction, Wording } from '../commands/kit/action.ts';
import type { Write } from '../hosting/contract/call.ts';
import { amount, inline, joined, say, type Text } from '../words/text.ts';
import type { Authorized } from '../access/access-check.ts';
import type { Change } from '../storage/changes.ts';
import { scheduleInWords, windowOf, type Schedule } from '../language/schedule.ts';
import type { BatchItem } from './batch.ts';

/** The text of a card, as stored and fingerprinted. */
export type PinnedCard = {
  readonly title: Text;
  readonly done: Text;
  readonly warning?: Text;
  readonly facts: readonly (readonly [label: string, value: Text])[];
  /** What the change does to timed access once it is done. */
  readonly access?: Access;
  /** When it may be sent; left out: as soon as it is allowed to. */
  readonly schedule?: Schedule;
};

/** A command turned into the exact call and card that will be approved and sent. */
export type Pinned = Authorized & {
  readonly action: AnyAction;
  readonly snapshot: unknown;
  /** JSON, verbatim; `null` if nothing has to be sent. */
  readonly call: string;
  readonly card: string;
  readonly preconditions: string;
  readonly fingerprint: string;
  /** A batch: what is pinned for each environment, in order. */
  readonly items?: readonly Pinned[];
  /** Why nothing will show whether the site of its canary is well; undefined: it can be checked. */
  readonly canaryUnchecked?: Text;
  /** Facts for the requester alone about named environments that are not part of the batch. */
  readonly leftOut?: PinnedCard['facts'];
};

/** Limit for call plus card, in characters of JSON: all of it can be paged through before approval. */
const maxCharacters = 2_000_000;

/**
 * Freezes the call and card that the action makes from its look. Pure; `now` (epoch ms) is for times in the text, and
 * `isBlocked` what the host says of the target. Throws `Refusal` if they are too long to be shown: what can't be shown
 * can't be approved.
 */
export function pin(
  authorized: Authorized,
  action: AnyAction,
  snapshot: unknown,
  { now, isBlocked = false }: { readonly now: number; readonly isBlocked?: boolean | undefined },
): Pinned {
  const of = { input: authorized.input, snapshot };
  const call = action.unwritten?.(of) ? null : action.call(of);
  const access = action.access?.(of);
  const wording = action.card({ ...of, now });
  const blocked = isBlocked ? blockedWarning(authorized) : undefined;
  const warning = joined([authorized.freeze, blocked, wording.warning], '\n');
  const schedule = windowOf(authorized.parsed);
  const when = schedule && { When: scheduleInWords(schedule, authorized.zone ?? 'UTC') };
  const said = pinnedCard({ ...wording, warning, facts: { ...when, ...wording.facts } });
  const card = { ...said, ...(access && { access }), ...(schedule && { schedule }) };
  const preconditions = preconditionsOf(action, authorized, snapshot);
  return { ...authorized, action, snapshot, preconditions, ...withFingerprint(call, card) };
}

const blockedWarning = ({ target }: Authorized): Text =>
  say`**The host says that ${target?.name ?? ''} is blocked,** so it may refuse this.`;

/** A call or the items of a batch, and a card, as JSON with their fingerprint. Throws `Refusal` if they are too long. */
export function withFingerprint(
  callOrItems: Write | { readonly items: readonly BatchItem[] } | null,
  wording: PinnedCard,
): Pick<Pinned, 'call' | 'card' | 'fingerprint'> {
  const call = JSON.stringify(callOrItems);
  const card = JSON.stringify(wording);
  const length = call.length + card.length;
  if (length <= maxCharacters) return { call, card, fingerprint: fingerprint(call, card) };
  const most = `I can show at most ${amount(maxCharacters)} characters of a change before it is sent`;
  throw new Refusal(`${most}, and this has ${amount(length)}. Nothing was done.`, {
    hint: 'Ask for it in smaller parts.',
  });
}

/** The preconditions of a change, as JSON to compare: they must be the same when it is sent. */
export const preconditionsOf = (action: AnyAction, { input }: Pick<Authorized, 'input'>, snapshot: unknown): string =>
  JSON.stringify((action.preconditions ? action.preconditions({ input, snapshot }) : snapshot) ?? null);

/** The state that a change left at the host, as JSON. As long as it is the same, nobody has changed it. */
export const leftOf = (action: AnyAction, resolved: Pick<Authorized, 'input'>, now: unknown): string =>
  action.leaves ? JSON.stringify(action.leaves(now) ?? null) : preconditionsOf(action, resolved, now);

/** SHA-256 (hex) of the call and the card: what approvers saw is what is sent. */
export const fingerprint = (call: string, card: string): string =>
  createHash('sha256').update(`${call}\n${card}`).digest('hex');

/** The call as it will be sent; undefined if nothing has to be sent. Throws for a batch, which sends nothing itself. */
export function callOf(pinned: { readonly call: string }): Write | undefined {
  const call = parseStored<Write | { readonly items: unknown } | null>(pinned.call) ?? undefined;
  if (call && 'items' in call) throw new Error('a batch has no call of its own');
  return call;
}
export const pinnedCardOf = (pinned: { readonly card: string }): PinnedCard => parseStored(pinned.card);
export const isDone = ({ state }: Pick<Change, 'state'>): boolean => state === 'done' || state === 'happened';
/** What the change will do or, once it is known to be done, what was done. */
export function titleNow(change: Pick<Change, 'state' | 'card'>): Text {
  const { done, title } = pinnedCardOf(change);
  return isDone(change) ? done : title;
}
/** How a change is named outside its thread: number and title. */
export const headingOf = (change: { readonly number: number; readonly card: string }): Text =>
  say`**#${change.number} · ${pinnedCardOf(change).title}**`;
export const snapshotOf = (change: { readonly snapshot: string }): unknown => parseStored(change.snapshot);

function pinnedCard({ title, done, warning, facts }: Wording): PinnedCard {
  return {
    title,
    done,
    ...(warning !== undefined && warning.length > 0 && { warning }),
    facts: factsOf(facts),
  };
}

/** The facts of a wording, except empty ones. */
export const factsOf = (facts: Wording['facts'] = {}): PinnedCard['facts'] =>
  Object.entries(facts)
    .map(([label, value]) => [label, inline(value)] as const)
    .filter(([, value]) => value.length > 0);

/** What *Undo* does; stored with its change. */
export type Undo = {
  /** The arguments of the command that undoes it, with ids. */
  readonly args: Args;
  /** The state that the change left, as JSON; null: no read showed it. */
  readonly left: string | null;
  /** Epoch milliseconds. */
  readonly until: number;
  /** The number of the change that has undone it. */
  readonly undoneBy?: number;
};

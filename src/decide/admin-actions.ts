import { parseStored } from '../storage/parse-json.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { scrub } from '../base/secret.ts';
import type { Tx } from '../storage/database.ts';
import { type ReadHandle } from '../storage/schema.ts';
import type { Lock } from '../storage/locks.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { countStates } from '../storage/open-work.ts';
import { pauseKeys, readKvs, removeKv, writeKv, type Pause, type PauseScope } from '../storage/kv.ts';
import { actor as named, mention, say, time, type Text, plain } from '../words/text.ts';
import type { Authorization } from '../access/authorization.ts';
import type { Authorized, Channel, Person } from '../access/access-check.ts';
import { isDirect } from '../access/assert-channel.ts';
import { enqueueOps } from '../post/ops-channel-health.ts';
import { listChanges, type AskedBy } from '../storage/changes.ts';
import { pinnedCardOf } from '../change/pin.ts';
import type { MayRead } from '../access/visibility.ts';
import type { Sight } from '../access/sight.ts';
import type { AdminAction } from '../change/change-store.ts';
import type { ChangeContext } from '../change/context.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { answerDelivery, requestDetails } from './claim-delivery.ts';

/** Actions that aren't changes, such as lock and pause. Action, audit line and announcement are one transaction. */

/** Who acts, by which rules, and the inbox row that this answers. */
export type Actor = {
  readonly person: Person;
  readonly authorization: Authorization | undefined;
  readonly inbox: string | undefined;
};
/** Where it was said; undefined: not in a channel, or in one that they may not be in. */
export type SaidIn = { readonly saidIn: () => Promise<string | undefined> };

/**
 * Who is answered, the channel for their cards, and what the answer may show them. With `each`, it is about many
 * environments: what they may do on each, and those where they may not.
 */
export type Asking = Actor &
  SaidIn &
  Pick<Authorized, 'each' | 'notAllowed'> & { readonly cardChannel: () => Promise<Channel>; readonly sight: Sight };

/** A lock on a target: its holder, the reason and its end in epoch ms; without `until` it lasts until it is freed. */
export type LockInfo = {
  readonly by: { readonly change: number } | { readonly person: string };
  readonly why: string;
  readonly until: number | undefined;
};

/**
 * The result of pausing. `done` is false if it was already paused. `held` counts the changes held back, `named` has the
 * first few that this person may read, and `atHost` counts those the host already has.
 */
export type PauseResult = {
  readonly done: boolean;
  readonly pause: Pause;
  readonly held: number;
  readonly named: readonly { readonly number: number; readonly title: string }[];
  readonly atHost: number;
};

/**
 * The result of resuming: the pause that it ended, if any, and what it held back. `left`: the pause of this scope still
 * in force; `other`: whether one of the other scope is.
 */
export type ResumeResult = Pick<PauseResult, 'held' | 'named'> &
  Readonly<Record<'ended' | 'left', Pause | undefined>> & { readonly other: boolean };

/** The pauses in force. */
export type Pauses = Readonly<Record<PauseScope, Pause | undefined>>;

const maxHeldRead = 200;
const maxHeldNamed = 5;
const maxTitleLength = 200;

/** Pauses and resumes for one person. */
export function pausing(context: ChangeContext, actor: Actor, sight: Pick<Sight, 'reader' | 'mayAny'>) {
  const { person } = actor;
  const shown = (pause: Pause | undefined) => pause && pauseSeenBy(sight, pause);
  const held = (tx: Tx, by: AskedBy | undefined) => heldNow(tx, sight.reader('changes'), by);
  return {
    /** Stops the sends of all replicas, or those of callers; `done` is false if they were already stopped. */
    pause: (reason: string | undefined, scope: PauseScope = 'all'): Promise<PauseResult> =>
      exclusiveTransaction(context.database, async (tx, at) => {
        const { [scope]: paused } = await readPauses(tx);
        const by = scope === 'callers' ? scope : undefined;
        const counts = await countStates(tx, by);
        const atHost = (counts.sending ?? 0) + (counts.accepted ?? 0);
        const around = { held: counts.approved ?? 0, named: await held(tx, by), atHost };
        if (paused) return { done: false, pause: pauseSeenBy(sight, paused), ...around };
        const why = reason === undefined ? undefined : scrub(reason);
        const pause: Pause = { by: person.id, name: person.name, why, at };
        await writeKv(tx, { key: pauseKeys[scope], value: JSON.stringify(pause), at });
        const because = why === undefined ? say`.` : say`: “${why}”.`;
        const what = scope === 'all' ? 'all sending' : 'all programs';
        const says = say`⚠️ **${mention(person.id)} paused ${what}**${because}`;
        await record(context, actor, tx, at, { event: pauseKeys[scope], about: 'company', reason: why, says });
        return { done: true, pause, ...around };
      }),
    /** Ends the pause that began at `began` (epoch ms). By default the oldest, except one left over when another ended. */
    resume: (began: number | undefined, scope: PauseScope = 'all'): Promise<ResumeResult> =>
      exclusiveTransaction(context.database, async (tx, at) => {
        const pauses = await readPauses(tx);
        const { ended, left } = pauseToEnd(pauses[scope], began);
        if (ended) await endPause(context, actor, tx, at, { scope, ended, left });
        const other = pauses[scope === 'all' ? 'callers' : 'all'] !== undefined;
        // What a pause of callers holds goes on to wait.
        const by = scope === 'callers' ? scope : other ? 'people' : undefined;
        const approved = (await countStates(tx, by)).approved ?? 0;
        return { ended: shown(ended), left: shown(left), other, held: approved, named: await held(tx, by) };
      }),
  };
}

/** The pause that `resume` means, and the one that stays. */
function pauseToEnd(paused: Pause | undefined, began: number | undefined): Pick<ResumeResult, 'ended' | 'left'> {
  if (paused === undefined) return { ended: undefined, left: undefined };
  const { earlier, ...newest } = paused;
  const all = earlier ? [earlier, newest] : [newest];
  // Two people may end the same pause at the same time: the second of them must not end another one.
  const ended = all.find((one) => (began === undefined ? !one.stayed : one.at === began));
  return { ended, left: all.findLast((one) => one !== ended) };
}

async function endPause(
  context: ChangeContext,
  actor: Actor,
  tx: Tx,
  at: number,
  { scope, ended, left }: { scope: PauseScope; ended: Pause; left: Pause | undefined },
): Promise<void> {
  const who = mention(actor.person.id);
  const key = pauseKeys[scope];
  if (left) await writeKv(tx, { key, value: JSON.stringify({ ...left, stayed: true }), at: left.at });
  else await removeKv(tx, key);
  const [what, were] = scope === 'all' ? ['sending', 'It was'] : ['programs', 'They were'];
  const says = left
    ? say`**${who} ended the pause of ${named(ended.by)}.** Sending stays paused, because ${left.by === 'sitehand' ? 'I' : named(left.by)} paused it too ${time(left.at, 'date')}.`
    : say`**${who} resumed ${what}.** ${were} paused by ${named(ended.by)} ${time(ended.at, 'date')}.`;
  await record(context, actor, tx, at, {
    event: scope === 'all' ? 'resume' : 'resume_callers',
    about: 'company',
    paused: ended,
    ...(left && { left }),
    says,
  });
}

/** The oldest approved, unsent changes that this person may read. */
async function heldNow(tx: Tx, mayRead: MayRead, by: AskedBy | undefined): Promise<PauseResult['named']> {
  const held = await listChanges(tx, { state: 'approved', by, limit: maxHeldRead });
  return held
    .toReversed()
    .filter(mayRead)
    .slice(0, maxHeldNamed)
    .map((change) => ({ number: change.number, title: plain(pinnedCardOf(change).title).slice(0, maxTitleLength) }));
}

/** Writes the audit line of an action without other effects here, and answers its delivery. */
export const writeDown = (context: ChangeContext, actor: Actor, entry: AdminEntry): Promise<void> =>
  exclusiveTransaction(context.database, (tx, at) => record(context, actor, tx, at, entry));

type AdminEntry = Pick<AdminAction, 'event' | 'about'> & { readonly says?: Text } & Readonly<Record<string, unknown>>;

/** Writes the audit line, answers the delivery, and posts `says`, if any, to the ops channel and where it was said. */
export async function record(
  context: ChangeContext,
  actor: Actor,
  tx: Tx,
  at: number,
  entry: AdminEntry,
  saidIn?: string,
): Promise<void> {
  const { says, ...line } = entry;
  await answerDelivery(tx, actor.inbox, at);
  await note(context, actor, tx, at, line);
  if (says) await announce(context, actor, tx, at, { ...line, says }, saidIn);
}

/** As `record`, with a line for each environment, by the rules that allow it there. Without lines, nothing is written. */
export async function recordEach(
  context: ChangeContext,
  actor: Actor,
  tx: Tx,
  at: number,
  { event, lines, says }: { readonly event: string; readonly lines: readonly EachLine[]; readonly says: Text },
  saidIn: string | undefined,
): Promise<void> {
  if (lines.length === 0) return;
  await answerDelivery(tx, actor.inbox, at);
  for (const { env, authorization, ...rest } of lines)
    await note(context, { ...actor, authorization }, tx, at, { ...rest, event, about: [env] });
  await announce(context, actor, tx, at, { event, about: lines.map(({ env }) => env), says }, saidIn);
}

/** What is written about one environment. */
type EachLine = Pick<Actor, 'authorization'> & { readonly env: Environment } & Readonly<Record<string, unknown>>;

function note(context: ChangeContext, actor: Actor, tx: Tx, at: number, entry: AdminEntry): Promise<void> {
  const { event, about, ...rest } = entry;
  const details = { ...rest, ...actorDetails(actor) };
  return context.changeStore.note(tx, { event, by: actor.person.id, at, about, details });
}

async function announce(
  context: ChangeContext,
  { person }: Actor,
  tx: Tx,
  at: number,
  { event, about, says }: Pick<AdminEntry, 'event' | 'about'> & { readonly says: Text },
  saidIn: string | undefined,
): Promise<void> {
  const [target] = about === 'company' ? [] : about;
  const key = `admin:${event}:${target?.id ?? ''}:${person.id}:${at}`;
  await enqueueOps(tx, key, says, at);
  if (saidIn === undefined || isDirect(saidIn) || saidIn === context.policy().channels.ops) return;
  const notice = { about: JSON.stringify(about), body: JSON.stringify({ text: says }) };
  await enqueueMessage(tx, { key, kind: 'notice', recipient: saidIn, ...notice, at });
}

/** What an audit line says about the person, the rules and the delivery. */
export const actorDetails = ({ person, authorization, inbox }: Actor) => ({
  name: person.name,
  ...requestDetails(inbox),
  ...(authorization && { authorization: JSON.stringify(authorization) }),
});

export const lockInfoOf = ({ change, person, reason, until }: Lock): LockInfo => ({
  by: change === null ? { person: person ?? '' } : { change },
  why: reason,
  until: until ?? undefined,
});

/** The pauses as this person may see them: their reasons can name any site. */
export async function pausesFor(context: ChangeContext, sight: Pick<Sight, 'mayAny'>): Promise<Pauses> {
  const { all, callers } = await readPauses(context.database.db);
  return { all: all && pauseSeenBy(sight, all), callers: callers && pauseSeenBy(sight, callers) };
}

function pauseSeenBy(sight: Pick<Sight, 'mayAny'>, pause: Pause): Pause {
  if (sight.mayAny()) return pause;
  const { earlier } = pause;
  return { ...pause, why: undefined, ...(earlier && { earlier: { ...earlier, why: undefined } }) };
}

export async function readPauses(db: ReadHandle): Promise<Pauses> {
  const stored = await readKvs(db, Object.values(pauseKeys));
  const of = (scope: PauseScope): Pause | undefined => {
    const found = stored.find(({ key }) => key === pauseKeys[scope]);
    return found && parseStored<Pause>(found.value);
  };
  return { all: of('all'), callers: of('callers') };
}

import type { AnyAction } from '../commands/action.ts';
import { catalogue } from '../commands/index.ts';
import { Refusal } from '../errors.ts';
import { sourcesOf } from './sources.ts';
import { findChange, type Change } from '../storage/changes.ts';
import { owe } from '../storage/messages.ts';
import { becameChange, postponeTimer, type Timer } from '../storage/timers.ts';
import { person, say, type Text } from '../text.ts';
import type { Authorised } from './authorise.ts';
import type { Note } from './render.ts';
import { parseWords } from './parse.ts';
import { isNamed, resolve, type Names, type Resolved } from './resolve.ts';
import { lookAndFreeze, save, type FrontDesk } from './submit.ts';
import { asRefusal } from './trouble.ts';
import { join } from './words.ts';
import { thawed } from '../storage/json.ts';

export type Timekeeping = FrontDesk & { readonly allNames: () => Names };

/** How often a change that a timer became is looked after. */
const lookAfterMs = 60_000;
const againMs = [60_000, 300_000, 900_000, 3_600_000, 6 * 3_600_000];

/**
 * A timer that has run out: its words become a change of their own, whose right is the first one's, even if the asker
 * is gone. It is over only when that change is done, or a look shows that there is nothing left to do.
 */
export async function ring(desk: Timekeeping, timer: Timer): Promise<void> {
  const first = await findChange(desk.database.db, timer.change);
  if (first === undefined) return over(desk, timer);
  const made = timer.became === null ? undefined : await findChange(desk.database.db, timer.became);
  if (made !== undefined && made.settled_at === null) return later(desk, timer, lookAfterMs);
  if (made?.state === 'done' || made?.state === 'accepted' || made?.state === 'happened') return over(desk, timer);
  if (made) await tell(desk, timer, first, say`#${made.number} did not do it. I try again.`);
  try {
    await become(desk, timer, first);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await tell(desk, timer, first, say`${error.says} I try again.`);
    await later(desk, timer, againMs[Math.min(timer.tries, againMs.length - 1)] ?? lookAfterMs);
  }
}

async function become(desk: Timekeeping, timer: Timer, first: Change): Promise<void> {
  const words = thawed<string[]>(timer.words);
  const wish = parseWords(words, catalogue);
  if (wish.command.shape !== 'action') return over(desk, timer, first, say`I do not know ${join(words)} any more.`);
  const resolved = resolve(wish, desk.allNames());
  const target = resolved.input[wish.command.target];
  if (!isNamed(target) || resolved.problems.length > 0) {
    return over(desk, timer, first, say`${first.target_name} is gone, so there is nothing left to remove there.`);
  }
  const nothingLeft = await alreadySo(desk, wish.command, resolved);
  if (nothingLeft) return over(desk, timer, first, say`Nothing is left to do: ${nothingLeft}.`);
  const permit = { approval: 'none', rules: [], policy: desk.policy().hash, timerOf: first.number } as const;
  const authorised: Authorised = { ...resolved, stage: 'authorised', target, alsoReads: [], permit };
  const frozen = await lookAndFreeze(desk, authorised, wish.command);
  const asker = {
    id: first.asker,
    name: first.asker_name,
    team: first.asker_team,
    standing: 'member',
    groups: [],
    zone: 'UTC',
  } as const;
  const place = { person: asker, channel: { id: first.channel, shared: false } };
  const change = await save(desk, frozen, place, 'timer', undefined);
  if (change === undefined) return;
  await desk.database.transaction(async (tx) =>
    becameChange(tx, timer.id, change.number, (await desk.database.now(tx)) + lookAfterMs),
  );
}

/** What a fresh look shows, where it shows that the words have nothing left to do. */
async function alreadySo(desk: Timekeeping, action: AnyAction, { input }: Resolved): Promise<Text | undefined> {
  const now = await action.look?.({ input, ...sourcesOf(desk) }).catch((error: unknown) => {
    throw asRefusal(error, []);
  });
  const proof = action.proof?.({ input, before: now, now });
  return proof?.verdict === 'yes' ? proof.says : undefined;
}

async function over({ database }: Timekeeping, timer: Timer, first?: Change, why?: Text): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    await postponeTimer(tx, timer.id, null);
    if (first && why) await oweTo(tx, timer, first, { text: say`The timer of #${first.number} is over. ${why}` }, at);
  });
}

const later = ({ database }: Timekeeping, timer: Timer, afterMs: number): Promise<void> =>
  database.transaction(async (tx) => postponeTimer(tx, timer.id, (await database.now(tx)) + afterMs));

/** The asker and the ops channel hear of every failure until it is done. */
async function tell({ database }: Timekeeping, timer: Timer, first: Change, why: Text): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    const note: Note = {
      text: say`⚠️ ${person(first.asker)} **The timer of #${first.number} could not do its work on ${first.target_name}.** ${why}`,
    };
    await oweTo(tx, timer, first, note, at);
    await owe(tx, { key: `timer:${timer.id}:${timer.tries}:ops`, kind: 'ops', body: JSON.stringify(note), at });
  });
}

const oweTo = (tx: Parameters<typeof owe>[0], timer: Timer, first: Change, note: Note, at: number): Promise<unknown> =>
  owe(tx, {
    key: `timer:${timer.id}:${timer.tries}`,
    change: first.number,
    kind: 'reply',
    body: JSON.stringify(note),
    at,
  });

import type { QueryService } from '../commands/kit/builtin.ts';
import type { TimerLine } from '../commands/kit/change-lines.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { underWay } from '../storage/changes.ts';
import { parseStored } from '../storage/parse-json.ts';
import { isPaused } from '../storage/kv.ts';
import { listTimers, timerOf, type Timer } from '../storage/timers.ts';
import { joined, say, time, type Text } from '../words/text.ts';
import type { Sight } from '../access/sight.ts';
import { targetKey } from '../access/targets.ts';
import type { StoredTargets } from '../access/visibility.ts';
import { addressesOf } from '../change/timed-access.ts';
import { removalArgs } from './timers.ts';
import type { ChangeContext } from '../change/context.ts';

/** Timed access, limited to what one person may read. */

const maxShown = 100;
const maxRead = 1_000;

export const timersFor = (
  context: ChangeContext,
  sight: Sight,
  now: number,
): Pick<QueryService, 'timers' | 'timer'> => {
  const { db } = context.database;
  const linesOf = async (timers: readonly Timer[]): Promise<readonly TimerLine[]> => {
    const isHeld = await isPaused(db);
    const removals = timers.flatMap(({ created_change: removal }) => removal ?? []);
    const open = await underWay(db, removals);
    return timers.map((timer) => lineOf(timer, { now, isHeld, isOpen: (removal) => open.has(removal) }));
  };
  return {
    timers: async (env) => {
      const found = await listTimers(db, maxRead, env && targetKey(env));
      const reads = sight.reader('timers');
      const readable = found.filter((timer) => reads(aboutOf(timer)));
      return {
        lines: await linesOf(readable.slice(0, maxShown)),
        more: readable.length > maxShown || found.length === maxRead,
      };
    },
    timer: async (change) => {
      const timer = await timerOf(db, change);
      return timer && sight.reader('timers')(aboutOf(timer)) ? (await linesOf([timer]))[0] : undefined;
    },
  };
};

const howItEnded: Readonly<Record<NonNullable<Timer['end_reason']>, string>> = {
  removed: 'its addresses are off the list',
  kept: 'the access stays for good now',
  moved: 'the timer of another change ends the access later',
  gone: 'the environment is gone',
  not_there: 'its addresses were no longer on the list',
};

const aboutOf = ({ target }: Timer): StoredTargets => ({ targets: `[${target}]` });

type Situation = {
  readonly now: number;
  /** Whether all sending is paused. */
  readonly isHeld: boolean;
  readonly isOpen: (change: number) => boolean;
};

function lineOf(timer: Timer, situation: Situation): TimerLine {
  const { id, name } = parseStored<Environment>(timer.target);
  const made = timer.created_change;
  const removal = timer.ended_at === null && made !== null && situation.isOpen(made) ? made : undefined;
  return {
    change: timer.change,
    env: { id, name },
    addresses: addressesOf(timer),
    requester: timer.requester,
    endsAt: timer.ends_at,
    standing: standingOf(timer, removal, situation),
    over: timer.end_reason === null ? undefined : howItEnded[timer.end_reason],
    removal,
    remove: removalArgs(timer, { id }),
  };
}

function standingOf(timer: Timer, removal: number | undefined, { now, isHeld }: Situation): Text | undefined {
  const why: Text = timer.last_note === null ? [] : parseStored(timer.last_note);
  if (timer.gave_up_at !== null)
    return joined([say`⚠️ I gave up ${time(timer.gave_up_at, 'date')}. It's still open.`, why]);
  const attempts = ['not tried yet', 'tried once'][timer.attempts] ?? `tried ${timer.attempts} times`;
  const tried = timer.last_note === null ? undefined : joined([say`${attempts}, still open.`, why]);
  if (isHeld && (timer.due_at ?? now) <= now) return joined([say`waits: all sending is paused.`, tried]);
  if (removal !== undefined) return joined([say`#${removal} is removing it.`, tried]);
  return tried && joined([tried, say`Next try ${time(timer.due_at ?? now, 'date')}.`]);
}

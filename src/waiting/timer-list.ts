import { parseStored } from '../storage/parse-json.ts';
import { Refusal, type Args } from '../base/errors.ts';
import { addressesInShort } from '../commands/allowlist/listing.ts';
import { counted, listOr, type Page } from '../commands/kit/page.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { underWay } from '../storage/changes.ts';
import { isPaused } from '../storage/kv.ts';
import { listTimers, timerOf, type Timer } from '../storage/timers.ts';
import { code, inline, joined, mention, sample, say, time, typed, type Text } from '../words/text.ts';
import type { StoredTargets } from '../access/visibility.ts';
import type { Sight } from '../access/sight.ts';
import { targetKey } from '../access/targets.ts';
import { addressesOf } from '../change/timed-access.ts';
import type { ChangeContext } from '../change/context.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { removalArgs } from './timers.ts';

/** Timed access, limited to what one person may read. */

const maxShown = 100;
const maxRead = 1_000;

/** Timed access. Times are epoch milliseconds. */
export type TimerLine = {
  /** The change that granted it. */
  readonly change: number;
  /** The name of its environment. */
  readonly where: string;
  readonly addresses: readonly string[];
  /** Slack user id of the requester. */
  readonly requester: string;
  readonly endsAt: number;
  /** Its status, if there is more to say than when it ends. */
  readonly standing: Text | undefined;
};

/** Timed access that this person may read, earliest end first. `more`: there may be later ones. */
export async function timersFor(
  context: ChangeContext,
  sight: Sight,
  env: Environment | undefined,
): Promise<{ readonly lines: readonly TimerLine[]; readonly more: boolean }> {
  const { db } = context.database;
  const found = await listTimers(db, maxRead, env && targetKey(env));
  const reads = sight.reader('timers');
  const readable = found.filter((timer) => reads(aboutOf(timer)));
  const timers = readable.slice(0, maxShown);
  const isHeld = await isPaused(db);
  const open = await underWay(
    db,
    timers.flatMap(({ created_change: removal }) => removal ?? []),
  );
  const lines = timers.map((timer) => ({
    change: timer.change,
    where: environmentOf(timer).name,
    addresses: addressesOf(timer),
    requester: timer.requester,
    endsAt: timer.ends_at,
    standing: standingOf(timer, removalIn(timer, open), isHeld),
  }));
  return { lines, more: readable.length > maxShown || found.length === maxRead };
}

export async function timersPage(
  context: ChangeContext,
  { sight }: Asking,
  { env }: { readonly env: Environment | undefined },
): Promise<Page> {
  const { lines, more } = await timersFor(context, sight, env);
  const [first] = lines;
  const title = env ? `Timed access to ${env.name}` : 'Timed access';
  return {
    title: say`**${title}** · ${more ? `the next ${lines.length}` : counted(lines.length, 'timer')}`,
    parts: listOr(
      say`No timed access that you can see.`,
      lines.map(
        ({ change, addresses, where, requester, endsAt, standing = inline('open') }) =>
          say`${code(`#${change}`)} ${addressesInShort(addresses)} on ${where} · ${mention(requester)} · until ${time(endsAt, 'date')} · ${standing}`,
      ),
    ),
    ...(first && {
      source: say`${typed(`timers cancel ${first.change}`)} ends the access of #${first.change} now; ${sample('allowlist add')} with \`--for\` gives it more time, and without \`--for\` lets it stay for good`,
    }),
  };
}

/** The command that removes the addresses of a change now. Throws `Refusal` if there is nothing to remove. */
export async function timersCancelPage(
  { database: { db } }: ChangeContext,
  { sight }: Asking,
  { number }: { readonly number: number },
): Promise<{ readonly instead: Args }> {
  const timer = await timerOf(db, number);
  const hint = say`${typed('timers')} lists the open ones.`;
  if (timer === undefined || !sight.reader('timers')(aboutOf(timer)))
    throw new Refusal(say`I can't find a timer of #${number} among those you can see. Nothing was done.`, { hint });
  if (timer.end_reason !== null)
    throw new Refusal(
      say`**The timed access of #${number} has already ended:** ${howItEnded[timer.end_reason]}. Nothing was done.`,
      { hint },
    );
  const { created_change: made } = timer;
  const removal = removalIn(timer, await underWay(db, made === null ? [] : [made]));
  if (removal !== undefined)
    throw new Refusal(say`**#${removal} is already removing its addresses.** Nothing was done.`, {
      hint: say`${typed(`change ${removal}`)} shows its progress.`,
    });
  return { instead: removalArgs(timer, environmentOf(timer)) };
}

const howItEnded: Readonly<Record<NonNullable<Timer['end_reason']>, string>> = {
  removed: 'its addresses are off the list',
  kept: 'the access stays for good now',
  moved: 'the timer of another change ends the access later',
  gone: 'the environment is gone',
  not_there: 'its addresses were no longer on the list',
};

const aboutOf = ({ target }: Timer): StoredTargets => ({ targets: `[${target}]` });
const environmentOf = ({ target }: Timer): Environment => parseStored(target);

/** The number of the change that is removing the addresses. `open`: those that are under way. */
const removalIn = ({ created_change: made, ended_at }: Timer, open: ReadonlySet<number>): number | undefined =>
  ended_at === null && made !== null && open.has(made) ? made : undefined;

/** `isHeld`: all sending is paused. */
function standingOf(timer: Timer, removal: number | undefined, isHeld: boolean): Text | undefined {
  const now = Date.now();
  const why: Text = timer.last_note === null ? [] : parseStored(timer.last_note);
  if (timer.gave_up_at !== null)
    return joined([say`⚠️ I gave up ${time(timer.gave_up_at, 'date')}. It's still open.`, why]);
  const attempts = ['not tried yet', 'tried once'][timer.attempts] ?? `tried ${timer.attempts} times`;
  const tried = timer.last_note === null ? undefined : joined([say`${attempts}, still open.`, why]);
  if (isHeld && (timer.due_at ?? now) <= now) return joined([say`waits: all sending is paused.`, tried]);
  if (removal !== undefined) return joined([say`#${removal} is removing it.`, tried]);
  return tried && joined([tried, say`Next try ${time(timer.due_at ?? now, 'date')}.`]);
}

import type { WatchLine, WatchService, WatchTerms } from '../../commands/kit/watch.ts';
import { readHours, showHours } from '../../commands/kit/values/hours.ts';
import { Refusal } from '../../errors.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { idsOf } from '../../policy/people.ts';
import { scrub } from '../../secret.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';
import { findWatch, openWatches, startWatch, stopWatch, type NewWatch, type Watch } from '../../storage/watches.ts';
import { code, joined, say, time, type Text } from '../../text.ts';
import { assertChannel } from '../access/assert-channel.ts';
import { groupsToWatch, mayWatch } from '../access/may-watch.ts';
import { MembershipUnknown } from '../access/unknown-groups.ts';
import { readerOf } from '../access/visibility.ts';
import { keyOf, record, type Actor } from '../steps/admin-actions.ts';
import { startedNote, stoppedNote } from '../steps/watch-notes.ts';
import { emptyProgress, heldIn, progressOf } from '../steps/watch-progress.ts';
import { placeTrouble, storedEnvironment } from '../steps/watch-standing.ts';
import { auditDetails, enqueueNote, intervalMs } from '../steps/watches.ts';
import type { PipelineContext } from './context.ts';

/** Watches for one person in one channel. */

export const maxWatches = { each: 10, channel: 10, all: 100 } as const;

export const watchesFor = (context: PipelineContext, actor: Actor, channel: string | undefined): WatchService => {
  const { db } = context.database;
  const { person } = actor;
  const place = placeOf(channel, person.id);
  const reads = readerOf(context, person);
  const mine = idsOf(context.policy(), person.id);
  const isMine = ({ requester }: Watch): boolean => mine.includes(requester);
  const sees = (watch: Watch): boolean => isMine(watch) || reads({ targets: `[${watch.target}]` });
  return {
    watch: (env, terms) => start(context, actor, { place, env, terms, mine }),
    watches: async () => {
      const all = await openWatches(db);
      return all
        .filter((watch) => isMine(watch) || (watch.channel === place && reads({ targets: `[${watch.target}]` })))
        .map(lineOf);
    },
    stopWatch: async (number) => {
      const known = await findWatch(db, number);
      if (known === undefined || known.ended_at !== null || !sees(known)) return undefined;
      const stored = storedEnvironment(known);
      const env = context.names(undefined).environments.find(({ id }) => id === stored.id) ?? stored;
      if (!isMine(known) && (await mayNow(context, person.id, env)) !== 'yes')
        throw new Refusal(
          say`**Only ${known.requester_name}, and people who may ${code('watch')} ${env.name}, can stop this.** Nothing was done.`,
        );
      return exclusiveTransaction(context.database, async (tx, at) => {
        const stopped = await stopWatch(tx, number, at);
        if (stopped === undefined) return undefined;
        await record(context, actor, tx, at, { event: 'watch_stop', target: env, ...auditDetails(stopped) });
        await enqueueNote(tx, stopped, stoppedNote(stopped, env, person.name), at);
        return { watch: lineOf(stopped), untold: heldIn(progressOf(stopped)) };
      });
    },
  };
};

/** Whether somebody may watch it; throws `Refusal` if nobody says so. The command alone asks about fewer user groups. */
async function mayNow({ personOf, policy }: PipelineContext, id: string, env: Environment): Promise<'yes' | 'no'> {
  const asked = await personOf(id, groupsToWatch(policy()));
  if (asked === undefined)
    throw new Refusal("Slack isn't telling me right now what you may do. Nothing was done.", {
      hint: 'Try again in a minute.',
    });
  const may = mayWatch(policy(), asked, env);
  if (may === 'yes' || may === 'no') return may;
  throw new MembershipUnknown(say`you may watch the log of ${env.name}`, may);
}

/** Where a watch tells: in direct messages with one person, or in no channel, that person. */
const placeOf = (channel: string | undefined, person: string): string =>
  channel === undefined || channel.startsWith('D') ? person : channel;

type Wanted = {
  readonly place: string;
  readonly env: Environment;
  readonly terms: WatchTerms;
  /** All ids of the person. */
  readonly mine: readonly string[];
};

async function start(context: PipelineContext, actor: Actor, wanted: Wanted): Promise<WatchLine> {
  const { env, place, terms } = wanted;
  const { person } = actor;
  if ((await mayNow(context, person.id, env)) === 'no')
    throw new Refusal(say`**You may not watch the log of ${env.name}.** Nothing was done.`);
  if (terms.match !== undefined && scrub(terms.match) !== terms.match)
    throw new Refusal('That looks like a credential, and everybody here would see it. Nothing was done.', {
      field: 'match',
    });
  if (place !== person.id) await assertPlace(context, place, env);
  return exclusiveTransaction(context.database, async (tx, at) => {
    const all = await openWatches(tx);
    assertRoom(all, wanted);
    const watch = await startWatch(tx, rowOf(person, wanted, at, at + intervalMs(all.length + 1)));
    await record(context, actor, tx, at, {
      event: 'watch_start',
      target: env,
      ...auditDetails(watch),
      until: watch.ends_at,
    });
    await enqueueNote(tx, watch, startedNote(watch, env, quietInWords(terms, person.zone)), at);
    return lineOf(watch);
  });
}

async function assertPlace(context: PipelineContext, place: string, env: Environment): Promise<void> {
  assertChannel(context.policy(), await context.channelOf(place), [env]);
  const look = await context.lookAt(place).catch(() => undefined);
  const wrong = look === undefined || look.kind === 'untold' ? undefined : placeTrouble(look);
  if (wrong === undefined) return;
  throw new Refusal(say`${{ channel: place }} ${wrong}, so I can't tell it anything. Nothing was done.`, {
    hint: say`Type ${code('/invite')} and my name there first, or ask me in a direct message.`,
  });
}

function assertRoom(all: readonly Watch[], { place, env, terms, mine }: Wanted): void {
  const here = all.filter(({ channel }) => channel === place);
  const match = terms.match ?? null;
  const same = here.find((one) => one.target_key === keyOf(env) && one.match === match);
  if (same)
    throw new Refusal(
      say`**Watch #${same.id} already does this here,** until ${time(same.ends_at, 'date')}. Nothing was done.`,
      { offers: [{ label: `Stop #${same.id}`, args: ['watch', 'stop', String(same.id)] }] },
    );
  const own = all.filter(({ requester }) => mine.includes(requester));
  const full =
    own.length >= maxWatches.each
      ? `You already have ${own.length} watches`
      : here.length >= maxWatches.channel
        ? `There are already ${here.length} watches here`
        : all.length >= maxWatches.all
          ? `There are already ${all.length} watches in all`
          : undefined;
  if (full) throw new Refusal(`${full}, and that is the most. Nothing was done.`, { hint: 'Stop another one first.' });
}

const rowOf = (person: Actor['person'], { env, place, terms }: Wanted, at: number, dueAt: number): NewWatch => ({
  target_key: keyOf(env),
  target: JSON.stringify(env),
  match: terms.match ?? null,
  requester: person.id,
  requester_name: person.name,
  channel: place,
  quiet: terms.quiet ? showHours(terms.quiet) : null,
  zone: person.zone,
  created_at: at,
  ends_at: at + terms.forMs,
  read_to: at,
  progress: JSON.stringify(emptyProgress),
  due_at: dueAt,
});

const quietInWords = ({ quiet }: WatchTerms, zone: string): Text | undefined =>
  quiet && say`From ${showHours(quiet)} (${zone}) I collect, and tell it after.`;

function lineOf(watch: Watch): WatchLine {
  const { id, name } = storedEnvironment(watch);
  return {
    number: watch.id,
    env: { id, name },
    match: watch.match ?? undefined,
    owner: watch.requester,
    channel: watch.channel,
    until: watch.ends_at,
    quiet: watch.quiet === null ? undefined : readHours('Quiet hours', watch.quiet),
    zone: watch.zone,
    standing: inItsWay(watch),
  };
}

function inItsWay(watch: Watch): Text | undefined {
  const progress = progressOf(watch);
  const { trouble } = progress;
  const held = heldIn(progress);
  const what = trouble?.kind === 'unsure' ? say`⚠️ paused: rights unknown` : trouble && say`⚠️ the log can't be read`;
  return what || held > 0
    ? joined(
        [
          what && trouble && say`${what} since ${time(trouble.since, 'date')}`,
          held > 0 ? `${held} held back` : undefined,
        ],
        '; ',
      )
    : undefined;
}

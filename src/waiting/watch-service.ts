import { quietInWords, type WatchLine, type WatchService, type WatchTerms } from '../commands/kit/watch.ts';
import { readHours, showHours } from '../commands/kit/values/hours.ts';
import { Refusal } from '../base/errors.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { idsOf } from '../policy/people.ts';
import { scrub } from '../base/secret.ts';
import { exclusiveTransaction } from '../storage/exclusive-transaction.ts';
import {
  countWatches,
  findWatch,
  openWatches,
  startWatch,
  stopWatch,
  type NewWatch,
  type Watch,
} from '../storage/watches.ts';
import { channel, code, joined, list, mention, say, time, type Text } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { assertChannel } from '../access/assert-channel.ts';
import { isDirect } from '../access/direct-messages.ts';
import { targetKey } from '../access/targets.ts';
import { groupsToWatch, mayWatch } from '../access/may-watch.ts';
import { MembershipUnknown } from '../access/unknown-groups.ts';
import { record, type Actor, type Asking } from '../decide/admin-actions.ts';
import { environmentsThen, namesIn, digestScope } from './digest-standing.ts';
import { aboutThen, startedNote, stoppedNote } from './watch-notes.ts';
import { emptyProgress, heldIn, watchProgress, type Trouble } from './watch-limits.ts';
import { placeTrouble, storedEnvironment } from './watch-standing.ts';
import { auditDetails, enqueueNote, intervalMs } from './watches.ts';
import type { SendContext } from '../send/context.ts';

/** Watches for one person in one channel. */

const maxWatches = { each: 10, channel: 10, all: 100 } as const;

export const watchesFor = (context: SendContext, actor: Asking): Omit<WatchService, 'digest'> => {
  const { db } = context.database;
  const { person, sight, saidIn } = actor;
  const placeNow = async (): Promise<string> => placeOf(await saidIn(), person.id);
  const mine = idsOf(context.policy(), person.id);
  const isMine = ({ requester }: Watch): boolean => mine.includes(requester);
  const readsAll = (watch: Watch): boolean =>
    sight.reader('watches')({ targets: JSON.stringify(environmentsThen(watch)) });
  const sees = (watch: Watch): boolean => isMine(watch) || readsAll(watch);
  return {
    watch: async (env, terms) => start(context, actor, { place: await placeNow(), env, terms, mine }),
    watches: async () => {
      const [all, place] = [await openWatches(db), await placeNow()];
      return all.filter((watch) => isMine(watch) || (watch.channel === place && readsAll(watch))).map(watchLine);
    },
    stopWatch: async (number) => {
      const known = await findWatch(db, number);
      if (known === undefined || known.ended_at !== null || !sees(known)) return undefined;
      const listed = context.names(undefined).environments;
      const envs = environmentsThen(known).map((stored) => listed.find(({ id }) => id === stored.id) ?? stored);
      if (!isMine(known) && !(await mayAllNow(context, person.id, envs, known.kind)))
        throw new Refusal(
          say`**Only ${known.requester_name}, and people who may ${code(rightOf(known))} ${list(watchLine(known).names, 5)}, can stop this.** Nothing was done.`,
        );
      return stop(context, actor, number, envs[0]);
    },
  };
};

/** Stops a watch of this environment, or a digest, and says so in its channel. Undefined if it was over before. */
function stop(
  context: SendContext,
  actor: Actor,
  number: number,
  env: Environment | undefined,
): ReturnType<WatchService['stopWatch']> {
  return exclusiveTransaction(context.database, async (tx, at) => {
    const stopped = await stopWatch(tx, number, at);
    if (stopped === undefined) return undefined;
    const isDigest = stopped.kind === 'digest' || env === undefined;
    const event = isDigest ? 'digest_stop' : 'watch_stop';
    await record(context, actor, tx, at, { event, about: environmentsThen(stopped), ...auditDetails(stopped) });
    const about = isDigest ? aboutThen(stopped) : env.name;
    await enqueueNote(context, tx, stopped, stoppedNote(stopped, about, actor.person.name), at);
    return { watch: watchLine(stopped), untold: isDigest ? 0 : heldIn(watchProgress(stopped)) };
  });
}

const rightOf = ({ kind }: Watch): string => (kind === 'digest' ? 'digest' : 'watch');

/**
 * Whether somebody may watch all of these; throws `Refusal` if Slack doesn't say. Asks about more user groups than the
 * command does.
 */
export async function mayAllNow(
  { personOf, policy }: SendContext,
  id: string,
  envs: readonly Environment[],
  kind: Watch['kind'],
): Promise<boolean> {
  const asked = await personOf(id, groupsToWatch(policy(), kind));
  if (asked === undefined)
    throw new Refusal("Slack isn't telling me right now what you may do. Nothing was done.", {
      hint: 'Try again in a minute.',
    });
  const all = envs.map((env) => ({ env, may: mayWatch(policy(), asked, env, kind) }));
  if (all.some(({ may }) => may === 'no')) return false;
  for (const { env, may } of all)
    if (may !== 'yes' && may !== 'no')
      throw new MembershipUnknown(
        kind === 'digest' ? say`you may have a digest of ${env.name}` : say`you may watch the log of ${env.name}`,
        may,
      );
  return true;
}

/** Where a watch tells. In direct messages, or outside a channel, that is the person. */
export const placeOf = (channel: string | undefined, person: string): string =>
  channel === undefined || isDirect(channel) ? person : channel;

type WatchRequest = {
  readonly place: string;
  readonly env: Environment;
  readonly terms: WatchTerms;
  /** All ids of the person. */
  readonly mine: readonly string[];
};

async function start(context: SendContext, actor: Actor, wanted: WatchRequest): Promise<WatchLine> {
  const { env, place, terms } = wanted;
  const { person } = actor;
  if (!(await mayAllNow(context, person.id, [env], 'errors')))
    throw new Refusal(say`**You may not watch the log of ${env.name}.** Nothing was done.`);
  if (terms.match !== undefined && scrub(terms.match) !== terms.match)
    throw new Refusal('That looks like a credential, and everybody here would see it. Nothing was done.', {
      field: 'match',
    });
  if (place !== person.id) await assertPlace(context, place, [env]);
  return exclusiveTransaction(context.database, async (tx, at) => {
    assertRoom(await openWatches(tx), wanted, at);
    const dueAt = at + intervalMs((await countWatches(tx)) + 1);
    const watch = await startWatch(tx, rowOf(person, wanted, at, dueAt));
    await record(context, actor, tx, at, {
      event: 'watch_start',
      about: [env],
      ...auditDetails(watch),
      until: watch.ends_at,
    });
    const quiet = quietInWords({ quiet: terms.quiet, zone: person.zone });
    await enqueueNote(context, tx, watch, startedNote(watch, env, quiet), at);
    return watchLine(watch);
  });
}

export async function assertPlace(context: SendContext, place: string, envs: readonly Environment[]): Promise<void> {
  assertChannel(context.policy(), await context.channelOf(place), envs);
  const look = await context.lookAt(place).catch(() => undefined);
  const wrong = look === undefined || look.kind === 'no scope' ? undefined : placeTrouble(look);
  if (wrong === undefined) return;
  throw new Refusal(say`${{ channel: place }} ${wrong}, so I can't tell it anything. Nothing was done.`, {
    hint: say`Type ${code('/invite')} and my name there first, or ask me in a direct message.`,
  });
}

function assertRoom(all: readonly Watch[], { place, env, terms, mine }: WatchRequest, at: number): void {
  const match = terms.match ?? null;
  // One whose time is up reads no more: it only tells what it holds back.
  const isSame = (one: Watch): boolean => one.target_key === targetKey(env) && one.match === match && one.ends_at > at;
  assertMore(all, { place, mine, isSame });
}

/** Throws `Refusal` if the same watch exists here already, or if there are too many; digests count too. */
export function assertMore(
  all: readonly Watch[],
  { place, mine, isSame }: Pick<WatchRequest, 'place' | 'mine'> & { readonly isSame: (one: Watch) => boolean },
): void {
  const here = all.filter(({ channel }) => channel === place);
  const same = here.find(isSame);
  if (same)
    throw new Refusal(
      say`**${same.kind === 'digest' ? 'Digest' : 'Watch'} #${same.id} already does this in this channel,** until ${time(same.ends_at, 'date')}. Nothing was done.`,
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

/** The columns that a new watch and a new digest share. */
export const newWatch = ({ id, name, zone }: Person, channel: string, at: number) => ({
  requester: id,
  requester_name: name,
  channel,
  zone,
  match: null,
  quiet: null,
  created_at: at,
  read_to: at,
});

const rowOf = (person: Person, { env, place, terms }: WatchRequest, at: number, dueAt: number): NewWatch => ({
  ...newWatch(person, place, at),
  target_key: targetKey(env),
  target: JSON.stringify(env),
  match: terms.match ?? null,
  quiet: terms.quiet ? showHours(terms.quiet) : null,
  ends_at: at + terms.forMs,
  progress: JSON.stringify(emptyProgress),
  due_at: dueAt,
});

/** A watch as commands show it. */
export function watchLine(watch: Watch): WatchLine {
  const env = watch.kind === 'digest' ? undefined : storedEnvironment(watch);
  return {
    number: watch.id,
    env: env && { id: env.id, name: env.name },
    names: env ? [env.name] : namesIn(digestScope(watch)),
    match: watch.match ?? undefined,
    owner: watch.requester,
    told: isDirect(watch.channel) ? mention(watch.channel) : channel(watch.channel),
    until: watch.ends_at,
    quiet: watch.quiet === null ? undefined : readHours('Quiet hours', watch.quiet),
    zone: watch.zone,
    standing: env && standingOf(watch),
  };
}

const troubleWords: Readonly<Record<Trouble['kind'], string>> = {
  unread: "the log can't be read",
  gap: 'a part of the log was missed',
  unsure: 'paused: rights unknown',
};

function standingOf(watch: Watch): Text | undefined {
  const progress = watchProgress(watch);
  const { trouble } = progress;
  const held = heldIn(progress);
  return trouble || held > 0
    ? joined(
        [
          trouble && say`⚠️ ${troubleWords[trouble.kind]} since ${time(trouble.since, 'date')}`,
          held > 0 ? `${held} held back` : undefined,
        ],
        '; ',
      )
    : undefined;
}

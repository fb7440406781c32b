import { Refusal } from '../base/errors.ts';
import type { watch } from '../commands/builtin/watch.ts';
import type { Input } from '../commands/kit/fields.ts';
import { paragraph, type Page } from '../commands/kit/page.ts';
import { showHours } from '../commands/kit/values/hours.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { idsOf } from '../policy/memberships.ts';
import { scrub } from '../base/secret.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { countWaiting, insertWaiting, listOpen, type Digest, type NewWaiting, type Watch } from '../storage/waiting.ts';
import { code, say, time, type Text } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { targetKey } from '../access/targets.ts';
import { groupsToWatch, mayWatch } from '../access/visibility.ts';
import { MembershipUnknown } from '../access/unknown-groups.ts';
import { record, type Asking } from '../decide/admin-actions.ts';
import { startedNote } from './watch-notes.ts';
import { emptyProgress } from './watch-limits.ts';
import { intervalMs } from './watches.ts';
import type { SendContext } from '../send/context.ts';
import { dayMs } from '../words/duration.ts';
import { enqueueNote, auditDetails, placeOf, assertPlace } from './telling.ts';

/** Starts a watch in the channel where it was asked for, and announces it there. */

const defaultMs = 7 * dayMs;
const maxWatches = { each: 10, channel: 10, all: 100 } as const;

type Terms = Input<typeof watch.fields>;

export async function watchPage(context: SendContext, asking: Asking, terms: Terms): Promise<Page> {
  const { env } = terms;
  const place = placeOf(await asking.saidIn(), asking.person.id);
  const started = await start(context, asking, place, terms);
  return {
    title: say`**Watch ${code(`#${started.id}`)} of ${env.name} is on** until ${time(started.expires_at, 'date')}`,
    parts: [
      paragraph(
        say`I read its error log every few minutes, with your rights, and post kinds of errors that I didn't see in the 24 hours before. Times in it without a time zone count as UTC. ${quietInWords(started)}`,
      ),
    ],
    offers: [{ label: 'Stop', args: ['watch', 'stop', String(started.id)] }],
  };
}

/** What happens in the quiet hours of a watch; undefined: it has none. */
const quietInWords = ({ quiet, zone }: Watch): Text | undefined =>
  quiet === null ? undefined : say`During ${quiet} (${zone}) I hold messages back, and post them afterwards.`;

async function start(context: SendContext, asking: Asking, place: string, terms: Terms): Promise<Watch> {
  const { env, match } = terms;
  const { person } = asking;
  if (!(await mayAllNow(context, person.id, [env], 'watch')))
    throw new Refusal(say`**You may not watch the log of ${env.name}.** Nothing was done.`);
  if (match !== undefined && scrub(match) !== match)
    throw new Refusal('That looks like a credential, and everybody here would see it. Nothing was done.', {
      field: 'match',
    });
  if (place !== person.id) await assertPlace(context, place, [env]);
  return exclusiveTransaction(context.database, async (tx, at) => {
    // One whose time is up reads no more: it only tells what it holds back.
    const isSame = (one: Watch | Digest): boolean =>
      one.kind === 'watch' && one.target === targetKey(env) && one.match === (match ?? null) && one.expires_at > at;
    assertMore(await listWatches(tx), { place, mine: idsOf(context.policy(), person.id), isSame });
    const dueAt = at + intervalMs((await countWaiting(tx, 'watch')) + 1);
    const watch = await insertWaiting(tx, rowOf(person, place, terms, at, dueAt));
    await record(context, asking, tx, at, {
      event: 'watch_start',
      about: [env],
      ...auditDetails(watch),
      until: watch.expires_at,
    });
    await enqueueNote(context, tx, watch, startedNote(watch, env, quietInWords(watch)), at);
    return watch;
  });
}

/**
 * Whether somebody may watch all of these; throws `Refusal` if Slack doesn't say. Asks about more user groups than the
 * command does.
 */
export async function mayAllNow(
  { personOf, policy }: SendContext,
  id: string,
  envs: readonly Environment[],
  kind: 'watch' | 'digest',
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

/** All watches and digests, oldest first. */
export const listWatches = (db: ReadHandle): Promise<(Watch | Digest)[]> =>
  listOpen(db, ['watch', 'digest'], { limit: 2 * maxWatches.all });

/** All ids of the person, and what is the same watch in the same channel. */
type Room = {
  readonly place: string;
  readonly mine: readonly string[];
  readonly isSame: (one: Watch | Digest) => boolean;
};

/** Throws `Refusal` if the same watch exists here already, or if there are too many; digests count too. */
export function assertMore(all: readonly (Watch | Digest)[], { place, mine, isSame }: Room): void {
  const here = all.filter(({ channel }) => channel === place);
  const same = here.find(isSame);
  if (same)
    throw new Refusal(
      say`**${same.kind === 'digest' ? 'Digest' : 'Watch'} #${same.id} already does this in this channel,** until ${time(same.expires_at, 'date')}. Nothing was done.`,
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
  created_at: at,
});

const rowOf = (person: Person, place: string, terms: Terms, at: number, dueAt: number): NewWaiting<'watch'> => ({
  ...newWatch(person, place, at),
  kind: 'watch',
  target: targetKey(terms.env),
  targets: JSON.stringify([terms.env]),
  match: terms.match ?? null,
  quiet: terms.quiet ? showHours(terms.quiet) : null,
  expires_at: at + (terms.for ?? defaultMs),
  read_to: at,
  progress: JSON.stringify(emptyProgress),
  due_at: dueAt,
});

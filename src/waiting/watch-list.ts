import { Refusal } from '../base/errors.ts';
import { counted, listOr, paragraph, type Page } from '../commands/kit/page.ts';
import { ownIdsOf } from '../policy/memberships.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { endWaiting, findOpen, type Digest, type Watch } from '../storage/waiting.ts';
import { channel, code, inline, joined, mention, say, time, typed, type Text } from '../words/text.ts';
import { isDirect } from '../access/assert-channel.ts';
import { record, type Asking } from '../decide/admin-actions.ts';
import { listWatches, mayAllNow } from './start-watch.ts';
import { placeOf } from './telling.ts';
import { aboutThen, stoppedNote } from './watch-notes.ts';
import { heldIn, watchProgress, type Trouble } from './watch-limits.ts';
import { environmentsThen } from './standing.ts';
import { auditDetails, enqueueNote } from './telling.ts';
import type { SendContext } from '../send/context.ts';

/** The watches and digests that one person sees, and their end. */

/** Which of them are the person's own, and which are about nothing that the person may not read. */
const seenBy = ({ policy }: SendContext, { person, sight }: Asking) => {
  const mine = ownIdsOf(policy(), person);
  return {
    isMine: ({ requester }: Watch | Digest): boolean => mine.includes(requester),
    readsAll: sight.reader('watches'),
  };
};

export async function watchesPage(context: SendContext, asking: Asking): Promise<Page> {
  const { isMine, readsAll } = seenBy(context, asking);
  const [all, place] = [await listWatches(context.database.db), placeOf(await asking.saidIn(), asking.person.id)];
  const watches = all.filter((watch) => isMine(watch) || (watch.channel === place && readsAll(watch)));
  const [first] = watches;
  return {
    title: say`**Watches** · ${counted(watches.length, 'watch', 'watches')}`,
    parts: listOr(say`No watches here that you can see, and none of yours elsewhere.`, watches.map(inWords)),
    ...(first && { source: say`${typed(`watch stop ${first.id}`)} ends #${first.id}` }),
    offers: watches.map(({ id }) => ({ label: `Stop #${id}`, args: ['watch', 'stop', String(id)] })),
  };
}

function inWords(watch: Watch | Digest): Text {
  const of = joined([
    watch.kind === 'digest' ? 'Digest of' : undefined,
    aboutThen(watch),
    watch.kind === 'watch' && watch.match ? say`with “${watch.match}”` : undefined,
  ]);
  const told = isDirect(watch.channel) ? mention(watch.channel) : channel(watch.channel);
  return say`${code(`#${watch.id}`)} ${of} · tells ${told} · ${mention(watch.requester)} · until ${time(watch.expires_at, 'date')} · ${statusOf(watch)}`;
}

function statusOf(watch: Watch | Digest): Text {
  const on = inline('on');
  if (watch.kind === 'digest') return say`${on}`;
  const quiet = watch.quiet === null ? undefined : say`quiet ${watch.quiet} (${watch.zone})`;
  return joined([standingOf(watch) ?? on, quiet], '; ');
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

export async function watchStopPage(
  context: SendContext,
  asking: Asking,
  { number }: { readonly number: number },
): Promise<Page> {
  const notFound = new Refusal(
    say`I can't find a watch #${number} among those you can see that is still on. Nothing was done.`,
    { hint: say`${typed('watches')} lists them.` },
  );
  const { isMine, readsAll } = seenBy(context, asking);
  const known = await findOpen(context.database.db, ['watch', 'digest'], number);
  if (known === undefined || !(isMine(known) || readsAll(known))) throw notFound;
  const listed = context.names(undefined).environments;
  const envs = environmentsThen(known).map((stored) => listed.find(({ id }) => id === stored.id) ?? stored);
  if (!isMine(known) && !(await mayAllNow(context, asking.person.id, envs, known.kind)))
    throw new Refusal(
      say`**Only ${known.requester_name}, and people who may ${code(known.kind)} ${aboutThen(known)}, can stop this.** Nothing was done.`,
    );
  const env = known.kind === 'digest' ? undefined : envs[0];
  const stopped = await stop(context, asking, known, env?.name);
  if (stopped === undefined) throw notFound;
  const untold = stopped.kind === 'watch' ? heldIn(watchProgress(stopped)) : 0;
  return {
    title: say`**${env ? 'Watch' : 'Digest'} ${code(`#${number}`)} of ${aboutThen(stopped)} is over**`,
    parts:
      untold === 0
        ? []
        : [paragraph(say`It held back ${counted(untold, 'new kind')} of errors that nobody is told about now.`)],
    offers: env ? [{ label: 'Error log', args: ['logs', env.id, 'error', '--errors', '--since=24h'] }] : [],
  };
}

/** Ends it and says so in its channel. Undefined if it was over before. `name`: of the environment of a watch, now. */
const stop = (context: SendContext, asking: Asking, watch: Watch | Digest, name: string | undefined) =>
  exclusiveTransaction(context.database, async (tx, at) => {
    const stopped = await endWaiting<'watch' | 'digest'>(tx, watch, at);
    if (stopped === undefined) return undefined;
    await record(context, asking, tx, at, {
      event: `${stopped.kind}_stop`,
      about: environmentsThen(stopped),
      ...auditDetails(stopped),
    });
    const note = stoppedNote(stopped, name ?? aboutThen(stopped), asking.person.name);
    await enqueueNote(context, tx, stopped, note, at);
    return stopped;
  });

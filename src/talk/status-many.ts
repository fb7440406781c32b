import type { Environments } from '../hosting/contract/target.ts';
import { code, joined, sample, say, withoutQuotes, type Inline, type Text } from '../words/text.ts';
import { age, counted, isAhead, type Page } from '../commands/kit/page.ts';
import { whyMissing, type NewestBackup, type StatusPart } from '../commands/kit/site-status.ts';
import { briefStatusOf, type BriefStatus, type SiteWork } from './site-status.ts';
import { manyPage, type Ranked } from '../commands/many-environments.ts';
import { mayRunOn } from '../access/may-run.ts';
import type { Asking } from '../decide/admin-actions.ts';
import type { PipelineContext } from './context.ts';
import { isOldBackup } from '../commands/backups/newest.ts';

/** What is at hand of many environments, a line each. Their sites and logs are not read, so none is called well. */

export async function statusOfMany(context: PipelineContext, asking: Asking, of: Environments): Promise<Page> {
  const now = Date.now();
  const each = await briefStatusOf(context, asking, of.all);
  const backups = each.flatMap(({ part }) => (part.kind === 'found' ? [part.found.backup] : []));
  return manyPage({
    title: say`**Locks, open changes and backups**`,
    of,
    each,
    isRead: backups.some(({ kind }) => kind === 'found'),
    tell: (brief) => briefText(brief, now),
    none: [],
    note: joined([
      say`**I didn't read their sites and logs,** so • means only that I found nothing in the rest. The worst come first. For one in full, type ${sample('status site/environment')}.`,
      whyUnread(backups),
    ]),
    isPartial: true,
    offer: (env, shown) =>
      mayRunOn(context.policy(), asking.person, 'status', env) === 'yes'
        ? { label: `Status of ${shown}`, args: ['status', env.id] }
        : undefined,
    now,
  });
}

/** Why backups could not be read: the most frequent reason, with the number of environments. */
function whyUnread(backups: readonly BriefStatus['backup'][]): Text | undefined {
  const whys = backups.flatMap((read) =>
    read.kind === 'failed' || read.kind === 'late' ? [whyMissing(read).says] : [],
  );
  const [alike = []] = [...Map.groupBy(whys, withoutQuotes).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return alike[0] && say`Of ${counted(alike.length, 'environment')} the newest backup is ${alike[0]}`;
}

/** A part of a line. The worst part decides the mark and the place of the line. */
type Part = Omit<Ranked, 'says'> & { readonly says: Inline };
const part = (mark: Part['mark'], rank: number, says: Inline): Part => ({ mark, rank, says });

function briefText({ work, backup }: BriefStatus, now: number): Ranked {
  const parts = [...workText(work), backupText(backup, now)];
  const [worst] = parts.toSorted((one, other) => one.rank - other.rank);
  const { mark, rank } = worst ?? { mark: '✅', rank: 0 };
  return {
    mark,
    rank,
    says: joined(
      parts.map(({ says }) => says),
      ', ',
    ),
  };
}

function workText({ lock, open, hidden, queued, more }: SiteWork): readonly Part[] {
  const unclear = open.filter(({ state }) => state.includes('unknown'));
  const others = open.length - unclear.length;
  return [
    ...unclear.map(({ number }) => part('⚠️', 0, say`**outcome of ${code(`#${number}`)} unknown**`)),
    ...(lock ? [part('⚠️', 1, say`**locked**`)] : []),
    ...(others > 0 ? [part('✅', 6, `${counted(others, 'change')}${more ? ' or more' : ''} waiting or running`)] : []),
    // Its outcome may be unknown.
    ...(hidden > 0 ? [part('❔', 4, `${counted(hidden, 'open change')} that you can't see`)] : []),
    ...(others + hidden === 0 && more ? [part('❔', 4, 'there may be open changes')] : []),
    ...(queued > 0 ? [part('✅', 6, `${counted(queued, 'request')} in the queue`)] : []),
  ];
}

function backupText(read: StatusPart<NewestBackup>, now: number): Part {
  if (read.kind === 'not allowed' || read.kind === 'rights unknown')
    return part('❔', 5, 'you may not see its backups');
  if (read.kind !== 'found') return part('❔', 4, 'newest backup unknown');
  const backup = read.found;
  if (backup === null) return part('⚠️', 2, say`**no backup listed**`);
  if (backup.at === undefined) return part('❔', 4, 'age of the newest backup unknown');
  if (isAhead(backup.at, now)) return part('❔', 4, 'newest backup dated in the future');
  const isOld = isOldBackup(backup.at, now);
  const says = `newest backup ${age(now - backup.at)}`;
  return isOld ? part('⚠️', 3, says) : part('✅', 7, says);
}

import { showDuration, dayMs, hourMs } from '../../words/duration.ts';
import type { Environments } from '../../hosting/contract/target.ts';
import { joined, say, time } from '../../words/text.ts';
import { duration, environments, option, withHint } from '../kit/fields.ts';
import { age, counted, freeText, isAhead, listOr, readAt, unreadText, type Page } from '../kit/page.ts';
import { report, type ReportContext } from '../kit/report.ts';
import type { NewestBackup } from '../kit/site-status.ts';
import { asEnvironments, manyPage, type Ranked } from '../many-environments.ts';
import { backupsOf, isOldBackup, newestBackup, newestAmong } from './newest.ts';

/** A phone shows about two lines of this. */
const maxNameLength = 80;

export const backupsList = report({
  summary: 'List backups of one environment or many',
  button: 'List backups',
  also: `
    backups, backup <environment>, backup of, backup age, any backup, all backup, have backup, is backup, there
    backup, backup exist, last backup, latest backup, newest backup, recent backup, old backup, how old backup,
    when backup, when last backup, last backed up`,
  examples: ['acme-shop/live', 'acme-*/live --older 24h', 'acme-shop/live, acme-blog/live'],
  fields: {
    env: environments(),
    older: withHint(
      'Only environments whose newest backup is older.',
      option(duration('Older than', hourMs, 365 * dayMs)),
    ),
  },
  target: 'env',
  show: async ({ input: { env, older }, read, each, now }) => {
    if (env.kind === 'environments' || older !== undefined)
      return newestOfMany(asEnvironments(env), older, { each, now });
    const backups = await backupsOf(read, env);
    const newest = newestAmong(backups)?.at;
    const count = backups.entries.length + backups.unread;
    return {
      title: say`**${env.name} · backups** · ${counted(count, 'backup')}${newest ? `, the newest ${age(now - newest)}` : ''}`,
      parts: listOr(
        say`**The host lists no backup of ${env.name}.** Without one, what is overwritten or deleted there is lost.`,
        backups.entries.map(({ created_at: at, type = '', name = '', note = '' }) =>
          joined(
            [
              say`**${at ? age(now - at) : 'age not known'}**`,
              at ? time(at, 'date') : undefined,
              titleCased(type),
              tellsMore(name, type) ? freeText(name, maxNameLength) : undefined,
              note && say`“${freeText(note, maxNameLength)}”`,
            ],
            ' · ',
          ),
        ),
        unreadText(backups, 'backup'),
      ),
      source: readAt(now),
    };
  },
});

/** Whether a name says more than kind and time. Most don't: `scheduled-backup 2026-11-23 15:19`. */
const tellsMore = (name: string, type: string): boolean =>
  !/^[-_ ]*(backup)?[-_ ]*$/i.test(name.replace(type, '').replace(/\d{4}-\d\d-\d\d[ T]?[\d:]*$/, ''));

const titleCased = (type: string): string => type.replace(/[-_]+/g, ' ').replace(/^\w/, (first) => first.toUpperCase());

/** The newest backup of each environment; with `older`, only of environments where it is older than that (milliseconds). */
async function newestOfMany(
  of: Pick<Environments, 'all' | 'trouble'>,
  older: number | undefined,
  { each, now }: Pick<ReportContext, 'each' | 'now'>,
): Promise<Page> {
  return manyPage({
    title:
      older === undefined
        ? say`**Newest backups,** oldest first`
        : say`**Newest backups older than ${showDuration(older)}**`,
    of,
    each: await each({ paths: ['backups list'], all: of.all, work: (env, read) => newestBackup(read, env) }),
    tell: (backup) => newestText(backup, now, older),
    none: say`All of them have a newer backup.`,
    now,
  });
}

/** Environments without a backup come first, then the oldest backups; undefined if the backup is not older than `older`. */
function newestText(backup: NewestBackup, now: number, older: number | undefined): Ranked | undefined {
  if (backup === null) return { mark: '⚠️', says: say`**has no listed backup.**`, rank: 0 };
  const { at, type } = backup;
  const kind = type || 'of unknown kind';
  if (at === undefined)
    return { mark: '❔', says: say`unknown: the host doesn't say how old it is (${kind}).`, rank: 0 };
  if (isAhead(at, now)) return { mark: '❔', says: say`unknown: the host dates it in the future (${kind}).`, rank: 0 };
  if (older !== undefined && now - at <= older) return undefined;
  return { mark: isOldBackup(at, now) ? '⚠️' : '✅', says: say`${age(now - at)} (${kind})`, rank: at };
}

import { listBackups } from '../../hosting/contract/backups.ts';
import { joined, say, time } from '../../text.ts';
import { duration, environments, option } from '../kit/fields.ts';
import { age, counted, listOr, readAt } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { newestOfMany } from './newest-of-many.ts';

export const backupsList = report({
  summary: 'List the backups of an environment, or the newest ones of many',
  button: 'List backups',
  examples: ['acme-shop/live', 'acme-*/live --older 24h', 'acme-shop/live, acme-blog/live'],
  fields: { env: environments(), older: option(duration('Older than', 3_600_000, 365 * 86_400_000)) },
  target: 'env',
  show: async ({ input: { env, older }, read, each, now }) => {
    if (env.kind === 'environments') return newestOfMany(env, older, { each, now });
    if (older !== undefined) return newestOfMany({ all: [env], trouble: undefined }, older, { each, now });
    const backups = [...(await read(listBackups({ env_id: env.id })))];
    backups.sort((a, b) => (b.created_at ?? 0) - (a.created_at ?? 0));
    const newest = backups[0]?.created_at;
    return {
      title: say`**${env.name} · backups** · ${counted(backups.length, 'backup')}${newest ? `, the newest ${age(now - newest)}` : ''}`,
      parts: listOr(
        say`**There is no backup of ${env.name}.** Anything overwritten or deleted there can't be brought back.`,
        backups.map(({ created_at: at, type = '', name, note }) =>
          joined(
            [
              say`**${at ? age(now - at) : 'age not known'}**`,
              at ? time(at, 'date') : undefined,
              titleCased(type),
              tellsMore(name, type) ? name : undefined,
              note && say`“${note}”`,
            ],
            ' · ',
          ),
        ),
      ),
      source: readAt(now),
    };
  },
});

/** Most names only repeat kind and time: `scheduled-backup 2026-11-23 15:19`. */
const tellsMore = (name = '', type: string): boolean =>
  !/^[-_ ]*(backup)?[-_ ]*$/i.test(name.replace(type, '').replace(/\d{4}-\d\d-\d\d[ T]?[\d:]*$/, ''));

const titleCased = (type: string): string => type.replace(/[-_]+/g, ' ').replace(/^\w/, (first) => first.toUpperCase());

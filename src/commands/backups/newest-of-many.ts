import { showDuration } from '../../duration.ts';
import type { Environments } from '../../hosting/contract/target.ts';
import { say } from '../../text.ts';
import { age, type Page } from '../kit/page.ts';
import type { ReportContext } from '../kit/report.ts';
import type { NewestBackup } from '../kit/site-status.ts';
import { manyPage, type Ranked } from '../many-environments.ts';
import { newestBackup } from './newest.ts';

const dayMs = 86_400_000;

/** The newest backup of each environment, or of those where it is older than `older` milliseconds. */
export async function newestOfMany(
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

/** Those without any first, then the oldest; undefined if it is not older than `older`. */
function newestText(backup: NewestBackup, now: number, older: number | undefined): Ranked | undefined {
  if (backup === null) return { mark: '⚠️', says: say`**has no backup.**`, rank: 0 };
  const { at, type } = backup;
  const kind = type || 'of unknown kind';
  if (at === undefined)
    return { mark: '❔', says: say`unknown: the host doesn't say how old it is (${kind}).`, rank: 0 };
  if (older !== undefined && now - at <= older) return undefined;
  return { mark: now - at > dayMs ? '⚠️' : '✅', says: say`${age(now - at)} (${kind})`, rank: at };
}

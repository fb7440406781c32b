import type { Environments } from '../../hosting/contract/target.ts';
import { code, joined, say, type Inline } from '../../text.ts';
import type { QueryService } from '../kit/builtin.ts';
import { age, counted, type Page } from '../kit/page.ts';
import type { BriefStatus, NewestBackup, SiteWork, StatusPart } from '../kit/site-status.ts';
import { manyPage, type Ranked } from '../many-environments.ts';
import { dayMs } from '../../duration.ts';

/** The state of many environments, a line each. Their sites and logs are not read. */

export async function statusOfMany(of: Environments, queryService: QueryService): Promise<Page> {
  const { now } = queryService;
  const page = manyPage({
    title: say`**Status,** worst first`,
    of,
    each: await queryService.briefStatus(of.all),
    tell: (brief) => briefText(brief, now),
    none: [],
    now,
  });
  return { ...page, source: say`${page.source}; their sites and logs were not read` };
}

/** A part of a line. The worst part gives the line its mark and its place. */
type Part = Omit<Ranked, 'says'> & { readonly says: Inline };

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

function workText({ lock, open, hidden, more }: SiteWork): readonly Part[] {
  const unclear = open.filter(({ state }) => state.includes('unknown'));
  const others = open.length - unclear.length + hidden;
  return [
    ...unclear.map(({ number }): Part => ({
      mark: '⚠️',
      rank: 0,
      says: say`**outcome of ${code(`#${number}`)} unknown**`,
    })),
    ...(lock ? [{ mark: '⚠️', rank: 1, says: say`**locked**` } as const] : []),
    ...(others > 0 || more
      ? [
          {
            mark: '✅',
            rank: 6,
            says: `${counted(others, 'change')}${more ? ' or more' : ''} waiting or running`,
          } as const,
        ]
      : []),
  ];
}

function backupText(part: StatusPart<NewestBackup>, now: number): Part {
  if (part.kind === 'not allowed' || part.kind === 'rights unknown')
    return { mark: '❔', rank: 5, says: `you may not see its backups` };
  if (part.kind !== 'found') return { mark: '❔', rank: 4, says: `newest backup unknown` };
  const backup = part.found;
  if (backup === null) return { mark: '⚠️', rank: 2, says: say`**no backup**` };
  if (backup.at === undefined) return { mark: '❔', rank: 4, says: `age of the newest backup unknown` };
  const isOld = now - backup.at > dayMs;
  const says = `newest backup ${age(now - backup.at)}`;
  return isOld ? { mark: '⚠️', rank: 3, says } : { mark: '✅', rank: 7, says };
}

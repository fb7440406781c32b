import { backupsIfReadable, listBackups, type Backup } from '../../hosting/contract/environment.ts';
import type { HostReader } from '../../hosting/contract/call.ts';
import type { PartialList } from '../../hosting/contract/fields.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { isAhead } from '../kit/page.ts';
import type { NewestBackup } from '../kit/site-status.ts';
import { say, time, type Text } from '../../words/text.ts';
import { dayMs } from '../../words/duration.ts';

/** A backup that is older than this is marked everywhere. */
const oldMs = dayMs;
/** Whether a backup that was made then is old now (epoch ms). */
export const isOldBackup = (at: number, now: number): boolean => now - at > oldMs;

/** Reads the backups of an environment, the newest first. */
export async function backupsOf(read: HostReader, { id }: Environment): Promise<PartialList<Backup>> {
  const { entries, unread } = await read(listBackups({ env_id: id }));
  return { entries: newestFirst(entries), unread };
}

const newestFirst = (backups: readonly Backup[]): readonly Backup[] =>
  backups.toSorted((one, other) => (other.created_at ?? 0) - (one.created_at ?? 0));

/** Reads the newest backup of an environment. */
export const newestBackup = async (read: HostReader, env: Environment): Promise<NewestBackup> =>
  newestAmong(await backupsOf(read, env));

/**
 * The newest of these backups; null if there are none. If one has no time, or can't be read, it may be the newest, so
 * the time is unknown.
 */
export function newestAmong({ entries, unread }: PartialList<Backup>): NewestBackup {
  const [newest] = newestFirst(entries);
  const count = entries.length + unread;
  if (count === 0) return null;
  const isCertain = count === 1 || (unread === 0 && entries.every(({ created_at: at }) => at !== undefined));
  return isCertain && newest ? { type: newest.type ?? '', at: newest.created_at } : { type: '', at: undefined };
}

/** What a card says of the newest backup. */
export type CardBackup = NewestBackup | 'unreadable';

/** As `newestBackup`, for a card, which can say that the host's answer can't be read. */
export async function newestIfReadable(read: HostReader, { id }: Environment): Promise<CardBackup> {
  const backups = await backupsIfReadable(read, id);
  return backups === 'unreadable' ? backups : newestAmong(backups);
}

export function backupFact(backup: CardBackup): Text {
  if (backup === 'unreadable') return say`unknown: the host sent an answer I can't use`;
  return backup === null ? say`the host lists none` : say`${backup.type || 'of unknown kind'}, ${whenMade(backup)}`;
}

/** A warning about a missing or old backup; undefined if it is recent enough. */
export function backupWarning({ name }: Environment, backup: CardBackup, now: number): Text | undefined {
  if (backup === 'unreadable')
    return say`**I can't tell whether there is a backup of ${name}.** Please check the host's panel.`;
  if (backup === null) return say`**The host lists no backup of ${name}.**`;
  if (backup.at === undefined) return say`**The host doesn't say how old the newest backup of ${name} is.**`;
  if (isAhead(backup.at, now))
    return say`**The host dates the newest backup of ${name} in the future,** so its age is unknown.`;
  return isOldBackup(backup.at, now)
    ? say`**The newest backup of ${name} is older than a day:** ${whenMade(backup)}.`
    : undefined;
}

const whenMade = ({ at }: { readonly at: number | undefined }): Text =>
  at === undefined ? say`at a time the host does not tell` : [time(at, 'date')];

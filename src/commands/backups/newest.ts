import { listBackups } from '../../hosting/contract/backups.ts';
import type { HostReader } from '../../hosting/contract/call.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import type { NewestBackup } from '../kit/site-status.ts';
import { say, time, type Text } from '../../text.ts';
import { dayMs } from '../../duration.ts';

/** Reads the backups of an environment, the newest first. */
export const backupsOf = async (read: HostReader, { id }: Environment) =>
  (await read(listBackups({ env_id: id }))).toSorted((one, other) => (other.created_at ?? 0) - (one.created_at ?? 0));

/**
 * Reads the newest backup of an environment; null if there is none. If a backup has no time, it may be the newest, so
 * the time is unknown.
 */
export async function newestBackup(read: HostReader, env: Environment): Promise<NewestBackup> {
  const backups = await backupsOf(read, env);
  const [newest] = backups;
  if (newest === undefined) return null;
  const isCertain = backups.length === 1 || backups.every(({ created_at: at }) => typeof at === 'number');
  return isCertain ? { type: newest.type ?? '', at: newest.created_at ?? undefined } : { type: '', at: undefined };
}

export const backupFact = (backup: NewestBackup): Text =>
  backup === null ? say`none` : say`${backup.type || 'of unknown kind'}, ${whenMade(backup)}`;

/** A warning about a missing or old backup; undefined if it is recent enough. */
export function backupWarning({ name }: Environment, backup: NewestBackup, now: number): Text | undefined {
  if (backup === null) return say`**There is no backup of ${name}.**`;
  if (backup.at === undefined) return say`**The host doesn't say how old the newest backup of ${name} is.**`;
  return now - backup.at > dayMs
    ? say`**The newest backup of ${name} is older than a day:** ${whenMade(backup)}.`
    : undefined;
}

const whenMade = ({ at }: { readonly at: number | undefined }): Text =>
  at === undefined ? say`at a time the host does not tell` : [time(at, 'date')];

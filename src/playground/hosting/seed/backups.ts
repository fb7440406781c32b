import type { Random } from '../random.ts';
import type { Backup, BackupType } from '../resources.ts';

const hour = 3_600_000;

/** Two weeks of daily backups, newest first and a few hours old, with some manual and system ones between. */
export function backupsUpTo(now: number, firstId: number, random: Random): Backup[] {
  const newest = now - random.integer(2, 7) * hour;
  const taken: Omit<Backup, 'id'>[] = Array.from({ length: 14 }, (_, day) =>
    backup('scheduled', newest - day * 24 * hour),
  );
  taken.push(backup('manual', newest - 31 * hour, 'Before the new checkout'));
  taken.push(backup('manual', newest - 170 * hour, 'Before the theme change'));
  taken.push(backup('system-generated', newest - 76 * hour, 'Before a push from staging'));
  return taken
    .toSorted((one, other) => other.created_at - one.created_at)
    .map((one, at, all) => ({ id: firstId + all.length - at, ...one }));
}

/** A backup without its id; `at` in epoch milliseconds. */
export function backup(type: BackupType, at: number, note = ''): Omit<Backup, 'id'> {
  const day = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return { name: `${type}-backup ${day}`, note, type, created_at: at };
}

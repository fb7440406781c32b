import { z } from 'zod';
import { HostTrouble } from '../failure.ts';
import type { HostReader } from './call.ts';
import { momentOf, flagCell, numberCell, partialList, textCell, type PartialList } from './fields.ts';
import { readEndpoint } from './endpoint.ts';

const backup = z.object({
  id: numberCell,
  name: textCell,
  note: textCell,
  type: textCell,
  /** Epoch milliseconds, whatever unit the host uses. */
  created_at: numberCell.transform(momentOf),
});
export type Backup = z.output<typeof backup>;

/** 4.21. `reset_at` is a moment in words. */
export const getNextDownloadableBackup = readEndpoint({
  section: '4.21',
  path: '/sites/environments/{env_id}/next-downloadable-backup-available',
  statuses: [200, 401, 404, 500],
  reply: z.object({ is_backup_available: flagCell, reset_at: textCell }),
});

/** 4.22. Manual, scheduled and system-generated backups, in the host's order. */
export const listBackups = readEndpoint({
  section: '4.22',
  path: '/sites/environments/{env_id}/backups',
  statuses: [200, 401, 404, 500],
  reply: z
    .object({ environment: z.object({ backups: partialList(backup) }) })
    .transform(({ environment }) => environment.backups),
});

/** The backups, or that the host's answer can't be read. Any other trouble may pass, so it rejects. */
export async function backupsIfReadable(read: HostReader, env_id: string): Promise<PartialList<Backup> | 'unreadable'> {
  try {
    return await read(listBackups({ env_id }));
  } catch (error) {
    if (error instanceof HostTrouble && error.kind === 'odd answer') return 'unreadable';
    throw error;
  }
}

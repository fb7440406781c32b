import { z } from 'zod';
import type { Route } from '../endpoint.ts';
import { ok } from '../reply.ts';
import { backup } from '../seed/backups.ts';
import type { BackupType, Environment } from '../resources.ts';

const week = 7 * 24 * 3_600_000;
const maxBackups = 60;

/** The backups of an environment. */
export const backupRoutes: readonly Route[] = [
  {
    section: '4.21',
    method: 'GET',
    path: '/sites/environments/{env_id}/next-downloadable-backup-available',
    errors: [401, 404, 500],
    answer: (call, { world, now }) => {
      const manual = world.environment(call.uuid()).backups.find(({ type }) => type === 'manual');
      const next = (manual?.created_at ?? 0) + week;
      const isAvailable = next <= now();
      return ok({ is_backup_available: isAvailable, reset_at: new Date(isAvailable ? now() : next).toUTCString() });
    },
  },
  {
    section: '4.22',
    method: 'GET',
    path: '/sites/environments/{env_id}/backups',
    errors: [401, 404, 500],
    answer: (call, { world }) => {
      const { displayName, backups } = world.environment(call.uuid());
      return ok({ environment: { display_name: displayName, backups } });
    },
  },
  {
    section: 'beyond',
    method: 'POST',
    path: '/sites/environments/{env_id}/manual-backups',
    errors: [400, 401, 404, 500],
    optional: 'manualBackups',
    answer: (call, { world, operations, now }) => {
      const id = call.uuid();
      const { tag } = call.bodyIfAny(z.object({ tag: z.string().max(200).optional() }));
      world.environment(id);
      return operations.start('backups:add-manual', {
        finish: () => addBackup(world.environment(id), 'manual', now(), tag),
      });
    },
  },
];

/** Adds a new backup in front; the oldest are dropped beyond 60. `at` in epoch milliseconds. */
export function addBackup(environment: Environment, type: BackupType, at: number, note?: string): void {
  const id = Math.max(0, ...environment.backups.map((one) => one.id)) + 1;
  environment.backups = [{ id, ...backup(type, at, note) }, ...environment.backups].slice(0, maxBackups);
}

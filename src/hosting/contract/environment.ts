import { writeEndpoint, readEndpoint, type HostReader } from './call.ts';
import {
  uuid,
  partialList,
  textCell,
  line,
  filledLine,
  trueOrFalse,
  wholeList,
  momentOf,
  flagCell,
  numberCell,
  type PartialList,
} from './fields.ts';
import { z } from 'zod';
import { values, names, allowlistKeys } from '../dialect.ts';
import { isAnswered, HostTrouble } from '../failure.ts';
import { listSites } from './sites.ts';

/** What one environment has: its page cache, CDN, files, logs, SSH access and backups. */

/** 4.12. The page cache only. */
export const clearCache = writeEndpoint({
  section: '4.12',
  method: 'POST',
  path: '/sites/tools/clear-cache',
  body: { environment_id: uuid },
  operation: 'cache:clear',
  statuses: [202, 401, 500],
});

/** The ways to compress images. */
export const imageOptimizations = values.imageOptimizations;
export type ImageOptimization = (typeof imageOptimizations)[number];

/** 4.11. `false` is another word for `off`. */
export const optimizeImages = writeEndpoint({
  section: '4.11',
  method: 'PUT',
  path: '/sites/cdn/image-optimization',
  body: { environment_id: uuid, image_optimization_type: z.enum(imageOptimizations).or(z.literal(false)) },
  operation: 'cdn:update-image-optimization',
  statuses: [202, 401, 500],
});

/**
 * The setting of an environment in the host's list of sites; undefined if the list does not say, or this key may not
 * read it. Rejects with any other trouble.
 */
export async function imagesOf(
  read: HostReader,
  company: string,
  env_id: string,
): Promise<ImageOptimization | undefined> {
  const { sites } = await read(listSites({ company, include_environments: true })).catch((error: unknown) => {
    if (isAnswered(error, 403, 404)) return { sites: [] };
    throw error;
  });
  const environments = sites.flatMap((site) => site.environments?.entries ?? []);
  return environments.find(({ id }) => id === env_id)?.image_optimization_type;
}

/** A file or, with `children`, a folder. `path` is relative to the site's root. */
export type FileNode = {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly children?: readonly FileNode[] | undefined;
  /** How many of the children can't be read. */
  readonly unread?: number;
};

const fileNode: z.ZodType<FileNode> = z.lazy(() =>
  z
    .object({
      name: textCell,
      path: textCell,
      // Whatever stands in place of the list makes it a folder with an entry that can't be read.
      children: partialList(fileNode).catch({ entries: [], unread: 1 }).nullish(),
    })
    .transform(({ name, path, children: found }) => {
      if (!found) return { name, path };
      const { entries, unread } = found;
      return { name, path, children: entries, ...(unread > 0 && { unread }) };
    }),
);

/** 4.20 */
export const listFiles = readEndpoint({
  section: '4.20',
  path: '/sites/environments/{env_id}/file-list',
  statuses: [200, 401, 404, 500],
  reply: z
    .object({ environment: z.object({ file_list: partialList(fileNode) }) })
    .transform(({ environment }) => environment.file_list),
});

/** What the host calls its logs; the keys are the names that people type. */
export const logFiles = { error: 'error', access: 'access', cache: 'service-cache-perf' } as const;

const moment = z.iso.datetime({ offset: true });

/** 4.19. The newest lines of a log as one text. `from` and `to` are ISO 8601 moments. */
export const getLogs = readEndpoint({
  section: '4.19',
  path: '/sites/environments/{env_id}/logs',
  query: {
    [names.logFile]: z.enum(Object.values(logFiles)),
    [names.logLines]: z.int().min(1).max(20_000).optional(),
    [names.logFrom]: moment.optional(),
    [names.logTo]: moment.optional(),
    [names.logSearch]: line.optional(),
  },
  statuses: [200, 400, 401, 404, 500],
  reply: z
    .object({ environment: z.object({ container_info: z.object({ logs: z.string() }) }) })
    .transform(({ environment }) => environment.container_info.logs),
});

/** How long an SSH password may be valid. */
export const expirationIntervals = values.expirationIntervals;

/** 4.15 */
export const setPasswordExpiration = writeEndpoint({
  section: '4.15',
  method: 'POST',
  path: '/sites/environments/{env_id}/ssh/change-expiration-interval',
  body: { exp_interval: z.enum(expirationIntervals) },
  statuses: [200, 400, 401, 500],
});

/** An entry that can be sent. */
export const allowlistEntry = filledLine.max(128);

/** 4.16. Replaces the whole list. Addresses the host already lists may have any form. */
export const setAllowedIps = writeEndpoint({
  section: '4.16',
  method: 'POST',
  path: '/sites/environments/{env_id}/ssh/set-allowed-ips',
  body: { ip_allowlist: z.array(allowlistEntry).max(10_000).readonly() },
  statuses: [200, 400, 401, 500],
});

const allowlist = wholeList(z.string());
const [documented, seen] = allowlistKeys;

/** 4.17. This list decides who may connect, so a missing list is an odd answer, never an empty one. */
export const getAllowedIps = readEndpoint({
  section: '4.17',
  path: '/sites/environments/{env_id}/ssh/get-allowed-ips',
  statuses: [200, 400, 401, 404, 500],
  reply: z
    .object({
      environment: z.object({
        active_container: z.union([z.object({ [documented]: allowlist }), z.object({ [seen]: allowlist })]),
      }),
    })
    .transform(({ environment: { active_container: container } }) =>
      documented in container ? container[documented] : container[seen],
    ),
});

/** 4.18 */
export const setPasswordAccess = writeEndpoint({
  section: '4.18',
  method: 'POST',
  path: '/sites/environments/{env_id}/ssh/set-password-status',
  body: { is_enabled: trueOrFalse },
  statuses: [200, 400, 401, 500],
});

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

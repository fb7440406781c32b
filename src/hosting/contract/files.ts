import { z } from 'zod';
import { readEndpoint } from './endpoint.ts';
import { cell, entries, entriesOrNone, textCell } from './fields.ts';

/** A file or, with `children`, a folder. `path` is relative to the site's root. */
export type FileNode = {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly children?: readonly FileNode[] | undefined;
};

const fileNode: z.ZodType<FileNode> = z.lazy(() =>
  z.object({ name: textCell, path: textCell, children: cell(entries(fileNode)) }),
);

/** 4.20 */
export const listFiles = readEndpoint({
  section: '4.20',
  path: '/sites/environments/{env_id}/file-list',
  statuses: [200, 401, 404, 500],
  reply: z
    .object({ environment: z.object({ file_list: entriesOrNone(fileNode) }) })
    .transform(({ environment }) => environment.file_list),
});

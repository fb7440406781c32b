import { z } from 'zod';
import { readEndpoint } from './endpoint.ts';
import { partialList, textCell } from './fields.ts';

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

import type { PostContext } from '../post/context.ts';
import type { AuditDestination } from './audit-out.ts';

/** What this room works with, besides what those before it need. */
export type AuditContext = PostContext & {
  /** The current key of the audit chain first, then its former ones; empty: the chain is a plain hash. */
  readonly auditKeys: readonly Buffer[];
  /** Where the audit trail is sent besides the database; undefined: nowhere. */
  readonly auditOut: Pick<AuditDestination, 'id' | 'name'> | undefined;
};

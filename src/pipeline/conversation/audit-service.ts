import type { QueryService } from '../../commands/kit/builtin.ts';
import { writeDown, type Actor } from '../steps/admin-actions.ts';
import { readerOf } from '../access/visibility.ts';
import { exportFile } from '../audit/audit-export.ts';
import { trailFor } from '../audit/audit-query.ts';
import { findingOf } from '../audit/audit-anchor.ts';
import type { PipelineContext } from './context.ts';

/** What the audit commands need, for one person. */

/** The trail's part of a `QueryService`, limited to what this person may audit. */
export function auditServiceFor(
  context: PipelineContext,
  actor: Actor,
): Pick<QueryService, 'trail' | 'verify' | 'exportTrail'> {
  const { db } = context.database;
  return {
    trail: (filter) => trailFor(db, readerOf(context, actor.person, 'audit'), filter),
    verify: async () => findingOf(db, context.auditKeys, await context.database.now()),
    exportTrail: async (format, since) => {
      const file = await exportFile(context.database, readerOf(context, actor.person, 'audit'), format, since);
      await writeDown(context, actor, { event: 'audit_export', format, since, lines: file.lines });
      return file;
    },
  };
}

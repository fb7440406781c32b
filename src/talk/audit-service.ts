import type { QueryService } from '../commands/kit/builtin.ts';
import { writeDown, type Asking } from '../decide/admin-actions.ts';
import { refuseUnlessShown } from '../access/sight.ts';
import { exportFile, trailFor } from '../audit/audit-query.ts';
import { findingOf } from '../audit/audit-anchor.ts';
import type { PipelineContext } from './context.ts';

/** What the audit commands need, for one person. */

/** The trail's part of a `QueryService`, limited to what this person may audit. */
export function auditServiceFor(
  context: PipelineContext,
  asking: Asking,
): Pick<QueryService, 'trail' | 'verify' | 'exportTrail'> {
  const { db } = context.database;
  return {
    trail: (filter) => trailFor(db, asking.sight.reader('audit'), filter),
    verify: async () => findingOf(db, context.auditKeys, await context.database.now()),
    exportTrail: async (format, since) => {
      const file = await exportFile(context.database, asking.sight.reader('audit'), format, since);
      // Before it is written: the rules may have changed while it was read.
      refuseUnlessShown(context, asking.person, asking.sight.shown());
      await writeDown(context, asking, { event: 'audit_export', about: 'company', format, since, lines: file.lines });
      return file;
    },
  };
}

import type { QueryService } from '../../commands/kit/builtin.ts';
import type { TrailFile } from '../../commands/kit/audit.ts';
import type { Person } from '../access/access-check.ts';
import { writeDown, type Actor } from '../steps/admin-actions.ts';
import { readerOf } from '../access/visibility.ts';
import { headOf, exportLine, type Format } from '../audit/audit-export.ts';
import { trailFor, trailSince } from '../audit/audit-query.ts';
import { findingOf } from '../audit/audit-anchor.ts';
import type { PipelineContext } from './context.ts';

/** What the audit commands need, for one person. */

/** The limits of an exported file. */
const maxLines = 100_000;
const maxCharacters = 40_000_000;

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
      const file = await fileOf(context, actor.person, format, since);
      await writeDown(context, actor, { event: 'audit_export', format, since, lines: file.lines });
      return file;
    },
  };
}

async function fileOf(
  context: PipelineContext,
  person: Person,
  format: Format,
  since: number | undefined,
): Promise<TrailFile> {
  const { database } = context;
  const day = new Date(await database.now()).toISOString().slice(0, 10);
  const name = `audit-trail-${day}.${format}`;
  const lines: string[] = [];
  let characters = 0;
  const file = (more: boolean): TrailFile => ({
    name,
    content: headOf(format) + lines.toReversed().join(''),
    lines: lines.length,
    more,
  });
  for await (const entries of trailSince(database.db, readerOf(context, person, 'audit'), since)) {
    for (const entry of entries) {
      const line = exportLine(format, entry);
      if (lines.length === maxLines || characters + line.length > maxCharacters) return file(true);
      lines.push(line);
      characters += line.length;
    }
  }
  return file(false);
}

import { refuseUnlessShown } from '../access/sight.ts';
import { exportFile, trailFor, type TrailLine } from '../audit/audit-query.ts';
import type { audit } from '../commands/builtin/audit.ts';
import type { auditExport } from '../commands/builtin/audit/export.ts';
import type { Input } from '../commands/kit/fields.ts';
import { counted, paragraph, tableOr, type Page } from '../commands/kit/page.ts';
import { momentAt } from '../commands/kit/values/times.ts';
import { writeDown, type Asking } from '../decide/admin-actions.ts';
import { bold, code, inline, joined, mention, say, time, typed, type Text, through } from '../words/text.ts';
import type { PipelineContext } from './context.ts';

/** The audit trail, limited to what one person may audit. */

export async function auditPage(
  context: PipelineContext,
  asking: Asking,
  { env, since, by }: Input<typeof audit.fields>,
): Promise<Page> {
  const from = since && momentAt(since, Date.now(), asking.person.zone);
  const { lines, more } = await trailFor(context.database.db, asking.sight.reader('audit'), { env, since: from, by });
  const about = joined([
    say`**Audit trail**`,
    env && say`of ${bold(env.name)}`,
    by === undefined ? undefined : say`by ${mention(by)}`,
    from === undefined ? undefined : say`since ${time(from, 'date')}`,
  ]);
  return {
    title: say`${about} · ${more ? `the newest ${lines.length} lines` : counted(lines.length, 'line')}`,
    parts: tableOr(
      say`I found no such line among those you can see.`,
      ['When', 'Who', 'What', 'About', 'Grounds'],
      lines.map((line) => [
        [time(line.at, 'date')],
        whoOf(line),
        line.reason === undefined ? inline(line.says) : say`${line.says} (“${line.reason}”)`,
        joined([line.change === undefined ? undefined : code(`#${line.change}`), line.command, line.target]),
        groundsOf(line),
      ]),
    ),
    source: say`${typed('audit verify')} checks that no line was altered; ${typed('audit export csv')} gives you a file`,
  };
}

function whoOf({ actor, name, caller }: TrailLine): Text {
  if (actor === 'sitehand') return inline('Sitehand');
  return through(caller, name === undefined ? mention(actor) : say`${name} ${code(actor)}`);
}

function groundsOf({ rules, policy, fingerprint, approvers, receipt }: TrailLine): Text {
  return joined(
    [
      rules.length > 0 ? `${rules.length === 1 ? 'rule in line' : 'rules in lines'} ${rules.join(', ')}` : undefined,
      policy && say`policy ${code(policy.slice(0, 8))}`,
      fingerprint && say`fingerprint ${code(fingerprint.slice(0, 8))}`,
      approvers.length > 0 ? `approved by ${approvers.join(', ')}` : undefined,
      receipt && `host: ${receipt.slice(0, 120)}`,
    ],
    ' · ',
  );
}

/** The export is audited. */
export async function auditExportPage(
  context: PipelineContext,
  asking: Asking,
  { format, since }: Input<typeof auditExport.fields>,
): Promise<Page> {
  const from = since && momentAt(since, Date.now(), asking.person.zone);
  const { name, content, lines, more } = await exportFile(context.database, asking.sight.reader('audit'), format, from);
  // Before it is written: the rules may have changed while it was read.
  refuseUnlessShown(context, asking.person, asking.sight.shown());
  await writeDown(context, asking, { event: 'audit_export', about: 'company', format, since: from, lines });
  const sinceWhen = from === undefined ? '' : say` since ${time(from, 'date')}`;
  return {
    title: say`**Audit trail as a file** · ${more ? `the newest ${counted(lines, 'line')}` : counted(lines, 'line')}${sinceWhen}`,
    parts: [
      paragraph(say`${lines === 0 ? none : `It has every line you can see, oldest first.${more ? cut : ''}`} ${noted}`),
    ],
    // Slack takes no empty file.
    ...(lines > 0 && { file: { name, content } }),
  };
}

const none = 'I found no line among those you can see, so there is no file.';
const cut = ' Older lines were left out, because a file has a size limit.';
const noted = 'The trail records this export.';

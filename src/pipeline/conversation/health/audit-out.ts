import { counted } from '../../../commands/kit/page.ts';
import { auditOutLag, readAuditOut } from '../../../storage/audit-out.ts';
import { code, say, time } from '../../../text.ts';
import { tellAfterMs } from '../../audit/audit-out.ts';
import type { HealthContext } from './context.ts';
import { bad, unknown, well, type CheckResult } from './check-result.ts';

/** Whether the audit trail reaches the place to which it is sent. */
export async function auditOut({ auditOut: to, database }: HealthContext): Promise<CheckResult> {
  if (to === undefined) return well(say`it is sent nowhere`);
  const now = await database.now();
  const { lines, oldestMs } = await auditOutLag(database.db, to.id, now);
  const { sent, lease, trouble } = (await readAuditOut(database.db, to.id)).progress;
  const waiting = say`${counted(lines, 'line')}, since ${time(now - oldestMs, 'date')}`;
  if (lines === 0) return well(sent.seq === 0 ? say`no lines yet` : say`${code(to.name)} has taken every line`);
  if (trouble === null)
    return oldestMs < tellAfterMs || (lease?.until ?? 0) > now
      ? well(say`on its way to ${code(to.name)}: ${waiting}`)
      : unknown(say`unknown: nothing says whether it reaches ${code(to.name)} now. Waiting: ${waiting}`);
  if (trouble.lasting || now - trouble.since >= tellAfterMs)
    return bad(
      say`doesn't reach ${code(to.name)}: ${trouble.why}. Waiting: ${waiting}`,
      say`Nothing is lost, and I keep trying. Whoever runs Sitehand should check that place, and ${code('AUDIT_OUT')}.`,
    );
  return unknown(say`unknown: the last attempt to reach ${code(to.name)} failed: ${trouble.why}. Waiting: ${waiting}`);
}

import {
  countStates,
  listLost,
  oldestDue,
  oldestWatchDue,
  sizesOf,
  toReview,
  type Sizes,
} from '../../storage/open-work.ts';
import { actor, amount, bytes, code, joined, say, time, typed, type Text } from '../../words/text.ts';
import { liveInWords, liveReplicas } from '../../post/replicas.ts';
import { readPauses } from '../../decide/admin-actions.ts';
import type { HealthContext } from './context.ts';
import { bad, unknown, well, type CheckResult } from './check-result.ts';
import { counted } from '../../commands/kit/page.ts';
import { auditOutLag, readAuditOut } from '../../storage/audit.ts';
import { isKnownAltered } from '../../audit/audit-anchor.ts';
import { tellAfterMs } from '../../audit/audit-out.ts';

/** Checks of the database and its contents. */

const slowMs = 1_000;
const overdueMs = 60_000;
/** Watches wait for room in the host's rate limit, so a few late looks are normal. */
const watchOverdueMs = 900_000;
const maxUnknown = 5;
const maxTables = 3;
/** Less free space than this, in bytes, is reported. */
const leastFree = 500_000_000;

export async function answers({ database }: HealthContext): Promise<CheckResult> {
  const began = performance.now();
  await database.db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  const took = Math.max(1, Math.round(performance.now() - began));
  const says = say`${database.kind} answers in ${took} ms`;
  return took < slowMs ? well(says) : bad(says, "It's slow. Please check its load and its disk.");
}

export const storedData = async ({ database }: HealthContext): Promise<CheckResult> =>
  roomState(await sizesOf(database.db));

export function roomState(sizes: Sizes): CheckResult {
  const says = sizesInWords(sizes);
  if (sizes.free === undefined || sizes.free >= leastFree) return well(says);
  return bad(says, 'Please make room on the disk. When it is full, nothing can be saved, so nothing is sent.');
}

/** How large the database is, and what fills it: audit lines and changes are never deleted. Short, for phones. */
function sizesInWords({ bytes: total, tables, lines, since, changes, free }: Sizes): Text {
  const largest = tables.slice(0, maxTables).map((table) => `${table.name} ${bytes(table.bytes)}`);
  const trail = since === undefined ? say`` : say` since ${time(since, 'date')}`;
  const kept = say`${amount(lines)} audit ${lines === 1 ? 'line' : 'lines'}${trail}, about ${amount(changes)} ${changes === 1 ? 'change' : 'changes'}`;
  return joined(
    [
      say`${bytes(total)}${largest.length > 0 ? `, of which ${largest.join(', ')}` : ''}`,
      kept,
      free === undefined ? undefined : say`${bytes(free)} free`,
    ],
    '; ',
  );
}

export async function replicas({ database }: HealthContext): Promise<CheckResult> {
  if (database.kind === 'sqlite') return well(say`one process, because the database is SQLite`);
  const { says, isSame } = liveInWords(await liveReplicas(database));
  const advice =
    'Any of them may answer, so results can differ. Please give every replica the same policy file and the same version.';
  return isSame ? well(says) : bad(says, advice);
}

export async function sending({ database }: HealthContext): Promise<CheckResult> {
  const { all, callers } = await readPauses(database.db);
  if (!all && !callers) return well(say`approved changes are sent`);
  const says = joined(
    [
      all && say`paused by ${actor(all.by)} ${time(all.at, 'date')}`,
      callers && say`programs are paused by ${actor(callers.by)} ${time(callers.at, 'date')}`,
    ],
    '; ',
  );
  const ends = [all && 'resume', callers && 'resume callers']
    .filter((one) => one !== undefined)
    .map((one) => typed(one));
  return bad(
    says,
    say`Whoever may resume can end ${ends.length > 1 ? 'the pauses' : 'the pause'} with ${joined(
      ends.map((one) => [one]),
      ' and ',
    )}.`,
  );
}

export async function changes({ database }: HealthContext): Promise<CheckResult> {
  const counts = await countStates(database.db);
  const { waiting = 0, approved = 0, sending = 0, accepted = 0, running = 0, stopped = 0, unknown = 0 } = counts;
  const parts = [
    `${waiting} waiting`,
    `${approved} approved`,
    `${sending + accepted + running} running`,
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
    `${unknown} unknown`,
  ];
  const says = joined(parts, ', ');
  if (unknown === 0) return well(says);
  const lost = (await listLost(database.db, maxUnknown)).map(
    ({ number, at }) => say`#${number} since ${time(at, 'date')}`,
  );
  const more = unknown > lost.length ? [say`${unknown - lost.length} more`] : [];
  return bad(
    say`${says}: ${joined([...lost, ...more], ', ')}`,
    'Please check the host, then say on the card what happened. Until then, what these changes lock stays locked.',
  );
}

/** What was sent by break-glass, and is over. */
export async function reviews({ database }: HealthContext): Promise<CheckResult> {
  const { count, oldest } = await toReview(database.db);
  if (oldest?.at == null) return well(say`nothing sent by break-glass is left to review`);
  return bad(
    say`${counted(count, 'change')} sent by break-glass and not reviewed, the oldest #${oldest.number} since ${time(oldest.at, 'date')}`,
    say`${typed('changes --unreviewed')} lists them. **Review…** on the card is for whoever could have approved it; alone, it waits until the policy names somebody.`,
  );
}

export async function work({ database }: HealthContext): Promise<CheckResult> {
  const now = await database.now();
  const due = await oldestDue(database.db, now);
  if (due !== undefined && now - due > overdueMs)
    return bad(say`the oldest has been due since ${time(due, 'date')}`, 'My log says what holds it up.');
  const watch = await oldestWatchDue(database.db, now);
  if (watch === undefined || now - watch <= watchOverdueMs) return well(say`nothing is overdue`);
  return bad(
    say`a watch has been due since ${time(watch, 'date')}`,
    'Watches wait while people read many logs. If nobody does, my log says what holds it up.',
  );
}

export async function auditTrail({ database }: HealthContext): Promise<CheckResult> {
  if (!(await isKnownAltered(database.db))) return well(say`the last check found nothing wrong`);
  const advice = say`Compare it with the heads in the ops channel. Whoever knows why runs ${code('sitehand audit confirm')} on the machine.`;
  return bad(say`it was altered, as ${typed('audit verify')} shows`, advice);
}

/** Whether the audit trail reaches its other destination. */
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

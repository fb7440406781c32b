import { parseStored } from '../storage/parse-json.ts';
import { Refusal, type Args } from '../base/errors.ts';
import { HostTrouble } from '../hosting/client.ts';
import { findChange, findLater, listChanges, touchChange, touchedSince, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { redraw } from '../storage/redraw.ts';
import { say, typed } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { readerOf } from '../access/visibility.ts';
import { type ShownChange, refuseUnlessOurs } from './buttons.ts';
import { leftOf, type Undo } from './freeze.ts';
import { reparse } from '../language/reparse.ts';
import { canonicalArgs } from '../language/resolve.ts';
import { sourcesOf } from './read-sources.ts';
import { troubleText } from '../hosting/host-trouble.ts';
import type { ChangeContext } from './context.ts';
import { hourMs } from '../words/duration.ts';

/** How long *Undo* works, in milliseconds. */
export const undoMs = hourMs;

/** Whether the target is as a change left it; `unknown`: no read showed how that was, or another change may count. */
type Since = 'as left' | 'changed' | 'unknown';

/**
 * The arguments that undo a change. Unless the target is as the change left it, they are reviewed before they run.
 * Throws `Refusal` if it is too late or the host can't be asked.
 */
export async function undoOf(
  context: ChangeContext,
  person: Person,
  { installation, number }: ShownChange,
): Promise<{ readonly change: Change; readonly args: Args; readonly since: Since }> {
  const { database } = context;
  await refuseUnlessOurs(database, installation);
  const change = await findChange(database.db, number);
  const undo = change?.undo == null ? undefined : parseStored<Undo>(change.undo);
  // A change that the person may not see is answered like one that doesn't exist.
  if (!change || !undo || (await database.now()) >= undo.until || !readerOf(context, person)(change)) {
    throw new Refusal('This button is too old. Nothing was done.', { hint: 'Type the command again.' });
  }
  await refuseIfUndone(context, person, change, undo);
  return { change, args: undo.args, since: await whatIsSince(context, person, change, undo) };
}

/** How many changes before an undo are looked at for the one that it has undone. */
const maxEarlier = 20;

/** What may restore a target: its arguments as stored, and when that was asked for, epoch ms. */
export type Restoring = Pick<Change, 'target' | 'args'> & { readonly askedAt: number; readonly number?: number };

/**
 * Whether it takes back a recorded change that nothing has undone when it was asked for. Taking back an undo is no way
 * back: it would make the change again.
 */
export async function isWayBack(db: ReadHandle, { target, args, askedAt, number }: Restoring): Promise<boolean> {
  const earlier = await listChanges(db, { target, ...(number && { beforeNumber: number }), limit: maxEarlier });
  const undos = earlier.flatMap((change) => {
    const undo = change.undo === null ? undefined : parseStored<Undo>(change.undo);
    return undo ? [{ ...undo, of: change.number }] : [];
  });
  const isUndo = (of: number): boolean => undos.some(({ undoneBy }) => undoneBy === of);
  return undos.some(
    (undo) =>
      JSON.stringify(undo.args) === args && undo.undoneBy === undefined && undo.until > askedAt && !isUndo(undo.of),
  );
}

/** Notes on a change that this one has undone it: its reply says so, and loses *Undo*. */
export async function noteUndone(tx: Tx, { number, target, args }: Change, at: number): Promise<void> {
  const earlier = await listChanges(tx, { target, beforeNumber: number, limit: maxEarlier });
  for (const change of earlier) {
    const undo = change.undo === null ? undefined : parseStored<Undo>(change.undo);
    if (undo === undefined || undo.undoneBy !== undefined || JSON.stringify(undo.args) !== args) continue;
    await touchChange(tx, change, { undo: JSON.stringify({ ...undo, undoneBy: number } satisfies Undo) });
    await redraw(tx, change.number, at);
  }
}

/** Throws `Refusal` if a later change did the same as *Undo*: it was pressed twice, or somebody typed it. */
async function refuseIfUndone({ database, names }: ChangeContext, person: Person, change: Change, { args }: Undo) {
  const restored = reparse({ args: JSON.stringify(args) }, names(person));
  const same = restored && JSON.stringify(canonicalArgs(restored.resolved));
  const later = same && (await findLater(database.db, change.number, change.target, same));
  if (!later) return;
  const isDone = later.state === 'done' || later.state === 'happened';
  throw new Refusal(
    say`#${later.number} ${isDone ? 'has undone' : 'undoes'} #${change.number} already. Nothing was done.`,
    { hint: say`${typed(`change ${later.number}`)} shows how it stands.` },
  );
}

async function whatIsSince(context: ChangeContext, person: Person, change: Change, { left }: Undo): Promise<Since> {
  const restored = reparse(change, context.names(person));
  // If the person can't read the target, they are refused when the arguments run.
  if (restored?.action.look === undefined) return 'as left';
  const touched = await touchedSince(context.database.db, change);
  if (touched === 'yes') return 'changed';
  if (left === null) return 'unknown';
  const { action, resolved } = restored;
  const now = await action
    .look?.({ input: resolved.input, ...sourcesOf(context, person.id) })
    .catch((error: unknown) => {
      if (!(error instanceof HostTrouble)) throw error;
      throw new Refusal(say`${troubleText(error)} Nothing was done.`, {
        hint: 'Please try again in a minute.',
      });
    });
  if (leftOf(action, resolved, now) !== left) return 'changed';
  return touched === 'no' ? 'as left' : 'unknown';
}

import { parseStored } from '../storage/parse-json.ts';
import { Refusal, type Args } from '../base/errors.ts';
import { HostTrouble } from '../hosting/client.ts';
import { findChange, touchChange, type Change } from '../storage/changes.ts';
import { findLater, findUndoable, touchedSince } from '../storage/undone.ts';
import type { Tx } from '../storage/database.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { redraw } from '../storage/redraw.ts';
import { say, typed } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { readerOf } from '../access/visibility.ts';
import { type ShownChange, refuseUnlessOurs } from './buttons.ts';
import { leftOf, type Undo } from './pin.ts';
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

/** What may restore a target: its arguments as stored, and when that was asked for or, later, is to be sent (epoch ms). */
export type Restoring = Pick<Change, 'target' | 'args'> & { readonly from: number; readonly number?: number };

/**
 * Whether it takes back a recorded change whose *Undo* worked then, from where that change left the target: once
 * another may have touched it, this is a change like any. Taking back an undo is no way back: it would make the change
 * again.
 */
export async function isWayBack(db: ReadHandle, { from, ...restoring }: Restoring): Promise<boolean> {
  for (const change of await findUndoable(db, restoring, maxUndoable)) {
    const undo = undoIn(change);
    if (undo === undefined || undo.undoneBy !== undefined || undo.until <= from) continue;
    if ((await touchedSince(db, change)) !== 'no') continue;
    const undone = (await findUndoable(db, change, maxUndoable)).map(undoIn);
    if (undone.every((one) => one === undefined || one.until <= change.created_at)) return true;
  }
  return false;
}

/** How many changes with the same *Undo* are looked at. */
const maxUndoable = 20;

const undoIn = ({ undo }: Pick<Change, 'undo'>): Undo | undefined =>
  undo === null ? undefined : parseStored<Undo>(undo);

/** Notes on a change that this one has undone it: its reply says so, and loses *Undo*. */
export async function noteUndone(tx: Tx, undoing: Change, at: number): Promise<void> {
  for (const change of await findUndoable(tx, undoing, maxUndoable)) {
    const undo = undoIn(change);
    if (undo === undefined || undo.undoneBy !== undefined) continue;
    await touchChange(tx, change, { undo: JSON.stringify({ ...undo, undoneBy: undoing.number } satisfies Undo) });
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

import { redrawDirect } from '../storage/redraw.ts';
import type { Tx } from '../storage/tx.ts';
import { dayMs } from '../words/duration.ts';

/** For how long messages that are about no change are covered up if their readers lose the right to see them. */
const coveredForMs = dayMs;

/** Redraws what people were told directly, because the rules or the members of a user group have changed. `at`: epoch ms. */
export const redrawForReaders = (tx: Tx, at: number): Promise<void> => redrawDirect(tx, at, at - coveredForMs);

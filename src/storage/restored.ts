import { readKv, removeKv, writeKv } from './kv.ts';
import { setBackKey, type Restored } from './timeline.ts';
import { aliveKey } from './time.ts';
import type { ReadHandle, Tx } from './tx.ts';

/** What a database remembers of those whose backup it was restored from. */

const keyOf = (installation: string): string => `restored:${installation}`;

/** To which state (epoch ms) the database with that id was restored; undefined: nothing here was restored from it. */
export async function restoredTo(db: ReadHandle, installation: string): Promise<number | undefined> {
  const kept = await readKv(db, keyOf(installation));
  return kept && Number(kept.value);
}

/**
 * Remembers that the rows here are those of the database with the id `former`, as they were at `from` (epoch ms). Forgets
 * when a bot was last alive on it: one that starts here would call everything since then an absence.
 */
export async function noteRestore(tx: Tx, former: string, { from, at }: Omit<Restored, 'kind'>): Promise<void> {
  const setBack: Restored = { kind: 'restored', from, at };
  await writeKv(tx, { key: setBackKey, value: JSON.stringify(setBack), at });
  await writeKv(tx, { key: keyOf(former), value: String(from), at });
  await removeKv(tx, aliveKey);
}

import { changesInBatch, isBatch, type Change } from '../storage/changes.ts';
import type { ReadHandle } from '../storage/tx.ts';
import { renderBatch } from './batch-card.ts';
import type { CardReader } from './buttons.ts';
import { renderCard, type Approved, type Card } from './card.ts';

/** The card of a change, which may be a batch, as it is now. As `renderCard`. */
export async function currentCard(
  db: ReadHandle,
  change: Change,
  approved: readonly Approved[],
  installation: string,
  reader?: CardReader,
): Promise<Card> {
  if (!isBatch(change)) return renderCard(change, approved, installation, reader);
  return renderBatch(change, await changesInBatch(db, change.number), approved, installation, reader);
}

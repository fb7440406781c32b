import type { SenderContext } from '../../src/post/context.ts';
import { deliverDue } from '../../src/post/deliver.ts';

/** Posts and edits until nothing is due. */
export async function deliverAll(context: SenderContext): Promise<void> {
  for (let tried = 1; tried > 0;) {
    const batch = await deliverDue(context);
    await Promise.all(batch.lines);
    tried = batch.tried;
  }
}

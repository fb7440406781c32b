import { rmSync } from 'node:fs';
import { allHandles, diskFailed } from './flushes.ts';

/**
 * Loaded before the bot: `node --import ./test/prove/failing-flush.ts?order=FILE`. Once FILE exists, the next flush of
 * any file fails as on a broken disk; later ones succeed.
 */
const order = new URL(import.meta.url).searchParams.get('order') ?? '';
const handles = await allHandles();
const flush = Reflect.get(handles, 'datasync');

function isOrdered(): boolean {
  try {
    rmSync(order);
    return true;
  } catch {
    return false;
  }
}

handles.datasync = async function datasync() {
  if (isOrdered()) throw diskFailed();
  await Reflect.apply(flush, this, []);
};

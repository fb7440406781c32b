import { existsSync } from 'node:fs';

/**
 * Loaded before the bot: `node --import ./test/prove/full-log.ts?order=FILE`. While FILE exists, standard output takes
 * nothing, as on a full disk.
 */
const order = new URL(import.meta.url).searchParams.get('order') ?? '';
const write = process.stdout.write.bind(process.stdout);
const noRoom = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

process.stdout.write = (chunk: Uint8Array | string, ...more: readonly unknown[]): boolean => {
  const onWritten = more.find((one): one is (error?: Error | null) => void => typeof one === 'function');
  if (!existsSync(order)) return write(chunk, onWritten);
  process.nextTick(() => onWritten?.(noRoom));
  return true;
};

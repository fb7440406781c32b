import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { pointChannel } from '../../src/points.ts';

/**
 * Loaded before the bot: `node --import ./test/prove/kill-at.ts?order=FILE`. At every point that the bot passes, it
 * looks whether an order lies there. If it is for this point, the process takes it and sends itself the signal: not one
 * more instruction of the bot is run.
 */

const passageShape = z.object({ point: z.string(), of: z.string() });

/** An order to die, or to stand still, at a point. */
export const orderShape = z.object({
  point: z.string(),
  /** Which change, delivery or message is meant: a pattern of what the point says it is about. */
  of: z.string().default(''),
  /** At the first, second … of them. */
  nth: z.int().default(1),
  signal: z.enum(['SIGKILL', 'SIGSTOP']).default('SIGKILL'),
});

const file = new URL(import.meta.url).searchParams.get('order');
/** Which of them were here already: a message that was put back comes twice, and counts once. */
const passed = new Set<string>();

if (file !== null) pointChannel.subscribe((passage) => obey(file, passage));

function obey(file: string, passage: unknown): void {
  const text = orderIn(file);
  if (text === undefined) return;
  const order = orderShape.parse(JSON.parse(text));
  const { point, of } = passageShape.parse(passage);
  if (point !== order.point || !new RegExp(order.of).test(of)) return;
  if (passed.add(of).size < order.nth) return;
  rmSync(file);
  process.kill(process.pid, order.signal);
}

function orderIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

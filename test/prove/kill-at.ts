import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { failpointChannel } from '../../src/base/failpoints.ts';

/**
 * Loaded before the bot: `node --import ./test/prove/kill-at.ts?order=FILE`. At every failpoint the bot looks for an
 * order in FILE. If it is for this point, the process takes it and sends itself the signal, so no further instruction
 * runs. Points passed before that are recorded in a file beside the order.
 */

const passageShape = z.object({
  point: z.string(),
  of: z.string(),
  how: z.enum(['post', 'edit']).optional(),
  says: z.string().optional(),
});
type Passage = z.infer<typeof passageShape>;

/**
 * An order to die or freeze at a point. Targets are described, never counted, because the number of times a message is
 * drawn or put back depends on the machine's speed.
 */
export const orderShape = z.object({
  point: z.string(),
  /** A pattern for the change, delivery or message that the point is about. */
  of: z.string().default(''),
  /** Only changes with greater numbers, and their messages, are meant. */
  above: z.int().default(0),
  /** A new message or an edit; absent means either. */
  how: z.enum(['post', 'edit']).optional(),
  /** A pattern for the message's text. */
  says: z.string().default(''),
  signal: z.enum(['SIGKILL', 'SIGSTOP']).default('SIGKILL'),
});
export type Order = z.infer<typeof orderShape>;

/** The file that records the points passed while the order waited. */
export const passedFile = (order: string): string => `${order}.passed`;

const file = new URL(import.meta.url).searchParams.get('order');

if (file !== null) failpointChannel.subscribe((passage) => obey(file, passageShape.parse(passage)));

function obey(file: string, passage: Passage): void {
  const text = orderIn(file);
  if (text === undefined) return;
  const order = orderShape.parse(JSON.parse(text));
  if (!isMeant(order, passage)) {
    appendFileSync(passedFile(file), `${inWords(passage)}\n`);
    return;
  }
  if (isTaken(file)) process.kill(process.pid, order.signal);
}

/** Whether this process took the order; false if another one was first. */
function isTaken(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

function isMeant(order: Order, { point, of, how, says = '' }: Passage): boolean {
  const change = /^\d+/.exec(of)?.[0];
  return (
    point === order.point &&
    new RegExp(order.of).test(of) &&
    (change === undefined || Number(change) > order.above) &&
    (order.how === undefined || order.how === how) &&
    new RegExp(order.says).test(says)
  );
}

const inWords = ({ point, of, how, says }: Passage): string =>
  `${point} ${of}${says === undefined ? '' : ` (${how}: ${says.slice(0, 40).replaceAll('\n', ' ')})`}`;

/** The waiting order; undefined if there is none or it was just taken. */
export function orderIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

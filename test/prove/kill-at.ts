import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { failpointChannel } from '../../src/failpoints.ts';

/**
 * Loaded before the bot: `node --import ./test/prove/kill-at.ts?order=FILE`. At every point that the bot passes, it
 * looks whether an order lies there. If it is for this point, the process takes it and sends itself the signal: not one
 * more instruction of the bot is run. What it passes before that is written down beside the order, for whoever waits.
 */

const passageShape = z.object({
  point: z.string(),
  of: z.string(),
  how: z.enum(['post', 'edit']).optional(),
  says: z.string().optional(),
});
type Passage = z.infer<typeof passageShape>;

/**
 * An order to die, or to stand still, at a point. What is meant is named, never counted: how often a message is drawn
 * or put back depends on how fast the machine is.
 */
export const orderShape = z.object({
  point: z.string(),
  /** Which change, delivery or message is meant: a pattern of what the point says it is about. */
  of: z.string().default(''),
  /** Changes up to this number, and their messages, are not meant. */
  above: z.int().default(0),
  /** Whether a new message is meant or the edit of one that stands; left out: either. */
  how: z.enum(['post', 'edit']).optional(),
  /** What is said there: a pattern of the message's words. */
  says: z.string().default(''),
  signal: z.enum(['SIGKILL', 'SIGSTOP']).default('SIGKILL'),
});
export type Order = z.infer<typeof orderShape>;

/** Where it is written down what was passed while the order lay there. */
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

/** Whether this process has taken the order; false where another one was first. */
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

/** The order that lies there; undefined: none, or it was taken this very moment. */
export function orderIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

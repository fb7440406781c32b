import type { SlackContext } from '../context/context.ts';

/** Why a delivery was refused: it is not signed by Slack, not of this time, too long, or not what Slack delivers. */
export type RefusalReason = 'signature' | 'time' | 'length' | 'malformed';
/** `error`: what was wrong with something that Slack delivered. */
export type OnRefused = (why: RefusalReason, error?: unknown) => void;

/** The least time between two lines about refused deliveries. */
const lineEveryMs = 60_000;

/**
 * Counts refused deliveries. Anybody can cause them, so the log gets one line at once, and then at most one a minute,
 * with their number by reason and the first error.
 */
export function createRefusals({ log, metrics }: Pick<SlackContext, 'log' | 'metrics'>): OnRefused {
  const refused = new Map<RefusalReason, number>();
  let first: unknown;
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    if (refused.size === 0) return;
    log.warn(
      { refused: Object.fromEntries(refused), ...(first !== undefined && { err: first }) },
      'deliveries were refused',
    );
    refused.clear();
    first = undefined;
    timer = setTimeout(tell, lineEveryMs).unref();
  };
  return (why, error) => {
    first ??= error;
    metrics.refused.inc({ why });
    // Slack delivered it, so something is wrong on one of our sides.
    if (why === 'malformed') metrics.faults.inc();
    refused.set(why, (refused.get(why) ?? 0) + 1);
    if (timer === undefined) tell();
  };
}

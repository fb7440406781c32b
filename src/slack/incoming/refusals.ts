import type { SlackContext } from '../context/context.ts';

/** Why a delivery was refused: it is not signed by Slack, not of this time, too long, or not what Slack delivers. */
export type RefusalReason = 'signature' | 'time' | 'length' | 'malformed';
export type OnRefused = (why: RefusalReason) => void;

/** The least time between two lines about refused deliveries. */
const lineEveryMs = 60_000;

/**
 * Counts refused deliveries. Anybody can cause them, so the log gets one line at once, and then at most one a minute,
 * with their number by reason.
 */
export function createRefusals({ log, metrics }: Pick<SlackContext, 'log' | 'metrics'>): OnRefused {
  const refused = new Map<RefusalReason, number>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    if (refused.size === 0) return;
    log.warn({ refused: Object.fromEntries(refused) }, 'deliveries were refused');
    refused.clear();
    timer = setTimeout(tell, lineEveryMs).unref();
  };
  return (why) => {
    metrics.refused.inc({ why });
    // Slack delivered it, so something is wrong on one of our sides.
    if (why === 'malformed') metrics.faults.inc();
    refused.set(why, (refused.get(why) ?? 0) + 1);
    if (timer === undefined) tell();
  };
}

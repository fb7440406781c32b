import { setTimeout as wait } from 'node:timers/promises';
import type { BotOptions } from './bot.ts';
import type { SlackStandIn } from './slack/stand-in.ts';

/** How to learn that the bot can be reached, and that its connections are gone. */
export type Readiness = Pick<BotOptions, 'reachable' | 'gone'>;

const REACHABLE_MS = 600_000;
const GONE_MS = 5_000;
const POLL_MS = 50;

/** Socket Mode: the bot can be reached while at least one of its sockets is up. */
export function readyBySocket(slack: Pick<SlackStandIn, 'subscribe' | 'until'>): Readiness {
  let sockets = 0;
  slack.subscribe(({ kind, detail }) => {
    if (kind === 'connection' && typeof detail['count'] === 'number') sockets = detail['count'];
  });
  return {
    reachable: (signal) =>
      slack.until(() => (sockets > 0 || signal.aborted ? true : undefined), REACHABLE_MS).then(() => undefined),
    gone: () => slack.until(() => (sockets === 0 ? true : undefined), GONE_MS).then(() => undefined),
  };
}

/** HTTP: the bot can be reached once `/readyz` at its address is ok. Polled every 50 ms. */
export function readyByHttp(url: string): Readiness {
  return {
    async reachable(signal) {
      while (!signal.aborted && !(await isReady(url, signal))) await wait(POLL_MS, undefined, { signal });
    },
    gone: () => Promise.resolve(),
  };
}

async function isReady(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

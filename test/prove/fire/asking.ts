import { setTimeout as wait } from 'node:timers/promises';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';
import { isUndelivered } from '../act-until-done.ts';
import type { Spot } from './world.ts';

/** What people asked for and what Slack showed them at once. */
export type Asked = {
  /** Actions that were acked, and whether the ack itself said that nothing was done. */
  readonly acked: { readonly spot: Spot; readonly isRefused: boolean }[];
  /** Actions that were not acked: Slack itself told these people that it did not work. */
  readonly unacked: Spot[];
  readonly reports: { readonly spot: Spot; readonly isAcked: boolean }[];
};

type AskingOptions = {
  readonly slack: SlackStandIn;
  /** Where they ask, one after the other. */
  readonly spots: readonly Spot[];
  /** How many actions have to be acked. */
  readonly actions: number;
  /** How many people type at the same time. */
  readonly atOnce: number;
  /** How long each of them pauses after an action, in ms. */
  readonly pauseMs: number;
  /** Resolves when so little is under way that people go on. */
  readonly room: () => Promise<void>;
};

/** Every so many actions somebody asks for a report too. */
const reportEvery = 20;
/** How long people wait before they try something else. */
const againMs = 3_000;

/** People ask until so many actions were acked, each for an environment of its own. */
export async function askAll({ slack, spots, actions, atOnce, pauseMs, room }: AskingOptions): Promise<Asked> {
  const asked: Asked = { acked: [], unacked: [], reports: [] };
  let [next, waiting] = [0, 0];
  const typed = async ({ person, channel }: Spot, line: string) => {
    const outcome = await slack.command(person, channel, line);
    return {
      isAcked: outcome.acked && !isUndelivered(outcome),
      isRefused: JSON.stringify(outcome.ack ?? '').length > 4,
    };
  };
  const askOne = async (spot: Spot): Promise<void> => {
    const { isAcked, isRefused } = await typed(spot, `/site cache clear ${spot.environment} --reason fire`);
    if (isAcked) asked.acked.push({ spot, isRefused });
    else asked.unacked.push(spot);
    await wait(!isAcked || isRefused ? Math.max(againMs, pauseMs) : pauseMs);
    if (asked.acked.length % reportEvery !== 0) return;
    asked.reports.push({ spot, ...(await typed(spot, `/site backups list ${spot.environment}`)) });
  };
  const askSome = async (): Promise<void> => {
    while (asked.acked.length + waiting < actions) {
      await room();
      const spot = spots[next];
      next += 1;
      if (spot === undefined) throw new Error(`too few of the actions were acked: ${asked.acked.length}`);
      waiting += 1;
      await askOne(spot).finally(() => (waiting -= 1));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askSome));
  return asked;
}

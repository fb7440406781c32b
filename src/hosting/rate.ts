import { minuteMs } from '../words/duration.ts';
import { shareOf } from '../base/semaphore.ts';

/** The host counts a request when it arrives, which may be later than the next one. */
const windowMs = minuteMs + 2_000;

/** How many requests this process has made within a minute, and its share of what the host answers. */
export type Rate = {
  /** Counts one request. `by`: the person whose report it is for. */
  readonly note: (by?: string) => void;
  /**
   * Milliseconds until less than this part (0 to 1) of the share is used; 0: it is now. `by`: a person who has made some
   * requests of it leaves a tenth of the share to those who have made fewer.
   */
  readonly restMs: (part: number, by?: string) => number;
};

/** The part of the share that is kept for people with few requests. */
const forOthers = 0.1;

type RateOptions = {
  /** How many requests the host answers all replicas in a minute; `Infinity`: any number. */
  readonly perMinute: number;
  readonly replicas: () => number;
  /** Monotonic milliseconds. */
  readonly ticks: () => number;
};

export function createRate({ perMinute, replicas, ticks }: RateOptions): Rate {
  if (perMinute === Infinity) return { note: () => undefined, restMs: () => 0 };
  let made: readonly { readonly at: number; readonly by: string | undefined }[] = [];
  const recent = () => (made = made.filter(({ at }) => ticks() - at < windowMs));
  return {
    note: (by) => void (made = [...recent(), { at: ticks(), by }].slice(-perMinute)),
    restMs: (part, by) => {
      const share = shareOf(perMinute, replicas());
      const own = by === undefined ? 0 : recent().filter((one) => one.by === by).length;
      const most = Math.max(1, Math.floor(share * (own >= share * forOthers ? part - forOthers : part)));
      const inTheWay = recent().at(-most);
      return inTheWay === undefined ? 0 : inTheWay.at + windowMs - ticks();
    },
  };
}

import { minuteMs } from '../duration.ts';
import { shareOf } from '../share.ts';

/** The host counts a request when it arrives, which may be later than the next one. */
const windowMs = minuteMs + 2_000;

/** How many requests this process has made within a minute, and its share of what the host answers. */
export type Rate = {
  /** Counts one request. */
  readonly note: () => void;
  /** Milliseconds until less than this part (0 to 1) of the share is used; 0: it is now. */
  readonly restMs: (part: number) => number;
};

type RateOptions = {
  /** How many requests the host answers all replicas in a minute; `Infinity`: any number. */
  readonly perMinute: number;
  readonly replicas: () => number;
  /** Monotonic milliseconds. */
  readonly ticks: () => number;
};

export function createRate({ perMinute, replicas, ticks }: RateOptions): Rate {
  if (perMinute === Infinity) return { note: () => undefined, restMs: () => 0 };
  let times: readonly number[] = [];
  const recent = (): readonly number[] => (times = times.filter((at) => ticks() - at < windowMs));
  return {
    note: () => void (times = [...recent(), ticks()].slice(-perMinute)),
    restMs: (part) => {
      const most = Math.max(1, Math.floor(shareOf(perMinute, replicas()) * part));
      const inTheWay = recent().at(-most);
      return inTheWay === undefined ? 0 : inTheWay + windowMs - ticks();
    },
  };
}

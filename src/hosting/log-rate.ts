import { shareOf } from '../share.ts';
import { minuteMs } from '../duration.ts';

/** Known hosts answer 35 log reads a minute. From this many on, watches begin no read, so that people still can. */
const beforeWatchesWait = 28;

/** How many logs this process has read lately. */
export type LogRate = {
  /** Counts one read. */
  readonly note: () => void;
  /** Whether a watch may read now: most of this replica's share of the host's rate is still free. */
  readonly hasRoom: () => boolean;
};

/** `ticks`: monotonic milliseconds. `replicas`: how many processes share the host's rate. */
export function createLogRate(ticks: () => number, replicas: () => number): LogRate {
  let times: readonly number[] = [];
  const ofLastMinute = (): readonly number[] => (times = times.filter((at) => ticks() - at < minuteMs));
  return {
    note: () => void (times = [...ofLastMinute(), ticks()].slice(-beforeWatchesWait)),
    hasRoom: () => ofLastMinute().length < shareOf(beforeWatchesWait, replicas()),
  };
}

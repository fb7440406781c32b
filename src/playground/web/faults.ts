import { ask } from './api.ts';
import type { Fault } from './shapes.ts';

type StandIn = 'hosting' | 'slack';

/** A failure to switch on: `faults` are the requests to the place's control API that cause it. */
export type Failure = {
  readonly place: StandIn;
  readonly name: string;
  readonly says: string;
  readonly faults: readonly Readonly<Record<string, string | number | boolean>>[];
};

/** All failures, in the order shown. */
export const FAILURES: readonly Failure[] = [
  {
    place: 'hosting',
    name: 'Slow',
    says: '2 s before each answer',
    faults: [{ kind: 'delay', ms: 2000, times: 'always' }],
  },
  {
    place: 'hosting',
    name: 'Failing',
    says: '500 to every request',
    faults: [{ kind: 'status', status: 500, times: 'always' }],
  },
  {
    place: 'hosting',
    name: 'Gateway',
    says: 'a 502 page instead of an answer',
    faults: [{ kind: 'gateway', times: 'always' }],
  },
  {
    place: 'hosting',
    name: 'Hanging',
    says: 'does the write, never answers',
    faults: ['POST', 'PUT', 'DELETE'].map((method) => ({ kind: 'hang', method, applied: true, times: 'always' })),
  },
  {
    place: 'hosting',
    name: 'Gone',
    says: 'every connection is reset',
    faults: [{ kind: 'reset', at: 'before-headers', times: 'always' }],
  },
  {
    place: 'slack',
    name: 'Slack too busy',
    says: '429 to posts and edits',
    faults: ['chat.postMessage', 'chat.update'].map((method) => ({ method, kind: 'rate_limited', retryAfter: '2' })),
  },
];

/** The faults in force, by place. */
export type ActiveFaults = Readonly<Record<StandIn, readonly Fault[]>>;

/** Reads the faults of both places. */
export async function readFaults(): Promise<ActiveFaults> {
  const [hosting, slack] = await Promise.all([
    ask<readonly Fault[]>('/control/hosting/faults'),
    ask<readonly Fault[]>('/control/slack/faults'),
  ]);
  return { hosting, slack };
}

/** The faults in force that belong to this failure. */
const faultsOf = ({ place, faults }: Failure, active: ActiveFaults): readonly Fault[] =>
  active[place].filter((fault) =>
    faults.some((wanted) => Object.entries(wanted).every(([name, value]) => fault[name] === value)),
  );

/** Whether the failure is on. */
export const isOn = (failure: Failure, active: ActiveFaults): boolean =>
  faultsOf(failure, active).length >= failure.faults.length;

/**
 * Switches a failure on, and the others at the same place off: only the oldest fault that matches a request is played.
 */
export async function turnOn(failure: Failure, active: ActiveFaults): Promise<void> {
  for (const other of FAILURES) if (other.place === failure.place) await turnOff(other, active);
  for (const fault of failure.faults) await ask(`/control/${failure.place}/faults`, fault);
}

/** Switches a failure off; other faults stay. */
export async function turnOff(failure: Failure, active: ActiveFaults): Promise<void> {
  for (const { id } of faultsOf(failure, active))
    await ask(`/control/${failure.place}/faults?id=${id}`, undefined, 'DELETE');
}

async function clear(place: StandIn | 'site'): Promise<void> {
  await ask(`/control/${place}/faults`, undefined, 'DELETE');
}

/** Removes all faults and mends all sites. */
export async function clearAll(): Promise<void> {
  await Promise.all([clear('hosting'), clear('slack'), clear('site'), ask('/control/site/mend', {})]);
}

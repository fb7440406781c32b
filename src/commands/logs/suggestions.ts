import { minuteMs } from '../../words/duration.ts';
import type { Offer, Args } from '../../base/errors.ts';
import type { LogsInput } from '../kit/log-query.ts';

/** Minutes shown before and after the busiest one. */
const aside = 3;
const maxLines = 20_000;

/** The arguments of a `logs` command; `more` overrides parts of the input. */
export function argsFor(asked: LogsInput, more: Partial<LogsInput> = {}): Args {
  const { env, log, since, until, lines, search, errors, full } = { ...asked, ...more };
  return [
    'logs',
    env.id,
    log,
    ...(lines === undefined ? [] : [`--lines=${lines}`]),
    ...since.map((word) => `--since=${word}`),
    ...until.map((word) => `--until=${word}`),
    ...(search === undefined ? [] : [`--search=${search}`]),
    ...(errors ? ['--errors'] : []),
    ...(full ? ['--full'] : []),
  ];
}

/** A button for the log around its busiest minute. Slack doesn't localise labels, so the label never has a time. */
export function aroundOffer(asked: LogsInput, at: number): Offer {
  const args = argsFor(asked, {
    since: [onClock(at - aside * minuteMs)],
    until: [onClock(at + (aside + 1) * minuteMs)],
    lines: maxLines,
    full: false,
  });
  return { label: 'Around the busiest minute', args };
}

export const isNarrowed = ({ since, until, search }: LogsInput): boolean =>
  since.length + until.length > 0 || search !== undefined;

/** Buttons for a log with nothing to show: more of it, then the other logs. */
export function offersInstead(asked: LogsInput): readonly Offer[] {
  const others = (['error', 'access', 'cache'] as const).filter((log) => log !== asked.log);
  return [
    ...(asked.errors ? [{ label: 'All lines', args: argsFor(asked, { errors: false, full: false }) }] : []),
    ...(isNarrowed(asked)
      ? [{ label: 'Newest lines', args: argsFor(asked, { since: [], until: [], search: undefined, full: false }) }]
      : []),
    ...others.map((log) => ({
      label: `${log[0]?.toUpperCase()}${log.slice(1)} log`,
      args: argsFor(asked, { log, full: false }),
    })),
  ];
}

const onClock = (at: number): string => `${new Date(at).toISOString().slice(0, 16)}Z`;

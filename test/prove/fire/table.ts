import type { FireResult } from './fire.ts';

const maxShown = 20;

/** What is wrong with the result, in words; empty if all is as it must be. */
export const problemsIn = ({ sentTwice, lost, untold, trail }: FireResult): readonly string[] => [
  ...sentTwice.map((says) => `sent twice: ${says}`),
  ...lost.map((says) => `lost: ${says}`),
  ...untold.map((says) => `untold: ${says}`),
  ...(trail === undefined ? [] : [`the trail does not verify: ${trail}`]),
];

/** What was done, what came of it, and what is wrong. */
export function drawFire(result: FireResult): string {
  const { options, counts, ownEnds, states, sentTwice, lost, untold, trail } = result;
  const count = (name: string, value: number, says = ''): string => `  ${String(value).padStart(6)}  ${name}${says}`;
  const rates = options.atTrueRates
    ? "Slack's rates held, in the bots and in the stand-in."
    : "Slack's rates were lifted, in the bots and in the stand-in.";
  const leases = options.endsLeases
    ? ' Leases ended early: at once if their replica was dead, else after ten seconds.'
    : '';
  const wrong = problemsIn(result);
  return [
    `Three replicas on one PostgreSQL: ${counts.killed} times one was killed, ${counts.restarted} times PostgreSQL was restarted, ${counts.crashed} times it crashed.`,
    `${rates}${leases}`,
    count('actions acked', result.acked),
    ...Object.entries(states).map(([state, changes]) => count(`  changes ${state}`, changes)),
    count('  not done, and their people told in the ack', result.refused),
    count('  not done, and their people told afterwards', result.told),
    count('writes that the host received', result.writes),
    count('sent twice', sentTwice.length),
    count('lost', lost.length),
    count('untold', untold.length),
    `          the audit trail ${trail === undefined ? 'verifies' : 'does not verify'}`,
    'Apart from these:',
    count('actions never acked', result.unacked, `, ${result.unackedChanges} of which were done all the same`),
    count('reports asked for', result.reports, `, ${result.answered} of which were answered`),
    count(
      'replicas that ended by themselves and were started again',
      ownEnds.length,
      ownEnds.length > 0 ? `: ${ownEnds.join(', ')}` : '',
    ),
    `Asked in ${result.askedS.toFixed(0)} s; all was settled and said ${result.settledS.toFixed(0)} s later. Seed ${options.seed}.`,
    ...wrong.slice(0, maxShown).map((says) => `✗ ${says}`),
    ...(wrong.length > maxShown ? [`✗ and ${wrong.length - maxShown} more`] : []),
  ].join('\n');
}

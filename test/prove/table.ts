import type { FailoverResult } from './failovers.ts';
import type { Run } from './kill-and-restart.ts';
import type { Row, Story } from './kill-story.ts';
import type { Problem } from './round-outcome.ts';

/** The result of a proof with two replicas; `wrong` says what failed. */
export type ProofResult = { readonly name: string; readonly wrong: string | undefined };

const databases = ['SQLite', 'PostgreSQL'] as const;
const worst: readonly Problem['kind'][] = ['sent twice', 'lost', 'untold', 'otherwise', 'not killed'];

/** One line per point: where the bot was killed, the required outcome, and how often it came. */
export function drawMatrix(story: Story, runs: readonly Run[]): string {
  const lines = story.rows.flatMap((row) => {
    const of = runs.filter((run) => run.story === story && run.row === row);
    if (of.length === 0) return [];
    const cells = databases.map((database) =>
      cell(
        row,
        of.filter((run) => run.database === database),
      ),
    );
    return [[row.name, row.required.says, ...cells]];
  });
  return columns([[`${story.name}; killed at`, 'must be', ...databases], ...lines]);
}

/** `✓ 8 of 8`; if several ends are allowed, also how often each came. */
function cell({ required }: Row, runs: readonly Run[]): string {
  if (runs.length === 0) return '–';
  const ends = Object.groupBy(runs, ({ came }) => came.replace(/^\d+ written, /, ''));
  const tally = Object.entries(ends).map(([end, those = []]) => `${those.length} ${end}`);
  return `${rightOf(runs)}${required.allowed.length > 1 ? `: ${tally.join(', ')}` : ''}`;
}

function rightOf(all: readonly { readonly wrong?: unknown }[]): string {
  const right = all.filter(({ wrong }) => wrong === undefined).length;
  return `${right === all.length ? '✓' : '✗'} ${right} of ${all.length}`;
}

/** One line per proof with two replicas. */
export function drawProofs(results: readonly ProofResult[]): string {
  const lines = Object.entries(Object.groupBy(results, ({ name }) => name)).map(([name, all = []]) => [
    name,
    rightOf(all),
  ]);
  return columns([['Two bots on one PostgreSQL', ''], ...lines]);
}

/** One line per change when the primary was lost, with a column for each failover that went as it must. */
export function drawFailovers(results: readonly FailoverResult[]): string {
  const lines = (results[0]?.came ?? []).map(({ what, number }) => [
    what,
    ...results.map(({ came }) => came.find((one) => one.number === number)?.came ?? '–'),
  ]);
  return columns([
    ['A standby takes over: replication', ...results.map(({ replication }) => replication)],
    ['bots', ...results.map(({ bots }) => bots)],
    ...lines,
  ]);
}

/** How the runs of everybody at once ended. */
export function drawCrowd(runs: number, ends: Readonly<Record<string, number>>): string {
  const tally = Object.entries(ends).sort(([, one], [, other]) => other - one);
  return `Everybody at once, in ${runs} orders: one winner each time, and the others told.
  ${tally.map(([state, count]) => `${count} ${state}`).join(', ')}`;
}

/** What went wrong, counted and in full. */
export function drawSum(runs: readonly Run[], results: readonly ProofResult[]): string {
  const wrong = runs.flatMap((run) => (run.wrong ? [{ ...run, ...run.wrong }] : []));
  const sum = worst.map((kind) => `${wrong.filter((one) => one.kind === kind).length} ${kind}`).join(', ');
  const full = [
    ...wrong.map(({ kind, row, seed, says }) => `✗ ${kind}, killed at ${row.name} (${seed}): ${says}`),
    ...results.flatMap(({ name, wrong }) => (wrong === undefined ? [] : [`✗ ${name}: ${wrong}`])),
  ];
  return [`${runs.length} deaths: ${sum}.`, ...full].join('\n');
}

/** Lines of cells in aligned columns. */
export function columns(lines: readonly (readonly string[])[]): string {
  const width = (at: number): number => Math.max(...lines.map((line) => line[at]?.length ?? 0));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(width(at) + 2))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** One figure of the benchmark with its limit. */
export type Figure = {
  /** What was measured, in a few words: "suggestion over 10,000 names, p99". */
  readonly what: string;
  /** The value to compare with `limit`: a ratio to the bare app (`×`), or a plain value without a peer. */
  readonly measured: number;
  readonly unit: '×' | 'ms' | 'µs' | 'MB' | 'calls' | 'per second';
  /** A maximum, or a minimum with `least`; undefined means reported but not judged. */
  readonly limit: number | undefined;
  readonly least?: true;
  /** Lowest and highest of `measured` over the run's rounds. */
  readonly spread?: readonly [number, number];
  /** Its parts by name, for the JSON: medians, single rounds. */
  readonly raw: Readonly<Record<string, number | readonly number[]>>;
};

/** How much is measured. `quick` takes about a minute and a half in all and compares its best rounds with twice the limits. */
export type Scale = { readonly quick: boolean };

/** The value below which this share of them lies; `at` is from 0 to 1. */
export const quantile = (of: readonly number[], at: number): number =>
  of.toSorted((one, other) => one - other)[Math.min(Math.floor(of.length * at), of.length - 1)] ?? Number.NaN;

export const median = (of: readonly number[]): number => quantile(of, 0.5);

/** Milliseconds of some work; a promise counts until it is settled. */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Lowest and highest. */
export const spreadOf = (of: readonly number[]): readonly [number, number] => [Math.min(...of), Math.max(...of)];

/** Whether a figure is within its limit times that factor; true without a limit. */
export function keeps({ measured, limit, least }: Figure, looser = 1): boolean {
  if (limit === undefined) return true;
  return least ? measured >= limit / looser : measured <= limit * looser;
}

/** Whether every round exceeds the limit times that factor. A busy machine spoils some rounds, a regression all. */
export const isBeyond = (figure: Figure, looser: number): boolean =>
  [figure.measured, ...(figure.spread ?? [])].every((measured) => !keeps({ ...figure, measured }, looser));

/** The table: one line per figure with spread, limit and verdict. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    inUnit(figure.measured, figure.unit),
    figure.spread === undefined ? '' : figure.spread.map((one) => inUnit(one, figure.unit)).join(' – '),
    figure.limit === undefined ? '' : `${figure.least ? '≥' : '≤'} ${inUnit(figure.limit, figure.unit)}`,
    figure.limit === undefined ? '' : keeps(figure) ? 'kept' : 'MISSED',
  ]);
  const heads = ['figure', 'measured', 'rounds', 'target', 'verdict'];
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  return [heads, ...rows].map(line).join('\n');
}

function inUnit(value: number, unit: Figure['unit']): string {
  const digits = unit === 'calls' || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit === '×' ? '' : ' '}${unit}`;
}

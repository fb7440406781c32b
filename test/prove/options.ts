import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** The options of `npm run prove`. */
export type ProveOptions = {
  readonly seed: string;
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly isSqliteOnly: boolean;
  readonly atOnce: number;
  readonly isTroubleOnly: boolean;
};

const options = {
  seed: { type: 'string' },
  runs: { type: 'string' },
  quick: { type: 'boolean', default: false },
  'sqlite-only': { type: 'boolean', default: false },
  'at-once': { type: 'string' },
  only: { type: 'string' },
} as const;

/** Parses the arguments after `--`. Throws an error with one sentence that says what is wrong. */
export function readProveOptions(words: readonly string[]): ProveOptions {
  const { values } = parsed(words);
  const { seed, runs, only, quick: isQuick } = values;
  if (only !== undefined && only !== 'trouble')
    throw new Error(`--only takes nothing but trouble, not ${quoted(only)}.`);
  if (seed !== undefined && !/^\d{1,15}$/.test(seed))
    throw new Error(`--seed wants a whole number of at most 15 digits, not ${quoted(seed)}.`);
  if (runs !== undefined && only === 'trouble') throw new Error('--runs counts kills, and --only trouble has none.');
  return {
    seed: seed ?? String(Math.floor(Math.random() * 1_000_000_000)),
    rounds: positive('--runs', runs) ?? (isQuick ? 1 : 2),
    isQuick,
    isSqliteOnly: values['sqlite-only'],
    atOnce: positive('--at-once', values['at-once']) ?? 2 * availableParallelism(),
    isTroubleOnly: only === 'trouble',
  };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options });
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/(?<=\.) |\n/);
    throw new Error(first.endsWith('.') ? first : `${first}.`, { cause: error });
  }
}

function positive(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new Error(`${name} wants a whole number from 1 on, not ${quoted(value)}.`);
  return Number(value);
}

const quoted = (value: string): string => JSON.stringify(value);

/** How many items of each part were run. */
export type Played = Readonly<Record<'deaths' | 'tales' | 'trouble', number>>;

/** The requested parts of which nothing ran. If there are any, nothing is proven. */
export function notPlayed(
  { isTroubleOnly, isSqliteOnly }: Pick<ProveOptions, 'isTroubleOnly' | 'isSqliteOnly'>,
  played: Played,
): readonly (keyof Played)[] {
  const wanted: readonly (keyof Played)[] = [
    ...(isTroubleOnly ? [] : (['deaths'] as const)),
    ...(isTroubleOnly || isSqliteOnly ? [] : (['tales'] as const)),
    'trouble',
  ];
  return wanted.filter((part) => played[part] === 0);
}

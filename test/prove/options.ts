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
  /** Set if only the fire is to be run: replicas killed under load. */
  readonly fire: { readonly actions: number; readonly atTrueRates: boolean } | undefined;
};

const options = {
  seed: { type: 'string' },
  runs: { type: 'string' },
  quick: { type: 'boolean', default: false },
  'sqlite-only': { type: 'boolean', default: false },
  'at-once': { type: 'string' },
  only: { type: 'string' },
  actions: { type: 'string' },
  'true-rates': { type: 'boolean', default: false },
} as const;

/** Parses the arguments after `--`. Throws an error with one sentence that says what is wrong. */
export function readProveOptions(words: readonly string[]): ProveOptions {
  const { values } = parsed(words);
  const { seed, runs, only, actions, quick: isQuick, 'true-rates': atTrueRates } = values;
  if (only !== undefined && only !== 'trouble' && only !== 'fire')
    throw new Error(`--only takes nothing but trouble or fire, not ${quoted(only)}.`);
  if (only !== 'fire' && (actions !== undefined || atTrueRates))
    throw new Error('--actions and --true-rates belong to --only fire.');
  if (seed !== undefined && !/^\d{1,15}$/.test(seed))
    throw new Error(`--seed wants a whole number of at most 15 digits, not ${quoted(seed)}.`);
  if (runs !== undefined && only !== undefined)
    throw new Error(`--runs counts the kills of whole runs, and --only ${only} has none.`);
  return {
    seed: seed ?? String(Math.floor(Math.random() * 1_000_000_000)),
    rounds: positive('--runs', runs) ?? (isQuick ? 1 : 2),
    isQuick,
    isSqliteOnly: values['sqlite-only'],
    atOnce: positive('--at-once', values['at-once']) ?? 2 * availableParallelism(),
    isTroubleOnly: only === 'trouble',
    fire:
      only === 'fire'
        ? { actions: positive('--actions', actions) ?? usualActions(isQuick, atTrueRates), atTrueRates }
        : undefined,
  };
}

/** At Slack's true rates a change takes seconds. */
const usualActions = (isQuick: boolean, atTrueRates: boolean): number => (isQuick ? 200 : atTrueRates ? 150 : 5_000);

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
type PartCounts = Readonly<Record<'deaths' | 'replicas' | 'trouble', number>>;

/** The requested parts of which nothing ran. If there are any, nothing is proven. */
export function partsNotRun(
  { isTroubleOnly, isSqliteOnly }: Pick<ProveOptions, 'isTroubleOnly' | 'isSqliteOnly'>,
  played: PartCounts,
): readonly (keyof PartCounts)[] {
  const wanted: readonly (keyof PartCounts)[] = [
    ...(isTroubleOnly ? [] : (['deaths'] as const)),
    ...(isTroubleOnly || isSqliteOnly ? [] : (['replicas'] as const)),
    'trouble',
  ];
  return wanted.filter((part) => played[part] === 0);
}

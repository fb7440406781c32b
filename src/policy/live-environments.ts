import { matchesSeen } from './pattern.ts';
import type { Policy } from './rules.ts';

/** What counts as live if the file doesn't say. */
export const liveByDefault = ['*/live'];

/** What is known about an environment. */
export type KnownEnvironment = {
  readonly id?: string;
  /** Names of the site and of the environment within it; undefined: unknown. */
  readonly site: string | undefined;
  readonly name: string | undefined;
  /** Whether the name shows reliably which kind of environment it is. */
  readonly kindKnown: boolean;
};

/** Whether an environment counts as live: by its override, else by `live:`. Unknown counts as live. */
export function isLive(policy: Policy, environment: KnownEnvironment): boolean {
  const override = policy.overrides.environments.find(({ id }) => id === environment.id)?.live;
  if (override !== undefined) return override;
  const { site, name, kindKnown } = environment;
  return !kindKnown || site === undefined || name === undefined || isNamedLive(policy.live, site, name);
}

/** Whether an entry of `live:` covers these names. */
export function isNamedLive(live: Policy['live'], site: string, name: string): boolean {
  return live.some(
    (entry) => entry.kind === 'environment' && matchesSeen(entry.site, site) && matchesSeen(entry.environment, name),
  );
}

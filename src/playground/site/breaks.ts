import { breakEnvironment } from '../hosting/breakages.ts';
import { type Breakage, type Environment, breakages } from '../hosting/resources.ts';

/** What a site can be made to suffer: a breakage, one that the cache still hides, or a push that will break it. */
export const breaks = [...breakages, 'past-cache', 'push'] as const;
/** One of `breaks`. */
export type Break = (typeof breaks)[number];

/**
 * Breaks a site. Its cache is emptied, so that visitors notice at once; `past-cache` leaves that to the caller, who
 * fills the cache with good pages.
 */
export function breakSite(environment: Environment, what: Break, now: number): void {
  if (what === 'push') environment.nextPushBreaks = true;
  else breakEnvironment(environment, what === 'past-cache' ? 'error' : what, now);
  if (what !== 'push' && what !== 'past-cache') environment.cacheGeneration += 1;
}

/** Ends everything that is broken, and what the next push would break. */
export function mendSite(environment: Environment): void {
  environment.broken = [];
  environment.nextPushBreaks = false;
}

/** The worst breakage, which decides what visitors see; slowness comes with any of them. */
export function worstOf({ broken }: Environment): Exclude<Breakage, 'slow'> | undefined {
  return (['database', 'error', 'empty'] as const).find((one) => broken.includes(one));
}

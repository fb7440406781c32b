import type { Environment } from '../hosting/resources.ts';

/** A kept page; `at` in epoch milliseconds. */
type Kept = { readonly html: string; readonly at: number };

/** How long a page is kept. */
const keptMs = 3_600_000;

/**
 * The page cache of every environment. It empties when the environment's `cacheGeneration` has grown, and goes with
 * the environment. The caller keeps only pages that exist, so it stays small.
 */
export class PageCache {
  readonly #kept = new WeakMap<Environment, { generation: number; pages: Map<string, Kept> }>();

  /** The page kept for this domain and path, if it is not too old; `now` in epoch milliseconds. */
  find(environment: Environment, key: string, now: number): Kept | undefined {
    const page = this.#pagesOf(environment).get(key);
    return page !== undefined && now - page.at < keptMs ? page : undefined;
  }

  keep(environment: Environment, key: string, html: string, now: number): void {
    this.#pagesOf(environment).set(key, { html, at: now });
  }

  #pagesOf(environment: Environment): Map<string, Kept> {
    const kept = this.#kept.get(environment);
    if (kept?.generation === environment.cacheGeneration) return kept.pages;
    const fresh = { generation: environment.cacheGeneration, pages: new Map<string, Kept>() };
    this.#kept.set(environment, fresh);
    return fresh.pages;
  }
}

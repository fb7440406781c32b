import { BoundedMap } from './bounded-map.ts';

/** Work of the last second by its key, so that many who ask for the same at once have it done once. */
export type JustBegun<T> = {
  /** What began less than a second ago, running or done. */
  readonly find: (key: string) => Promise<T> | undefined;
  /** Others find this work from now on. */
  readonly keep: (key: string, work: Promise<T>) => void;
};

const momentMs = 1_000;

/** Remembers the newest `most`; more begin anew. */
export function createJustBegun<T>(most: number): JustBegun<T> {
  const begun = new BoundedMap<string, { readonly at: number; readonly work: Promise<T> }>(most);
  const forget = (key: string, work: Promise<T>): void => {
    if (begun.get(key)?.work === work) begun.delete(key);
  };
  return {
    find: (key) => {
      const found = begun.get(key);
      return found && performance.now() - found.at < momentMs ? found.work : undefined;
    },
    keep: (key, work) => {
      begun.set(key, { at: performance.now(), work });
      setTimeout(forget, momentMs, key, work).unref();
    },
  };
}

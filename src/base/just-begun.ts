import { BoundedMap } from './bounded-map.ts';

/** Work that began within the last second, by key: callers that ask for the same thing at the same time share it. */
export type JustBegun<T> = {
  /** Work that began less than a second ago, running or done. */
  readonly find: (key: string) => Promise<T> | undefined;
  /** Lets others find this work from now on. */
  readonly keep: (key: string, work: Promise<T>) => void;
};

const momentMs = 1_000;

/** Remembers the newest `max` pieces of work. */
export function createJustBegun<T>(max: number): JustBegun<T> {
  const begun = new BoundedMap<string, { readonly at: number; readonly work: Promise<T> }>(max);
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

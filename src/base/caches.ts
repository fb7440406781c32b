/**
 * Caches that don't grow without bound: of the newest entries, of what has just begun, and of what its key keeps
 * alive.
 */

/** A map of at most `max` entries. Setting an entry makes it the newest; the oldest entries are dropped first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.size > this.#max ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}

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

/** As `make`, but computes each value once, for as long as its key is in use. */
export function cached<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key);
    if (known) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}

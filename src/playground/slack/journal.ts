/** A list that keeps its newest `limit` entries. */
export type Journal<T> = { add(entry: T): void; list(): readonly T[] };

/** An empty journal; `onAdded` gets every entry. */
export function createJournal<T>(limit: number, onAdded: (entry: T) => void): Journal<T> {
  const kept: T[] = [];
  return {
    add(entry) {
      kept.push(entry);
      if (kept.length > limit) kept.shift();
      onAdded(entry);
    },
    list: () => [...kept],
  };
}

/** Adds an entry to a map and drops the oldest ones beyond `limit`. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

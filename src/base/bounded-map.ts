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

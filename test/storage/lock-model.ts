/** What can be done to locks; changes by their numbers. */
export type Act =
  | { readonly kind: 'take' | 'share'; readonly targets: readonly string[]; readonly change: number }
  | { readonly kind: 'lock'; readonly target: string; readonly afterMs: number }
  | { readonly kind: 'unlock'; readonly target: string }
  | { readonly kind: 'limit' | 'limitShared'; readonly change: number; readonly afterMs: number }
  | { readonly kind: 'free' | 'extend'; readonly change: number };

/** A lock; `change` is null if the one person has it, `until` epoch ms or null. */
type Row = {
  readonly target: string;
  readonly change: number | null;
  readonly isShared: boolean;
  readonly until: number | null;
};

/** A second, independent and simple implementation of locks, with which tests compare the real one. */
export class LockModel {
  rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.rows = rows;
  }

  /** Holder and end of each lock in force on a target: the exclusive one, then the shared ones by change. */
  on = (target: string, now: number): readonly (readonly [number | null, number | null])[] =>
    this.#inForce(now)
      .filter((row) => row.target === target)
      .toSorted(
        (one, other) => Number(one.isShared) - Number(other.isShared) || (one.change ?? 0) - (other.change ?? 0),
      )
      .map(({ change, until }) => [change, until]);

  /** Does it if it is possible, and returns whether it was. */
  does(act: Act, now: number): boolean {
    switch (act.kind) {
      case 'take':
        return this.#take(act.targets, act.change, false, null, now);
      case 'share':
        return this.#take(act.targets, act.change, true, null, now);
      case 'lock':
        return this.#take([act.target], null, false, now + act.afterMs, now);
      case 'unlock':
        this.rows = this.rows.filter(({ target, change }) => target !== act.target || change !== null);
        return true;
      case 'limit':
      case 'limitShared':
        this.#end(act.change, now + act.afterMs, ({ isShared }) => isShared || act.kind === 'limit');
        return true;
      case 'extend':
        this.#end(act.change, null, ({ isShared, until }) => isShared && (until === null || until > now));
        return true;
      case 'free':
        this.rows = this.rows.filter(({ change }) => change !== act.change);
        return true;
    }
  }

  #inForce = (now: number): readonly Row[] => this.rows.filter(({ until }) => until === null || until > now);

  #take(targets: readonly string[], change: number | null, isShared: boolean, until: number | null, now: number) {
    const others = this.#inForce(now).filter((row) => targets.includes(row.target) && row.change !== change);
    if (others.some((row) => !isShared || !row.isShared)) return false;
    const isReplaced = (row: Row): boolean =>
      targets.includes(row.target) && row.isShared === isShared && (!isShared || row.change === change);
    const taken = targets.map((target) => ({ target, change, isShared, until }));
    this.rows = [...this.rows.filter((row) => !isReplaced(row)), ...taken];
    return true;
  }

  #end(change: number, until: number | null, which: (row: Row) => boolean): void {
    this.rows = this.rows.map((row) => (row.change === change && which(row) ? { ...row, until } : row));
  }
}

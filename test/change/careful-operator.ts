import type { State } from '../../src/words/states.ts';

/**
 * What a careful person would do who sends a change to many sites by hand, with a notebook: a second, independent and
 * simple implementation of a batch, with which tests compare the real one.
 */

type Page =
  | 'to do'
  | 'out'
  | 'fine'
  | 'taken, unproven'
  | 'may have happened'
  | 'went wrong'
  | 'nothing sent'
  | 'changed by others'
  | 'dropped';
/** What the operator does next; `begin` with the items, in their order. */
type OperatorStep = {
  readonly kind: 'begin' | 'halt' | 'wait' | 'all done' | 'all accepted' | 'end';
  readonly items?: readonly number[];
};
type Site = 'well' | 'not well' | 'not known';

const pageOf: Readonly<Partial<Record<State, Page>>> = {
  done: 'fine',
  happened: 'fine',
  unknown: 'may have happened',
  failed: 'went wrong',
  rejected: 'went wrong',
  did_not_happen: 'went wrong',
  expired: 'nothing sent',
  invalidated: 'nothing sent',
  cancelled: 'nothing sent',
  superseded: 'changed by others',
};
/** Sites are alike, so what happened to one may happen to the next. That somebody changed one in between will not. */
const alarming: ReadonlySet<State> = new Set([
  'unknown',
  'failed',
  'rejected',
  'did_not_happen',
  'expired',
  'invalidated',
]);

/** The host took it, whether or not anything shows that it is done. */
const isFine = (page: Page): boolean => page === 'fine' || page === 'taken, unproven';

/** Nobody can do anything about these with the same request. */
const isBeyondHelp = (page: Page): boolean => page === 'went wrong' || page === 'changed by others';

export class CarefulOperator {
  readonly notebook: Page[];
  readonly #canary: number | undefined;
  #isCanaryTrusted: boolean;
  #isStopped = false;
  #becauseOfCanary = false;
  /** Items with bad news that nobody has looked at yet. */
  readonly #alarms = new Set<number>();
  /** Items with bad news that somebody let it go on after. */
  readonly #accepted = new Set<number>();

  constructor(items: number, canary: number | undefined) {
    this.notebook = Array.from({ length: items }, () => 'to do');
    this.#canary = canary;
    this.#isCanaryTrusted = canary === undefined;
  }

  get mayBegin(): boolean {
    return !this.#isStopped && this.#alarms.size === 0;
  }
  get isCanaryTrusted(): boolean {
    return this.#isCanaryTrusted;
  }
  #where = (page: Page): readonly number[] => this.notebook.flatMap((one, at) => (one === page ? [at] : []));
  get out(): number {
    return this.#where('out').length;
  }

  /** A change of this item was begun. */
  begins(item: number): void {
    this.notebook[item] = 'out';
    this.#accepted.delete(item);
    if (item !== this.#canary) return;
    this.#becauseOfCanary = false;
  }
  /** Somebody else works there, so nothing was begun. */
  finds(item: number): void {
    this.notebook[item] = 'nothing sent';
  }
  /** Its change was not sent yet, and will not be for now. */
  takesBack(item: number): void {
    this.notebook[item] = 'to do';
  }
  /** The change of this item is in this state now. `isOver`: nothing follows. */
  hears(item: number, state: State, isOver: boolean): void {
    this.notebook[item] = state === 'accepted' && isOver ? 'taken, unproven' : (pageOf[state] ?? 'out');
    if (!alarming.has(state)) this.#alarms.delete(item);
    else if (!this.#accepted.has(item)) this.#alarms.add(item);
  }
  stops(): void {
    this.#isStopped = true;
    this.#becauseOfCanary = false;
  }
  /** Somebody has read the notebook and says *Go on*. */
  goesOn(without: readonly number[] = []): void {
    const page = this.notebook[this.#canary ?? -1];
    const isTried = page !== undefined && page !== 'to do' && page !== 'out' && !isFine(page);
    const isDropped = page === 'to do' && without.includes(this.#canary ?? -1);
    if (this.#becauseOfCanary || isTried || isDropped) this.#isCanaryTrusted = true;
    this.#isStopped = false;
    for (const item of this.#alarms) this.#accepted.add(item);
    this.#alarms.clear();
    for (const item of without) if (this.notebook[item] === 'to do') this.notebook[item] = 'dropped';
  }
  retries(): void {
    const [was, isCanaryUnsent] = [this.#isCanaryTrusted, this.notebook[this.#canary ?? -1] === 'nothing sent'];
    this.goesOn();
    if (isCanaryUnsent) this.#isCanaryTrusted = was;
    for (const item of this.#where('nothing sent')) this.notebook[item] = 'to do';
  }

  /** `site`: of the canary, as last read. */
  decides(isInTime: boolean, site: Site): OperatorStep {
    if (!this.mayBegin && !this.#isStopped) return this.#halts(false);
    const rest = this.notebook.filter((page) => !isFine(page) && page !== 'dropped');
    if (rest.length === 0 && this.notebook.includes('taken, unproven')) return { kind: 'all accepted' };
    if (rest.length === 0) return { kind: this.notebook.includes('fine') ? 'all done' : 'end' };
    const isQuiet = this.out === 0;
    if (!isInTime && isQuiet && rest.includes('may have happened'))
      return this.#isStopped ? { kind: 'wait' } : this.#halts(false);
    if (!isInTime) return { kind: isQuiet ? 'end' : 'wait' };
    if (this.#isStopped) return { kind: rest.every(isBeyondHelp) ? 'end' : 'wait' };
    if (!this.#isCanaryTrusted && this.#canary !== undefined) {
      const page = this.notebook[this.#canary];
      if (page === 'to do') return { kind: 'begin', items: [this.#canary] };
      if (page === undefined) throw new Error('no such page');
      if (page === 'out' || (isFine(page) && site === 'not known')) return { kind: 'wait' };
      if (!isFine(page) || site === 'not well') return this.#halts(true);
      this.#isCanaryTrusted = true;
    }
    const todo = this.#where('to do');
    if (todo.length === 0 && !isQuiet) return { kind: 'wait' };
    if (todo.length === 0) return rest.every(isBeyondHelp) ? { kind: 'end' } : this.#halts(false);
    // A change that was unknown may turn out to be under way, beside eight others.
    if (this.out >= 8) return { kind: 'wait' };
    return { kind: 'begin', items: todo.slice(0, 8 - this.out) };
  }
  #halts(becauseOfCanary: boolean): OperatorStep {
    this.#isStopped = true;
    this.#becauseOfCanary = becauseOfCanary;
    return { kind: 'halt' };
  }
}

import type { State } from '../../../src/storage/schema.ts';

/**
 * What a careful person would do who sends a change to many sites by hand, with a notebook: a second, independent and
 * simple implementation of a batch, with which tests compare the real one.
 */

type Page =
  | 'to do'
  | 'out'
  | 'fine'
  | 'may have happened'
  | 'went wrong'
  | 'nothing sent'
  | 'changed by others'
  | 'dropped';
/** What the operator does next; `begin` with the places, in their order. */
export type Does = {
  readonly kind: 'begin' | 'halt' | 'wait' | 'all done' | 'end';
  readonly places?: readonly number[];
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

/** Nobody can do anything about these with the same request. */
const isBeyondHelp = (page: Page): boolean => page === 'went wrong' || page === 'changed by others';

export class CarefulOperator {
  readonly notebook: Page[];
  readonly #canary: number | undefined;
  #isCanaryTrusted: boolean;
  #isStopped = false;
  #becauseOfCanary = false;
  /** Places with bad news that nobody has looked at yet. */
  readonly #alarms = new Set<number>();
  /** Places with bad news that somebody let it go on after. */
  readonly #accepted = new Set<number>();

  constructor(places: number, canary: number | undefined) {
    this.notebook = Array.from({ length: places }, () => 'to do');
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

  /** A change of this place was begun. */
  begins(place: number): void {
    this.notebook[place] = 'out';
    this.#accepted.delete(place);
    if (place !== this.#canary) return;
    this.#becauseOfCanary = false;
  }
  /** Somebody else works there, so nothing was begun. */
  finds(place: number): void {
    this.notebook[place] = 'nothing sent';
  }
  /** Its change was not sent yet, and will not be for now. */
  takesBack(place: number): void {
    this.notebook[place] = 'to do';
  }
  /** The change of this place is in this state now. `isOver`: nothing follows. */
  hears(place: number, state: State, isOver: boolean): void {
    this.notebook[place] = state === 'accepted' && isOver ? 'fine' : (pageOf[state] ?? 'out');
    if (!alarming.has(state)) this.#alarms.delete(place);
    else if (!this.#accepted.has(place)) this.#alarms.add(place);
  }
  stops(): void {
    this.#isStopped = true;
    this.#becauseOfCanary = false;
  }
  /** Somebody has read the notebook and says *Go on*. */
  goesOn(without: readonly number[] = []): void {
    const page = this.notebook[this.#canary ?? -1];
    const isTried = page !== undefined && page !== 'to do' && page !== 'out' && page !== 'fine';
    const isDropped = page === 'to do' && without.includes(this.#canary ?? -1);
    if (this.#becauseOfCanary || isTried || isDropped) this.#isCanaryTrusted = true;
    this.#isStopped = false;
    for (const place of this.#alarms) this.#accepted.add(place);
    this.#alarms.clear();
    for (const place of without) if (this.notebook[place] === 'to do') this.notebook[place] = 'dropped';
  }
  retries(): void {
    const [was, isCanaryUnsent] = [this.#isCanaryTrusted, this.notebook[this.#canary ?? -1] === 'nothing sent'];
    this.goesOn();
    if (isCanaryUnsent) this.#isCanaryTrusted = was;
    for (const place of this.#where('nothing sent')) this.notebook[place] = 'to do';
  }

  /** `site`: of the canary, as last read. */
  decides(isInTime: boolean, site: Site): Does {
    if (!this.mayBegin && !this.#isStopped) return this.#halts(false);
    const rest = this.notebook.filter((page) => page !== 'fine' && page !== 'dropped');
    if (rest.length === 0) return { kind: this.notebook.includes('fine') ? 'all done' : 'end' };
    const isQuiet = this.out === 0;
    if (!isInTime && isQuiet && rest.includes('may have happened'))
      return this.#isStopped ? { kind: 'wait' } : this.#halts(false);
    if (!isInTime) return { kind: isQuiet ? 'end' : 'wait' };
    if (this.#isStopped) return { kind: rest.every(isBeyondHelp) ? 'end' : 'wait' };
    if (!this.#isCanaryTrusted && this.#canary !== undefined) {
      const page = this.notebook[this.#canary];
      if (page === 'to do') return { kind: 'begin', places: [this.#canary] };
      if (page === 'out' || (page === 'fine' && site === 'not known')) return { kind: 'wait' };
      if (page !== 'fine' || site === 'not well') return this.#halts(true);
      this.#isCanaryTrusted = true;
    }
    const todo = this.#where('to do');
    if (todo.length === 0 && !isQuiet) return { kind: 'wait' };
    if (todo.length === 0) return rest.every(isBeyondHelp) ? { kind: 'end' } : this.#halts(false);
    // A change that was unknown may turn out to be under way, beside eight others.
    if (this.out >= 8) return { kind: 'wait' };
    return { kind: 'begin', places: todo.slice(0, 8 - this.out) };
  }
  #halts(becauseOfCanary: boolean): Does {
    this.#isStopped = true;
    this.#becauseOfCanary = becauseOfCanary;
    return { kind: 'halt' };
  }
}

import type { ChangeEvent } from '../../src/change/change.ts';
import type { Risk, State } from '../../src/words/states.ts';

/**
 * A second, independent and simple implementation of a change's states, with which tests compare the real one. Times
 * are epoch milliseconds.
 */
export class Life {
  readonly risk: Risk;
  /** Before then it can't be sent, and locks nothing; undefined: there is no such time. */
  readonly scheduled: number | undefined;
  state: State;
  isOver = false;
  attempts = 0;
  throttleCount = 0;
  expires: number;
  sentAt: number | null = null;
  /** Whether a write may be under way that was not aborted. */
  isOut = false;
  /** Until when its targets are locked; undefined if they are not. */
  lockedUntil: number | undefined;
  /** Until when what it only reads is locked; undefined if it is not. */
  sharedUntil: number | undefined;
  /** Its audit events. */
  readonly trail: string[] = [];

  constructor(state: 'waiting' | 'approved', risk: Risk, expires: number, scheduled?: number) {
    this.state = state;
    this.risk = risk;
    this.expires = expires;
    this.scheduled = scheduled;
    if (state === 'approved' && this.#locksFrom('approve')) this.#lock(Number.POSITIVE_INFINITY);
  }

  /** Whether it locks its targets when this happens. */
  #locksFrom(kind: ChangeEvent['kind']): boolean {
    return this.risk !== 'routine' && kind === (this.scheduled === undefined ? 'approve' : 'send');
  }

  holds = (now: number): boolean => this.lockedUntil !== undefined && now < this.lockedUntil;
  shares = (now: number): boolean => this.sharedUntil !== undefined && now < this.sharedUntil;

  /**
   * Applies an event if it is possible now, and returns whether it was. `inTheWay`: another change locks its targets.
   */
  live(event: ChangeEvent, now: number, inTheWay = false): boolean {
    if (!this.can(event.kind, now)) return false;
    if (this.#locksFrom(event.kind) && inTheWay) return false;
    this.#become(event, now);
    this.trail.push(event.kind);
    return true;
  }

  /** Whether the event is possible now, apart from locks. */
  can(kind: ChangeEvent['kind'], now: number): boolean {
    if (this.isOver) return false;
    const isStart = this.state === 'waiting' || this.state === 'approved';
    if (['cancel', 'expire', 'invalidated', 'supersede'].includes(kind)) return isStart;
    if (kind === 'approve') return this.state === 'waiting' && now < this.expires;
    if (kind === 'decline') return this.state === 'waiting';
    if (kind === 'send' || kind === 'complete')
      return this.state === 'approved' && now >= (this.scheduled ?? 0) && now < this.expires;
    if (kind === 'connect_failed') return this.state === 'approved';
    if (['send_aborted', 'throttle', 'accept', 'reject'].includes(kind)) return this.state === 'sending';
    if (kind === 'outcome_lost') return this.state === 'sending' || this.state === 'accepted';
    if (['finish', 'fail', 'unverified'].includes(kind)) return this.state === 'accepted';
    if (kind === 'commit_lost' || kind === 'ask_again') return isStart;
    if (kind === 'confirmed_happened' || kind === 'confirmed_not')
      return this.state === 'unknown' && now >= (this.sentAt ?? 0) + 345_000;
    return this.state === 'unknown';
  }

  #become(event: ChangeEvent, now: number): void {
    const [wasLocked, wasShared] = [this.lockedUntil !== undefined, this.sharedUntil !== undefined];
    if (this.#locksFrom(event.kind)) this.#lock(Number.POSITIVE_INFINITY);
    switch (event.kind) {
      case 'approve':
        this.state = 'approved';
        if (this.scheduled === undefined) this.expires = Math.max(this.expires, now + 300_000);
        return;
      case 'send':
        if (this.isOut) throw new Error('it would be sent a second time');
        this.isOut = true;
        this.state = 'sending';
        this.sentAt = now;
        return;
      case 'connect_failed':
      case 'send_aborted':
        this.attempts += 1;
        return this.#again(this.attempts < 3, this.attempts === 1 ? 2_000 : 8_000, now);
      case 'throttle':
        this.throttleCount += 1;
        return this.#again(this.throttleCount < 3, event.retryAfterMs, now);
      case 'accept':
        this.state = 'accepted';
        return;
      case 'accept_late':
        this.state = 'accepted';
        if (this.shares(now)) this.sharedUntil = Number.POSITIVE_INFINITY;
        return;
      case 'commit_lost':
        this.isOut = true;
        this.sentAt = event.sentAt;
        this.state = 'unknown';
        if (this.sharedUntil !== undefined) this.sharedUntil = now + 3_600_000;
        return;
      case 'ask_again':
        this.state = 'waiting';
        this.expires = event.expiresAt;
        this.attempts = 0;
        this.throttleCount = 0;
        this.#lock(undefined);
        return;
      case 'outcome_lost':
        this.state = 'unknown';
        if (this.sharedUntil !== undefined) this.sharedUntil = now + 3_600_000;
        return;
      case 'unverified':
        this.#end('accepted');
        // A change that was lost before its approval has no locks.
        this.lockedUntil = wasLocked && event.lockMs > 0 ? now + event.lockMs : undefined;
        this.sharedUntil = wasShared && event.lockMs > 0 ? now + event.lockMs : undefined;
        return;
      case 'decline':
        return this.#end('declined');
      case 'cancel':
        return this.#end('cancelled');
      case 'expire':
        return this.#end('expired');
      case 'invalidated':
        return this.#end('invalidated');
      case 'supersede':
        return this.#end('superseded');
      case 'send_aborted_late':
        this.sentAt = null;
        return this.#end('expired');
      case 'reject':
      case 'reject_late':
        return this.#end('rejected');
      case 'finish':
      case 'complete':
        return this.#end('done');
      case 'fail':
        return this.#end('failed');
      case 'confirmed_happened':
        return this.#end('happened');
      case 'confirmed_not':
        return this.#end('did_not_happen');
      case 'start':
      case 'halt':
      case 'go_on':
      case 'end':
      case 'all_done':
      case 'all_accepted':
        throw new Error('this is no batch');
    }
  }

  #again(isAnother: boolean, afterMs: number, now: number): void {
    this.isOut = false;
    this.sentAt = null;
    if (isAnother && now + afterMs < this.expires) this.state = 'approved';
    else this.#end('expired');
  }

  #end(state: State): void {
    this.state = state;
    this.isOver = true;
    this.#lock(undefined);
  }

  #lock(until: number | undefined): void {
    this.lockedUntil = until;
    this.sharedUntil = until;
  }
}

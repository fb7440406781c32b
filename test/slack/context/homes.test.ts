import { describe, expect, it } from 'vitest';
import { createHomes, type Homes } from '../../../src/slack/context/homes.ts';

const minute = 60_000;

/** Homes with a clock that the test moves. */
function atClock(replicas = 1): { homes: Homes; pass: (milliseconds: number) => void } {
  let now = 1;
  return {
    homes: createHomes({ everyMs: 10_000, ticks: () => now, replicas: () => replicas }),
    pass: (milliseconds) => void (now += milliseconds),
  };
}

/** Opens somebody's home, which shows these changes. */
const open = (homes: Homes, id: string, ...shows: readonly number[]): void => {
  homes.opened(id);
  homes.drew(id, shows);
};

describe('recently opened App Homes', () => {
  it('are due when a change that they show moves, and when there is a new one', () => {
    const { homes, pass } = atClock();
    homes.moved(2);
    open(homes, 'ana', 1, 2);
    open(homes, 'ben', 2);
    pass(minute);
    homes.moved(1);
    expect(homes.take()).toEqual(['ana']);
    homes.moved(3);
    pass(minute);
    expect(homes.take()).toEqual(['ben', 'ana']);
    expect(homes.take()).toEqual([]);
  });

  it('are all due when the rules have changed', () => {
    const { homes, pass } = atClock();
    open(homes, 'ana');
    open(homes, 'ben', 2);
    pass(minute);
    homes.outdated();
    expect(homes.take()).toEqual(['ben', 'ana']);
    expect(homes.take()).toEqual([]);
  });

  it('are drawn at most once in ten seconds each, with the latest state', () => {
    const { homes, pass } = atClock();
    open(homes, 'ana', 1);
    homes.moved(1);
    expect(homes.take()).toEqual([]);
    pass(10_000);
    expect(homes.take()).toEqual(['ana']);
    homes.moved(1);
    homes.drew('ana', [1]);
    pass(9_999);
    expect(homes.take()).toEqual([]);
    pass(1);
    expect(homes.take()).toEqual(['ana']);
  });

  it('are drawn by each of three replicas a third as often, so that all together stay below what Slack allows', () => {
    const { homes, pass } = atClock(3);
    for (let n = 0; n < 150; n += 1) open(homes, `p${n}`, 1);
    pass(2 * minute);
    homes.moved(1);
    let drawn = 0;
    for (let seconds = 0; seconds < 60; seconds += 1) {
      const ids = homes.take();
      for (const id of ids) homes.drew(id, [1]);
      drawn += ids.length;
      pass(1_000);
    }
    expect(drawn).toBe(13);
  });

  it('stay far below Slack’s limit per minute; the one opened last comes first', () => {
    const { homes, pass } = atClock();
    for (let n = 0; n < 150; n += 1) open(homes, `p${n}`, 1);
    pass(2 * minute);
    homes.moved(1);
    const drawn: string[] = [];
    for (let seconds = 0; seconds < 60; seconds += 1) {
      const ids = homes.take();
      for (const id of ids) homes.drew(id, [1]);
      drawn.push(...ids);
      pass(999);
    }
    expect(drawn).toHaveLength(40);
    expect(drawn.slice(0, 2)).toEqual(['p149', 'p148']);
    pass(minute);
    expect(homes.take()[0]).toBe('p109');
  });

  it('are forgotten after an hour, beyond 200 people, and when they cannot be drawn three times', () => {
    const { homes, pass } = atClock();
    open(homes, 'first', 1);
    for (let n = 0; n < 200; n += 1) open(homes, `p${n}`, 2);
    pass(2 * minute);
    homes.moved(1);
    homes.moved(1);
    expect(homes.take().includes('first')).toBe(false);
    const { homes: others, pass: later } = atClock();
    open(others, 'ana', 1);
    for (const times of [1, 2, 3]) {
      later(minute);
      others.moved(1);
      expect([times, others.take()]).toEqual([times, ['ana']]);
      others.failed('ana');
    }
    later(minute);
    others.moved(1);
    expect(others.take()).toEqual([]);
    open(others, 'ben', 1);
    later(60 * minute + 1);
    others.moved(1);
    expect(others.take()).toEqual([]);
  });
});

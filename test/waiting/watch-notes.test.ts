import { describe, expect, test } from 'vitest';
import type { NewKind } from '../../src/commands/kit/log-query.ts';
import { emptyProgress, heldIn, withTrouble, withKinds, type WatchProgress } from '../../src/waiting/watch-limits.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const now = 100 * day;
const kind = (key: string, first = now): NewKind => ({ key, count: 1, says: key, first, last: first, reaches: 0 });
const kinds = (many: number, first?: number): readonly NewKind[] =>
  Array.from({ length: many }, (_, at) => kind(`k${at}`, first));

describe('what a watch tells', () => {
  test('at most five kinds, and how many more', () => {
    expect(withKinds(emptyProgress, kinds(8), now, undefined).news).toMatchObject({ kinds: { length: 5 }, more: 3 });
  });

  test('nothing twice within a day, and again after it', () => {
    const { progress } = withKinds(emptyProgress, [kind('a')], now, undefined);
    expect(withKinds(progress, [kind('a', now + day - minute)], now + day, undefined).news).toBeUndefined();
    expect(withKinds(progress, [kind('a', now + day)], now + day, undefined).news).toBeDefined();
  });

  test('three messages in an hour, then the rest together', () => {
    let progress: WatchProgress = emptyProgress;
    const told: number[] = [];
    for (let look = 0; look < 13; look += 1) {
      const at = now + look * 5 * minute;
      const taken = withKinds(progress, [kind(`k${look}`, at)], at, undefined);
      progress = taken.progress;
      if (taken.news) told.push(look, taken.news.kinds.length + taken.news.more);
      if (look === 2) expect(taken.news?.until).toBe(now + hour);
      if (look === 3) expect(taken.due).toBe(now + hour);
    }
    expect(told).toEqual([0, 1, 1, 1, 2, 1, 12, 10]);
    expect(heldIn(progress)).toBe(0);
  });

  test('nothing in quiet hours, however many there are, and all of it after', () => {
    let progress: WatchProgress = emptyProgress;
    for (const at of [now, now + 5 * minute]) {
      const taken = withKinds(
        progress,
        kinds(4, at).map((one) => ({ ...one, key: `${one.key} ${at}` })),
        at,
        now + hour,
      );
      expect(taken).toMatchObject({ due: now + hour });
      expect(taken.news).toBeUndefined();
      progress = taken.progress;
    }
    expect(progress.held).toHaveLength(5);
    expect(withKinds(progress, [], now + hour, undefined).news).toMatchObject({
      kinds: { length: 5 },
      more: 3,
      wereHeld: true,
    });
  });

  test('remembers a bounded number', () => {
    const { progress } = withKinds(emptyProgress, kinds(1_000), now, undefined);
    expect(progress.found).toHaveLength(300);
    expect(JSON.stringify(progress).length).toBeLessThan(20_000);
  });

  test.each([
    ['unread', [false, false, true, false]],
    ['unsure', [false, true, false, false]],
    ['gap', [true, false, false, false]],
  ] as const)('its trouble once: %s', (what, wanted) => {
    let progress: WatchProgress = emptyProgress;
    const isNews = wanted.map((_, look) => {
      const next = withTrouble(progress, what, now + look);
      progress = next.progress;
      return next.isNews;
    });
    expect(isNews).toEqual(wanted);
    expect(progress.trouble?.since).toBe(now);
  });

  test('remembers each trouble that it reported, even if they alternate', () => {
    let progress: WatchProgress = emptyProgress;
    const isNews = (['unread', 'unread', 'unsure', 'unread', 'unsure', 'unread'] as const).map((what) => {
      const next = withTrouble(progress, what, now);
      progress = next.progress;
      return next.isNews;
    });
    expect(isNews).toEqual([false, false, true, true, false, false]);
    expect(progress.trouble?.told).toEqual(['unsure', 'unread']);
  });

  test('dates its trouble from the first line that it may have missed', () => {
    const { progress } = withTrouble(withTrouble(emptyProgress, 'unread', now).progress, 'gap', now - 5 * minute);
    expect(progress.trouble).toMatchObject({ kind: 'gap', since: now - 5 * minute });
  });
});

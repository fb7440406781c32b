import { expect, it } from 'vitest';
import { Undeliverable } from '../../src/post/messenger.ts';
import { createRateLimits, slackPace, type RateLimits } from '../../src/slack-api/rate-limits.ts';

/** Rate limits with a clock in ms that the test moves, and this many replicas. */
function atClock(replicas: number) {
  let now = 1_000_000;
  const of = { replicas };
  const limits = createRateLimits(
    slackPace,
    () => now,
    () => of.replicas,
  );
  return { limits, of, pass: (ms: number): void => void (now += ms) };
}

/** How long it has to wait, in ms; 0 if it may go ahead. */
function waitOf(take: () => void): number {
  try {
    take();
    return 0;
  } catch (error) {
    if (!(error instanceof Undeliverable)) throw error;
    return error.afterMs;
  }
}
const post = ({ takeTurn }: RateLimits, channel = 'C1'): number => waitOf(() => takeTurn(channel));

/** How many edits it makes in a minute if it tries all the time. */
function editsInAMinute({ limits, pass }: ReturnType<typeof atClock>): number {
  let made = 0;
  for (let at = 0; at < 60; at += 1) {
    while (waitOf(() => limits.takeEdit()) === 0) made += 1;
    pass(1_000);
  }
  return made;
}

it('a channel takes a message a second; other channels do not wait', () => {
  const { limits, pass } = atClock(1);
  expect([post(limits), post(limits), post(limits, 'C2')]).toEqual([0, 1_000, 0]);
  pass(400);
  expect(post(limits)).toBe(600);
  pass(600);
  expect(post(limits)).toBe(0);
});

it('three replicas post to a channel every three seconds each; a message that has to wait is tried again after one second', () => {
  const { limits, pass } = atClock(3);
  expect([post(limits), post(limits)]).toEqual([0, 1_000]);
  pass(2_999);
  expect(post(limits)).toBe(1);
  pass(1);
  expect(post(limits)).toBe(0);
});

it.each([
  [1, 40],
  [2, 20],
  [3, 13],
  [40, 1],
  [100, 1],
])('of %i replicas each edits %i messages a minute, and at least one', (replicas, share) => {
  expect(editsInAMinute(atClock(replicas))).toBe(share);
});

it('the share changes at once with the number of replicas, also when more was used than is left', () => {
  const clock = atClock(1);
  for (let n = 0; n < 40; n += 1) clock.limits.takeEdit();
  clock.of.replicas = 2;
  expect(editsInAMinute(clock)).toBe(0);
  clock.pass(1);
  expect(editsInAMinute(clock)).toBe(20);
  clock.of.replicas = 1;
  expect(waitOf(() => clock.limits.takeEdit())).toBe(0);
});

it('an edit beyond the limit waits a minute with one replica, and five seconds with several', () => {
  const [alone, one] = [atClock(1), atClock(2)];
  for (let n = 0; n < 40; n += 1) alone.limits.takeEdit();
  for (let n = 0; n < 20; n += 1) one.limits.takeEdit();
  expect([waitOf(() => alone.limits.takeEdit()), waitOf(() => one.limits.takeEdit())]).toEqual([60_000, 5_000]);
});

it('copies leave a quarter of the edits to others, who may use all; a copy waits until there is room for a copy', () => {
  const { limits, pass } = atClock(1);
  const copies = (count: number): readonly number[] =>
    Array.from({ length: count }, () => waitOf(() => limits.takeEdit(true)));
  expect(copies(15)).toEqual(Array.from({ length: 15 }, () => 0));
  pass(10_000);
  expect(copies(16)).toEqual([...Array.from({ length: 15 }, () => 0), 50_000]);
  for (let n = 0; n < 10; n += 1) expect(waitOf(() => limits.takeEdit())).toBe(0);
  expect(waitOf(() => limits.takeEdit())).toBe(50_000);
  pass(50_001);
  expect([...copies(15), waitOf(() => limits.takeEdit())]).toEqual([...Array.from({ length: 15 }, () => 0), 9_999]);
});

it.each([1, 2, 3, 40, 100])('one of %i replicas edits copies, too', (replicas) => {
  const { limits } = atClock(replicas);
  expect(waitOf(() => limits.takeEdit(true))).toBe(0);
});

it('a pause that Slack asks for holds for the channel, or for everything, and for nothing else', () => {
  const { limits, pass } = atClock(1);
  limits.rest('C1', 30_000);
  expect([post(limits), post(limits, 'C2'), waitOf(() => limits.takeEdit())]).toEqual([30_000, 0, 0]);
  limits.rest(undefined, 20_000);
  pass(10_000);
  expect([post(limits), waitOf(() => limits.takeEdit())]).toEqual([20_000, 10_000]);
  pass(20_000);
  expect([post(limits), waitOf(() => limits.takeEdit())]).toEqual([0, 0]);
});

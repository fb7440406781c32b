import { expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { authorize } from '../../src/access/access-check.ts';
import { shownOf } from '../../src/change/confirmation.ts';
import { pinBatch } from '../../src/send/pin-batch.ts';
import { pinnedCardOf, pin } from '../../src/change/pin.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { applyLeftOut } from '../../src/decide/decide-batch.ts';
import { plain } from '../../src/words/text.ts';
import { ana, company, environment, policyOf } from '../fixtures.ts';

/** What is left of a reviewed batch. */

const policy = policyOf(
  '{ allow: [read], to: everyone }',
  '{ allow: ["cache clear"], to: everyone, where: ["a/*"] }',
  '{ allow: ["cache clear"], to: everyone, where: ["b/*", "c/*"], batchValidity: 2h }',
);
const environments = ['a/live', 'b/live', 'c/live'].map((name, at) => environment(name, at + 1));
const ids = environments.map(({ id }) => id);

function reviewed() {
  const parsed = parse('cache clear */live', catalogue);
  if (parsed?.command.shape !== 'action') throw new Error('this is an action');
  const { command } = parsed;
  const authorized = authorize(policy, ana, resolve(parsed, { environments, domains: [] }), company);
  const items = authorized.each?.map((one) => pin(one, command, undefined, { now: 1_000 })) ?? [];
  return pinBatch(authorized, command, items);
}
const left = (without: readonly string[]) => {
  const shown = reviewed();
  const confirmation = { shown: shownOf(shown), typedName: undefined, leaveOut: without };
  return applyLeftOut({ policy: () => policy, company: () => company }, shown, ana, confirmation).pinned;
};

test('is valid for as long as was shown, also if what is left might be valid for longer', () => {
  const pinned = left(ids.slice(0, 1));
  expect(pinned.items).toHaveLength(2);
  expect(pinned.authorization.batchValidity).toBe(30 * 60_000);
  expect(pinnedCardOf(pinned).facts.map(([, value]) => plain(value))).toContain('30 min');
});

test('is an ordinary change if only one environment is left, and has no validity of its own', () => {
  expect(left(ids.slice(0, 2)).authorization).not.toHaveProperty('batchValidity');
});

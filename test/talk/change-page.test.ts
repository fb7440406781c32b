import { expect, test } from 'vitest';
import { whatCameOf } from '../../src/talk/change-page.ts';
import type { Change } from '../../src/storage/changes.ts';

const card = JSON.stringify({
  title: [{ text: 'Push acme-shop/staging → acme-shop/live' }],
  done: [{ text: 'Pushed acme-shop/staging → acme-shop/live' }],
  facts: [],
});

test.each<[Change['state'], string]>([
  ['done', 'Pushed acme-shop/staging → acme-shop/live'],
  ['happened', 'Pushed acme-shop/staging → acme-shop/live'],
  ['accepted', 'accepted: Push acme-shop/staging → acme-shop/live'],
  ['sending', 'sending: Push acme-shop/staging → acme-shop/live'],
  ['failed', 'failed: Push acme-shop/staging → acme-shop/live'],
  ['unknown', 'outcome unknown: Push acme-shop/staging → acme-shop/live'],
  ['did_not_happen', 'did not happen: Push acme-shop/staging → acme-shop/live'],
])('beside a log, a change that is %s is told as that', (state, says) => {
  expect(whatCameOf({ state, card })).toBe(says);
});

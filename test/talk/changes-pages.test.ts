import { expect, test } from 'vitest';
import { whatCameOf, changesListPage, listedChange, type ListedChange } from '../../src/talk/changes-pages.ts';
import type { Change } from '../../src/storage/changes.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import { ended } from '../../src/change/replies.ts';
import { mention, plain } from '../../src/words/text.ts';
import { changeOf, chi, dee } from '../fixtures.ts';

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

const pageOf = (lines: readonly ListedChange[], more: boolean): Page =>
  changesListPage(
    { env: undefined, mine: false, waiting: true, scheduled: false, unreviewed: false },
    { lines, more, decisions: [] },
  );

function listed(change: Change): string {
  const [part] = pageOf([listedChange(change)], false).parts;
  return part?.kind === 'list' ? part.entries.map(plain).join('\n') : '';
}

test('a list of changes names who asked, who handed it on, and who cancelled it', () => {
  const handed = changeOf({ state: 'done', handed_on_by: dee.id });
  expect(listed(handed)).toBe(
    '✅ done · #1042 Clear the cache of acme-shop/live · asked by @U01ANA, handed on by @U04DEE 1970-01-01 00:00 UTC',
  );
  const last_note = JSON.stringify(ended(handed, 'Stopped', mention(chi.id)));
  expect(listed(changeOf({ state: 'cancelled', last_note }))).toBe(
    '⛔ cancelled · #1042 Clear the cache of acme-shop/live · asked by @U01ANA 1970-01-01 00:00 UTC · Stopped by @U03CHI. Nothing was sent.',
  );
});

test('a list that read only some and shows none says so', () => {
  const page = pageOf([], true);
  expect(plain(page.title)).toBe('Changes waiting for approval · none among the newest');
  expect(JSON.stringify(page)).toContain('I read only the newest ones, and found none that you can see.');
});

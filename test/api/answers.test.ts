import { expect, test } from 'vitest';
import { changeAnswer, pageAnswer } from '../../src/api/answers.ts';
import { whole } from '../../src/api/ask.ts';
import { refused } from '../../src/api/problem.ts';
import { problemOf } from '../../src/api/routes.ts';
import { Refusal } from '../../src/base/errors.ts';
import { NotAdmitted } from '../../src/base/semaphore.ts';
import { mayBeStopped } from '../../src/change/buttons.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import { accountOf } from '../../src/talk/speaker.ts';
import { exactly, split } from '../../src/language/tokenize.ts';
import { say } from '../../src/words/text.ts';
import { ana, changeOf } from '../fixtures.ts';

const page = (title: string, more: Partial<Page> = {}): Page => ({
  title: say`**${title}**`,
  parts: [{ kind: 'text', text: say`Part of ${title}` }],
  ...more,
});

test('a program gets with the first answer what Slack is told later', async () => {
  const told = pageAnswer('check', await whole(page('First', { later: async () => page('Verdict') })));
  expect(told.text).toBe('First\n\nPart of First\n\nVerdict\n\nPart of Verdict');
  expect(await whole(page('Alone'))).toEqual(page('Alone'));
  // What only says that it follows is not kept.
  const follows = page('It follows', { parts: [], later: async () => page('Found') });
  expect(await whole(follows)).toEqual(page('Found'));
});

test('what a program reads takes no share of its person', () => {
  expect(accountOf(ana)).toBe(ana.id);
  expect(accountOf({ ...ana, caller: { name: 'deploy-bot', key: 'k' } })).toBe('caller:deploy-bot');
});

test('a line that can be said instead means the same when it is said', () => {
  const args = ['redirects', 'add', 'acme-shop/staging', '/a', 'https://acme-shop.example/?a=1&b=<2>'];
  const refusal = new Refusal('Not now.', { offers: [{ label: 'Try again', args }], isLater: true });
  const [line = ''] = refused(refusal).problem.lines ?? [];
  expect(split(line, exactly).map(({ text }) => text)).toEqual(args);
});

test.each([
  ['too much at once', new NotAdmitted('own'), 429],
  ['a refusal', new Refusal('No.'), 422],
  ['later', new Refusal('Not now.', { isLater: true }), 503],
  ['a fault of ours', new Error('broken'), undefined],
])('%s is answered as what it is', (_, error, status) => {
  expect(problemOf(error)?.problem.status).toBe(status);
});

test('whoever may read it may stop what a program asked for, but not the end of access that its timer brings', () => {
  const authorization = (more: object) => JSON.stringify({ approval: 'none', rules: [], policy: 'p', ...more });
  const of = (caller: string | null, more = {}) =>
    mayBeStopped(changeOf({ caller, authorization: authorization(more) }));
  expect([of('deploy-bot'), of(null), of('deploy-bot', { timerOf: 1 })]).toEqual([true, false, false]);
});

test('a program is told when a change is to be sent', () => {
  const { scheduled_at: at } = changeAnswer(changeOf({ scheduled_at: 7_200_000 }), [], []);
  expect([at, changeAnswer(changeOf(), [], []).scheduled_at]).toEqual(['1970-01-01T02:00:00.000Z', null]);
});

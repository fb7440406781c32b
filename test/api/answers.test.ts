import { expect, test } from 'vitest';
import { pageAnswer } from '../../src/api/answers.ts';
import { whole } from '../../src/api/ask.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import { accountOf } from '../../src/talk/speaker.ts';
import { say } from '../../src/words/text.ts';
import { ana } from '../fixtures.ts';

const page = (title: string, more: Partial<Page> = {}): Page => ({
  title: say`**${title}**`,
  parts: [{ kind: 'text', text: say`Part of ${title}` }],
  ...more,
});

test('a program gets with the first answer what Slack is told later', async () => {
  const told = pageAnswer('check', await whole(page('First', { later: async () => page('Verdict') })));
  expect(told.text).toBe('First\n\nPart of First\n\nVerdict\n\nPart of Verdict');
  expect(await whole(page('Alone'))).toEqual(page('Alone'));
});

test('what a program reads takes no share of its person', () => {
  expect(accountOf(ana)).toBe(ana.id);
  expect(accountOf({ ...ana, caller: { name: 'deploy-bot', key: 'k' } })).toBe('caller:deploy-bot');
});

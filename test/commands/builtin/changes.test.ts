import { expect, test } from 'vitest';
import { changes } from '../../../src/commands/builtin/changes.ts';
import type { QueryService } from '../../../src/commands/kit/builtin.ts';
import { listedChange } from '../../../src/talk/change-history.ts';
import { ended } from '../../../src/change/replies.ts';
import type { Change } from '../../../src/storage/changes.ts';
import { mention, plain } from '../../../src/words/text.ts';
import { changeOf, chi, dee } from '../../fixtures.ts';

async function pageOf(found: Awaited<ReturnType<QueryService['changes']>>) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A list without a time reads nothing else.
  const queryService = { changes: async () => found } as unknown as QueryService;
  const input = { env: undefined, mine: false, waiting: true, since: undefined };
  const page = await changes.answer?.({ input, queryService });
  if (page === undefined) throw new Error('no page');
  return page;
}

async function listed(change: Change): Promise<string> {
  const page = await pageOf({ lines: [listedChange(change)], more: false });
  const [part] = 'parts' in page ? page.parts : [];
  return part?.kind === 'list' ? part.entries.map(plain).join('\n') : '';
}

test('a list of changes names who asked, who handed it on, and who cancelled it', async () => {
  const handed = changeOf({ state: 'done', handed_on_by: dee.id });
  expect(await listed(handed)).toBe(
    '✅ done · #1042 Clear the cache of acme-shop/live · asked by @U01ANA, handed on by @U04DEE 1970-01-01 00:00 UTC',
  );
  const last_note = JSON.stringify(ended(handed, 'Stopped', mention(chi.id)));
  expect(await listed(changeOf({ state: 'cancelled', last_note }))).toBe(
    '⛔ cancelled · #1042 Clear the cache of acme-shop/live · asked by @U01ANA 1970-01-01 00:00 UTC · Stopped by @U03CHI. Nothing was sent.',
  );
});

test('a list that read only some and shows none says so', async () => {
  const page = await pageOf({ lines: [], more: true });
  expect('title' in page && plain(page.title)).toBe('Changes waiting for approval · none among the newest');
  expect(JSON.stringify(page)).toContain('I read only the newest ones, and found none that you can see.');
});

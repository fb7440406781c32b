import { expect, it } from 'vitest';
import type { Button } from '../../src/change/buttons.ts';
import type { Telling } from '../../src/change/card.ts';
import { drawTelling, wasUnknown, withdrawnRequest } from '../../src/change/told.ts';
import type { Change } from '../../src/storage/changes.ts';
import type { Message } from '../../src/storage/messages.ts';
import { plain, say } from '../../src/words/text.ts';
import { ana, changeOf } from '../fixtures.ts';

const said = 1_000;
const message = (more: Partial<Message> = {}): Message => ({
  id: 1,
  key: '1042:7',
  change: 1042,
  kind: 'reply',
  recipient: null,
  about: null,
  body: '',
  follows: 1,
  news_version: 1,
  shown: null,
  requester: ana.id,
  decides: 0,
  version: 1,
  delivered_version: 1,
  channel: 'C1',
  ts: '1.1',
  due_at: null,
  attempts: 0,
  owner: null,
  lease_until: null,
  created_at: said,
  owed_at: said,
  untold_at: null,
  ...more,
});
const toAna = message({ kind: 'direct', recipient: ana.id });
const toChi = message({ kind: 'direct', recipient: 'U03CHI' });

const decision: Button = {
  label: 'Approve',
  press: { kind: 'decision', verdict: 'approve', installation: 'former', number: 1042, version: 3 },
};
const undo: Button = { label: 'Undo', press: { kind: 'undo', installation: 'former', number: 1042 } };
const other: Button = { label: 'Show', press: { kind: 'run', args: ['change', '1042'] } };

const toldIn = (state: Change['state'], more: Partial<Telling> = {}): Telling => ({
  text: say`Approved by Chi. Sending it now.`,
  lasting: say`Approved by Chi.`,
  when: { state, version: 3 },
  ...more,
});
const promise = toldIn('approved');
const unknown = toldIn('unknown', { text: say`Outcome unknown.`, lasting: wasUnknown });
const request = toldIn('waiting', { text: say`Still waiting.`, lasting: undefined });
const paused = toldIn('approved', { text: say`Approved by Chi. All sending is paused.` });
/** As an older Sitehand stored it. */
const older = { when: undefined };
const undone = JSON.stringify({ args: [], left: null, until: 9_000, undoneBy: 1050 });

const draw = (telling: Telling, change: Partial<Change>, of = message(), isNewest = true) =>
  drawTelling(of, telling, {
    change: changeOf({ version: 4, ...change }),
    approved: [],
    installation: 'ours',
    isNewest,
  });

it.each([
  ['a promise while it holds', promise, { version: 3 }, message(), 'Approved by Chi. Sending it now.'],
  [
    'a promise that was kept',
    promise,
    { state: 'done', sent_at: 12_000 },
    message(),
    'Approved by Chi. Sending it now.',
  ],
  ['a promise kept too late', promise, { state: 'done', sent_at: 99_000 }, message(), 'Approved by Chi.'],
  [
    'a promise that took more tries',
    promise,
    { state: 'done', sent_at: 2_000, attempts: 1 },
    message(),
    'Approved by Chi.',
  ],
  ['a promise that was not kept', promise, { state: 'expired', settled_at: 9 }, message(), 'Approved by Chi.'],
  ['a promise, asked again', promise, { state: 'waiting' }, message(), 'Approved by Chi.'],
  [
    'a promise that is held up',
    promise,
    { state: 'approved', version: 3, last_note: JSON.stringify(say`Not sent yet.`) },
    message(),
    'Approved by Chi.\n👍 Not sent yet.',
  ],
  [
    'the requester, on its way',
    promise,
    { state: 'sending', sent_at: 1_500 },
    toAna,
    'Approved by Chi. Sending it now.',
  ],
  ['the requester, at its end', promise, { state: 'done', settled_at: 9 }, toAna, /^Approved by Chi\.\n✅ Done\.$/],
  ['an unknown outcome', unknown, { state: 'unknown', version: 3 }, toChi, 'Outcome unknown.'],
  ['an unknown outcome that is known', unknown, { state: 'accepted' }, toChi, /^⚠️ The outcome was unknown\.\n/],
  ['an unknown outcome in its thread', unknown, { state: 'happened', settled_at: 9 }, message(), 'Outcome unknown.'],
  ['a request', request, { state: 'waiting', version: 3 }, toChi, 'Still waiting.'],
  [
    'a request that is asked again',
    request,
    { state: 'waiting', last_note: JSON.stringify(say`Waiting again.`) },
    toChi,
    /^⏳ .* · #1042\nWaiting again\.$/,
  ],
  [
    'a batch that was paused, and runs',
    paused,
    { state: 'running', last_note: null },
    toAna,
    /^Approved by Chi\.\n▶️ /,
  ],
  ['the approval of a batch that was paused', paused, { state: 'done', settled_at: 9 }, message(), 'Approved by Chi.'],
  [
    'the approval of what was undone',
    toldIn('approved', { buttons: [decision] }),
    { state: 'done', sent_at: 12_000, undo: undone },
    message(),
    'Approved by Chi. Sending it now.',
  ],
  [
    'an unknown outcome, queued by an older Sitehand',
    toldIn('unknown', { text: say`Outcome unknown.`, lasting: wasUnknown, buttons: [decision], ...older }),
    { state: 'unknown', version: 3 },
    toChi,
    'Outcome unknown.',
  ],
  [
    'a request, queued by an older Sitehand',
    toldIn('waiting', { lasting: undefined, ...older }),
    { state: 'sending' },
    toChi,
    /^👍 .*\nNothing is left for you to decide\.$/,
  ],
  [
    'a promise that was held up under an older Sitehand',
    toldIn('approved', { text: say`Approved by Chi. Not sent yet.`, ...older }),
    { state: 'sending', sent_at: 99_000 },
    message(),
    'Approved by Chi.',
  ],
  [
    'a result, queued by an older Sitehand',
    toldIn('done', { text: say`Done. Undo until noon.`, ...older }),
    { state: 'done', sent_at: 500 },
    message(),
    'Done. Undo until noon.',
  ],
  ['an answered request', request, { state: 'sending' }, toChi, /^👍 .*\nNothing is left for you to decide\.$/],
  ['a declined request', request, { state: 'declined', settled_at: 9 }, toChi, /^⛔ .*\n.*\nNothing is left/],
  ['what its requester was told of a request', request, { state: 'declined', settled_at: 9 }, toAna, 'Still waiting.'],
  [
    'what was undone',
    toldIn('done', { buttons: [undo, other] }),
    { state: 'done', undo: undone },
    message(),
    /^Approved by Chi\. #1050 has undone it\.$/,
  ],
] as const)('%s is told as it is now', (_, telling, change, of, says) => {
  const text = plain(draw(telling, change, of).text);
  if (typeof says === 'string') expect(text).toBe(says);
  else expect(text).toMatch(says);
});

it.each([
  ['decide on the version that is shown', { version: 3 }, true, message(), ['Approve', 'Undo', 'Show']],
  ['do not decide on another version', {}, true, message(), ['Undo', 'Show']],
  ['are on the newest message', { version: 3 }, false, message(), ['Undo', 'Show']],
  ['do not undo what is undone', { undo: undone }, true, message(), ['Show']],
] as const)('buttons %s', (_, change, isNewest, of, labels) => {
  const { buttons = [] } = draw(toldIn('waiting', { buttons: [decision, undo, other] }), change, of, isNewest);
  expect(buttons.map(({ label }) => label)).toEqual(labels);
});

it('buttons belong to this database: those that decide, and all that were not posted yet', () => {
  const ids = (of: Message) =>
    draw(toldIn('waiting', { buttons: [decision, undo] }), { version: 3 }, of).buttons?.map(({ press }) =>
      'installation' in press ? press.installation : undefined,
    );
  expect(ids(message())).toEqual(['ours', 'former']);
  expect(ids(message({ ts: null, channel: null }))).toEqual(['ours', 'ours']);
});

it('whoever did not approve reads the same while it is on its way', () => {
  const on = (state: Change['state']) => plain(withdrawnRequest(changeOf({ state }), []).text);
  expect(new Set((['approved', 'sending', 'accepted', 'running'] as const).map(on)).size).toBe(1);
  expect(on('unknown')).not.toBe(on('approved'));
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchProgress, type BatchItem, type BatchProgress, type StopReason } from '../../src/change/batch.ts';
import { countsOf, endedReply, renderBatch, stopNote, whyStopped } from '../../src/change/batch-card.ts';
import { blockComplaints } from '../../src/playground/slack/block-kit/check.ts';
import { drawCard, drawNote, type Drawn } from '../../src/block-kit/blocks.ts';
import type { Change } from '../../src/storage/changes.ts';
import type { State } from '../../src/words/states.ts';
import { plain, say } from '../../src/words/text.ts';
import { changeOf, environment, hostile } from '../fixtures.ts';

/** What people see of a batch: numbers, lines, buttons and replies, whatever its environments are called. */

/** One letter for each item. `-`: to do; `l`: locked by others; `x`: left out. */
const letters: Readonly<Record<string, State>> = {
  w: 'approved',
  s: 'sending',
  d: 'done',
  g: 'accepted',
  u: 'unknown',
  f: 'failed',
  r: 'rejected',
  o: 'superseded',
};
const open: ReadonlySet<State> = new Set(['approved', 'sending', 'unknown', 'running', 'stopped']);

/** A batch in this state, and the changes that it began, numbered from 1. */
function batchOf(
  state: State,
  text: string,
  nameAt = (at: number): string => `s${at}/live`,
): readonly [Change, readonly Change[]] {
  const changes: Change[] = [];
  const targets = Array.from(text, (_, at) => ({ ...environment('s/live', at + 1), name: nameAt(at) }));
  const items = Array.from(text, (letter, at): BatchProgress['items'][number] => {
    if (letter === '-') return {};
    if (letter === 'x') return { isLeftOut: true };
    if (letter === 'l') return { skipped: say`Locked by Ben until noon.` };
    const own = letters[letter];
    if (own === undefined) throw new Error(`no state has the letter ${letter}`);
    const settled_at = open.has(own) ? null : 5;
    changes.push(changeOf({ number: at + 1, batch: 1042, state: own, settled_at, cools_down: 0, sent_at: 1 }));
    return { change: at + 1 };
  });
  const pinned = { args: '[]', snapshot: 'null', preconditions: 'null', call: 'null', card: '{}', fingerprint: 'f' };
  const card = JSON.stringify({
    title: say`Clear the cache of ${text.length} environments`,
    done: say`Cleared the cache of ${text.length} environments`,
    warning: say`Pages are slower.`,
    facts: [
      ['Live', say`all`],
      ['Not live', say`none`],
      ['Clears', say`the page cache`],
    ],
  });
  const batch = changeOf({
    state,
    card,
    target: 'batch',
    target_name: `${text.length} environments`,
    cools_down: 0,
    call: JSON.stringify({ items: targets.map((target): BatchItem => ({ target, ...pinned })) }),
    progress: JSON.stringify({ items, passedOver: [] }),
    settled_at: open.has(state) || state === 'waiting' ? null : 9,
    version: 3,
  });
  return [batch, changes];
}
const cardFor = (...of: Parameters<typeof batchOf>) => renderBatch(...batchOf(...of), [], 'f00d');
const labels = (...of: Parameters<typeof batchOf>): readonly string[] =>
  cardFor(...of).buttons.map(({ label }) => label);
const linesOf = (...of: Parameters<typeof batchOf>): readonly string[] => cardFor(...of).lines.map(plain);

describe('the environment that goes first', () => {
  const goes = 's1/live goes first, alone. The others follow if its site is known to be well after that.';
  const checks = 's1/live went first. The others follow if its site is known to be well.';
  test.each<[State, string, boolean, string | undefined]>([
    ['running', '---', false, goes],
    ['running', '-s-', false, goes],
    ['running', '-d-', false, checks],
    ['running', '-g-', false, checks],
    ['running', 'sds', true, 's1/live went first.'],
    ['running', 'sxs', true, undefined],
    ['running', '-f-', false, undefined],
    ['stopped', '-d-', false, undefined],
  ])('%s, %s, passed: %s', (state, text, isPassed, says) => {
    const [batch, changes] = batchOf(state, text);
    const progress = JSON.stringify({ ...batchProgress(batch), canary: { item: 1, isPassed } } satisfies BatchProgress);
    const { lines } = renderBatch({ ...batch, progress }, changes, [], 'f00d');
    expect(lines.map(plain).find((line) => line.includes('first'))).toBe(says);
  });
});

describe('the numbers', () => {
  test.each<[string, string]>([
    ['----', '▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱ 0 of 4 done · 4 to do'],
    ['dddw', '▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▱▱▱▱▱ 3 of 4 done · 1 under way'],
    [
      'dusfrolx-',
      '▰▰▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱ 1 of 9 done · 1 under way · 1 unknown · 2 failed · 1 not sent · 1 changed meanwhile · 1 left out · 1 to do',
    ],
    ['dd', '▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰ 2 of 2 done'],
  ])('%s', (text, says) => {
    expect(linesOf('running', text)).toContain(says);
  });
  test('a full bar only if all are done', () => {
    const all = Array.from({ length: 200 }, (_, at) => ({
      standing: at === 7 ? ('unknown' as const) : ('done' as const),
    }));
    expect(plain(countsOf(all))).toBe('▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▰▱ 199 of 200 done · 1 unknown');
  });
});

describe('a copy of the card', () => {
  const reader = { isAsker: false, cardIn: 'C0ACME' };
  const copyOf = (state: State, text: string) => {
    const { lines, buttons } = renderBatch(...batchOf(state, text), [], 'f00d', reader);
    return { says: lines.map(plain).at(-1), labels: buttons.map(({ label }) => label) };
  };
  test('has no numbers while changes are under way, because it is not redrawn then', () => {
    const far = 'The card says how far it is.';
    expect(copyOf('running', 'dw-')).toEqual({ says: far, labels: ['Stop', 'Everything that was sent'] });
    expect(copyOf('stopped', 'dw-')).toEqual({ says: far, labels: ['Everything that was sent'] });
  });
  test('is the card itself once none is', () => {
    const card = cardFor('stopped', 'd--');
    expect(renderBatch(...batchOf('stopped', 'd--'), [], 'f00d', { isAsker: false })).toEqual(card);
  });
});

describe('the lines', () => {
  test('show what is open, most serious first', () => {
    const marks = linesOf('stopped', 'dwol-xrfu').flatMap((line) => /^.+? s(\d)\/live/.exec(line)?.[0] ?? []);
    expect(marks).toEqual(['⚠️ s8/live', '❌ s6/live', '❌ s7/live', '⛔ s3/live', '⛔ s2/live', '▶️ s1/live']);
  });
  test('name the change, or who holds the lock', () => {
    const lines = linesOf('stopped', 'ol');
    expect(lines).toContain('⛔ s0/live · #1 Superseded; nothing was sent.');
    expect(lines).toContain('⛔ s1/live Locked by Ben until noon.');
  });
  test.each<[string, Change['last_note'], string]>([
    ['w', null, '▶️ s0/live · #1 Under way.'],
    ['s', null, '▶️ s0/live · #1 Under way.'],
    ['w', JSON.stringify(say`**Paused.**`), '▶️ s0/live · #1 Under way. When I last looked: Paused.'],
  ])('say of one under way (%s, %j) only what stays true until the card is drawn again', (text, last_note, line) => {
    const [batch, changes] = batchOf('running', text);
    const of = changes.map((change) => ({ ...change, last_note }));
    expect(renderBatch(batch, of, [], 'f00d').lines.map(plain)).toContain(line);
  });
  test.each([
    ['d-', true],
    ['dl', true],
    ['du', false],
    ['do', false],
  ])('say until when more can be sent, if any is left (%s)', (text, isLeft) => {
    expect(cardFor('stopped', text).facts.some(([label]) => label === 'Stops at')).toBe(isLeft);
  });
  test('are twelve, and the rest is counted', () => {
    const lines = linesOf('running', `${'d'.repeat(100)}${'w'.repeat(8)}${'u'.repeat(20)}`);
    expect(lines.filter((line) => line.startsWith('⚠️'))).toHaveLength(12);
    expect(lines.at(-1)).toBe('… and 16 more: /site change 1042 lists all.');
  });
  test.each(['waiting', 'approved', 'declined', 'superseded'] as const)(
    'are absent while the batch is %s, because it has not begun',
    (state) => {
      const card = cardFor(state, '---');
      expect(card.lines.map(plain).join()).not.toContain('of 3 done');
      expect(card.facts.map(([label]) => label)).toContain('Live');
    },
  );
  test.each(['running', 'stopped', 'ended', 'done'] as const)(
    'stay without a warning while the batch is %s',
    (state) => {
      const card = cardFor(state, '-d');
      const isOver = state === 'ended' || state === 'done';
      const always = ['Live', 'Not live', 'Clears'];
      expect(card.facts.map(([label]) => label)).toEqual(isOver ? always : [...always, 'Stops at']);
      expect(card.warning).toBeUndefined();
    },
  );
});

describe('the buttons', () => {
  const everything = 'Everything that will be sent';
  const sent = 'Everything that was sent';
  test.each<[State, string, readonly string[]]>([
    ['waiting', '--', ['Approve', 'Approve with a note…', everything, 'Decline…', 'Cancel']],
    ['running', 'dw-', ['Stop', everything]],
    ['running', 'dwu-', ['Stop', 'It happened: s2/live', 'It did not happen: s2/live', everything]],
    ['stopped', 'd--', ['Go on', 'Go on without some…', 'End it', everything]],
    ['stopped', 'd-w', ['Go on', everything]],
    ['stopped', 'd-o', ['Go on', 'End it', everything]],
    ['stopped', 'dol', ['Retry those not sent', 'End it', everything]],
    ['stopped', 'do', ['End it', sent]],
    ['stopped', 'dl', ['Retry those not sent', 'End it', everything]],
    ['stopped', 'df-', ['Go on', 'End it', everything]],
    ['stopped', 'du', ['It happened: s1/live', 'It did not happen: s1/live', sent]],
    ['stopped', 'df', ['End it', sent]],
    ['ended', 'du-', ['It happened: s1/live', 'It did not happen: s1/live']],
    ['ended', 'df-', []],
    ['done', 'dd', []],
  ])('%s: %s', (state, text, wanted) => {
    expect(labels(state, text)).toEqual(wanted);
  });
  test('that decide about the batch carry its number and version, those that close carry the change’s', () => {
    const presses = cardFor('stopped', 'd-lu').buttons.map(({ press }) => press);
    expect(presses).toMatchObject([
      { kind: 'decision', verdict: 'go_on', number: 1042, version: 3, installation: 'f00d' },
      { kind: 'decision', verdict: 'retry', number: 1042, version: 3 },
      { kind: 'decision', verdict: 'happened', number: 4, version: 1 },
      { kind: 'decision', verdict: 'did_not_happen', number: 4, version: 1 },
      { kind: 'call', page: 1, of: { number: 1042 } },
    ]);
  });
  test('that send something ask first, and say how much', () => {
    const asks = cardFor('stopped', 'd--oll').buttons.flatMap(({ confirm }) => (confirm ? [plain(confirm.says)] : []));
    expect(asks[0]).toBe('The remaining 2 will be sent as approved.');
    expect(asks[1]).toContain('The 2 that were not sent are tried again');
    expect(asks[1]).toContain('What was sent, or may have been, is not sent again.');
  });
});

describe('the replies', () => {
  const noteFor = (...of: Parameters<typeof batchOf>) => {
    const [batch, changes] = batchOf(...of);
    return stopNote(batch, changes, batchProgress(batch), say`Stopped.`);
  };

  test.each<[StopReason, string | undefined, string]>([
    [
      { kind: 'ended badly', items: [1, 2] },
      undefined,
      'Stopped: s1/live, s2/live did not end well. Nothing more is sent.',
    ],
    [
      { kind: 'canary', says: say`it is not well` },
      undefined,
      'Stopped after its canary: it is not well. Nothing more is sent.',
    ],
    [{ kind: 'person' }, 'Ana', 'Stopped by @Ana. Nothing more is sent.'],
    [{ kind: 'all tried' }, undefined, 'All were tried, and not all are done.'],
  ])('%j', (why, by, says) => {
    expect(plain(whyStopped(batchOf('stopped', 'duo')[0], why, by))).toBe(says);
  });
  test('when it stops: what was sent, what was not, and what is still followed', () => {
    const said = (text: string): string => plain(noteFor('stopped', text).reply?.text ?? []);
    expect(said('duw-')).toMatch(
      /^✋ Stopped\. What is under way is followed to its end\.\n⚠️ s1\/live · #2 .*\nWhat is unknown won't be sent again\. .*\nIts card has the buttons to go on, until /,
    );
    expect(said('du-')).not.toContain('followed to its end');
    expect(said('du-')).toMatch(/▰+▱+ 1 of 3 done · 1 unknown · 1 to do/);
    expect(said('du-')).not.toContain('anew');
    expect(said('do')).toMatch(
      /⛔ s1\/live · #2 .*\nWhat changed in the meantime needs a new review: please ask for it anew\.$/,
    );
  });
  test.each<[string, boolean, boolean]>([
    ['duw-', true, true],
    ['du-', true, false],
    ['dw-', false, true],
    ['df-', false, false],
  ])(
    'when it stops at %s: the ops channel hears of it: %j; it is said anew later: %j',
    (text, isForOps, isSummaryPending) => {
      const { ops, also } = noteFor('stopped', text);
      expect(ops).toBe(isForOps);
      expect(JSON.parse(also?.progress ?? '')).toMatchObject({ isSummaryPending });
    },
  );
  test('at its end', () => {
    const said = (text: string, how: Parameters<typeof endedReply>[2]): string =>
      plain(endedReply(...batchOf('ended', text), how).text);
    expect(said('ddd', 'all_done')).toMatch(/^✅ All are done\.\n▰+ 3 of 3 done\n\/site change 1042 lists each one\.$/);
    expect(said('dgd', 'all_accepted')).toMatch(
      /^☑️ The host accepted all of them\. Not all can be verified from here\.\n▰+ 2 of 3 done · 1 accepted\n/,
    );
    expect(said(`d${'f'.repeat(9)}`, 'end')).toMatch(
      /^⛔ It is over, and not all are done\. Nothing more is sent for it\.\n/,
    );
    expect(said(`d${'f'.repeat(9)}`, 'end').match(/❌|\n… and 1 more on the card\.\n/g)).toHaveLength(8 + 1);
  });
  test('about unknown outcomes', () => {
    const [batch, changes] = batchOf('stopped', `d${'u'.repeat(10)}`);
    const said = plain(stopNote(batch, changes, batchProgress(batch), say`Stopped.`).reply?.text ?? []);
    expect(said).toContain("What is unknown won't be sent again.");
    expect(said).not.toContain('buttons to go on');
    expect(said.match(/\n⚠️|\n… and 2 more on the card\./g)).toHaveLength(8 + 1);
  });
});

test('two hundred items with any names stay within the limits of Slack', () => {
  const holds = ({ text, blocks }: Drawn): void => {
    expect(blockComplaints(blocks, 'message')).toEqual([]);
    expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(12_000);
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(
      JSON.stringify({ text, blocks }, (key, value: unknown) => (key === 'value' ? undefined : value)),
    ).not.toMatch(/[\u202A-\u202E\u200B\uFEFF]|\\u(?:d[89a-f]|00(?!0[9a]))/i);
  };
  const texts = fc.array(fc.constantFrom(...Object.keys(letters), '-', 'l', 'x'), { minLength: 200, maxLength: 200 });
  const states = fc.constantFrom<State>('running', 'stopped', 'ended', 'done');
  fc.assert(
    fc.property(texts, states, fc.array(hostile, { minLength: 4, maxLength: 12 }), (text, state, names) => {
      const [batch, changes] = batchOf(state, text.join(''), (at) => names[at % names.length] ?? '');
      holds(drawCard(renderBatch(batch, changes, [], 'f00d')));
      const why = whyStopped(batch, { kind: 'ended badly', items: text.map((_, at) => at) });
      for (const note of [
        stopNote(batch, changes, batchProgress(batch), why).reply ?? { text: [] },
        endedReply(batch, changes, 'end'),
      ])
        holds(drawNote(note));
    }),
    { numRuns: 40 },
  );
});

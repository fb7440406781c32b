import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BatchItem, BatchProgress } from '../../src/change/batch.ts';
import { batchFile } from '../../src/post/attach-file.ts';
import type { Change } from '../../src/storage/changes.ts';
import { mention, say, time, type Text } from '../../src/words/text.ts';
import { cellsOf, recordsOf } from '../cells.ts';
import { changeOf, environment, hostile } from '../fixtures.ts';

/** The lines of a batch as a file for spreadsheets, whatever its environments and outcomes are called. */

type One = { readonly name: string; readonly item?: BatchProgress['items'][number]; readonly change?: Partial<Change> };

const pinned = { args: '[]', snapshot: 'null', preconditions: 'null', call: 'null', card: '{}', fingerprint: 'f' };
const noted = (text: Text): Pick<Change, 'last_note'> => ({ last_note: JSON.stringify(text) });

/** A batch asked for by Ana, 1042, whose changes are numbered from 1. */
function recordOf(all: readonly One[]) {
  const items = all.map(({ item, change }, at) => item ?? (change ? { change: at + 1 } : {}));
  const call = {
    items: all.map(({ name }, at): BatchItem => ({ target: { ...environment('s/live', at + 1), name }, ...pinned })),
  };
  const batch = changeOf({
    state: 'ended',
    requester: 'U01ANA',
    requester_name: 'Ana',
    call: JSON.stringify(call),
    progress: JSON.stringify({ items, passedOver: [] } satisfies BatchProgress),
  });
  const changes = all.flatMap(({ change }, at) =>
    change ? [changeOf({ number: at + 1, batch: 1042, settled_at: 5, ...change })] : [],
  );
  return { batch, changes, votes: [], lines: [] };
}
const rowsOf = (...of: Parameters<typeof batchFile>) => recordsOf(batchFile(...of).content).slice(1);
const at = Date.UTC(2026, 10, 24, 1, 2, 3);

describe('the file of a batch', () => {
  test.each<[string, One, readonly string[]]>([
    [
      'what is done, with the time of its send',
      { name: 's/live', change: { state: 'done', sent_at: at, ...noted(say`**Done** at ${time(at)}.`) } },
      ['s/live', '1', 'done', 'Done at 2026-11-24 01:02:03 UTC.', '2026-11-24 01:02:03', 'Ana (U01ANA)'],
    ],
    [
      'what failed, in one line',
      { name: 's/live', change: { state: 'rejected', sent_at: at, ...noted([{ text: 'No.\r\n\n=cmd()\u2028!' }]) } },
      ['s/live', '1', 'failed', 'No. =cmd() !', '2026-11-24 01:02:03', 'Ana (U01ANA)'],
    ],
    ['what was never begun', { name: 's/live' }, ['s/live', '', 'to do', 'Nothing was sent.', '', 'Ana (U01ANA)']],
    [
      'what was locked',
      { name: 's/live', item: { skipped: say`Locked by ${mention('U02BEN')}.` } },
      ['s/live', '', 'not sent', 'Locked by U02BEN.', '', 'Ana (U01ANA)'],
    ],
    [
      'formulas and hidden characters',
      { name: '=s/\u202Elive', change: { state: 'done', ...noted([{ text: '@SUM(A1)' }]) } },
      ["'=s/⟨U+202E⟩live", '1', 'done', "'@SUM(A1)", '', 'Ana (U01ANA)'],
    ],
  ])('tells %s', (_, one, row) => {
    expect(rowsOf(recordOf([one]))).toEqual([row]);
  });

  test('names who approved it, who said what happened, and who left out which', () => {
    const record = recordOf([
      { name: 'a/live', change: { state: 'happened', ...noted(say`${mention('U04DEE')} says it happened.`) } },
      { name: 'b/live', item: { isLeftOut: true } },
    ]);
    const by = (actor: string, details: object, change = 1042) => ({
      change,
      event: 'any',
      actor,
      details: JSON.stringify(details),
    });
    const rows = rowsOf({
      ...record,
      votes: [{ person: 'U03CHI' }, { person: 'U05FAY' }],
      lines: [
        by('U03CHI', { name: 'Chi' }),
        by('U02BEN', { name: 'Ben', without: ['b/live'] }),
        by('U04DEE', { name: 'Dee' }, 1),
      ],
    });
    expect(rows.map(([, , state, outcome, , decided]) => [state, outcome, decided])).toEqual([
      ['done', 'Dee (U04DEE) says it happened.', 'Chi (U03CHI), U05FAY'],
      ['left out', 'Nothing was sent.', 'Ben (U02BEN)'],
    ]);
  });

  test('has one line for each, in their order and bounded, none of which is a formula, whatever they are called', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, hostile), { minLength: 1, maxLength: 5 }), (pairs) => {
        const all = pairs.map(([name, text]) => ({ name, change: { ...noted([{ text }]), state: 'done' as const } }));
        const { content } = batchFile(recordOf(all));
        const lines = content.split('\r\n').slice(1, -1);
        expect(lines).toHaveLength(all.length);
        for (const [index, line] of lines.entries()) {
          const cells = cellsOf(`${line}\r\n`);
          expect(cells).toHaveLength(6);
          expect(cells[1]).toBe(`${index + 1}`);
          expect(line).not.toMatch(/[\n\r\u2028\u2029\u202E\u200B]/);
          for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
        }
      }),
    );
    const long = batchFile(
      recordOf([{ name: 'x'.repeat(9_000), change: { state: 'done', ...noted([{ text: 'y'.repeat(90_000) }]) } }]),
    );
    expect(long.content.length).toBeLessThan(5_000);
  });
});

import { describe, expect, test } from 'vitest';
import type { ChecklistItem } from '../../src/commands/kit/page.ts';
import { narrowed } from '../../src/talk/checklist.ts';
import { blockComplaints } from '../../src/playground/slack/block-kit/check.ts';
import { checkboxInputs, leaveOutInput } from '../../src/slack/forms/inputs.ts';

/** What is left of a checklist: never more than was offered. */

const items: readonly ChecklistItem[] = [
  { word: 'kiln', says: '1 → 2', on: ['a', 'b'] },
  { word: 'quill', says: '1 → 2', on: ['b', 'c'] },
  { word: 'lattice', says: '1 → 2', on: ['d'] },
];

describe('what is ticked', () => {
  test.each<[readonly number[], readonly string[], readonly string[], readonly string[]]>([
    [[0, 1, 2], [], ['kiln', 'quill', 'lattice'], ['a', 'b', 'c', 'd']],
    [[0], [], ['kiln'], ['a', 'b']],
    [[0, 1], ['b'], ['kiln', 'quill'], ['a', 'c']],
    [[2, 0], ['a', 'b'], ['lattice', 'kiln'], ['d']],
    [[1], ['elsewhere'], ['quill'], ['b', 'c']],
  ])('%j without %j', (at, leaveOut, words, ids) => {
    expect(narrowed({ noun: 'theme', items }, { at, leaveOut })).toEqual({ words, ids });
  });

  test.each<[readonly number[], readonly string[], string, string | undefined]>([
    [[], [], 'Tick at least one theme. Nothing was done.', 'checklist'],
    [[3], [], "A theme that I didn't offer is ticked. Nothing was done.", undefined],
    [[0, -1], [], "A theme that I didn't offer is ticked. Nothing was done.", undefined],
    [[0, 0.5], [], "A theme that I didn't offer is ticked. Nothing was done.", undefined],
    [[Number.NaN], [], "A theme that I didn't offer is ticked. Nothing was done.", undefined],
    [[2], ['d'], 'Every environment was left out. Nothing was done.', 'leave-out'],
  ])('%j without %j is refused', (at, leaveOut, message, field) => {
    expect(() => narrowed({ noun: 'theme', items }, { at, leaveOut })).toThrow(
      expect.objectContaining({ message, field }),
    );
  });
});

test.each([1, 10, 11, 100])('a form takes a checklist of %i, whatever its words', (length) => {
  const hostile = ['x'.repeat(100), '🧵'.repeat(50), '<!channel>', '*b*\n_i_', '\u202ex'];
  const shown = Array.from({ length }, (_, at) => ({
    at,
    word: hostile[at % hostile.length] ?? '',
    says: `${'9'.repeat(20)} → ${'9'.repeat(20)} (vulnerable) · 200 environments`,
  }));
  const all = Array.from({ length: 200 }, (_, at) => ({ id: String(at), name: `site-${at}/live`, live: true }));
  const blocks = [...checkboxInputs('Themes', shown), leaveOutInput(all)];
  expect(blockComplaints(blocks, 'modal')).toEqual([]);
  expect(blocks).toHaveLength(Math.ceil(length / 10) + 1);
});

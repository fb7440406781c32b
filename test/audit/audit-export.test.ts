import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headOf, exportLine, type Entry } from '../../src/audit/audit-query.ts';
import { say } from '../../src/words/text.ts';
import { cellsOf } from '../cells.ts';
import { ana, hostile } from '../fixtures.ts';

describe('a CSV export', () => {
  const entry: Entry = {
    seq: 1,
    at: 0,
    actor: ana.id,
    name: 'Ana',
    caller: 'deploy-bot',
    says: 'asked for it',
    change: 7,
    command: 'push',
    target: 'acme-shop/live',
    reason: undefined,
    rules: [7, 9],
    policy: 'p',
    fingerprint: 'f',
    approvers: ['Chi', 'Dee'],
    glass: say`sent without approval; nobody has reviewed it yet`,
    receipt: undefined,
    event: 'asked',
    details: '{}',
    previous: '0',
    hash: '1',
  };

  test('quotes as in RFC 4180, and lets no cell be a formula', () => {
    expect(exportLine('csv', entry)).toBe(
      `"1","1970-01-01T00:00:00.000Z","U01ANA","Ana","deploy-bot","asked","asked for it","7","acme-shop/live","","7, 9","p","f","Chi, Dee","","{}","0","1","sent without approval; nobody has reviewed it yet"\r\n`,
    );
    expect(exportLine('csv', { ...entry, reason: '=1+1' })).toContain(`,"'=1+1",`);
    expect(exportLine('csv', { ...entry, reason: '@SUM(A1), "x"' })).toContain(`,"'@SUM(A1), ""x""",`);
    expect(exportLine('csv', { ...entry, reason: '\t=1' })).toContain(`,"\t'=1",`);
    expect(exportLine('csv', { ...entry, name: '-1' })).toContain(`,"'-1",`);
    expect(exportLine('csv', { ...entry, name: '+1' })).toContain(`,"'+1",`);
    expect(exportLine('csv', { ...entry, name: "'+1" })).toContain(`,"''+1",`);
    for (const wide of ['＝1', '＋1', '－1', '＠SUM(A1)'])
      expect(exportLine('csv', { ...entry, reason: wide })).toContain(`,"'${wide}",`);
  });

  test('turns any audit line into one record with a cell per column', () => {
    const columns = headOf('csv').split(',').length;
    fc.assert(
      fc.property(hostile, hostile, (reason, name) => {
        const cells = cellsOf(exportLine('csv', { ...entry, reason, name }));
        expect(cells).toHaveLength(columns);
        for (const part of cells.flatMap((cell) => cell.split(/[;,\t\r\n]/)))
          expect(part.trim()).not.toMatch(/^[=+\-@＝＋－＠]/);
        // Nothing is lost: an apostrophe is taken off each sign that could begin a formula.
        expect(cells[9]?.replaceAll(/(?<=(?:^|[;,\t\r\n])[\s"']*)'(?=[=+\-@＝＋－＠])/g, '')).toBe(reason);
        const row: unknown = JSON.parse(exportLine('jsonl', { ...entry, reason, name }));
        expect(row).toMatchObject({ reason, name });
      }),
    );
  });
});

import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { createManyTurns } from '../../src/talk/each-environment.ts';
import { briefStatusOf } from '../../src/talk/site-status.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { askingFor, ana, blog, company, contextWith, live, names, policyOf, staging } from '../fixtures.ts';

describeBoth('the status of many environments', (open) => {
  it('reads the open batches once, and not for each of them', async () => {
    let reads = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (JSON.stringify(node).includes('"value":"batch"')) reads += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const database = await open();
    const context = contextWith({
      database: { ...database, db: database.db.withPlugin(counting) },
      policy: () => policyOf('{ allow: [read], to: [developers] }'),
      manyTurns: createManyTurns(() => 1),
      read: () => Promise.reject(new Error('no host here')),
      names: () => names,
      company: () => company,
      onTrouble: () => undefined,
    });
    const briefs = await briefStatusOf(context, askingFor(context, ana, 'status'), [blog, live, staging]);
    expect(briefs).toHaveLength(3);
    expect(reads).toBe(1);
  });
});

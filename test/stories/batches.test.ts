import { describe, expect, test } from 'vitest';
import { inScenario } from './scenario.ts';

/** One command for many environments: what is reviewed, what is sent, and when it stops. */

const policy = `
version: 1
live: ["*/live"]
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI, U04DEE], some: [U06ROB] }
sets: { care-plan: ["acme-*/live", harbor-events/live] }
rules:
  - { allow: [read], to: [developers, leads, some] }
  - { allow: ["cache clear"], to: [developers] }
  - { allow: ["cache clear"], to: [some], where: ["acme-shop/*"] }
  - { allow: ["allowlist add"], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
channels: { ops: C0OPS }
`;

describe.concurrent('batches', () => {
  test(
    'a set is reviewed, each environment is sent once, and one card says so',
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      await ana.opens('/site cache clear set:care-plan', 'Clear the cache of');
      const review = await ana.form('Clear the cache of');
      expect(review.text).toContain('acme-shop/live');
      const card = await ana.confirms({});
      await scenario.becomes(card.number, 'done');
      await card.shows('all');
    }),
  );
});

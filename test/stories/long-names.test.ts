import { expect, test } from 'vitest';
import { inScenario } from './scenario.ts';

const site = 'client-of-the-northern-department-for-public-affairs-and-culture-2026';
const sites = [
  {
    id: '00000000-0000-4000-8000-100010000000',
    name: site,
    environments: [
      { id: '00000000-0000-4000-9000-100010000000', name: 'live' },
      { id: '00000000-0000-4000-9000-100020000000', name: 'staging' },
    ],
  },
];
const policy = `
version: 1
groups: { developers: [U01ANA] }
rules:
  - { allow: [read, "cache clear"], to: [developers] }
`;

test(
  'two environments whose buttons look alike: neither is changed at a press, because a form shows which it is',
  inScenario({ policy, hosting: { plan: { sites, domains: [] } } }, async (scenario) => {
    const ana = scenario.person('ana');
    const said = await (await ana.says('/site cache clear northern-department')).hears('Which one?');
    expect(said.controls).toHaveLength(2);
    for (const { label } of said.controls) expect(label).toMatch(/…$/);
    const [first] = said.controls;
    await scenario.slack.click(ana.id, said, { action_id: first?.action_id ?? '' });
    const form = await ana.form('Clear');
    expect(JSON.stringify(form)).toContain(`${site}/live`);
    expect(scenario.writes()).toEqual([]);
  }),
);

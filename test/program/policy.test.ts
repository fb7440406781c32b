import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { firstPolicy } from '../../src/program/setup/roles.ts';
import { policy } from '../../src/program/policy.ts';

/** The rules without Slack: questions about them, and expectations of them. The rules are those of the example. */

const folder = mkdtempSync(join(tmpdir(), 'sitehand-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

const example = { POLICY_FILE: 'policy.example.yml' };

/** A Wednesday. */
const now = Date.parse('2026-12-02T12:00Z');

/** Its output and exit code. */
async function run(words: readonly string[], environment: Readonly<Record<string, string>> = example) {
  const [out, said]: string[][] = [[], []];
  const streams = { write: (text: string) => out?.push(text), complain: (text: string) => said?.push(text) };
  const code = await policy(words, environment, streams, now);
  return { code, out: out?.join(''), said: said?.join('') };
}

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const strict = {
  POLICY_FILE: file(
    'strict.yml',
    `version: 1
groups: { developers: [U0000000001], leads: [U0000000002, U0000000003, U0000000004], oncall: [U0000000003] }
rules:
  - { allow: [read], to: [developers, leads] }
  - { allow: [destructive], to: [leads], approval: { by: [leads], notify: [oncall], count: 2, expires: 30m } }
  - { allow: [routine], to: [developers], approval: { by: [leads], then: { after: 15m, by: [oncall] } } }
`,
  ),
};

test.each<[question: string, answer: RegExp, rules?: typeof example]>([
  [
    '@developers cache clear acme-shop/live',
    /^@developers may run cache clear on acme-shop\/live\nIt needs no approval\./,
  ],
  [
    '@developers push acme-shop/staging acme-shop/live --database',
    /^@developers may run push on .*\nIt needs approval by @U0000000002, .* or .* \(leads: 3 people who could\), within 1h\. It needs a reason\.\nAllowed by line 53 of the policy: /,
  ],
  [
    '@developers cache clear acme-shop/live',
    /It needs approval by .* or .* \(after 15m also oncall\) \(leads: 3 people who could\), within 1h\./,
    strict,
  ],
  ['@leads delete acme-shop/staging', /It needs approval by 2 of .*, within 30m\. Notified: @U0000000003\.\n/, strict],
  [
    '@leads delete acme-shop/live',
    /^@leads may not run delete on acme-shop\/live\nForbidden by line 66 of the policy: deny delete/,
  ],
  [
    '@developers delete acme-shop/staging',
    /^@developers may not run delete .*\nNo rule allows @developers to run it there; leads may/,
    strict,
  ],
  ['@developers pause', /^@developers may not run pause\n/],
  ['@developers dns list example.com', /^@developers may run dns list on example\.com\n/],
  ['@U0000000005 logs acme-shop/live', /^@U0000000005 may or may not run logs .*\nIt depends on who is in S0000000001/],
  [
    '@U0000000005+none logs acme-shop/live',
    /^@U0000000005 may not run logs .*\nacme-shop\/live is hidden from @U0000000005/,
  ],
  ['@U0000000005+S0000000001 logs acme-shop/live', /^@U0000000005 may run logs on acme-shop\/live\n/],
  // One person with two ids.
  ['@U0000000009+none delete acme-shop/staging', /^@U0000000009 may not run delete/],
])('explain %s', async (question, answer, rules = example) => {
  const { code, out, said } = await run(['explain', question], rules);
  expect({ code, said }).toEqual({ code: 0, said: '' });
  expect(out).toMatch(answer);
});

test.each([
  [
    '@ana push acme-shop/staging acme-shop/live',
    /^`?@ana`? is neither a group of the file nor a Slack id\. Nothing was answered\. Begin with an id, such as .*@developers, @leads\.\n$/,
  ],
  [
    '@U0000000005+S0000000009 logs a/live',
    /names no Slack user group S0000000009\. Nothing was answered\. It names S0000000001\.\n$/,
  ],
  ['@leads psuh a/staging a/live', /I don.t know psuh\. Nothing was done/],
  ['@leads', /^No command follows @leads\. Nothing was answered\.\n$/],
  ['', /neither a group of the file nor a Slack id/],
  ['@leads push a/staging', /needs a target|Nothing was done/],
])('a question that cannot be answered says what is wrong with it: %s', async (question, says) => {
  const { code, out, said } = await run(['explain', question]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(said).toMatch(says);
});

const [leads, developers] = [
  [
    { id: 'U03CHI', name: '' },
    { id: 'U04DEE', name: '' },
  ],
  [{ id: 'U01ANA', name: '' }],
];

test.each([
  ['setup', () => file('first.yml', firstPolicy({ leads, developers, ops: undefined }))],
  ['the example', () => example.POLICY_FILE],
  ['the playground', () => 'src/playground/policy.yml'],
])(
  'with the rules of %s, who is on call can act at once, and what destroys data waits for a lead',
  async (_, rules) => {
    const story = `allowed:
  - '@developers status acme-shop/live'
  - '@developers logs acme-shop/live'
  - '@developers cache clear acme-shop/live'
  - '@developers lock acme-shop/live the shop is down'
  - '@developers unlock acme-shop/live'
  - '@developers watch acme-shop/live'
  - '@developers digest acme-shop'
  - '@leads unlock acme-shop/live --force'
  - '@leads pause'
  - '@leads audit'
approval:
  - '@developers push acme-shop/staging acme-shop/live --database': leads
  - '@leads delete acme-shop/staging': leads
refused:
  - '@developers delete acme-shop/live'
  - '@leads delete acme-shop/live'
  - '@developers unlock acme-shop/live --force'
  - '@developers pause'
  - '@developers audit'
`;
    const { out } = await run(['test', file('story.yml', story)], { POLICY_FILE: rules() });
    expect(out).toBe('All 17 expectations hold.\n');
  },
);

test('the expectations of the documentation hold for the example', async () => {
  const [, yaml = ''] =
    /`sitehand policy test` asks[^]*?```yaml\n([^]*?)```/.exec(readFileSync('docs/policy.md', 'utf8')) ?? [];
  expect(await run(['test', file('documented.yml', yaml)])).toEqual({
    code: 0,
    out: 'All 5 expectations hold.\n',
    said: '',
  });
});

/** A part of the page about the policy file, between its marks. */
const documented = (mark: string): string =>
  readFileSync('docs/policy.md', 'utf8').split(`<!-- ${mark} -->\n\`\`\`yaml\n`)[1]?.split('```')[0] ?? '';
const agency = { POLICY_FILE: file('agency.yml', documented('agency')) };

test('the expectations of the whole policy of the documentation hold', async () => {
  expect(await run(['check', agency.POLICY_FILE])).toMatchObject({ code: 0 });
  expect(await run(['test', file('of-agency.yml', documented('expected'))], agency)).toEqual({
    code: 0,
    out: 'All 13 expectations hold.\n',
    said: '',
  });
});

test('check notes freezes that are over or last for months, and where they stand; they can be used', async () => {
  const freezes = file(
    'freezes.yml',
    `version: 1
groups: { leads: [U0000000002] }
rules: [{ allow: [read], to: [leads] }]
freezes:
  - { name: over, from: 2026-11-27 18:00, to: 2026-12-02 12:00, zone: UTC }
  - { name: now, from: 2026-11-27 18:00, to: 2026-12-02 12:01, zone: UTC }
  - { name: quarter, from: 2026-12-03 00:00, to: 2027-03-03 23:59, zone: UTC }
  - { name: longer, from: 2026-12-03 00:00, to: 2027-03-04 00:00, zone: UTC }
  - { name: nights, weekly: [mon 22:00 – tue 06:00, tue 22:00 – wed 06:00], zone: UTC }
  - { name: always, weekly: [mon 00:00 – thu 00:00, thu 00:00 – mon 00:00], zone: UTC }
`,
  );
  const { code, out = '' } = await run(['check', freezes]);
  expect([code, ...out.replaceAll(`${freezes}:`, '').split('\n')]).toEqual([
    0,
    '5:5: note: the freeze "over" is over',
    '8:5: note: the freeze "longer" lasts 91 days without a break',
    '10:5: note: the freeze "always" lasts more than 400 days without a break',
    expect.stringContaining('can be used: 1 rules, 1 groups'),
    '',
  ]);
});

test('the freezes of the example can be used', async () => {
  const used = readFileSync(example.POLICY_FILE, 'utf8').replace(/^# freezes:\n(?:#.*\n)+/m, (part) =>
    part.replaceAll(/^# /gm, ''),
  );
  const withFreezes = { POLICY_FILE: file('frozen.yml', used) };
  const { code, out } = await run(
    ['explain', '@developers push acme-shop/staging acme-shop/live --database'],
    withFreezes,
  );
  expect(code).toBe(0);
  expect(out).toMatch(/Held by the freeze weekends \(line \d+\): fri 16:00 – mon 08:00 Europe\/Berlin\.\n$/);
});

const push = '@acme-team push acme-shop/staging acme-shop/live --files';
test.each<[question: string, on: string, answer: string | RegExp]>([
  [push, 'friday 14:59', 'At 2026-12-04 14:59 UTC no freeze holds it. The next one begins at 2026-12-04 15:00 UTC.'],
  [
    push,
    'Friday 16:00 Europe/Berlin',
    'At 2026-12-04 16:00 Europe/Berlin it is frozen by weekends until 2026-12-07 08:00 Europe/Berlin. Those of leads whom a rule allows may still.',
  ],
  [
    push,
    '2026-11-28 10:00',
    'At 2026-11-28 10:00 UTC it is frozen by black-friday (Peak trading), weekends until 2026-12-01 07:00 UTC. Those of leads whom a rule allows may still.',
  ],
  [
    '@leads allowlist add acme-shop/live 192.0.2.1',
    '2026-11-28 10:00',
    'At 2026-11-28 10:00 UTC it is excepted from black-friday. That needs approval by 1 of heads as well. It needs a reason.',
  ],
  [
    '@U01ANA+S0ONCALL push acme-shop/staging acme-shop/live --files',
    '2026-11-26 10:00',
    'At 2026-11-26 10:00 UTC no freeze holds it. The next one begins at 2026-11-27 15:00 UTC.',
  ],
  [
    '@U01ANA allowlist add acme-shop/live 192.0.2.1',
    '2026-11-28 10:00',
    'At 2026-11-28 10:00 UTC it depends on who is in S0ONCALL: a freeze excepts them.',
  ],
  ['@acme-team logs acme-shop/live', '2026-11-28 10:00', 'At 2026-11-28 10:00 UTC no freeze holds it.'],
])('%s on %s', async (question, on, answer) => {
  const [alone, inside] = [
    await run(['explain', question, '--on', on], agency),
    await run(['explain', `${question} --on "${on}"`], agency),
  ];
  expect(alone).toMatchObject({ code: 0, said: '' });
  expect(alone.out?.split('\n').at(-2)).toBe(answer);
  expect(inside).toEqual(alone);
});

test('without a time it names the freezes to come', async () => {
  const { out } = await run(['explain', push], agency);
  expect(out?.split('\n').slice(-3)).toEqual([
    expect.stringMatching(/^Allowed by line/),
    'Held by the freeze weekends (line 37): fri 16:00 – mon 08:00 Europe/Berlin, except for leads.',
    '',
  ]);
});

test.each(['soon', 'friday', '2026-02-30 10:00', 'friday 10:00 Berlin', 'friday 10:00 BST', '25:00'])(
  'a time that cannot be read is refused: %s',
  async (on) => {
    const { code, out, said } = await run(['explain', push, '--on', on], agency);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(said).toMatch(
      /(can't read .* as a time: write it like 14:30|is not a time zone).*\. Nothing was answered\./,
    );
  },
);

test('each failed expectation is named with its place, the actual result and the reason', async () => {
  const expected = file(
    'wrong.yml',
    `allowed:
  - '@leads delete acme-shop/live'
  - '@developers cache clear acme-shop/live'
approval:
  - '@leads delete acme-shop/staging': 2 of leads
refused:
  - '@developers logs acme-shop/live'
  - '@nobody logs acme-shop/live'
`,
  );
  const { code, out } = await run(['test', expected]);
  expect(code).toBe(1);
  expect(out?.split('\n')).toEqual([
    expect.stringMatching(
      /wrong\.yml:2:5: @leads delete acme-shop\/live: expected allowed, found refused\. Forbidden by line 66 of the policy: /,
    ),
    expect.stringMatching(/wrong\.yml:5:5: .*: expected approval by 2 of leads, found approval by 1 of leads\. /),
    expect.stringMatching(/wrong\.yml:7:5: .*: expected refused, found allowed\. It needs no approval\./),
    expect.stringMatching(/wrong\.yml:8:5: @nobody logs acme-shop\/live: @nobody is neither a group/),
    '4 of 5 expectations do not hold.',
    '',
  ]);
});

test.each([
  ['', /:1:1: expected the keys allowed, approval, frozen, refused and unknown/],
  ['allow: []\n', /:1:1: /],
  ['allowed: []\n', /:1:1: the file expects nothing/],
  ['allowed:\n  - 7\n', /:2:5: expected a question, such as/],
  ["approval:\n  - '@leads pause': [leads]\n", /:2:5: expected /],
  ["approval:\n  '@leads pause': leads\n", /:1:1: expected a list of questions, each perhaps with its approvers\n/],
  ['allowed: [\n', /:\d+:\d+: /],
])('a file of expectations that cannot be read is no success: %j', async (text, says) => {
  const { code, out } = await run(['test', file('broken.yml', text)]);
  expect(code).toBe(2);
  expect(out).toMatch(says);
});

test('an approval that too few people could give is not as expected', async () => {
  const rules = `version: 1
groups: { leads: [U0000000002, U0000000003], dev: [U0000000005] }
rules:
  - allow: [read]
    to: [leads, dev]
  - allow: [destructive]
    to: [leads, dev]
    approval: { by: [leads], count: 2 }
`;
  const question = '@U0000000002+none delete acme-shop/staging';
  const expected = file('few.yml', `approval:\n  - '${question}'\n  - '${question}': 2 of leads\n`);
  const { code, out } = await run(['test', expected], { POLICY_FILE: file('few-rules.yml', rules) });
  expect(code).toBe(1);
  expect(out).toMatch(/found approval by 2 of leads, who are too few\.[^]*\n2 of 2 expectations do not hold\.\n$/);
});

test('the approvers are read however their number is written', async () => {
  const spellings = ['2 of leads', ' 2  of leads ', '02 of leads'].map(
    (by) => `  - '@leads delete a/staging': '${by}'\n`,
  );
  spellings.push("  - '@developers cache clear a/live': leads (after 15m also oncall)\n");
  const expected = file('spellings.yml', `approval:\n${spellings.join('')}`);
  expect(await run(['test', expected], strict)).toMatchObject({ code: 0 });
});

test('a quoted word is no option, as in Slack', async () => {
  expect(await run(['explain', '@leads unlock acme-shop/live --force'])).toMatchObject({ code: 0 });
  expect(await run(['explain', '@leads unlock acme-shop/live "--force"'])).toMatchObject({ code: 2, out: '' });
});

test('a missing file is named, and a policy with mistakes answers no question', async () => {
  const nowhere = ['test', join(folder, 'nowhere.yml')];
  const missing = await run(nowhere);
  expect(missing.code).toBe(2);
  expect(missing.out).toContain('cannot be read');
  const broken = { POLICY_FILE: file('policy.yml', 'version: 1\nrules:\n  - allow: [reed]\n    to: everyone\n') };
  for (const words of [['check'], ['explain', '@leads pause'], nowhere]) {
    const { code, out } = await run(words, broken);
    expect(code).toBe(1);
    expect(out).toMatch(/policy\.yml:3:13: unknown command or class "reed"/);
  }
});

test.each([[[]], [['explain']], [['explain', '@leads', 'pause']], [['chekc']], [['toString']]])(
  'unknown arguments do nothing: %j',
  async (words) => {
    const { code, out, said } = await run(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(said).toMatch(/^Use policy check.* Nothing was read\.\n$/);
  },
);

test('check notes breakGlass that never works, with its line', async () => {
  const text = `version: 1
groups: { a: [U01ANA], chi: [U03CHI] }
rules:
  - { allow: [push], to: [a], approval: { by: [chi] }, breakGlass: alone }
`;
  const { code, out } = await run(['check', file('glass.yml', text)]);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(
      /:4:5: note: breakGlass: alone never works here, .* say true\n.*can be used: /,
    ) as unknown,
  });
});

import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { whomToAsk } from '../../src/access/approver-lookup.ts';
import { refuseIfNobodyApproves, tooFewApprove } from '../../src/access/nobody-approves.ts';
import { aboutOf } from '../../src/access/targets.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { Refusal } from '../../src/base/errors.ts';
import { say } from '../../src/words/text.ts';
import { decideAccess } from '../../src/policy/policy.ts';
import { ana, company, contextWith, environment, policyFrom, refusalText } from '../fixtures.ts';

/** Who is asked to approve a batch: people who can approve all of it. If there are too few, it is refused. */

const environments = ['a/live', 'b/live', 'c/live'].map((name, at) => environment(name, at + 1));
const everywhere = '{ allow: [read], to: [developers, leads, shops, guests] }';
const asking = (approval: string, where = '*/*'): string =>
  `{ allow: ["cache clear"], to: [developers], where: ["${where}"], approval: ${approval} }`;
const reads = (whom: string, where: string): string => `{ allow: [read], to: [${whom}], where: ["${where}"] }`;
const denied = (whom: string, where: string): string => `{ deny: ["cache clear"], to: [${whom}], where: ["${where}"] }`;

type Asked = { readonly people: readonly string[]; readonly refused: string | undefined };

/** Whom Ana's batch of all three asks, or why it is refused. `silent`: people and user groups that Slack does not describe. */
async function asked(rules: readonly string[], silent: readonly string[] = []): Promise<Asked> {
  const policy = policyFrom(`version: 1
live: ["*/live"]
groups:
  developers: [U01ANA]
  leads: [U03CHI, U04DEE]
  shops: [U05FAY]
  guides: [S0GUIDES]
  guests: [U0GUEST]
rules:
${rules.map((rule) => `  - ${rule}\n`).join('')}`);
  const parsed = parse('cache clear */*', catalogue);
  if (parsed === undefined) throw new Error('nothing was typed');
  const resolved = resolve(parsed, { environments, domains: [] });
  const context = contextWith({
    policy: () => policy,
    company: () => company,
    membersOf: async (group) => (silent.includes(group) ? undefined : ['U06ROB']),
    personOf: async (id) =>
      silent.includes(id) ? undefined : { ...ana, id, name: id, standing: id === 'U0GUEST' ? 'guest' : 'member' },
  });
  const decision = decideAccess(policy, ana, aboutOf(resolved, company).asked);
  if (decision.kind !== 'allowed' || decision.approval === 'none') throw new Error('it needs no approval');
  const askers = { requester: ana.id, waited: 0 };
  const { asks, told } = await whomToAsk(context, decision.approval, resolved, askers);
  const people = [...new Set(asks.flatMap((one) => one.people))];
  expect(told).toEqual(people);
  try {
    await refuseIfNobodyApproves(context, { ...resolved, authorization: decision }, askers, asks);
  } catch (error) {
    if (error instanceof Refusal) return { people, refused: refusalText(error) };
    throw error;
  }
  return { people, refused: undefined };
}

const leads = '{ by: [leads], count: 1 }';
const somebody = 'It needs an approval by somebody else in leads';

describe('who is asked to approve a batch', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['those who can see all of it', [everywhere, asking(leads)], ['U03CHI', 'U04DEE']],
    [
      'not who sees only a part',
      [
        reads('developers, leads', '*/*'),
        '{ deny: [read], to: [shops], where: ["c/*"] }',
        reads('shops', '*/*'),
        asking('{ by: [leads, shops], count: 1 }'),
      ],
      ['U03CHI', 'U04DEE'],
    ],
    [
      'and nobody who is only to be notified, and sees a part',
      [reads('developers, leads', '*/*'), reads('shops', 'a/*'), asking('{ by: [leads], notify: [shops], count: 1 }')],
      ['U03CHI', 'U04DEE'],
    ],
    ['not who is denied a part', [everywhere, asking('{ by: [leads, shops] }'), denied('leads', 'b/*')], ['U05FAY']],
    [
      'of two approvals, those for each',
      [everywhere, asking(leads, 'a/*'), asking('{ by: [shops], count: 1 }', 'b/*'), asking('none', 'c/*')],
      ['U03CHI', 'U04DEE', 'U05FAY'],
    ],
  ])('%s', async (_, rules, people) => {
    expect(await asked(rules)).toEqual({ people, refused: undefined });
  });
});

describe('a batch that nobody can approve is refused', () => {
  test.each<[string, readonly string[], string]>([
    [
      'because nobody sees one of them',
      [reads('developers', '*/*'), reads('leads', 'a/*'), reads('leads', 'b/*'), asking(leads)],
      `Nobody can approve this for c/live. ${somebody} who may see it and whom no rule denies it. Nothing was done. Ask again, and leave out what nobody can approve.`,
    ],
    [
      'because a rule denies them one',
      [everywhere, asking(leads), denied('leads', 'b/*')],
      `Nobody can approve this for b/live. ${somebody} who may see it and whom no rule denies it. Nothing was done. Ask again, and leave out what nobody can approve.`,
    ],
    [
      'because all of them are hidden from its approvers',
      [reads('developers', '*/*'), asking(leads)],
      `Nobody can approve this for a/live, b/live, c/live. ${somebody} who may see it and whom no rule denies it. Nothing was done. Ask the person who keeps the policy to let somebody approve it.`,
    ],
    [
      'because no one person sees all of them',
      [
        reads('developers', '*/*'),
        reads('leads', 'a/*'),
        reads('leads', 'b/*'),
        reads('shops', 'c/*'),
        asking('{ by: [leads, shops] }'),
      ],
      "Nobody can approve all of this. It needs an approval by somebody else in leads or shops, and whoever can approve the others can't approve c/live. Nothing was done. Leave those out, and ask for them in a request of their own.",
    ],
    [
      'because too few see all of them',
      [reads('developers, leads', '*/*'), reads('shops', 'a/*'), asking('{ by: [leads, shops], count: 3 }')],
      'Too few people can approve this for b/live, c/live. It needs 3 approvals, each by somebody else in leads or shops who may see it and whom no rule denies it. Nothing was done. Ask again, and leave out what nobody can approve.',
    ],
    [
      'because its approvers are guests',
      [everywhere, asking('{ by: [guests], count: 1 }')],
      'Nobody can approve this for a/live, b/live, c/live. It needs an approval by somebody else in guests who may see it and whom no rule denies it. Nothing was done. Ask the person who keeps the policy to let somebody approve it.',
    ],
  ])('%s', async (_, rules, refused) => {
    expect((await asked(rules)).refused).toBe(refused);
  });
  const hidden = [reads('developers', '*/*'), reads('leads', 'a/*'), asking('{ by: [leads, guides], count: 1 }')];
  test('not while Slack does not say who is in a user group of its approvers', async () => {
    expect((await asked(hidden)).refused).toContain('Nobody can approve this');
    expect((await asked(hidden, ['S0GUIDES'])).refused).toBeUndefined();
  });
  test('not while Slack does not describe one of its approvers', async () => {
    const rules = [reads('developers, shops', '*/*'), asking('{ by: [leads, shops], count: 1 }')];
    expect((await asked(rules, ['U05FAY'])).refused).toBeUndefined();
  });
});

describe('that too few can approve', () => {
  const ask = { count: 1, people: [], names: [], groups: ['leads'] };
  const none = 'Nobody can approve it right now.';
  const few = 'Too few people can approve it right now.';
  test.each([
    ['is said of nobody', [ask], none],
    ['is said of one of two', [{ ...ask, count: 2, people: ['U1'] }], few],
    ['is said of one requirement', [{ ...ask, people: ['U1'] }, ask], none],
    ['is not said if enough can', [{ ...ask, people: ['U1'] }], undefined],
    ['is not said if a user group is not known', [{ ...ask, userGroups: ['S1'] }], undefined],
    ['is not said if an account is not known', [{ ...ask, unsure: ['U1'] }], undefined],
    ['is not said if others might', [{ ...ask, mayBeOthers: true } as const], undefined],
    ['is not said if nobody was looked for', [], undefined],
  ])('%s', (_, asks, said) => {
    expect(tooFewApprove(asks)).toEqual(said === undefined ? undefined : say`**${said}**`);
  });
});

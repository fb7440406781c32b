import { Refusal } from '../base/errors.ts';
import type { Mistake } from '../policy/yaml-document.ts';
import type { Ability } from '../access/ability.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Person } from '../access/access-check.ts';
import { explainAccess } from '../access/explain-access.ts';
import { aboutOf } from '../access/targets.ts';
import { catalogue } from '../commands/index.ts';
import { parse } from '../language/parse.ts';
import { resolve, type KnownNames } from '../language/resolve.ts';
import { split } from '../language/tokenize.ts';
import { isLive, type Policy } from '../policy/rules.ts';
import { mentionedGroups } from '../policy/memberships.ts';
import { code, joined, say, plain, type Text } from '../words/text.ts';
import { textsIn } from '../commands/kit/page.ts';
import { rights } from '../commands/rights.ts';
import { policyFileIn, type EnvironmentVariables } from '../base/config.ts';
import { idleBreakGlass } from '../policy/unsatisfiable.ts';
import { readPolicy } from '../policy/watch.ts';
import { abilityPage } from '../talk/rights-pages.ts';
import { exitCodes, out, type Out } from './output.ts';
import { readExpectations, type Expectation } from './policy-expectations.ts';
import { approversIn, askFreezes, notesOnFreezes, withoutTime, type AskedFreezes } from './policy-freezes.ts';

/** The policy without Slack, for people on the machine and for their CI: `check`, `explain` and `test`. */

/**
 * What the rules say about a person and a command, without Slack and without the host: every name that looks like an
 * environment or a domain is treated as one.
 */

/** What the rules say to a question and, if they allow it, what the freezes do. */
type Answer = { readonly ability: Ability; readonly freezes: AskedFreezes };

/**
 * Answers a question such as `@leads push acme-shop/staging acme-shop/live`. It begins with a group of the file, for a
 * person in that group only, or with a Slack id and optionally its user groups: `@U0123456789+S0123456789`, or `+none`.
 * Without them the user groups are unknown, as they are while Slack does not answer. A time to ask about may follow:
 * `--on "friday 18:00"`. Throws `Refusal`.
 */
async function explainPolicy(policy: Policy, words: string, now: number): Promise<Answer> {
  const { question, on } = withoutTime(words);
  const [who = ''] = question.trim().split(/\s/, 1);
  // As typed, because a quoted word is not an option.
  const typed = question.trim().slice(who.length).trim();
  const { rules, person } = somebody(policy, who.replace(/^@/, ''));
  if (typed === '') throw new Refusal(say`No command follows ${code(who)}. Nothing was answered.`);
  const names = namesIn(
    rules,
    split(typed).map(({ text }) => text),
  );
  const company = { kind: 'company', id: '', name: 'the company' } as const;
  const context = {
    policy: () => rules,
    company: () => company,
    names: () => names,
    personOf: async (id: string) => ({ ...person, id, ...(id !== person.id && { name: id }) }),
    membersOf: async () => undefined,
  };
  const ability = await explainAccess(context, person, [typed], undefined);
  const parsed = parse(typed, catalogue);
  if (ability.answer.kind !== 'allowed' || !parsed) return { ability, freezes: { lines: [] } };
  const { asked } = aboutOf(resolve(parsed, names), company);
  return { ability, freezes: askFreezes(rules, person, asked, { on, now }) };
}

type Asked = { readonly rules: Policy; readonly person: Person };

/** The rules, and the person they are asked about. */
function somebody(policy: Policy, who: string): Asked {
  const [name = '', ...userGroups] = who.split('+');
  const members = policy.groups.get(name);
  if (members !== undefined && userGroups.length === 0) return memberOf(policy, name, members);
  if (!idShape.test(name)) throw unknownName(policy, name);
  const wrong = userGroups.find((group) => group !== 'none' && !mentionedGroups(policy).includes(group));
  if (wrong !== undefined) throw unknownUserGroup(policy, wrong);
  return { rules: policy, person: { ...around(name), ...groupsOf(policy, userGroups) } };
}

const idShape = /^[UW][A-Z0-9]{5,}$/;

/** An imaginary member of this group only, with an id that Slack never gives out. */
function memberOf(policy: Policy, name: string, members: ReadonlySet<string>): Asked {
  const groups = new Map([...policy.groups, [name, new Set([...members, name])]]);
  return { rules: { ...policy, groups }, person: { ...around(name), ...groupsOf(policy, ['none']) } };
}

const around = (id: string) => ({ id, name: `@${id}`, team: '', standing: 'member', zone: 'UTC' }) as const;

/** The person is in the named user groups and in no other; if none is named, all are unknown. */
const groupsOf = (policy: Policy, named: readonly string[]): Pick<Person, 'groups' | 'otherGroups'> => ({
  groups: named.filter((group) => group !== 'none'),
  otherGroups: named.length === 0 ? [] : mentionedGroups(policy).filter((group) => !named.includes(group)),
});

function unknownName(policy: Policy, name: string): Refusal {
  const groups = [...policy.groups.keys()].map((group) => code(`@${group}`));
  const or = groups.length > 0 ? say` or with a group of the file: ${joined(groups, ', ')}` : '';
  return new Refusal(say`${code(`@${name}`)} is neither a group of the file nor a Slack id. Nothing was answered.`, {
    hint: say`Begin with an id, such as ${code('@U0123456789')},${or}.`,
  });
}

function unknownUserGroup(policy: Policy, group: string): Refusal {
  const known = mentionedGroups(policy).map((one) => code(one));
  return new Refusal(say`The file names no Slack user group ${code(group)}. Nothing was answered.`, {
    hint: known.length > 0 ? say`It names ${joined(known, ', ')}.` : say`It names none.`,
  });
}

const environmentShape = /^[^/\s]+\/[^/\s]+$/;
const domainShape = /^[^/\s@]+\.[^/\s@.]+$/;

function namesIn(policy: Policy, words: readonly string[]): KnownNames {
  const once = [...new Set(words)];
  return {
    environments: once.filter((word) => environmentShape.test(word)).map((word) => environmentOf(policy, word)),
    domains: once
      .filter((word) => domainShape.test(word))
      .map((name) => ({ kind: 'domain', id: name, name, site: undefined })),
  };
}

function environmentOf(policy: Policy, name: string): Environment {
  const [site = '', own = ''] = name.split('/');
  const known = policy.overrides.environments.find((one) => one.site === site && one.name === own);
  const live = isLive(policy, { ...(known && { id: known.id }), site, name: own, kindKnown: true });
  return { kind: 'environment', id: known?.id ?? name, name, live, site: { id: site, name: site } };
}

/** Runs the command. Resolves with the exit code; never rejects. */
export async function policy(
  [word, ...words]: readonly string[],
  environment?: EnvironmentVariables,
  { write, complain }: Out = out,
  now = Date.now(),
): Promise<number> {
  if (!isUsable(word, words)) {
    complain(
      'Use policy check, policy explain "@GROUP COMMAND" [--on "friday 18:00"] or policy test; check and test take a FILE. Nothing was read.\n',
    );
    return exitCodes.wrong;
  }
  const [given] = words;
  const file = (word === 'check' ? given : undefined) ?? policyFileIn(environment);
  const read = await readPolicy(file, rights);
  if (read.kind === 'mistakes') {
    for (const mistake of read.mistakes) write(located(file, mistake));
    return exitCodes.look;
  }
  const asking = { write, complain, now };
  if (word === 'explain') return explain(read.policy, words.join(' '), asking);
  if (word === 'test') return check(read.policy, given ?? 'policy.test.yml', asking);
  for (const note of [...notesOnFreezes(read.policy, now), ...idleBreakGlass(read.policy)]) write(located(file, note));
  const { rules, groups, hash } = read.policy;
  write(`${file} can be used: ${rules.length} rules, ${groups.size} groups, ${hash.slice(0, 8)}.\n`);
  return exitCodes.fine;
}

const isUsable = (word: string | undefined, words: readonly string[]): boolean =>
  word === 'explain'
    ? words.length === 1 || (words.length === 3 && words[1] === '--on')
    : (word === 'check' || word === 'test') && words.length <= 1;

/** As compilers write it, so that editors and CI find the place. */
const located = (file: string, { line, column, says }: Mistake): string => `${file}:${line}:${column}: ${says}\n`;

type Asking = Out & { readonly now: number };

async function explain(rules: Policy, question: string, { write, complain, now }: Asking): Promise<number> {
  const answer = await answerTo(rules, question, now);
  if (answer instanceof Refusal) {
    complain(`${inLine(answer)}\n`);
    return exitCodes.wrong;
  }
  const { title } = abilityPage(answer.ability, false);
  write(`${plain(joined([title, ...reasonsIn(answer)], '\n'))}\n`);
  return exitCodes.fine;
}

const reasonsIn = ({ ability, freezes }: Answer): readonly Text[] => [
  ...textsIn(abilityPage(ability, false).parts),
  ...freezes.lines,
];

async function check(rules: Policy, file: string, { write, now }: Asking): Promise<number> {
  const read = await readExpectations(file);
  if (read.kind === 'mistakes') {
    for (const mistake of read.mistakes) write(located(file, mistake));
    return exitCodes.wrong;
  }
  let wrong = 0;
  for (const expectation of read.expectations) {
    const says = await disappointment(rules, expectation, now);
    if (says === undefined) continue;
    wrong += 1;
    write(located(file, { ...expectation, says }));
  }
  const all = read.expectations.length;
  write(wrong === 0 ? `All ${all} expectations hold.\n` : `${wrong} of ${all} expectations do not hold.\n`);
  return wrong === 0 ? exitCodes.fine : exitCodes.look;
}

/** How the answer differs from the expectation, in a sentence; undefined if it doesn't. */
async function disappointment(
  rules: Policy,
  { question, expects }: Expectation,
  now: number,
): Promise<string | undefined> {
  const answer = await answerTo(rules, question, now);
  if (answer instanceof Refusal) return `${question}: ${inLine(answer)}`;
  const found = outcomeOf(answer);
  if (found === expects || (expects === 'approval' && isReachable(found))) return undefined;
  return `${question}: expected ${expects}, found ${found}. ${plain(joined(reasonsIn(answer)))}`;
}

const tooFew = ', who are too few';
const isReachable = (found: string): boolean => found.startsWith('approval by ') && !found.endsWith(tooFew);

/** `allowed`, `approval by 2 of leads`, the same with `, who are too few`, `frozen`, `refused` or `unknown`. */
function outcomeOf({ ability: { answer }, freezes }: Answer): string {
  if (answer.kind === 'for everybody') return 'allowed';
  if (answer.kind === 'unknown') return answer.kind;
  if (answer.kind !== 'allowed') return 'refused';
  if (freezes.held !== undefined) return freezes.held;
  const own = answer.approval === 'none' ? [] : answer.approval.asks;
  const asks = freezes.asks ?? own;
  if (asks.length === 0) return 'allowed';
  const isShort = answer.approval !== 'none' && answer.approval.tooFew !== undefined;
  return `approval by ${approversIn(asks)}${isShort ? tooFew : ''}`;
}

async function answerTo(rules: Policy, question: string, now: number): Promise<Answer | Refusal> {
  try {
    return await explainPolicy(rules, question, now);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const inLine = ({ says, hint }: Refusal): string => plain(joined([says, hint]));

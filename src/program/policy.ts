import { z } from 'zod';
import { errorMessage, Refusal } from '../base/errors.ts';
import { maxPolicyBytes } from '../policy/load.ts';
import { type Mistake, YamlDocument } from '../policy/yaml-document.ts';
import { readAtMost } from '../base/bounded-reads.ts';
import type { Ability } from '../access/ability.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Person } from '../access/access-check.ts';
import { explainAccess } from '../access/explain-access.ts';
import type { KnownNames } from '../language/resolve.ts';
import { split } from '../language/tokenize.ts';
import { isLive, type Policy } from '../policy/rules.ts';
import { mentionedGroups } from '../policy/memberships.ts';
import { code, joined, say, plain } from '../words/text.ts';
import { textsIn } from '../commands/kit/page.ts';
import { rights } from '../commands/rights.ts';
import { policyFileIn, type EnvironmentVariables } from '../base/config.ts';
import { readPolicy } from '../policy/watch.ts';
import { abilityPage } from '../talk/rights-pages.ts';
import { exitCodes, out, type Out } from './output.ts';

/** The policy without Slack, for people on the machine and for their CI: `check`, `explain` and `test`. */

/** A file with expectations of the policy: `allowed`, `approval`, `refused` and `unknown`, each a list of questions. */

/** One expectation, with its place in the file. `expects`: `allowed`, `approval`, `approval by 2 of leads`, … */
type Expectation = Pick<Mistake, 'line' | 'column'> & { readonly question: string; readonly expects: string };

type ReadResult =
  | { readonly kind: 'expectations'; readonly expectations: readonly Expectation[] }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly Mistake[] };

const example = "a question, such as '@leads cache clear acme-shop/live'";
const question = z.string(`expected ${example}`).min(1, `expected ${example}`);
const questions = z.array(question, 'expected a list of questions').default([]);
/** Who must approve: `leads`, `2 of leads`, or several of these with `and` between. */
const approvers = z
  .record(question, z.string("expected who must approve, such as 'leads' or '2 of leads'"), `expected ${example}`)
  .refine((pairs) => Object.keys(pairs).length === 1, 'expected one question with its approvers');
const file = z.strictObject(
  {
    allowed: questions,
    approval: z
      .array(
        z.union([question, approvers], `expected ${example}, perhaps with its approvers`),
        'expected a list of questions, each perhaps with its approvers',
      )
      .default([]),
    refused: questions,
    unknown: questions,
  },
  'expected the keys allowed, approval, refused and unknown, each with a list of questions',
);

/** Reads the file. Never rejects: a file that can't be read is a mistake too. */
async function readExpectations(path: string): Promise<ReadResult> {
  const bytes = await readAtMost(path, maxPolicyBytes).catch(errorMessage);
  if (typeof bytes === 'string') return unusable(`the file cannot be read: ${bytes}`);
  if (bytes.length > maxPolicyBytes) return unusable(`the file is larger than ${maxPolicyBytes / 1024} KiB`);
  const document = new YamlDocument(Buffer.from(bytes).toString('utf8'));
  if (document.mistakes.length > 0) return refused(...document.mistakes);
  const read = file.safeParse(document.value);
  if (!read.success)
    return refused(...read.error.issues.map(({ path: at, message }) => ({ ...document.place(at), says: message })));
  const expectations = Object.entries(read.data).flatMap(([kind, all]) =>
    all.map((one, index): Expectation => ({ ...expectationOf(kind, one), ...document.place([kind, index]) })),
  );
  if (expectations.length === 0)
    return unusable('the file expects nothing: list questions under allowed, approval or refused');
  return { kind: 'expectations', expectations };
}

const refused = (...mistakes: readonly Mistake[]): ReadResult => ({ kind: 'mistakes', mistakes });
const unusable = (says: string): ReadResult => refused({ line: 1, column: 1, says });

function expectationOf(
  kind: string,
  one: string | Readonly<Record<string, string>>,
): Pick<Expectation, 'question' | 'expects'> {
  if (typeof one === 'string') return { question: one, expects: kind };
  const [[asked, by] = ['', '']] = Object.entries(one);
  const each = by.split(/\s+and\s+/).map((who) => {
    const [, count = '1', group] = /^\s*(?:(\d+)\s+of\s+)?(.*?)\s*$/s.exec(who) ?? [];
    return `${Number(count)} of ${group}`;
  });
  return { question: asked, expects: `${kind} by ${each.join(' and ')}` };
}

/**
 * What the rules say about a person and a command, without Slack and without the host: every name that looks like an
 * environment or a domain is treated as one.
 */

/**
 * Answers a question such as `@leads push acme-shop/staging acme-shop/live`. It begins with a group of the file, for a
 * person in that group only, or with a Slack id and optionally its user groups: `@U0123456789+S0123456789`, or `+none`.
 * Without them the user groups are unknown, as they are while Slack does not answer. Throws `Refusal`.
 */
async function explainPolicy(policy: Policy, question: string): Promise<Ability> {
  const [who = ''] = question.trim().split(/\s/, 1);
  // As typed, because a quoted word is not an option.
  const typed = question.trim().slice(who.length).trim();
  const { rules, person } = somebody(policy, who.replace(/^@/, ''));
  if (typed === '') throw new Refusal(say`No command follows ${code(who)}. Nothing was answered.`);
  const words = split(typed).map(({ text }) => text);
  const names = namesIn(rules, words);
  const context = {
    policy: () => rules,
    company: () => ({ kind: 'company', id: '', name: 'the company' }) as const,
    names: () => names,
    personOf: async (id: string) => ({ ...person, id, ...(id !== person.id && { name: id }) }),
    membersOf: async () => undefined,
  };
  return explainAccess(context, person, [typed], undefined);
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
): Promise<number> {
  if (!isUsable(word, words)) {
    complain(
      'Use policy check, policy explain "@GROUP COMMAND" or policy test; check and test take a FILE. Nothing was read.\n',
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
  if (word === 'explain') return explain(read.policy, given ?? '', { write, complain });
  if (word === 'test') return check(read.policy, given ?? 'policy.test.yml', { write, complain });
  const { rules, groups, hash } = read.policy;
  write(`${file} can be used: ${rules.length} rules, ${groups.size} groups, ${hash.slice(0, 8)}.\n`);
  return exitCodes.fine;
}

const isUsable = (word: string | undefined, words: readonly string[]): boolean =>
  word === 'explain' ? words.length === 1 : (word === 'check' || word === 'test') && words.length <= 1;

/** As compilers write it, so that editors and CI find the place. */
const located = (file: string, { line, column, says }: Mistake): string => `${file}:${line}:${column}: ${says}\n`;

async function explain(rules: Policy, question: string, { write, complain }: Out): Promise<number> {
  const answer = await answerTo(rules, question);
  if (answer instanceof Refusal) {
    complain(`${inLine(answer)}\n`);
    return exitCodes.wrong;
  }
  const { title, parts } = abilityPage(answer, false);
  const lines = [title, ...textsIn(parts)];
  write(`${plain(joined(lines, '\n'))}\n`);
  return exitCodes.fine;
}

async function check(rules: Policy, file: string, { write }: Out): Promise<number> {
  const read = await readExpectations(file);
  if (read.kind === 'mistakes') {
    for (const mistake of read.mistakes) write(located(file, mistake));
    return exitCodes.wrong;
  }
  let wrong = 0;
  for (const expectation of read.expectations) {
    const says = await disappointment(rules, expectation);
    if (says === undefined) continue;
    wrong += 1;
    write(located(file, { ...expectation, says }));
  }
  const all = read.expectations.length;
  write(wrong === 0 ? `All ${all} expectations hold.\n` : `${wrong} of ${all} expectations do not hold.\n`);
  return wrong === 0 ? exitCodes.fine : exitCodes.look;
}

/** How the answer differs from the expectation, in a sentence; undefined if it doesn't. */
async function disappointment(rules: Policy, { question, expects }: Expectation): Promise<string | undefined> {
  const answer = await answerTo(rules, question);
  if (answer instanceof Refusal) return `${question}: ${inLine(answer)}`;
  const found = outcomeOf(answer);
  if (found === expects || (expects === 'approval' && isReachable(found))) return undefined;
  const why = joined(textsIn(abilityPage(answer, false).parts));
  return `${question}: expected ${expects}, found ${found}. ${plain(why)}`;
}

const tooFew = ', who are too few';
const isReachable = (found: string): boolean => found.startsWith('approval by ') && !found.endsWith(tooFew);

/** `allowed`, `approval by 2 of leads`, the same with `, who are too few`, `refused` or `unknown`. */
function outcomeOf({ answer }: Ability): string {
  if (answer.kind === 'for everybody') return 'allowed';
  if (answer.kind === 'unknown') return answer.kind;
  if (answer.kind !== 'allowed') return 'refused';
  if (answer.approval === 'none') return 'allowed';
  const { asks } = answer.approval;
  const isShort = answer.approval.tooFew !== undefined;
  const who = asks.map(({ count, groups }) => `${count} of ${groups.join(', ')}`).join(' and ');
  return `approval by ${who}${isShort ? tooFew : ''}`;
}

async function answerTo(rules: Policy, question: string): Promise<Ability | Refusal> {
  try {
    return await explainPolicy(rules, question);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const inLine = ({ says, hint }: Refusal): string => plain(joined([says, hint]));

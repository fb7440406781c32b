import type { Ability } from '../access/ability.ts';
import { textsIn } from '../commands/kit/page.ts';
import { rights } from '../commands/rights.ts';
import { policyFileIn, type EnvironmentVariables } from '../base/config.ts';
import { Refusal } from '../base/errors.ts';
import type { Mistake } from '../policy/yaml-document.ts';
import type { Policy } from '../policy/rules.ts';
import { readPolicy } from '../policy/watch.ts';
import { abilityPage } from '../talk/can-page.ts';
import { joined, plain } from '../words/text.ts';
import { readExpectations, type Expectation } from './expectations.ts';
import { explainPolicy } from './explain-policy.ts';
import { exitCodes, out, type Out } from './output.ts';

/** The policy without Slack, for people on the machine and for their CI: `check`, `explain` and `test`. */

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

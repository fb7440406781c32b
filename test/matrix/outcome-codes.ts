import type { Needed } from '../../src/policy/rules.ts';
import type { Refusal } from '../../src/base/errors.ts';
import type { evaluate } from '../../src/talk/conversation.ts';
import { refusalText } from '../fixtures.ts';
import { ruleIn, rules } from './people-and-rules.ts';

/** The outcome of a request, as the codes of the expected tables. */

const isRule = (name: string): name is keyof typeof rules => Object.hasOwn(rules, name);

export type Evaluated = ReturnType<typeof evaluate>;

/** How far a request got, and which approval it needs. */
export function evaluatedAs(evaluated: Evaluated): string {
  if (evaluated.kind === 'ask') return 'incomplete';
  const needed = approvalAs(evaluated.authorized.authorization.approval);
  return evaluated.will === 'review' ? `v${needed}` : needed || '.';
}

/** `2!` means two leads and a reason; `a` means one other person who may run it. */
function approvalAs(approval: 'none' | Needed): string {
  if (approval === 'none') return '';
  const whom = approval.requirements.map(({ by, count }) =>
    by === 'allowed' && count === 1
      ? 'a'
      : `${count}${by === 'allowed' ? 'a' : by.join() === 'leads' ? '' : by.join()}`,
  );
  return `${whom.join('&')}${approval.reason === 'required' ? '!' : ''}`;
}

/** The code of a refusal; every refusal says that nothing was done. */
export function refusedAs(refusal: Refusal): string {
  const says = refusalText(refusal);
  if (!/Nothing was (done|sent)\./.test(says)) return `says not that nothing was done: ${says}`;
  if (/^(Guests of|Other bots|Only members|This account)/.test(says)) return '!';
  if (/^I can't find \S+ among the (environment|domain)s you can see\. Nothing was done\./.test(says)) {
    return /rule|policy|[Ll]ines? \d|lets|forbids|leads|developers|bloggers/.test(says)
      ? `tells too much: ${says}`
      : '?';
  }
  if (/^(The host doesn't tell me which site|A push stays inside one site)/.test(says)) return 'x';
  if (says.startsWith('You may not use')) return 'u';
  const [, line, verb, lets, others] =
    /Lines? (\d+)(?:, \d+)*(?: and \d+)? of the policy (?:(lets?) (.+) do it|forbids it(?:; (.+) may do it)?)\./.exec(
      says,
    ) ?? [];
  const rule = ruleIn(Number(line));
  if (says.startsWith('You may not run') && says.includes('No rule allows anybody to do it.')) return 'n: nobody';
  if (!says.startsWith('You may not run') || rule === undefined || !isRule(rule)) return `told: ${says}`;
  if (verb !== undefined)
    return rules[rule].startsWith('{ allow') ? `n: ${lets}` : `names a rule that lets nobody: ${says}`;
  return rule === 'd1' ? `d1${others ?? ''}` : `${rule}: ${others ?? 'nobody'}`;
}

/** The sentences of refused clicks. */
export function clickRefusedAs(refusal: Refusal): string {
  const says = refusalText(refusal);
  if (!/[Nn]othing was (done|changed|sent)\./.test(says)) return `says not that nothing was changed: ${says}`;
  if (/^(Guests of|Other bots|Only members|This account)/.test(says)) return '!';
  if (/^I can't find #\d+ among the changes you can see\. Nothing was done\.$/.test(says)) return '?';
  const sentences: readonly (readonly [string, string])[] = [
    ['This is your own change', 'own'],
    ['and you can use its key', 'own'],
    ["I couldn't check", 'later'],
    ['can no longer be approved', 'ended'],
    ['A rule denies you this command here', 'd2'],
    ["You're not among the people who can", 'no'],
    ['can cancel it.', 'only'],
    ["The rules don't let you do this yourself", 'may'],
    ["It's too late", 'late'],
    ["It's already approved", 'late'],
    ["It doesn't wait for approval", 'late'],
    ["It isn't over yet", 'early'],
  ];
  return sentences.find(([words]) => says.includes(words))?.[1] ?? `told: ${says}`;
}

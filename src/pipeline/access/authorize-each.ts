import { Refusal } from '../../errors.ts';
import type { Company, Environment, Environments, Target } from '../../hosting/contract/target.ts';
import { decideAccess, reading, unknownIn } from '../../policy/policy.ts';
import type { Member, Policy } from '../../policy/rules.ts';
import { say } from '../../text.ts';
import type { Resolved } from '../language/resolve.ts';
import { aboutOf, requestFor } from './targets.ts';

/** One request for many environments: which of them the rules allow, and what approval all of them need together. */

type Asked = { readonly policy: Policy; readonly person: Member; readonly parsed: Resolved; readonly company: Company };

/**
 * Keeps the environments that the rules allow; the person hears which others they named. Throws `Refusal` if that is
 * none, or if it is not known which. `authorizeOne` checks a request for one of them and throws `Refusal`.
 */
export function authorizeEach<One extends { readonly target: Target | undefined }>(
  { policy, person, parsed, company }: Asked,
  { all, trouble, ...named }: Environments,
  authorizeOne: (parsed: Resolved) => One,
) {
  if (trouble)
    throw new Refusal(
      say`I can't tell right now whether these are all the environments you mean. ${trouble} Nothing was done.`,
      { hint: 'Try again in a minute.', isLater: true },
    );
  const isRefused = (env: Environment): boolean => {
    const decision = decideAccess(policy, person, aboutOf(requestFor(parsed, env), company).asked);
    const isCertain = decision.kind === 'not allowed' && unknownIn(decision).length === 0;
    return isCertain && reading(policy, person, env).kind === 'allowed';
  };
  const ordered = all.toSorted(liveLast);
  const notAllowed = ordered.filter(isRefused);
  const check = (env: Environment): One => authorizeOne(requestFor(parsed, env));
  const [first] = notAllowed.length === all.length ? notAllowed : [];
  if (first) throw refusalOfAll(() => check(first));
  const each = ordered.filter((env) => !notAllowed.includes(env)).map(check);
  const alsoReads = each.flatMap(({ target }) => (target?.kind === 'environment' ? [target] : []));
  const { command } = parsed.parsed;
  const field = command.shape === 'action' ? command.target : '';
  const input = { ...parsed.input, [field]: { ...named, all: alsoReads, trouble: undefined } };
  const decision = decideAccess(policy, person, aboutOf({ ...parsed, input }, company).asked);
  if (decision.kind !== 'allowed') throw new Error('a batch of allowed changes is not allowed');
  const { approval, rules, unsure } = decision;
  const authorization = { approval, rules: rules.map((rule) => rule.line), policy: policy.hash };
  return { ...parsed, input, target: undefined, alsoReads, authorization, each, notAllowed, unsure };
}

/** The order in which a batch goes: those that matter less first, then by name. */
const liveLast = (one: Environment, other: Environment): number =>
  Number(one.live) - Number(other.live) || one.name.localeCompare(other.name, 'en');

/** The refusal of one of them, which all the others would repeat. */
function refusalOfAll(check: () => unknown): Refusal {
  try {
    check();
  } catch (error) {
    if (error instanceof Refusal) return new Refusal(error.says, { hint: 'This is so for all of them.' });
    throw error;
  }
  throw new Error('what is not allowed was allowed');
}

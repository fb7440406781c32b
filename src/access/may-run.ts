import { isName } from '../commands/kit/action.ts';
import type { Fields } from '../commands/kit/fields.ts';
import { catalogue, commandAt, type Command } from '../commands/index.ts';
import { isForCallers, rightOf, rightsOf } from '../commands/rights.ts';
import { offering, Refusal } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { decideAnywhere, decideAccess, mayAnywhere, unknownIn } from '../policy/policy.ts';
import type { Member, Policy } from '../policy/rules.ts';
import { code, sample, say, type Text } from '../words/text.ts';
import { typedCommands } from '../language/parse.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import { usage } from '../language/usage.ts';
import { MembershipUnknown } from './unknown-groups.ts';

/** Whether a person may run a command at all. Help, forms and early refusals use it. */

/** Whether the rules allow it. A list: it depends on these Slack user groups. */
export type MayRun = 'yes' | 'no' | readonly string[];

/** What several answers are together, if all are needed. */
export function allOf(answers: readonly MayRun[]): MayRun {
  if (answers.includes('no')) return 'no';
  const unknown = groupsAmong(answers);
  return unknown.length === 0 ? 'yes' : unknown;
}

/** The Slack user groups that the undecided ones depend on, each once. */
const groupsAmong = (answers: readonly MayRun[]): readonly string[] => [
  ...new Set(answers.flatMap((is) => (typeof is === 'string' ? [] : is))),
];

/** Whether the person may run the command on any target. What only people do, no program may for them. */
export function mayRunSomewhere(policy: Policy, person: Member, path: string, command: Command): MayRun {
  if (person.caller && !isForCallers(path, command)) return 'no';
  if (command.shape === 'builtin' && !command.everywhere && command.right === 'anyone') return 'yes';
  const kinds = kindsOf(command);
  const all = rightsOf(path, command).flatMap((right) =>
    kinds.map((kind) => decideAnywhere(policy, person, right, kind)),
  );
  const unknown = groupsAmong(all);
  return all.includes('yes') ? 'yes' : unknown.length > 0 ? unknown : 'no';
}

/** Whether the rules must allow this target, or the company. Otherwise it is enough if they allow the command anywhere. */
export function isDecided(command: Command, target: Target | undefined): boolean {
  if (command.shape === 'action') return true;
  if (command.shape === 'builtin' && command.right === 'anyone') return false;
  return target !== undefined || (command.shape === 'builtin' && command.everywhere === true);
}

/** Whether the rules let the person run the command on this target, or be shown what it shows about it. */
export function mayRunOn(policy: Policy, person: Member, path: string, target: Target): MayRun {
  const command = commandAt(path);
  if (command.shape === 'builtin' && (command.everywhere || !isDecided(command, target)))
    return mayRunSomewhere(policy, person, path, command);
  // A report is decided by its own name, whatever it does with its target.
  const request = { command: rightOf(path, command), aims: [{ target, access: 'change' }] } as const;
  const decision = decideAccess(policy, person, request);
  if (decision.kind === 'allowed') return 'yes';
  const unknown = unknownIn(decision);
  return unknown.length > 0 ? unknown : 'no';
}

/** The kinds of targets that the rules decide on; undefined: any kind. */
function kindsOf(command: Command): readonly (Target['kind'] | undefined)[] {
  if (command.shape === 'builtin') return [command.everywhere ? 'company' : undefined];
  const isNarrowed = command.shape === 'report' && command.narrowedBy !== undefined;
  if (command.target === 'company') return isNarrowed ? ['company', 'environment'] : ['company'];
  if (command.target === 'each') return ['environment'];
  const fields: Fields = command.fields;
  const field = fields[command.target];
  if (field !== undefined && isName(field) && field.orDomain) return ['environment', 'domain'];
  return [field?.kind === 'environment' || field?.kind === 'domain' ? field.kind : undefined];
}

/** Throws `Refusal` if the person may run the command nowhere, before they fill in a form. */
export function refuseUnlessMayTry(
  policy: Policy,
  person: Member,
  { path, command }: Pick<ParsedCommand, 'path' | 'command'>,
  hint?: Text,
): void {
  const is = mayRunSomewhere(policy, person, path, command);
  if (is === 'no') throw new Refusal(mayNotUse(path), { hint });
  if (is !== 'yes') throw new MembershipUnknown(say`you may use ${code(path)}`, is);
}

/** As `refuseUnlessMayTry`, before a question about the command; readers are told how to see who may run it. */
export const refuseUnlessMayAsk = (policy: Policy, person: Member, parsed: ParsedCommand): void =>
  refuseUnlessMayTry(policy, person, parsed, whoMayHint(policy, person, parsed));

/** Its refusal names the rule once the command has a target. */
const whoMayHint = (policy: Policy, person: Member, { path, command }: ParsedCommand): Text | undefined =>
  mayAnywhere(policy, person, { path: '', risk: 'read' })
    ? say`Type it in full, and I'll say who may: ${sample(usage(path, command))}`
    : undefined;

/** The refusal without buttons for commands that the rules certainly let this person run nowhere. */
export function withoutForbidden(refusal: Refusal, policy: Policy, person: Member): Refusal {
  const allowed = refusal.offers.filter(({ args }) => {
    const words = args.map((text) => ({ text, quoted: false }));
    const [typed] = typedCommands(words, catalogue);
    return typed === undefined || mayRunSomewhere(policy, person, typed.path, typed.command) !== 'no';
  });
  return allowed.length === refusal.offers.length ? refusal : offering(refusal, allowed);
}

export const mayNotUse = (path: string): Text => say`**You may not use ${code(path)}.** Nothing was done.`;

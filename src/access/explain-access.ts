import { catalogue } from '../commands/index.ts';
import { isForCallers, nameOf } from '../commands/rights.ts';
import { Refusal, type Args } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { holds, membershipsOf } from '../policy/memberships.ts';
import { decideAccess, decideReading, unknownIn, type AccessDecision } from '../policy/policy.ts';
import type { AccessRequest as Asked } from '../policy/matching.ts';
import { namesCommand, type Needed, type Policy } from '../policy/rules.ts';
import { code, joined, sample, say, typed, type Text } from '../words/text.ts';
import {
  type Ability,
  type RuleLine,
  answerOnAny,
  answerOfRefused,
  howMany,
  openTargets,
  partOf,
  requiredBy,
} from './ability.ts';
import { whomToAsk } from './approver-lookup.ts';
import { callingAs } from './authorization.ts';
import { glassHint } from './break-glass.ts';
import { strictestOf } from '../policy/approval-requirement.ts';
import { freezeLines, freezeNote, type FreezeAhead } from './freeze-words.ts';
import { aboutOf, targetsOf } from './targets.ts';
import { channelRefusal } from './assert-channel.ts';
import { nonMemberReason, type Channel, type Person } from './access-check.ts';
import { isDecided, mayRunSomewhere } from './may-run.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import { parse, parseArgs, typedCommands } from '../language/parse.ts';
import {
  areEnvironments,
  environmentsOfSite,
  isNamed,
  isSite,
  resolve,
  type KnownNames,
  type Resolved,
} from '../language/resolve.ts';
import { groupsToAsk } from './unknown-groups.ts';
import { readsCompany } from './visibility.ts';
import { usage } from '../language/usage.ts';
import { split } from '../language/tokenize.ts';
import type { AccessContext } from './context.ts';

/** Answers whether somebody may run something, with the same checks as when they run it. */

type FreezesAhead = (person: Person, resolved: Resolved) => Promise<FreezeAhead | undefined>;
type Freezes = {
  readonly freezesAhead: FreezesAhead;
  /** Those of a command that names none of these targets, in words. */
  readonly freezesOnAny: (person: Person, resolved: Resolved, targets: readonly Target[]) => Promise<readonly Text[]>;
};

/** Answers `by` about the person `id`, by default themselves; names resolve as for `by`. Throws `Refusal`. */
export async function explainAccess(
  context: AccessContext,
  by: Person,
  args: Args,
  id: string | undefined,
  freezesAhead?: FreezesAhead,
): Promise<Ability> {
  const resolved = resolve(parsedFrom(args), context.names(by));
  const { path, command } = resolved.parsed;
  if (resolved.problems[0]) throw withoutOffers(resolved.problems[0].refusal);
  if (resolved.missing.some((name) => command.fields[name]?.kind !== 'plain')) {
    throw new Refusal(say`This command needs a target: ${sample(usage(path, command))}. Nothing was done.`);
  }
  if (Object.values(resolved.input).some(areEnvironments))
    throw new Refusal(say`${typed('can')} answers about one environment at a time. Nothing was done.`);
  const person = await personAsked(context, by, id, resolved);
  const { target, alsoReads, asked } = aboutOf(resolved, context.company());
  const ahead = await freezesAhead?.(person, resolved);
  const site = Object.values(resolved.input).find(isSite);
  const named = [target ?? site, ...alsoReads].flatMap((one) =>
    one === undefined || one.kind === 'company' ? [] : one.name,
  );
  return {
    person: { id: person.id, name: person.name, caller: person.caller },
    path: nameOf(asked.command, path),
    risk: asked.command.risk,
    target: named.length > 0 ? named.join(' and ') : undefined,
    answer: await answerOf(
      context,
      person,
      resolved,
      ahead?.decision.kind === 'open' ? ahead.decision.approval : 'none',
    ),
    ...(ahead && { freeze: freezeNote(ahead, target?.name) }),
  };
}

/** The person it is about; without an id, whoever asks, by the rights of the program through which they ask. */
async function personAsked(
  context: AccessContext,
  by: Person,
  id: string | undefined,
  { parsed }: Resolved,
): Promise<Person> {
  const person = await context.personOf(id ?? by.id, groupsToAsk(context.policy(), parsed));
  if (person !== undefined) return id === undefined && by.caller ? { ...person, caller: by.caller } : person;
  throw new Refusal("Slack isn't telling me who that is right now. Nothing was done.", {
    hint: 'Try again in a minute.',
  });
}

/** The answer about an action on any of these targets. Their number stands for the target. */
async function explainOnAny(
  context: AccessContext & Freezes,
  by: Person,
  id: string | undefined,
  resolved: Resolved,
  targets: readonly Target[],
): Promise<Ability> {
  const policy = context.policy();
  const person = await personAsked(context, by, id, resolved);
  const { asked } = aboutOf(resolved, context.company());
  const decisions = targets.map((target): AccessDecision => {
    const seen = decideReading(policy, person, target);
    if (seen.kind === 'not allowed') return seen;
    return decideAccess(policy, person, { ...asked, aims: [{ target, access: 'change' }] });
  });
  const allowed = targets.filter((_, at) => decisions[at]?.kind === 'allowed');
  const freezes = await context.freezesOnAny(person, resolved, allowed);
  return {
    person: { id: person.id, name: person.name, caller: person.caller },
    path: nameOf(asked.command, resolved.parsed.path),
    risk: asked.command.risk,
    target: howMany(decisions, targets),
    ...(freezes.length > 0 && { freeze: freezeLines(freezes) }),
    answer:
      person.standing === 'member'
        ? answerOnAny(decisions)
        : { kind: 'not welcome', why: nonMemberReason[person.standing] },
  };
}

/**
 * The answer for somebody in Slack. A rule's text can name any site and group, so only those who may see the whole
 * company read it; others read what of it applies to what they asked about.
 */
export async function explainTo(
  context: AccessContext & Freezes,
  by: Person,
  args: Args,
  id: string | undefined,
  cardChannel: () => Promise<Channel>,
): Promise<Ability> {
  const resolved = resolve(parsedFrom(args), context.names(by));
  const targets = openTargets(resolved.parsed, context.names(by), context.company());
  const found =
    targets.length > 0
      ? await explainOnAny(context, by, id, resolved, targets)
      : await explainAccess(context, by, args, id, context.freezesAhead);
  const ability = await withChannel(context, by, found, resolved, cardChannel);
  if (readsCompany(context, by)) return ability;
  const { asked } = aboutOf(resolved, context.company());
  const part = ({ line }: RuleLine): RuleLine => ({ line, text: partOf(context.policy(), line, asked) });
  return { ...ability, answer: withRules(ability.answer, part) };
}

/** Only the card of an action is posted in a channel. Where a program's are says nothing of its person's. */
async function withChannel(
  { policy, company }: AccessContext,
  { caller }: Person,
  ability: Ability,
  resolved: Resolved,
  cardChannel: () => Promise<Channel>,
): Promise<Ability> {
  if (resolved.parsed.command.shape !== 'action' || ability.person.caller !== caller) return ability;
  const { target, alsoReads } = targetsOf(resolved, company());
  const refused = channelRefusal(policy(), await cardChannel(), [target, ...alsoReads], caller);
  return refused ? { ...ability, notHere: joined([refused.why, refused.hint]) } : ability;
}

function withRules(answer: Ability['answer'], as: (rule: RuleLine) => RuleLine): Ability['answer'] {
  if ('rules' in answer) return { ...answer, rules: answer.rules.map(as) };
  if (answer.kind === 'denied') return { ...answer, rule: as(answer.rule) };
  return answer.kind === 'no rule' ? { ...answer, lets: answer.lets.map(as) } : answer;
}

async function answerOf(
  context: AccessContext,
  person: Person,
  resolved: Resolved,
  added: 'none' | Needed,
): Promise<Ability['answer']> {
  const policy = context.policy();
  const without = answerWithoutRules(policy, person, resolved);
  if (without) return without;
  const { target, asked } = aboutOf(resolved, context.company());
  const site = Object.values(resolved.input).find(isSite);
  const read = readIn(resolved, target);
  const requests = site ? onSite(context.names(person), asked, site) : [readingOf(asked, read)];
  const decisions = requests.map((one) => decideAccess(policy, person, one));
  const decision = decisions.find(({ kind }) => kind === 'allowed') ?? decisions[0];
  if (decision === undefined) return { kind: 'hidden', what: site?.name ?? '' };
  if (decision.kind === 'allowed') {
    const approval = strictestOf([decision.approval, added]);
    return allowedAnswer(context, person, resolved, { ...decision, approval });
  }
  const anywhere =
    (site ?? read) === undefined ? answerAnywhere(policy, person, resolved, { target, asked }) : undefined;
  return anywhere ?? answerOfRefused(decisions.find((one) => unknownIn(one).length > 0) ?? decision);
}

/** What a report without a target reads: the rules decide on it then. */
const readIn = ({ parsed, input }: Resolved, target: Target | undefined) =>
  parsed.command.shape === 'report' && target === undefined ? Object.values(input).find(isNamed) : undefined;

/** The answer for whom no rule is asked, if the person may not see what is named, or that is unknown, and for what is for all. */
function answerWithoutRules(
  policy: Policy,
  person: Person,
  { parsed, input }: Resolved,
): Ability['answer'] | undefined {
  const { path, command } = parsed;
  if (person.standing !== 'member') return { kind: 'not welcome', why: nonMemberReason[person.standing] };
  if (person.caller && !isForCallers(path, command)) return { kind: 'only people' };
  for (const value of Object.values(input).filter(isNamed)) {
    const seen = decideReading(policy, person, value);
    if (unknownIn(seen).length > 0) return { kind: 'unknown', userGroups: unknownIn(seen) };
    if (seen.kind === 'not allowed') return { kind: 'hidden', what: value.name };
  }
  return command.shape === 'builtin' && command.right === 'anyone' ? { kind: 'for everybody' } : undefined;
}

/** The answer with whom the rules ask for approval. */
async function allowedAnswer(
  context: AccessContext,
  person: Person,
  resolved: Resolved,
  { rules, approval, breakGlass: glassRight }: Extract<AccessDecision, { kind: 'allowed' }>,
): Promise<Ability['answer']> {
  const emergency = glassHint(context, { ...resolved, glassRight }, approval, person.id);
  if (approval === 'none') return { kind: 'allowed', rules, approval, emergency };
  const askers = { requester: person.id, caller: callingAs(context.policy(), person), waited: 0 };
  const { asks } = await whomToAsk(context, approval, resolved, askers);
  return { kind: 'allowed', rules, approval: requiredBy(asks, approval), emergency };
}

/** A command without a target is allowed if the person may run it anywhere. Undefined: they may not, or it has one. */
function answerAnywhere(
  policy: Policy,
  person: Person,
  { parsed: { path, command } }: Resolved,
  { target, asked }: Pick<ReturnType<typeof aboutOf>, 'target' | 'asked'>,
): Ability['answer'] | undefined {
  if (isDecided(command, target)) return undefined;
  const is = mayRunSomewhere(policy, person, path, command);
  if (is === 'yes') return { kind: 'allowed', rules: rulesAllowing(policy, person, asked), approval: 'none' };
  return is === 'no' ? undefined : { kind: 'unknown', userGroups: is };
}

/** One request for each environment of the site. It is enough if one is allowed. */
const onSite = (names: KnownNames, asked: Asked, { id }: { readonly id: string }): readonly Asked[] =>
  environmentsOfSite(names, id).map((target) => readingOf(asked, target));

/** The request to read this; without it, what was asked. */
const readingOf = (asked: Asked, target: Target | undefined): Asked =>
  target === undefined ? asked : { ...asked, aims: [{ target, access: 'read' }] };

function rulesAllowing(policy: Policy, person: Person, { command }: Asked): Policy['rules'] {
  const memberships = membershipsOf(policy, person);
  const mine = policy.rules.filter(({ effect, to }) => effect === 'allow' && holds(to, memberships, 'allow') === 'yes');
  return mine.filter((rule) => namesCommand(rule, command));
}

/** Forms pass the command as one text. */
function parsedFrom(args: Args): ParsedCommand {
  try {
    const parsed = args.length === 1 ? parse(args[0] ?? '', catalogue) : parseArgs(args, catalogue);
    if (parsed) return parsed;
  } catch (error) {
    if (error instanceof Refusal) refuseBareName(args);
    throw error instanceof Refusal ? withoutOffers(error) : error;
  }
  throw new Refusal('Please name a command to ask about. Nothing was done.', { field: 'command' });
}

/** Throws `Refusal` if the words begin with a typed name instead of a mention: Slack can't say who that is. */
function refuseBareName(args: Args): void {
  const [first, ...rest] = args.length === 1 ? split(args[0] ?? '') : args.map((text) => ({ text, quoted: false }));
  const name = first?.text.replace(/^@/, '').slice(0, 40) ?? '';
  const isName =
    rest.length === 0 ? /^(?:@|\p{Lu})/u.test(first?.text ?? '') : typedCommands(rest, catalogue).length > 0;
  if (!isName || name === '' || (first && typedCommands([first], catalogue).length > 0)) return;
  const asked = rest.map(({ text }) => text).join(' ');
  const correct = `can @${name} ${asked === '' ? 'logs site/environment' : asked}`.slice(0, 200);
  throw new Refusal(say`I don't know who “${name}” is, because it isn't a mention. Nothing was done.`, {
    hint: say`Type ${code('@')} and choose the person from Slack's list: ${sample(correct)}.`,
    field: 'command',
  });
}

/** Drops the buttons: they would run the command instead of asking about it. */
const withoutOffers = ({ says, hint }: Refusal): Refusal => new Refusal(says, { hint, field: 'command' });

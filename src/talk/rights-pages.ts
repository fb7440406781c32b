import type { Ability, ApprovalSomewhere, RequiredApproval, RuleLine } from '../access/ability.ts';
import { counted, type Page, paragraph } from '../commands/kit/page.ts';
import { showDuration } from '../words/duration.ts';
import { code, joined, mention, say, type Text } from '../words/text.ts';
import { membershipsOf, unknownGroups } from '../policy/memberships.ts';
import { noRuleNames } from '../access/not-allowed.ts';
import { neededInWords } from '../access/reason.ts';
import { callerPrefix, type NeededReason, type Policy } from '../policy/rules.ts';
import type { Person } from '../access/access-check.ts';

/** What the policy makes of a person: their groups, and whether they may run a command. */

/** Whether somebody may run a command, and what decides it. `isYou`: it is about whoever asks. */
export function abilityPage(ability: Ability, isYou: boolean): Page {
  const { answer, path, target, notHere, freeze } = ability;
  const who = isYou ? say`You` : say`${mention(ability.person.id)}`;
  const isAllowed = 'rules' in answer || answer.kind === 'for everybody';
  const may = isAllowed ? 'may' : answer.kind === 'unknown' ? 'may or may not' : 'may not';
  const where = target === undefined ? '' : ` on ${target}`;
  const here = isAllowed && notHere ? [say`**But not here:** ${notHere}`] : [];
  const now = isAllowed && freeze ? [freeze] : [];
  const parts = [...here, ...now, ...explained(ability, isYou ? 'you' : ability.person.name)];
  return {
    title: say`**${who} ${may} run ${code(path)}${where}**`,
    parts: parts.map((text) => paragraph(text)),
    source: 'nothing was run; I check the rules again when it is',
  };
}

function explained({ answer, person, path, risk, freeze }: Ability, name: string): readonly Text[] {
  switch (answer.kind) {
    case 'for everybody':
      return [say`It needs no right: every member of this workspace may run it.`];
    case 'allowed':
      return [
        answer.approval === 'none' ? noApproval : approvingOf(answer.approval),
        // Where there is nothing to skip, it says nothing.
        ...((answer.approval !== 'none' || freeze) && answer.emergency ? [answer.emergency] : []),
        ...linesOf('Allowed by', answer.rules),
      ];
    case 'allowed somewhere':
      return [approvalSomewhere(answer.approval), ...linesOf('Allowed by', answer.rules)];
    case 'not welcome':
      return [say`${answer.why} The rules don't apply to them.`];
    case 'hidden':
      return [
        say`${answer.what} is hidden from ${name}, as if it did not exist. A rule would have to allow ${code('read')} there first.`,
      ];
    case 'denied':
      return [
        ...linesOf('Forbidden by', [answer.rule]),
        say`That overrides every rule that allows it${answer.whoMay.length > 0 ? `; only ${answer.whoMay.join(' and ')} may` : ''}. This rule would have to change.`,
      ];
    case 'only people':
      return [say`Only people can use it.`];
    case 'unknown':
      return [
        say`It depends on who is in ${joined(answer.userGroups.map(code), ', ')}, and Slack doesn't tell me. Until it does, I refuse it.`,
      ];
    case 'no rule':
      return [...missing(answer, person, name), ...linesOf('Others are allowed by', answer.lets), remedy(path, risk)];
  }
}

function missing(
  { caller, whoMay }: Extract<Ability['answer'], { kind: 'no rule' }>,
  person: Ability['person'],
  name: string,
): readonly Text[] {
  if (caller !== undefined) return [noRuleNames(caller)];
  if (whoMay.length === 0) return [say`No rule allows anybody to run it there.`];
  const others = say`${whoMay.join(' and ')} may.`;
  // A program needs a rule of its own, too.
  if (person.caller) return [say`No rule allows ${person.name}, for whom you ask, to run it there; ${others}`];
  return [say`No rule allows ${name} to run it there; ${others} Being one of them would be enough.`];
}

const remedy = (path: string, risk: string): Text =>
  risk === 'named'
    ? say`A rule would have to name ${code(path)} itself: no class covers it.`
    : say`A rule would have to name ${code(path)} or its class, ${code(risk)}.`;

function approvingOf({ asks, who, notified, tooFew, expires, reason }: RequiredApproval): Text {
  const groups = [...new Set(asks.flatMap((ask) => ask.groups))].join(', ');
  const could = counted(Math.max(...asks.map((ask) => ask.people)), 'person', 'people');
  return joined([
    say`It needs approval by ${who} (${groups}: ${could} who could), within ${showDuration(expires)}.`,
    notified.length > 0 ? say`Notified: ${notified}` : undefined,
    reasonNeeded(reason),
    tooFew,
  ]);
}

const noApproval = say`It needs no approval.`;
const reasonNeeded = (needed: NeededReason): Text | undefined => {
  const wanted = neededInWords(needed);
  return wanted && say`It needs ${wanted}.`;
};

/** Who approves an action, whatever it is about. */
export function approvalSomewhere(approval: 'none' | ApprovalSomewhere | 'depends on the target'): Text {
  if (approval === 'none') return noApproval;
  if (approval === 'depends on the target') return say`Whether it needs approval, and whose, depends on the target.`;
  const { who, expires, reason } = approval;
  const needs = say`It needs approval by ${who}, within ${showDuration(expires)}.`;
  return joined([needs, reasonNeeded(reason)]);
}

const linesOf = (label: string, rules: readonly RuleLine[]): readonly Text[] =>
  rules.map(({ line, text }) => say`${label} line ${line} of the policy: ${code(text)}`);

/** Whom the policy takes this person for: their groups, also those that Slack doesn't say; and a program that asks. */
export function whoamiPage(policy: Policy, person: Person): Page {
  const { own } = membershipsOf(policy, person);
  const groups = [...policy.groups.keys()].filter((name) => own.has(name));
  const everyone = policy.rules.some((rule) => rule.effect === 'allow' && rule.to === 'everyone');
  const unknown = unknownGroups(policy, person);
  const { caller } = person;
  const [you, youAre, your, self] = caller
    ? [person.name, `${person.name} is`, `${person.name}'s`, 'themselves']
    : ['you', "You're", 'Your', 'yourself'];
  return {
    title: say`**${person.name}** · ${code(person.id)}`,
    parts: [
      ...(caller
        ? [
            paragraph(
              say`You are ${code(callerPrefix + caller.name)}, and ask for ${you}: you may do what rules allow to both.`,
            ),
          ]
        : []),
      paragraph(
        everyone || groups.length > 0
          ? say`The policy knows ${you} as ${groups.length > 0 ? joined(groups.map(code), ', ') : self}.`
          : say`No rule of the policy names ${you}, so you can't do anything yet. Send your id to the person who looks after the policy file.`,
      ),
      paragraph(
        joined([
          person.groups.length > 0
            ? say`Slack user groups: ${joined(person.groups.map(code), ', ')}.`
            : say`${youAre} in no Slack user group that the policy names${unknown.length > 0 ? ', as far as I know' : ''}.`,
          unknown.length > 0 ? say`Slack doesn't tell me who is in ${joined(unknown.map(code), ', ')}.` : undefined,
        ]),
      ),
      paragraph(say`${your} time zone in Slack is ${person.zone}: I read the times you type in it.`),
    ],
  };
}

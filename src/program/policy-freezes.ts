import { Refusal } from '../base/errors.ts';
import type { AskedGroups } from '../access/ability.ts';
import { afterAsking, alsoLater } from '../access/escalation.ts';
import type { Person } from '../access/access-check.ts';
import { groupsForRequirement } from '../policy/approvers.ts';
import { nextFrom, inForceAt } from '../policy/freeze-time.ts';
import { decideFreeze, freezesOn, type FreezeDecision } from '../policy/freezes.ts';
import type { AccessRequest } from '../policy/matching.ts';
import { strictestOf } from '../policy/approval-requirement.ts';
import { decideAccess } from '../policy/policy.ts';
import type { Freeze, Needed, Policy } from '../policy/rules.ts';
import type { Mistake } from '../policy/yaml-document.ts';
import { dayMs } from '../words/duration.ts';
import { code, either, joined, plain, say, type Text } from '../words/text.ts';
import { readTime } from '../words/written-time.ts';
import { shownAt } from '../words/zoned-time.ts';

/** What the freezes of a policy file come to for a request, now and then or at a named time. */

/** A moment (epoch ms) and the zone in which it was named. */
type Named = { readonly at: number; readonly zone: string };

export type AskedFreezes = {
  readonly lines: readonly Text[];
  /** That it is held at the time that was asked about, or may be. */
  readonly held?: 'frozen' | 'unknown';
  /** Whose approval it then needs, if a freeze asks for one: also by the rules. */
  readonly asks?: readonly AskedGroups[];
};

/** The question, and what follows `--on` at its end. */
export function withoutTime(asked: string): { readonly question: string; readonly on: string | undefined } {
  const [, question = asked, on] = /^(.*?)\s--on[\s=]+(.+)$/s.exec(asked) ?? [];
  return { question, on: on?.trim().replace(/^(["'])(.*)\1$/s, '$2') };
}

/** About a request that the rules allow. Throws `Refusal` if the time cannot be read. */
export function askFreezes(
  policy: Policy,
  person: Person,
  request: AccessRequest,
  { on, now }: { readonly on: string | undefined; readonly now: number },
): AskedFreezes {
  if (on === undefined) return { lines: inGeneral(freezesOn(policy, request), now) };
  const named = momentNamed(on, now);
  const decision = decideFreeze(policy, person, request, named.at);
  const asksOf = asksIn(policy, request);
  const lines = [inWords(decision, asksOf, named)];
  if (decision.kind !== 'open') return { lines, held: decision.kind };
  const rules = decideAccess(policy, person, request);
  if (decision.approval === 'none' || rules.kind !== 'allowed') return { lines };
  return { lines, asks: asksOf(strictestOf([rules.approval, decision.approval])) };
}

/** A freeze that lasts longer is more often a slip of the pen than meant. */
const longDays = 90;

/** What is no mistake, and yet worth a look: freezes that are over, or last long without a break. */
export const notesOnFreezes = ({ freezes }: Policy, now: number): readonly Mistake[] =>
  freezes.flatMap(({ name, time, line, column }) => {
    const span = inForceAt(time, now) ?? inForceAt(time, nextFrom(time, now) ?? now);
    if (span === undefined) return [{ line, column, says: `note: the freeze "${name}" is over` }];
    const days = Math.floor((span.until - span.from) / dayMs);
    if (days <= longDays) return [];
    const long = days > 400 ? 'more than 400 days' : `${days} days`;
    return [{ line, column, says: `note: the freeze "${name}" lasts ${long} without a break` }];
  });

/** In UTC, or in the zone that it names. */
function momentNamed(on: string, now: number): Named {
  const read = readTime(on, now, 'UTC');
  if (!('why' in read)) return read;
  throw new Refusal(joined([read.why, 'Nothing was answered.']));
}

/** The freezes that hold or will hold it, as written. */
function inGeneral(freezes: readonly Freeze[], now: number): readonly Text[] {
  return freezes
    .filter(({ time }) => inForceAt(time, now) !== undefined || nextFrom(time, now) !== undefined)
    .map(({ name, time, except, line }) => {
      const others = except ? say`, except for ${joined(except.to.map(code), ', ')}` : '';
      return say`Held by the freeze ${code(name)} (line ${line}): ${time.text} ${time.zone}${others}.`;
    });
}

function inWords(decision: FreezeDecision, asksOf: ReturnType<typeof asksIn>, { at, zone }: Named): Text {
  const shown = (moment: number): string =>
    `${new Date(shownAt(zone, moment)).toISOString().slice(0, 16).replace('T', ' ')} ${zone}`;
  if (decision.kind === 'unknown')
    return say`At ${shown(at)} it depends on who is in ${joined(decision.groups.map(code), ', ')}: a freeze excepts them.`;
  if (decision.kind === 'frozen') {
    const by = decision.by.map(({ name, reason }) => say`${code(name)}${reason === undefined ? '' : ` (${reason})`}`);
    return joined([
      say`At ${shown(at)} it is frozen by ${joined(by, ', ')}`,
      decision.until === undefined ? say`for more than 400 days.` : say`until ${shown(decision.until)}.`,
      decision.mayStill.length > 0
        ? say`Those of ${either(decision.mayStill.map(code))} whom a rule allows may still.`
        : undefined,
    ]);
  }
  const { names, approval, openUntil } = decision;
  const isExcepted = names.length > 0;
  const next = openUntil === undefined ? undefined : say`The next one begins at ${shown(openUntil)}.`;
  if (!isExcepted) return joined([say`At ${shown(at)} no freeze holds it.`, next]);
  return joined([
    say`At ${shown(at)} it is excepted from ${joined(names.map(code), ', ')}.`,
    approval === 'none' ? undefined : say`That needs approval by ${approversIn(asksOf(approval))} as well.`,
    approval !== 'none' && approval.reason === 'required' ? 'It needs a reason.' : undefined,
    next,
  ]);
}

const asksIn =
  (policy: Policy, request: AccessRequest) =>
  (needed: 'none' | Needed): readonly AskedGroups[] =>
    needed === 'none'
      ? []
      : needed.requirements.map((one) => ({
          count: one.count,
          groups: groupsForRequirement(policy, one, { ...request, waited: 0 }),
          escalate: one.escalate,
        }));

/** `1 of heads and 2 of leads (after 15m also owners)`. */
export const approversIn = (asks: readonly AskedGroups[]): string =>
  asks
    .map(({ count, groups, escalate }) => {
      const next = plain(alsoLater(escalate, afterAsking(Infinity)) ?? []);
      return `${count} of ${groups.join(', ')} ${next}`.trimEnd();
    })
    .join(' and ');

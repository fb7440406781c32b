import { strictest } from './approval-requirement.ts';
import type { Target } from '../hosting/contract/target.ts';
import { nextFrom, inForceAt, type FreezeSpan } from './freeze-time.ts';
import { none, type AccessRequest } from './matching.ts';
import { dependsOn, holds, membershipsOf, membershipsOfCaller } from './memberships.ts';
import { coversFolded, foldNames, type FoldedNames } from './pattern.ts';
import {
  callerPrefix,
  isWrite,
  namesCommand,
  type Freeze,
  type Member,
  type Needed,
  type Policy,
  type PolicyCommand,
} from './rules.ts';
import { dayMs } from '../words/duration.ts';

/** What the freezes in force come to for a person and a request. They never allow anything. */

/** Times are epoch ms. */
export type FreezeDecision =
  | {
      readonly kind: 'open';
      /** What the exceptions ask for that the person uses, besides the rules. */
      readonly approval: 'none' | Needed;
      /** The freezes of these exceptions. */
      readonly names: readonly string[];
      /**
       * When the next freeze begins that could hold this request or add an approval; undefined: none. From then on
       * nothing may be sent without deciding again.
       */
      readonly openUntil: number | undefined;
    }
  | {
      readonly kind: 'frozen';
      /** Those in force without an exception that certainly includes the person. */
      readonly by: readonly Freeze[];
      /** When nothing holds this request any more; undefined: in more than 400 days. */
      readonly until: number | undefined;
      /** Groups that every freeze in force excepts. */
      readonly mayStill: readonly string[];
    }
  /** These Slack user groups decide whether the exceptions of these freezes include the person. */
  | { readonly kind: 'unknown'; readonly by: readonly Freeze[]; readonly groups: readonly string[] };

const horizonMs = 400 * dayMs;

/** Decides for a moment (epoch ms). An exception must hold for the person and for the caller through which they ask. */
export function decideFreeze(policy: Policy, person: Member, request: AccessRequest, at: number): FreezeDecision {
  const concerned = freezesOn(policy, request).map((freeze) => ({ freeze, ...exceptionFor(policy, person, freeze) }));
  const isHeld = ({ is }: (typeof concerned)[number]): boolean => is !== 'yes';
  const inForce = concerned.filter(({ freeze }) => inForceAt(freeze.time, at));
  const holding = inForce.filter(isHeld);
  if (holding.some(({ is }) => is === 'no')) {
    return {
      kind: 'frozen',
      by: holding.map(({ freeze }) => freeze),
      until: endOf(
        concerned.filter(isHeld).map(({ freeze }) => freeze),
        at,
      ),
      mayStill: exceptedBy(inForce.map(({ freeze }) => freeze)),
    };
  }
  if (holding.length > 0)
    return {
      kind: 'unknown',
      by: holding.map(({ freeze }) => freeze),
      groups: [...new Set(holding.flatMap(({ groups }) => groups))],
    };
  const used = inForce.map(({ freeze }) => freeze);
  const later = concerned.filter((one) => isHeld(one) || approvalIn(one.freeze) !== 'none');
  const next = later.flatMap(({ freeze }) => nextFrom(freeze.time, at) ?? []);
  return {
    kind: 'open',
    approval: strictest(used.map(approvalIn)),
    names: used.map(({ name }) => name),
    openUntil: next.length > 0 ? Math.min(...next) : undefined,
  };
}

const approvalIn = ({ except }: Freeze) => except?.approval ?? 'none';

/** The freezes of these targets that are in force at a moment (epoch ms), or begin before that time is over, in order. */
export function freezesAround<T extends Target>(
  { freezes }: Pick<Policy, 'freezes'>,
  targets: readonly T[],
  { at, withinMs }: { readonly at: number; readonly withinMs: number },
): readonly ({ readonly freeze: Freeze; readonly on: readonly T[] } & FreezeSpan)[] {
  return freezes
    .flatMap((freeze) => {
      const on = targets.filter((one) => holdsAt(freeze, foldNames(one)));
      const span = inForceAt(freeze.time, at) ?? inForceAt(freeze.time, nextFrom(freeze.time, at) ?? at);
      return on.length > 0 && span && span.from < at + withinMs ? [{ freeze, on, ...span }] : [];
    })
    .toSorted((one, other) => one.from - other.from);
}

const holdsAt = ({ where }: Freeze, place: FoldedNames): boolean =>
  where?.some((pattern) => coversFolded(pattern, place, 'deny')) ?? true;

/** The groups that a freeze excepts. */
export const groupsIn = ({ except }: Freeze): readonly string[] =>
  (except?.to ?? []).filter((name) => !name.startsWith(callerPrefix));

/** The freezes of a command, somewhere. */
export const freezesOf = ({ freezes }: Policy, command: PolicyCommand): readonly Freeze[] =>
  isWrite(command) && !command.neverFrozen
    ? freezes.filter(({ what }) => what === undefined || namesCommand({ what }, command))
    : [];

/** The freezes that hold a request whenever they are in force: those that cover one of the places it changes. */
export function freezesOn(policy: Policy, { command, aims }: AccessRequest): readonly Freeze[] {
  const places = aims.filter(({ access }) => access === 'change').map(({ target }) => foldNames(target));
  return freezesOf(policy, command).filter(({ where }) => {
    // Where it is not known what a change is about, it may be about this.
    if (where === undefined || aims.length === 0) return true;
    return places.some((place) => where.some((pattern) => coversFolded(pattern, place, 'deny')));
  });
}

/** Those of them that begin at exactly this moment (epoch ms). */
export const freezesFrom = (policy: Policy, request: AccessRequest, at: number): readonly Freeze[] =>
  freezesOn(policy, request).filter(({ time }) => inForceAt(time, at)?.from === at);

/** Whether its exception includes the person, or the Slack user groups that decide that. */
function exceptionFor(policy: Policy, person: Member, { except }: Freeze) {
  const to = except?.to ?? [];
  const own = membershipsOf(policy, person);
  const asking = person.caller === undefined ? [own] : [own, membershipsOfCaller(policy, person)];
  const each = new Set(asking.map((one) => holds(to, one, 'allow')));
  if (each.has('no')) return { is: 'no', groups: none } as const;
  return each.has('perhaps')
    ? ({ is: 'perhaps', groups: dependsOn([to], own) } as const)
    : ({ is: 'yes', groups: none } as const);
}

/** When none of these is in force any more. */
function endOf(freezes: readonly Freeze[], at: number): number | undefined {
  let end = at;
  while (end - at <= horizonMs) {
    const untils = freezes.flatMap(({ time }) => inForceAt(time, end)?.until ?? []);
    if (untils.length === 0) return end;
    end = Math.max(...untils);
  }
  return undefined;
}

function exceptedBy(freezes: readonly Freeze[]): readonly string[] {
  const [first = [], ...others] = freezes.map(groupsIn);
  return first.filter((name) => others.every((names) => names.includes(name)));
}

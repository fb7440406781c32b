import { catalogue } from '../commands/index.ts';
import type { Target } from '../hosting/contract/target.ts';
import { storedTargets, targetKey } from './targets.ts';
import type { Person } from './access-check.ts';
import { isNamed, type Resolved } from '../language/resolve.ts';
import type { AccessContext } from './context.ts';
import { allOf, type MayRun } from './may-run.ts';
import { Refusal } from '../base/errors.ts';
import { type MayRead, mayShow, readerOf, readsCompany, targetNow } from './visibility.ts';

/**
 * What one answer may show one person. Whatever is read or shown belongs to a command and is about targets: it takes
 * the right to that command on each of them. What passes is noted, so that an answer that is opened again later can be
 * checked again, and a channel be asked before it is shared.
 */
export type Sight = {
  /** Whether the person may be shown what the command `path` shows about this target. */
  readonly may: (path: string, target: Target) => MayRun;
  /** The same for rows: all of their targets have to pass. */
  readonly reader: (path: string) => MayRead;
  /** Whether the person may be shown what can name any site. Noted if so. */
  readonly mayAny: () => boolean;
  /** Notes targets of which only the names are shown. The person may read them. */
  readonly note: (targets: readonly Target[]) => void;
  /** Everything that has passed so far. */
  readonly shown: () => readonly Shown[];
};

/** What was shown: what a command shows about these targets; without a command, their names. */
export type Shown = { readonly path: string | undefined; readonly targets: readonly Target[] };

/** The sight of an answer of the command `path`. It shows what belongs to others only if it declares so in `shows`. */
export function createSight(context: AccessContext, person: Person, path: string): Sight {
  const declared = new Set([path, ...(catalogue.get(path)?.shows ?? [])]);
  const noted = new Map<string | undefined, Map<string, Target>>();
  const note = (by: string | undefined, targets: readonly Target[]): void => {
    const all = noted.get(by) ?? new Map<string, Target>();
    for (const target of targets) all.set(targetKey(target), target);
    noted.set(by, all);
  };
  const belongingTo = (by: string): string => {
    if (!declared.has(by)) throw new Error(`${path} shows what belongs to ${by}, and doesn't declare it`);
    return by;
  };
  return {
    may: (by, target) => {
      const is = mayShow(context.policy(), person, belongingTo(by), target);
      if (is === 'yes') note(by, [target]);
      return is;
    },
    reader: (by) => {
      const mayRead = readerOf(context, person, belongingTo(by));
      return (about) => {
        const is = mayRead(about);
        if (is) note(by, storedTargets(about));
        return is;
      };
    },
    mayAny: () => {
      const is = readsCompany(context, person);
      if (is) note(undefined, [context.company()]);
      return is;
    },
    note: (targets) => note(undefined, targets),
    shown: () => [...noted].map(([by, targets]) => ({ path: by, targets: [...targets.values()] })),
  };
}

/** Whether the person may be shown all of this now, under the names that the host lists now. */
export function mayBeShown(context: AccessContext, person: Person, shown: readonly Shown[]): MayRun {
  const policy = context.policy();
  const now = targetNow(context);
  return allOf(
    shown.flatMap(({ path, targets }) => targets.map((target) => mayShow(policy, person, path, now(target)))),
  );
}

/** Throws `Refusal` unless the person may still be shown all of this. */
export function refuseUnlessShown(context: AccessContext, person: Person, shown: readonly Shown[]): void {
  const may = mayBeShown(context, person, shown);
  if (may === 'yes') return;
  throw may === 'no'
    ? new Refusal('You may no longer see all of this. Nothing was shown.', { hint: 'Type the command again.' })
    : new Refusal("I can't tell right now whether you may still see all of this. Nothing was shown.", {
        hint: 'Try again in a minute.',
        isLater: true,
      });
}

/**
 * What the choices of a form show: they are read from the targets that the field depends on, and belong to the commands
 * that the action declares in `shows` and, on its own target, to the action.
 */
export function choicesShown(
  { parsed: { path, command }, input }: Pick<Resolved, 'parsed' | 'input'>,
  { on }: { readonly on: readonly string[] },
): readonly Shown[] {
  if (command.shape !== 'action') return [];
  return on.flatMap((field) => {
    const target = input[field];
    if (!isNamed(target)) return [];
    const paths = [...(command.shows ?? []), ...(field === command.target ? [path] : [])];
    return paths.map((one) => ({ path: one, targets: [target] }));
  });
}

import type { AnyAction } from '../commands/kit/action.ts';
import { Refusal } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { codeOf } from '../words/text.ts';
import type { Pinned } from './pin.ts';

/** What a person must have seen and typed before a change is saved, however the command came in. */

/** What was shown (`shownOf`) and the typed name, or why neither is needed. */
export type Confirmation =
  | {
      readonly shown: string | undefined;
      readonly typedName: string | undefined;
      /** Ids of environments that the person saw in a batch and then left out. */
      readonly leaveOut?: readonly string[];
    }
  | 'not needed'
  | 'timer';

/** The pinned change differs from what was shown, so it must be shown again. */
export class NotAsShown extends Refusal {}

/** What a review shows, to compare when it is submitted: the fingerprint, and the approval that it needs or skips. */
export function shownOf({ fingerprint, authorization }: Pick<Pinned, 'fingerprint' | 'authorization'>): string {
  const { approval, breakGlass: skips } = authorization;
  if (skips) return `${fingerprint} without ${JSON.stringify(skips)}`;
  return approval === 'none' ? fingerprint : `${fingerprint} after approval`;
}

/** Whether a change is still what a review showed. An approval may be added, but a shown one must still be needed. */
export function isAsShown(pinned: Pick<Pinned, 'fingerprint' | 'authorization'>, shown: string | undefined): boolean {
  const { approval, breakGlass: skips } = pinned.authorization;
  const isAdded = approval !== 'none' && skips === undefined;
  return shown === shownOf(pinned) || (isAdded && shown === pinned.fingerprint);
}

/** The name that must be typed before asking for the change; undefined: none. */
export function nameToType(action: AnyAction, target: Target | undefined): string | undefined {
  const isLive = action.risk === 'destructive' && target?.kind === 'environment' && target.live;
  return isLive || action.typedName === 'always' ? target?.name : undefined;
}

/** Whether the change needs a review first: depends on its risk, its target, and whether its fields look like a mistake. */
export function needsReview(
  action: AnyAction,
  { target, input, parsed }: Pick<Pinned, 'target' | 'input'> & Partial<Pick<Pinned, 'parsed'>>,
): boolean {
  if (parsed?.breakGlass || action.risk === 'destructive' || action.isDoubtful?.(input)) return true;
  return action.risk === 'sensitive' && (target?.kind !== 'environment' || target.live);
}

/** Throws `Refusal` if the pinned change wasn't shown, or the name wasn't typed; `NotAsShown` if it differs. */
export function refuseUnlessConfirmed(pinned: Pinned, confirmation: Confirmation): void {
  const { action, target, authorization } = pinned;
  if (typeof confirmation === 'string') {
    // The timer's removal was shown with the grant that set the timer.
    const isTimer = confirmation === 'timer' && authorization.timerOf !== undefined;
    if (isTimer || (!needsReview(action, pinned) && pinned.items === undefined)) return;
    throw new Refusal('You need to see what this does first. Nothing was done.', {
      hint: 'Type the command again, and a form will open.',
    });
  }
  refuseUnlessTyped(action, target, confirmation.typedName);
  if (!isAsShown(pinned, confirmation.shown)) {
    throw new NotAsShown('This changed while you read it. Nothing was done.', { hint: 'Look at it again.' });
  }
}

/** Throws `Refusal` if a name must be typed and this is not exactly that name. */
export function refuseUnlessTyped(action: AnyAction, target: Target | undefined, typed = ''): void {
  const name = nameToType(action, target);
  if (name === undefined || typed === name) return;
  if (typed === '') throw new Refusal(`The name has to be typed: ${name}. Nothing was done.`, { field: 'typed_name' });
  const strange = typed.match(/[^\p{ASCII}]/gu)?.find((letter) => !name.includes(letter));
  const looksLike = strange === undefined ? otherCase(typed, name) : ` It has “${strange}” (${codeOf(strange)}) in it.`;
  throw new Refusal(`This is not ${name}.${looksLike} Nothing was done.`, { field: 'typed_name' });
}

/** A hint about the first wrong letter, if the text differs from the name only in case. */
function otherCase(typed: string, name: string): string {
  const at = Array.from(name).findIndex((letter, index) => letter !== typed.charAt(index));
  if (at === -1 || typed.toLowerCase() !== name.toLowerCase()) return '';
  return ` Capitals count: it has “${typed.charAt(at)}” where the name has “${name.charAt(at)}”.`;
}

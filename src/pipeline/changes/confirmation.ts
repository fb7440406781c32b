import type { AnyAction } from '../../commands/kit/action.ts';
import { Refusal } from '../../errors.ts';
import type { Target } from '../../hosting/contract/target.ts';
import { codeOf } from '../../text.ts';
import type { Frozen } from './freeze.ts';

/** What somebody has to see, and to type, before a change is saved: asked for wherever it comes from. */

/** What was shown and typed; or why nothing was. */
export type Confirmation =
  | { readonly shown: string | undefined; readonly typedName: string | undefined }
  | 'not needed'
  | 'timer';

/** It is not what was shown: it has to be shown as it is now. */
export class NotAsShown extends Refusal {}

/** The name that has to be typed before it is asked for; undefined: none. */
export function nameToType(action: AnyAction, target: Target | undefined): string | undefined {
  const isLive = action.risk === 'destructive' && target?.kind === 'environment' && target.live;
  return isLive || action.typedName === 'always' ? target?.name : undefined;
}

/** Whether a person has to see what will happen before it does: by risk, and by what it would happen to. */
export function needsReview(action: AnyAction, target: Target | undefined): boolean {
  if (action.risk === 'destructive') return true;
  return action.risk === 'sensitive' && (target?.kind !== 'environment' || target.live);
}

/** Throws `Refusal` where what is frozen was not shown, was shown otherwise, or its name was not typed. */
export function refuseUnlessConfirmed(frozen: Frozen, confirmation: Confirmation): void {
  const { action, target, permit, fingerprint } = frozen;
  if (typeof confirmation === 'string') {
    // Words that run after a while were shown with the change that brought them.
    const isTimer = confirmation === 'timer' && permit.timerOf !== undefined;
    if (isTimer || !needsReview(action, target)) return;
    throw new Refusal('What this does has to be shown before it is asked for. Nothing was done.', {
      hint: 'Type the command again: a form opens.',
    });
  }
  refuseUnlessTyped(action, target, confirmation.typedName);
  if (confirmation.shown !== fingerprint) {
    throw new NotAsShown('This changed while you read it. Nothing was done.', { hint: 'Look at it again.' });
  }
}

/** Throws `Refusal` where a name has to be typed and this is not it, letter by letter. */
export function refuseUnlessTyped(action: AnyAction, target: Target | undefined, typed = ''): void {
  const name = nameToType(action, target);
  if (name === undefined || typed === name) return;
  const strange = typed.match(/[^\p{ASCII}]/gu)?.find((letter) => !name.includes(letter));
  const looksLike = strange === undefined ? otherCase(typed, name) : ` It has “${strange}” (${codeOf(strange)}) in it.`;
  throw new Refusal(`This is not ${name}.${looksLike} Nothing was done.`, { field: 'typed-name' });
}

/** Of what is the name but for capitals: the first letter that is not, and the one in its place. */
function otherCase(typed: string, name: string): string {
  const at = Array.from(name).findIndex((letter, index) => letter !== typed.charAt(index));
  if (at === -1 || typed.toLowerCase() !== name.toLowerCase()) return '';
  return ` Capitals count: it has “${typed.charAt(at)}” where the name has “${name.charAt(at)}”.`;
}

import { Refusal } from '../errors.ts';
import type { Reader } from '../hosting/contract/call.ts';
import type { Company } from '../hosting/contract/target.ts';
import type { Policy } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { say, type Text } from '../text.ts';
import { HostTrouble } from '../hosting/client.ts';
import { authorise, type Person } from './authorise.ts';
import { fingerprint, restsOf } from './freeze.ts';
import { permitOf } from './render.ts';
import { isNamed, type Names } from './resolve.ts';
import { restore, type Restored } from './restore.ts';
import { inWords } from './trouble.ts';

/** What is asked once more just before a change is sent. */
export type Recheck = {
  readonly policy: () => Policy;
  readonly company: () => Company;
  /** What a person may read by name; of nobody: all there is. */
  readonly names: (person: Person | undefined) => Names;
  /** Who somebody is, asked of Slack now; undefined: nobody answered. */
  readonly whoIs: (id: string) => Promise<Person | undefined>;
  readonly read: Reader;
  /** Lists the names anew, if that was not done just now; never rejects. */
  readonly freshenNames: () => Promise<void>;
};

/** May it still be sent, as it was frozen? `later`: a question went unanswered, nothing is decided. */
export type Rechecked =
  | { readonly kind: 'as it was' }
  | { readonly kind: 'void' | 'drifted' | 'later' | 'host trouble'; readonly why: Text };

/** Asks the rights, the target and what the change rests on again, by the same functions as when it was asked. */
export async function recheck(desk: Recheck, change: Change): Promise<Rechecked> {
  if (fingerprint(change.call, change.card) !== change.fingerprint) {
    return { kind: 'void', why: say`What is stored of this change is not what was agreed on.` };
  }
  const rights = await recheckRights(desk, change);
  if ('kind' in rights) return rights;
  return recheckDrift(desk, change, rights);
}

async function recheckRights(desk: Recheck, change: Change): Promise<Restored | Rechecked> {
  const permit = permitOf(change);
  const person = permit.timerOf === undefined ? await desk.whoIs(change.asker) : undefined;
  if (permit.timerOf === undefined && person === undefined) {
    return { kind: 'later', why: say`Slack does not tell me who may do what right now.` };
  }
  await desk.freshenNames();
  const restored = restore(change, desk.names(person));
  const gone: Rechecked = { kind: 'void', why: say`${change.target_name} is gone, or may not be read any more.` };
  if (restored === undefined) return gone;
  const { target } = restored.action;
  const named = target === 'company' ? undefined : restored.resolved.input[target];
  if (isNamed(named) && named.name !== change.target_name) {
    return { kind: 'void', why: say`${change.target_name} is called ${named.name} now.` };
  }
  if (person === undefined) return restored;
  try {
    const { permit: now } = authorise(desk.policy(), person, restored.resolved, desk.company());
    const tightened = now.approval !== 'none' && permit.approval === 'none';
    return tightened ? { kind: 'void', why: say`The rules ask for an approval now.` } : restored;
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'void', why: say`${change.asker_name} may not do this any more.` };
    throw error;
  }
}

async function recheckDrift(desk: Recheck, change: Change, { action, resolved }: Restored): Promise<Rechecked> {
  if (action.look === undefined) return { kind: 'as it was' };
  try {
    const now = await action.look({ input: resolved.input, read: desk.read });
    const same = restsOf(action, resolved, now) === change.rests;
    return same
      ? { kind: 'as it was' }
      : { kind: 'drifted', why: say`Somebody changed ${change.target_name} in the meantime.` };
  } catch (error) {
    if (error instanceof HostTrouble) return { kind: 'host trouble', why: inWords(error) };
    throw error;
  }
}

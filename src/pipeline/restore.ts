import type { AnyAction } from '../commands/action.ts';
import { catalogue } from '../commands/index.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { mayRead } from '../policy/policy.ts';
import type { Person, Policy } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { Refusal } from '../errors.ts';
import { parseWords, type Wish } from './parse.ts';
import { resolve, type Names, type Resolved } from './resolve.ts';
import { thawed } from '../storage/json.ts';

/** A stored change's words read again: its action and input as they are now. */
export type Restored = { readonly action: AnyAction; readonly resolved: Resolved };

/** The words a change was made from, without its reason. */
export const wordsOfChange = (change: Pick<Change, 'words'>): readonly string[] => thawed(change.words);

/** Undefined where the words no longer say what they said: a target is gone, or the command is. */
export function restore(change: Pick<Change, 'words'>, names: Names): Restored | undefined {
  const wish = wishOf(wordsOfChange(change));
  if (wish?.command.shape !== 'action') return undefined;
  const resolved = resolve(wish, names);
  return resolved.missing.length + resolved.problems.length === 0 ? { action: wish.command, resolved } : undefined;
}

/**
 * The same for a change whose target the host does not list any more, by what is stored of it: somebody has to be able
 * to end such a change. Undefined where the person might not have read it.
 */
export function restoreGone(
  change: Change,
  { names, policy }: { readonly names: (person: undefined) => Names; readonly policy: () => Policy },
  person: Person,
): Restored | undefined {
  const all = names(undefined).environments;
  const site = { id: undefined, name: change.target_name.split('/')[0] ?? '' };
  const gone = [change.target, ...thawed<string[]>(change.reads)]
    .map((key) => key.replace(/^environment:/, ''))
    .filter((id) => !all.some((one) => one.id === id))
    .map((id): Environment => {
      const isTarget = change.target === `environment:${id}`;
      const name = isTarget ? change.target_name : `${site.name}/${id}`;
      return { kind: 'environment', id, name, live: isTarget && change.target_live === 1, site };
    });
  if (gone.length === 0) return undefined;
  const readable = [...all, ...gone].filter((one) => mayRead(policy(), person, one));
  return restore(change, { environments: readable, domains: [] });
}

function wishOf(words: readonly string[]): Wish | undefined {
  try {
    return parseWords(words, catalogue);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

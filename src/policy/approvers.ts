import type { Needed, Requirement } from './needed.ts';
import { belongs, canonicalId, samePerson } from './people.ts';
import { decide, isDenied, whoMay, type Wish } from './policy.ts';
import type { Person, Policy } from './rules.ts';

/** A change as approvers see it: who asks, for what. */
export type Asked = Wish & { readonly asker: string };

export type Voice =
  | { readonly kind: 'counts'; readonly towards: readonly Requirement[] }
  | { readonly kind: 'does not count'; readonly why: 'yourself' | 'denied' | 'not named' };

/**
 * Whether the person's approval counts, and towards what. Nobody approves their own change, with whichever of their
 * ids; nor does anybody approve what a rule denies them.
 */
export function mayApprove(policy: Policy, person: Person, needed: Needed, asked: Asked): Voice {
  if (samePerson(policy, person.id, asked.asker)) return { kind: 'does not count', why: 'yourself' };
  if (isDenied(policy, person, asked)) return { kind: 'does not count', why: 'denied' };
  const towards = needed.requirements.filter(({ by }) =>
    by === 'allowed' ? decide(policy, person, asked).kind === 'allowed' : belongs(policy, person, by, 'allow'),
  );
  return towards.length > 0 ? { kind: 'counts', towards } : { kind: 'does not count', why: 'not named' };
}

/** What is still needed once these people have approved, each person counted once; empty: approved. */
export function outstanding(
  policy: Policy,
  needed: Needed,
  asked: Asked,
  voters: readonly Person[],
): readonly Requirement[] {
  const voices = voters.map((voter) => ({
    who: canonicalId(policy, voter.id),
    voice: mayApprove(policy, voter, needed, asked),
  }));
  return needed.requirements.flatMap((requirement) => {
    const counted = voices.filter(({ voice }) => voice.kind === 'counts' && voice.towards.includes(requirement));
    const left = requirement.count - new Set(counted.map(({ who }) => who)).size;
    return left > 0 ? [{ by: requirement.by, count: left }] : [];
  });
}

/** Names of the groups that a requirement looks to; `everyone` stands for itself. */
export function lookedTo(policy: Policy, { by }: Requirement, wish: Wish): readonly string[] {
  return by === 'allowed' ? whoMay(policy, wish) : by;
}

import type { Closers } from './closers.ts';
import type { ActionProof } from '../commands/kit/action.ts';
import { spokenDuration } from '../words/duration.ts';
import type { Change } from '../storage/changes.ts';
import { either, joined, mention, say, time, type Text } from '../words/text.ts';
import { storedTargets } from '../access/targets.ts';

/** The sentences about an unknown outcome and its locks. Pure. */

/** What a read shows about an unknown outcome: the current state, not that we caused it. */
export function evidence({ says, verdict, isUnclear = false }: ActionProof): Text {
  if (verdict === 'yes') return say`Read back: ${says}. So it probably happened, but somebody else may have done it.`;
  if (isUnclear)
    return say`Read back: ${says}. I can't compare all that the host listed before and lists now, so that doesn't show whether it happened.`;
  return say`Read back: ${says}. So it probably didn't happen, but it could still be on its way.`;
}

/** Nothing can be read back. */
export const noEvidence = say`Nothing I can read shows whether it happened.`;

/** A reminder about an unknown outcome. `locked`: names of targets; `shown`: what a read shows now. */
export function stillUnknown(
  change: Change,
  of: {
    readonly at: number;
    /** The targets that the change still locks. `until`: epoch ms; null: until somebody closes the change. */
    readonly locked: readonly { readonly name: string; readonly until: number | null }[];
    readonly shown: Text | undefined;
    readonly closers: Closers;
    readonly again: Text | undefined;
  },
): Text {
  const since = change.lost_at ?? change.sent_at ?? change.created_at;
  // After a loss, the only known time is that of the loss itself.
  const sentOrMaybe =
    change.sent_at === change.lost_at
      ? say`It may have been sent and`
      : say`It was sent ${time(change.sent_at ?? since, 'date')} and`;
  const { locked } = of;
  return joined([
    say`⚠️ **Outcome still unknown.** ${sentOrMaybe} has been unknown since ${time(since, 'date')} (${spokenDuration(of.at - since)}). We still don't know whether it happened.`,
    ...locked.map(({ name, until }) =>
      until === null
        ? say`${name} stays locked until somebody closes it.`
        : say`${name} stays locked until ${time(until)}.`,
    ),
    change.risk !== 'routine' && locked.length === 0 ? say`It no longer locks anything.` : undefined,
    of.shown ?? say`Please check what the host's panel shows for that time.`,
    whoCloses(change, of.closers),
    of.again,
  ]);
}

/**
 * What an unknown change locks until it is closed; undefined for routine changes. A change that was waiting for
 * approval had no lock and takes none.
 */
export function lockedMeanwhile(change: Change): Text | undefined {
  if (change.risk === 'routine') return undefined;
  if (change.state === 'waiting') return say`It locks nothing: others can change ${change.target_name} meanwhile.`;
  const [, ...sources] = storedTargets(change);
  return joined([
    say`${change.target_name} stays locked.`,
    ...sources.map(({ name }) => say`${name}, which it reads, stays locked for an hour.`),
  ]);
}

/** Who can close the change under today's rules. */
export function whoCloses(change: Change, { people, byUnlock, anybody }: Closers): Text {
  const named = people.slice(0, 6).map((id): Text => [mention(id)]);
  const more = people.length > named.length ? [say`${people.length - named.length} more`] : [];
  const who = either([...named, ...more]);
  if (byUnlock) return say`Today's rules let nobody close this by approving, so ${who} can, with the right to unlock.`;
  if (people.length > 0) return say`${who} can close it.`;
  if (anybody === true) return say`Everyone who may run this command there can close it.`;
  if (anybody === undefined) return say`I can't tell right now who can close it.`;
  return say`**Today's rules let nobody close it.** Please ask the person who keeps the policy to let somebody approve it, or unlock ${change.target_name}.`;
}

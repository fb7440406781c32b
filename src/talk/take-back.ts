import type { Person } from '../access/access-check.ts';
import { askersOf } from '../access/authorization.ts';
import { buttonsFor, decisionButtons } from '../change/buttons.ts';
import type { ChangeContext } from '../change/context.ts';
import type { TakeBack } from '../commands/kit/page.ts';
import { isAsker } from '../policy/approvers.ts';
import { isPartOfBatch, type Change } from '../storage/changes.ts';

/** What the card offers this person to take the change back. The changes of a batch are taken back with it. */
export function takeBackButtons(
  { policy, database }: Pick<ChangeContext, 'policy' | 'database'>,
  person: Person,
  change: Change,
): readonly TakeBack[] {
  if (isPartOfBatch(change)) return [];
  const reader = { isAsker: isAsker(policy(), person, askersOf(change)) };
  return buttonsFor(reader, change, decisionButtons(change, database.installation)).flatMap(({ label, press }) => {
    if (press.kind !== 'decision' || (press.verdict !== 'cancel' && press.verdict !== 'stop')) return [];
    const { verdict, installation, number, version } = press;
    return [{ label: `${label} #${number}`, verdict, installation, number, version }];
  });
}

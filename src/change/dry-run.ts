import { type Page, paragraph } from '../commands/kit/page.ts';
import { code, say } from '../words/text.ts';
import type { Authorized } from '../access/access-check.ts';
import type { Sight } from '../access/sight.ts';
import { callOf, frozenCardOf, type Frozen } from './freeze.ts';
import { exactRequest } from './exact-request.ts';
import { factLines } from './card.ts';
import { needsReview } from './confirmation.ts';

/** The page that shows the requester what would be sent. */
export function dryRun(frozen: Frozen): Page {
  const card = frozenCardOf(frozen);
  const facts = [...card.facts, ...(frozen.leftOut ?? [])];
  const calls = (frozen.items ?? [frozen]).map(callOf);
  return {
    title: say`**Dry run: ${card.title}** · nothing was sent`,
    parts: [
      ...(card.warning ? [paragraph(card.warning)] : []),
      ...(facts.length > 0 ? [paragraph(factLines(facts))] : []),
      ...calls.map((call) =>
        call
          ? ({ kind: 'code', text: exactRequest(call).join('\n') } as const)
          : paragraph('Nothing has to be sent for it.'),
      ),
    ],
    source: say`fingerprint ${code(frozen.fingerprint.slice(0, 8))}; ${whatNext(frozen)}`,
  };
}

/** A dry run shows what the review of its command would. */
export function shownByDryRun({ parsed, target, alsoReads }: Authorized): Sight['shown'] {
  const changed = { path: parsed.path, targets: target ? [target] : alsoReads };
  return () => [changed, { path: undefined, targets: alsoReads }];
}

function whatNext(frozen: Frozen): string {
  const { authorization, action, items } = frozen;
  if (authorization.approval !== 'none') return 'without --dry-run it waits for approval';
  return items || needsReview(action, frozen)
    ? 'a form asks you once more before it is sent'
    : 'without --dry-run it is sent at once';
}

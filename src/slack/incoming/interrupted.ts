import { catalogue } from '../../commands/index.ts';
import type { InboxRow } from '../../storage/inbox.ts';
import { parse } from '../../pipeline/language/parse.ts';
import type { Note } from '../../pipeline/changes/card.ts';
import { code, say, type Text } from '../../text.ts';
import { decisionIn } from '../answers/decisions.ts';

/** What somebody is told whose request was not begun: what it was, as far as it was kept, and that nothing was done. */
export function lostNote({ content, kind }: Pick<InboxRow, 'content' | 'kind'>): Note {
  const said = content === null ? undefined : asked(content, kind);
  return {
    text: say`**I was restarted before I got to what you asked${said}.** Nothing was done. Ask again if you still want it.`,
  };
}

function asked(content: string, kind: InboxRow['kind']): Text | undefined {
  if (kind === 'form') return undefined;
  const decision = decisionIn(content);
  if (decision) return say` with your click on #${decision.number}`;
  return readable(content) ? say` with ${code(content)}` : undefined;
}

function readable(content: string): boolean {
  try {
    return parse(content, catalogue) !== undefined;
  } catch {
    return false;
  }
}

import type { InboxRow } from '../../storage/inbox.ts';
import type { Note } from '../../change/card.ts';
import { code, say, type Text } from '../../words/text.ts';
import { decisionIn } from '../../block-kit/button-value.ts';
import { commandIn } from '../context/deliveries.ts';

/** The message to a person whose request was lost in a restart. It quotes the request if that was kept. */
export function lostNote({ content, kind }: Pick<InboxRow, 'content' | 'kind'>): Note {
  const request = content === null ? undefined : requestIn(content, kind);
  return {
    text: say`**I was restarted before I got to ${request ?? 'what you asked'}.** Nothing was done. Ask again if you still need it.`,
  };
}

function requestIn(content: string, kind: InboxRow['kind']): Text | undefined {
  if (kind === 'form') return undefined;
  const decision = decisionIn(content);
  if (decision) return say`your click on #${decision.number}`;
  return commandIn(content) ? say`${code(content)}` : undefined;
}

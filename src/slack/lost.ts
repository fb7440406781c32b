import { catalogue } from '../commands/index.ts';
import type { InboxRow } from '../storage/inbox.ts';
import { parse } from '../pipeline/parse.ts';
import type { Note } from '../pipeline/render.ts';
import { code, say } from '../text.ts';

/** What somebody is told whose request was not begun: what it was, as far as it was kept, and that nothing was done. */
export function lostNote({ content, kind }: Pick<InboxRow, 'content' | 'kind'>): Note {
  const said = content !== null && kind !== 'form' && readable(content) ? say` with ${code(content)}` : undefined;
  return {
    text: say`**I was restarted before I got to what you asked${said}.** Nothing was done. Ask again if you still want it.`,
  };
}

function readable(content: string): boolean {
  try {
    return parse(content, catalogue) !== undefined;
  } catch {
    return false;
  }
}

import { catalogue } from '../commands/index.ts';
import type { InboxRow } from '../storage/inbox.ts';
import { parse } from '../pipeline/parse.ts';
import { code, say } from '../text.ts';
import { drawNote } from './blocks.ts';
import type { Reception } from './reception.ts';

/** Tells somebody that what they asked for was not begun, with what it was, as far as it was kept. */
export const tellLost =
  ({ privately }: Reception) =>
  async ({ person, channel, content, kind }: InboxRow): Promise<void> => {
    const said = content !== null && kind !== 'form' && readable(content) ? say` with ${code(content)}` : undefined;
    const text = say`**I was restarted before I got to what you asked${said}.** Nothing was done. Ask again if you still want it.`;
    await privately({ person, channel: channel || undefined }, drawNote({ text }));
  };

function readable(content: string): boolean {
  try {
    return parse(content, catalogue) !== undefined;
  } catch {
    return false;
  }
}

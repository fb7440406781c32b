import type { Message } from './shapes.ts';
import type { Workspace } from './workspace.ts';

/** How messages look. Each version of a message is drawn once, because an edit makes another `Message`. */
export function createLooks<Look>(workspace: Workspace, draw: (message: Message) => Look): (message: Message) => Look {
  let drawn = new WeakMap<Message, Look>();
  workspace.changes.subscribe(({ kind }) => {
    // These have the names that stand for ids in messages.
    if (kind === 'person' || kind === 'group' || kind === 'channel') drawn = new WeakMap();
  });
  return (message) => {
    const look = drawn.get(message) ?? draw(message);
    drawn.set(message, look);
    return look;
  };
}

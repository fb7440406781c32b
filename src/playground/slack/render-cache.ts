import type { Message } from './shapes.ts';
import type { Workspace } from './workspace.ts';

/** Renders each version of a message once. An edit makes another `Message`. */
export function createRenderCache<Rendered>(
  workspace: Workspace,
  draw: (message: Message) => Rendered,
): (message: Message) => Rendered {
  let cache = new WeakMap<Message, Rendered>();
  workspace.events.subscribe(({ kind }) => {
    // Messages show their names instead of ids.
    if (kind === 'person' || kind === 'group' || kind === 'channel') cache = new WeakMap();
  });
  return (message) => {
    const rendered = cache.get(message) ?? draw(message);
    cache.set(message, rendered);
    return rendered;
  };
}

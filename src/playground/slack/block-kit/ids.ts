import { type Fields, isFields, objectsOf } from '../json-fields.ts';
import { ELEMENTS } from './elements.ts';

/** Blocks as Slack keeps them: every block and interactive element has an id, from the app or generated. */
export function withIds(blocks: unknown, nextId: () => string): readonly Fields[] {
  return objectsOf(blocks).map((block) => ({ ...named(block, nextId), block_id: block['block_id'] ?? nextId() }));
}

function named(value: Fields, nextId: () => string): Fields {
  const inner = Object.entries(value).map(([field, child]) => [field, namedChild(child, nextId)] as const);
  const interactive = typeof value['type'] === 'string' && Object.hasOwn(ELEMENTS, value['type']);
  return {
    ...Object.fromEntries(inner),
    ...(interactive && value['action_id'] === undefined ? { action_id: nextId() } : {}),
  };
}

function namedChild(child: unknown, nextId: () => string): unknown {
  if (Array.isArray(child)) return child.map((each: unknown) => namedChild(each, nextId));
  return isFields(child) ? named(child, nextId) : child;
}

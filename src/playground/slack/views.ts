import { randomBytes } from 'node:crypto';
import { viewComplaints } from './block-kit/check.ts';
import { withIds } from './block-kit/ids.ts';
import { LIMITS } from './block-kit/limits.ts';
import { valuesOf } from './inputs.ts';
import { type Fields, fieldsOf, nonEmptyTextOf, objectsOf, plainTextOf } from './json-fields.ts';
import { Refused } from './refused.ts';
import type { View } from './shapes.ts';
import type { Workspace } from './workspace.ts';

const STACK = 3;

/** A view's definition with ids in all blocks. Refuses `invalid_arguments` and `view_too_large`. */
function checkedView(workspace: Workspace, sent: unknown, type: 'modal' | 'home'): Fields {
  if (Buffer.byteLength(JSON.stringify(sent ?? null)) > LIMITS.viewBytes) throw new Refused('view_too_large');
  const complaints = viewComplaints(sent, type);
  if (complaints.length > 0)
    throw new Refused(
      'invalid_arguments',
      complaints.map((each) => `[ERROR] ${each}`),
    );
  const content = fieldsOf(sent);
  return { ...content, blocks: withIds(content['blocks'], () => workspace.nextId('b')) };
}

const newHash = (workspace: Workspace): string =>
  `${Math.floor(workspace.now() / 1000)}.${randomBytes(4).toString('hex')}`;

/** The view's blocks. */
export const blocksOf = (view: View): readonly Fields[] => objectsOf(view.content['blocks']);

/** A person's open modals, topmost last. */
export const stackOf = (workspace: Workspace, person: string): readonly View[] => workspace.modals.get(person) ?? [];

/** The first view that matches, open modal or home. */
export function findView(workspace: Workspace, match: (view: View) => boolean): View | undefined {
  return [...[...workspace.modals.values()].flat(), ...workspace.homes.values()].find(match);
}

function newView(workspace: Workspace, person: string, content: Fields): View {
  const externalId = nonEmptyTextOf(content['external_id']);
  if (externalId !== undefined && findView(workspace, (view) => view.content['external_id'] === externalId))
    throw new Refused('duplicate_external_id');
  const id = workspace.nextId('V');
  const values = valuesOf(objectsOf(content['blocks']));
  return { id, person, content, hash: newHash(workspace), rootId: id, previousId: undefined, values, errors: {} };
}

/** Opens a modal on top of the person's others; `onTop` false closes those first. Refuses `push_limit_reached`. */
export function pushModal(workspace: Workspace, person: string, sent: unknown, onTop: boolean): View {
  const content = checkedView(workspace, sent, 'modal');
  const below = onTop ? stackOf(workspace, person) : [];
  if (below.length >= STACK) throw new Refused('push_limit_reached');
  const root = below[0];
  const view = newView(workspace, person, content);
  const shown = root === undefined ? view : { ...view, rootId: root.id, previousId: below.at(-1)?.id };
  setStack(workspace, person, [...below, shown]);
  return shown;
}

/** Changes a view's content. Refuses `hash_conflict` if a given `hash` is not the view's. */
export function redefine(workspace: Workspace, view: View, sent: unknown, hash?: string): View {
  if (hash !== undefined && hash !== view.hash) throw new Refused('hash_conflict');
  const content = checkedView(workspace, sent, view.content['type'] === 'home' ? 'home' : 'modal');
  const values = valuesOf(objectsOf(content['blocks']), view.values);
  return replaceView(workspace, { ...view, content, values, hash: newHash(workspace), errors: {} });
}

/** Replaces the view with the same id. */
export function replaceView(workspace: Workspace, view: View): View {
  if (view.content['type'] === 'home') {
    workspace.homes.set(view.person, view);
    workspace.events.emit('home', { person: view.person, view: view.id });
    return view;
  }
  const stack = stackOf(workspace, view.person);
  setStack(
    workspace,
    view.person,
    stack.map((each) => (each.id === view.id ? view : each)),
  );
  return view;
}

/** Shows a person's App Home. Refuses what `redefine` refuses. */
export function publishHome(workspace: Workspace, person: string, sent: unknown, hash?: string): View {
  const old = workspace.homes.get(person);
  if (old !== undefined) return redefine(workspace, old, sent, hash);
  return replaceView(workspace, newView(workspace, person, checkedView(workspace, sent, 'home')));
}

/** Replaces a person's open modals. */
export function setStack(workspace: Workspace, person: string, views: readonly View[]): void {
  if (views.length > 0) workspace.modals.set(person, views);
  else workspace.modals.delete(person);
  workspace.events.emit('modal', { person, view: views.at(-1)?.id });
}

/** A view's title, for sentences about it. */
export const titleOf = (view: View): string => plainTextOf(view.content['title']) || 'App Home';

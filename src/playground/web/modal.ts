import type { VisibleView } from '../slack/shapes.ts';
import { drawBlocks } from './blocks.ts';
import { type Child, fill, h } from './dom.ts';
import type { Session } from './session.ts';
import { type Draft, surfaceAt } from './surface.ts';

/** Shows the topmost modal, if any. Typed values stay when the app updates the view. */
export function createModal(session: Session): (modals: readonly VisibleView[]) => void {
  const dialog = h('dialog', {
    class: 'modal',
    'aria-labelledby': 'modal-title',
    // The browser must not close it by itself: the app hears of the close first.
    cancel: (event) => {
      event.preventDefault();
      void session.act('close', { person: session.me });
    },
  });
  document.body.append(dialog);
  let shown: { readonly id: string; readonly shows: string } | undefined;
  /** What was typed, by view: a view that is under another one for a while keeps it. */
  const drafts = new Map<string, Draft>();
  return (modals) => {
    const view = modals.at(-1);
    if (view === undefined) {
      shown = undefined;
      drafts.clear();
      dialog.close();
      return fill(dialog);
    }
    const shows = JSON.stringify([view.blocks, view.title, view.controls.map(({ error }) => error ?? '')]);
    if (view.id === shown?.id && shows === shown.shows) return;
    shown = { id: view.id, shows };
    const draft: Draft = drafts.get(view.id) ?? new Map();
    drafts.set(view.id, draft);
    redraw(dialog, drawModal(session, view, draft, modals.length));
    if (dialog.open) return;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('.body :is(input, select, textarea)')?.focus();
  };
}

/** Replaces the dialog's content. The cursor stays in its input, or moves to the first error. */
function redraw(dialog: HTMLDialogElement, content: Child): void {
  const before = document.activeElement;
  const id = dialog.contains(before) ? before?.id : undefined;
  const cursor = before instanceof HTMLInputElement && before.type === 'text' ? before.selectionEnd : null;
  fill(dialog, content);
  const error = dialog.querySelector('[aria-invalid]');
  const after = error ?? (id ? document.querySelector(`#${CSS.escape(id)}`) : null);
  if (after instanceof HTMLElement) after.focus();
  // On a phone the text of the error may be below the visible part.
  dialog.querySelector('.error')?.scrollIntoView({ block: 'nearest' });
  if (error === null && after instanceof HTMLInputElement && cursor !== null) after.setSelectionRange(cursor, cursor);
}

function drawModal(session: Session, view: VisibleView, draft: Draft, depth: number): Child {
  const surface = surfaceAt(session, { view: view.id }, view.controls, draft);
  const send = h('button', { class: 'primary' }, view.submit ?? 'Submit');
  const submit = async (): Promise<void> => {
    send.disabled = true;
    const values = Object.fromEntries([...draft].map(([block, value]) => [block, value ?? null]));
    await session.act('submit', { person: session.me, values });
    send.disabled = false;
  };
  const close = (): void => void session.act('close', { person: session.me });
  return h(
    'form',
    {
      novalidate: true,
      submit: (event) => {
        event.preventDefault();
        if (view.submit !== undefined && !send.disabled) void submit();
      },
    },
    h(
      'header',
      {},
      h('h2', { id: 'modal-title' }, view.title),
      h('button', { type: 'button', class: 'plain', 'aria-label': 'Close', click: close }, '✕'),
    ),
    h('div', { class: 'body' }, ...drawBlocks(view.blocks, surface)),
    h(
      'footer',
      {},
      depth > 1 && h('small', {}, `${depth} open; closing goes back`),
      h('button', { type: 'button', click: close }, depth > 1 ? 'Back' : 'Close'),
      view.submit !== undefined && send,
    ),
  );
}

import { h } from './dom.ts';

/** The side pane on a small screen: a bar at the bottom opens it, and a button closes it. */
export type Drawer = {
  readonly opener: HTMLButtonElement;
  readonly close: HTMLButtonElement;
  /** Shows a short text in the bar. */
  announce(text: string): void;
};

/** Must match the width at which the style sheets make the pane a drawer. */
const small = matchMedia('(max-width: 720px)');

/**
 * Turns a pane into a drawer. On a wide screen the pane is always shown and the buttons are not. While the drawer is
 * open, what it covers is inert.
 */
export function createDrawer(pane: HTMLElement): Drawer {
  const news = h('small');
  const isOpen = (): boolean => pane.classList.contains('open');
  const set = (opens: boolean): void => {
    pane.classList.toggle('open', opens);
    for (const other of document.body.children)
      if (other instanceof HTMLElement && other !== pane && other.tagName !== 'DIALOG') other.inert = opens;
    opener.setAttribute('aria-expanded', String(opens));
    (opens ? close : opener).focus();
  };
  const opener = h(
    'button',
    {
      class: 'opener',
      'aria-expanded': 'false',
      'aria-controls': pane.id,
      click: () => set(!isOpen()),
    },
    h('span', {}, 'Behind the scenes'),
    news,
  );
  const close = h(
    'button',
    { class: 'plain close', 'aria-label': 'Close behind the scenes', click: () => set(false) },
    '✕',
  );
  // On the document, because a click on plain text leaves nothing focused. A form above the drawer closes first.
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && isOpen() && document.querySelector('dialog[open]') === null) set(false);
  });
  small.addEventListener('change', () => isOpen() && set(false));
  return { opener, close, announce: (text) => (news.textContent = text) };
}

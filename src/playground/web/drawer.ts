import { h } from './dom.ts';

/** The pane of a small screen: a bar at the bottom that opens it, and a way to close it. */
export type Drawer = {
  readonly opener: HTMLButtonElement;
  readonly close: HTMLButtonElement;
  /** Says in the bar what is news in the pane. */
  tell(words: string): void;
};

/** The screens on which the style sheets make a drawer of it. */
const small = matchMedia('(max-width: 720px)');

/**
 * Makes a drawer of a pane; on a wide screen neither button is shown and the pane always is. What it covers can be
 * neither pressed nor reached by keyboard while it is open.
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
  // Of the document: a press on plain words leaves the focus nowhere. A form above the drawer closes first.
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && isOpen() && document.querySelector('dialog[open]') === null) set(false);
  });
  small.addEventListener('change', () => isOpen() && set(false));
  return { opener, close, tell: (words) => (news.textContent = words) };
}

import { h } from './dom.ts';

/** The pane of a small screen: a bar at the bottom that opens it, and a way to close it. */
export type Drawer = {
  readonly opener: HTMLButtonElement;
  readonly close: HTMLButtonElement;
  /** Says in the bar what is news in the pane. */
  tell(words: string): void;
};

/** Makes a drawer of a pane; on a wide screen neither button is shown and the pane always is. */
export function createDrawer(pane: HTMLElement): Drawer {
  const news = h('small');
  const set = (isOpen: boolean): void => {
    pane.classList.toggle('open', isOpen);
    opener.setAttribute('aria-expanded', String(isOpen));
    (isOpen ? close : opener).focus();
  };
  const opener = h(
    'button',
    {
      class: 'opener',
      'aria-expanded': 'false',
      'aria-controls': pane.id,
      click: () => set(!pane.classList.contains('open')),
    },
    h('span', {}, 'Behind the scenes'),
    news,
  );
  const close = h(
    'button',
    { class: 'plain close', 'aria-label': 'Close behind the scenes', click: () => set(false) },
    '✕',
  );
  pane.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && pane.classList.contains('open')) set(false);
  });
  return { opener, close, tell: (words) => (news.textContent = words) };
}

import { type Fields, plainTextOf } from '../slack/json-fields.ts';
import { fill, h } from './dom.ts';

/** A list of options for an input. `show` and `hide` open and close it; `attachTo` lets it take an input's keys. */
export type Listbox = {
  readonly list: HTMLElement;
  show(options: readonly Fields[]): void;
  hide(): void;
  attachTo(input: HTMLElement): void;
};

type Offer = { options: readonly Fields[]; active: number };

/** An empty, hidden list. With `isBegun`, Tab picks an option too: the first one if a word has been started. */
export function createListbox(id: string, onChosen: (option: Fields) => void, isBegun?: () => boolean): Listbox {
  // A scrolling list would be a Tab stop, and would close as soon as it is reached.
  const list = h('ul', { role: 'listbox', id, 'aria-label': 'Suggestions', tabindex: '-1', hidden: true });
  let offer: Offer = { options: [], active: -1 };
  let attached: HTMLElement | undefined;
  const expand = (open: boolean): void => {
    list.hidden = !open;
    if (!open) offer.active = -1;
    if (attached !== undefined) setExpanded(attached, open);
  };
  const close = (): void => expand(false);
  const choose = (option: Fields): void => {
    close();
    onChosen(option);
  };
  const draw = (): void => {
    fillList(list, offer, choose);
    attached?.setAttribute('aria-activedescendant', offer.active < 0 ? '' : `${id}-${offer.active}`);
  };
  const handleKey = (event: KeyboardEvent): boolean => {
    const isHandled = keyIn(event, offer, isBegun, choose, close);
    if (isHandled) draw();
    return isHandled;
  };
  return {
    list,
    show(options) {
      offer = { options, active: -1 };
      draw();
      expand(true);
    },
    hide: close,
    attachTo(input) {
      attached = input;
      close();
      input.addEventListener('blur', close);
      routeKeys(input, (event) => !list.hidden && handleKey(event));
    },
  };
}

function fillList(list: HTMLElement, { options, active }: Offer, choose: (option: Fields) => void): void {
  const rows = options.map((option, index) => drawOption(option, `${list.id}-${index}`, index === active, choose));
  fill(list, ...(rows.length > 0 ? rows : [h('li', { class: 'hint' }, 'Nothing matches.')]));
  rows[active]?.scrollIntoView({ block: 'nearest' });
}

/** Handles a key meant for an open list; returns whether it was. */
function keyIn(
  { key, shiftKey }: KeyboardEvent,
  offer: Offer,
  isBegun: (() => boolean) | undefined,
  choose: (option: Fields) => void,
  close: () => void,
): boolean {
  const { options, active } = offer;
  const byTab = key === 'Tab' && !shiftKey && isBegun !== undefined;
  const chosen = options[byTab && active < 0 && isBegun() ? 0 : active];
  if ((key === 'Enter' || byTab) && chosen !== undefined) choose(chosen);
  else if (key === 'Escape') close();
  else if (key === 'ArrowDown') offer.active = Math.min(active + 1, options.length - 1);
  else if (key === 'ArrowUp') offer.active = Math.max(active - 1, 0);
  else return false;
  return true;
}

/** `aria-expanded` needs the combobox role, so a textarea has both only while the list is open. */
function setExpanded(input: HTMLElement, open: boolean): void {
  input.setAttribute('aria-expanded', String(open));
  if (!open) input.setAttribute('aria-activedescendant', '');
  if (!(input instanceof HTMLTextAreaElement)) return;
  if (open) input.setAttribute('role', 'combobox');
  else for (const name of ['role', 'aria-expanded']) input.removeAttribute(name);
}

/** Keys go to the list first, unless an input method is composing a character. */
function routeKeys(input: HTMLElement, handleKey: (event: KeyboardEvent) => boolean): void {
  input.addEventListener('keydown', (event) => {
    if (event.isComposing || !handleKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function drawOption(option: Fields, id: string, active: boolean, choose: (option: Fields) => void): HTMLElement {
  const description = plainTextOf(option['description']);
  const attributes = {
    role: 'option',
    id,
    'aria-selected': String(active),
    // `mousedown` comes before the input's blur, which closes the list.
    mousedown: (event: Event): void => {
      event.preventDefault();
      choose(option);
    },
  };
  return h('li', attributes, plainTextOf(option['text']), description !== '' && h('small', {}, ` ${description}`));
}

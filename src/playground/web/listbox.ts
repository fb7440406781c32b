import { type Fields, plainTextOf } from '../slack/json-fields.ts';
import { fill, h } from './dom.ts';

/** A list of options for an input. `show` and `hide` open and close it; `attachTo` lets it take an input's keys. */
export type Listbox = {
  readonly list: HTMLElement;
  show(options: readonly Fields[]): void;
  hide(): void;
  attachTo(input: HTMLElement): void;
};

/** An empty, hidden list. With `isBegun`, Tab picks an option too: the first one if a word has been started. */
export function createListbox(id: string, onChosen: (option: Fields) => void, isBegun?: () => boolean): Listbox {
  // A scrolling list would be a Tab stop, and would close as soon as it is reached.
  const list = h('ul', { role: 'listbox', id, 'aria-label': 'Suggestions', tabindex: '-1', hidden: true });
  let options: readonly Fields[] = [];
  let active = -1;
  let attached: HTMLElement | undefined;
  const expand = (open: boolean): void => {
    list.hidden = !open;
    if (!open) active = -1;
    if (attached !== undefined) setExpanded(attached, open);
  };
  const choose = (option: Fields): void => {
    expand(false);
    onChosen(option);
  };
  const draw = (): void => {
    const rows = options.map((option, index) => drawOption(option, `${id}-${index}`, index === active, choose));
    fill(list, ...(rows.length > 0 ? rows : [h('li', { class: 'hint' }, 'Nothing matches.')]));
    attached?.setAttribute('aria-activedescendant', active < 0 ? '' : `${id}-${active}`);
    rows[active]?.scrollIntoView({ block: 'nearest' });
  };
  // Handles a key meant for the list; returns whether it was.
  const handleKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (list.hidden) return false;
    const byTab = key === 'Tab' && !shiftKey && isBegun !== undefined;
    const chosen = options[byTab && active < 0 && isBegun() ? 0 : active];
    if ((key === 'Enter' || byTab) && chosen !== undefined) choose(chosen);
    else if (key === 'Escape') expand(false);
    else if (key === 'ArrowDown') active = Math.min(active + 1, options.length - 1);
    else if (key === 'ArrowUp') active = Math.max(active - 1, 0);
    else return false;
    draw();
    return true;
  };
  return {
    list,
    show(offered) {
      [options, active] = [offered, -1];
      draw();
      expand(true);
    },
    hide: () => expand(false),
    attachTo(input) {
      attached = input;
      expand(false);
      input.addEventListener('blur', () => expand(false));
      routeKeys(input, handleKey);
    },
  };
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

import { type Fields, fieldsOf, textOf } from '../slack/json.ts';
import { fill, h } from './dom.ts';

/** What a person reads on an option. */
export const wordsOf = (option: Fields): string => textOf(fieldsOf(option['text'])['text']);

/** A list of options below an input: it opens and closes by `show` and `hide`, and takes the keys of the input it `drives`. */
export type Offers = {
  readonly list: HTMLElement;
  show(options: readonly Fields[]): void;
  hide(): void;
  drives(input: HTMLElement): void;
};

/** An empty list that is not shown yet. With `isBegun`, Tab takes an option too: the first one where a word is begun. */
export function createOffers(id: string, onChosen: (option: Fields) => void, isBegun?: () => boolean): Offers {
  // What scrolls would be a stop of the Tab key, and close as soon as it is reached.
  const list = h('ul', { role: 'listbox', id, 'aria-label': 'Suggestions', tabindex: '-1', hidden: true });
  let options: readonly Fields[] = [];
  let active = -1;
  let driver: HTMLElement | undefined;
  const expand = (open: boolean): void => {
    list.hidden = !open;
    if (!open) active = -1;
    if (driver !== undefined) tellExpanded(driver, open);
  };
  const choose = (option: Fields): void => {
    expand(false);
    onChosen(option);
  };
  const draw = (): void => {
    const rows = options.map((option, index) => drawOffer(option, `${id}-${index}`, index === active, choose));
    fill(list, ...(rows.length > 0 ? rows : [h('li', { class: 'hint' }, 'Nothing fits.')]));
    driver?.setAttribute('aria-activedescendant', active < 0 ? '' : `${id}-${active}`);
    rows[active]?.scrollIntoView({ block: 'nearest' });
  };
  // Whether a key was meant for the list, which then has done what it says.
  const takes = ({ key, shiftKey }: KeyboardEvent): boolean => {
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
    drives(input) {
      driver = input;
      expand(false);
      input.addEventListener('blur', () => expand(false));
      givesKeys(input, takes);
    },
  };
}

/** A box of several lines is a combobox, which alone can be expanded, only while something is offered. */
function tellExpanded(driver: HTMLElement, open: boolean): void {
  driver.setAttribute('aria-expanded', String(open));
  if (!open) driver.setAttribute('aria-activedescendant', '');
  if (!(driver instanceof HTMLTextAreaElement)) return;
  if (open) driver.setAttribute('role', 'combobox');
  else for (const name of ['role', 'aria-expanded']) driver.removeAttribute(name);
}

/** Keys go to the list first, unless they write a letter that takes several. */
function givesKeys(input: HTMLElement, takes: (event: KeyboardEvent) => boolean): void {
  input.addEventListener('keydown', (event) => {
    if (event.isComposing || !takes(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function drawOffer(option: Fields, id: string, active: boolean, choose: (option: Fields) => void): HTMLElement {
  const description = wordsOf({ text: option['description'] });
  const attributes = {
    role: 'option',
    id,
    'aria-selected': String(active),
    // Before the input loses its focus, which closes the list.
    mousedown: (event: Event): void => {
      event.preventDefault();
      choose(option);
    },
  };
  return h('li', attributes, wordsOf(option), description !== '' && h('small', {}, ` ${description}`));
}

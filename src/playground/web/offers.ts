import { type Fields, fieldsOf, textOf } from '../slack/json.ts';
import { fill, h } from './dom.ts';

/** What a person reads on an option. */
export const wordsOf = (option: Fields): string => textOf(fieldsOf(option['text'])['text']);

/** A list of options below an input: it opens and closes by `show` and `hide`, and takes the keys of the input it `drives`. */
export type Offers = {
  readonly list: HTMLElement;
  show(options: readonly Fields[]): void;
  hide(): void;
  drives(input: HTMLInputElement): void;
};

/** An empty list that is not shown yet. */
export function createOffers(id: string, onChosen: (option: Fields) => void): Offers {
  const list = h('ul', { role: 'listbox', id, 'aria-label': 'Suggestions', hidden: true });
  let options: readonly Fields[] = [];
  let active = -1;
  let driver: HTMLInputElement | undefined;
  const expand = (open: boolean): void => {
    list.hidden = !open;
    driver?.setAttribute('aria-expanded', String(open));
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
  const takes = (key: string): boolean => {
    if (list.hidden) return false;
    const chosen = options[active];
    if (key === 'Enter' && chosen !== undefined) choose(chosen);
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
      input.addEventListener('keydown', (event) => {
        if (!takes(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
      });
    },
  };
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

import { type Fields, isFields, textOf } from '../slack/json.ts';
import { type Child, h } from './dom.ts';
import { type Offers, createOffers, wordsOf } from './offers.ts';
import type { Surface } from './surface.ts';

const TYPING_MS = 120;

/** An external select: what is typed is asked of the app, and what it offers can be chosen by mouse or arrow keys. */
export function drawCombobox(
  block: Fields,
  element: Fields,
  surface: Surface,
  naming: Readonly<Record<string, string | boolean | undefined>>,
): Child {
  const offers = createOffers(`${surface.name}-${textOf(block['block_id'])}-offers`, (option) => {
    input.value = wordsOf(option);
    holds = true;
    surface.put(block, element, option);
  });
  const input = h('input', {
    ...naming,
    role: 'combobox',
    autocomplete: 'off',
    'aria-autocomplete': 'list',
    'aria-controls': offers.list.id,
    placeholder: wordsOf({ text: element['placeholder'] }) || 'Type to search',
  });
  const held = surface.held(block, element);
  let holds = isFields(held);
  input.value = isFields(held) ? wordsOf(held) : '';
  input.addEventListener('input', () => {
    if (holds) surface.put(block, element, null);
    holds = false;
  });
  offers.drives(input);
  asksWhileTyping(input, offers, Number(element['min_query_length'] ?? 3), async (query) => {
    try {
      return await surface.suggest(block, element, query);
    } catch (error) {
      surface.seat.tell(error);
      return undefined;
    }
  });
  return h('div', { class: 'combobox' }, input, offers.list);
}

/** Asks once typing rests, and shows the answer if nothing was asked since and the input is still the one in use. */
function asksWhileTyping(
  input: HTMLInputElement,
  offers: Offers,
  fewest: number,
  suggest: (query: string) => Promise<readonly Fields[] | undefined>,
): void {
  let asked = 0;
  const ask = async (query: string): Promise<void> => {
    asked += 1;
    const mine = asked;
    if (query.length < fewest) return offers.hide();
    const options = await suggest(query);
    if (options !== undefined && mine === asked && document.activeElement === input) offers.show(options);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(input.value), TYPING_MS);
  });
  input.addEventListener('focus', () => void ask(''));
}

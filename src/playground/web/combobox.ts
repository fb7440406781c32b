import { type Fields, isFields, objectsOf, plainTextOf, textOf } from '../slack/json-fields.ts';
import { type Child, fill, h } from './dom.ts';
import { type Listbox, createListbox } from './listbox.ts';
import type { Surface } from './surface.ts';

const TYPING_MS = 120;

/** An external select. It asks the app for options; mouse and arrow keys choose one. */
export function drawCombobox(
  block: Fields,
  element: Fields,
  surface: Surface,
  naming: Readonly<Record<string, string | boolean | undefined>>,
): Child {
  const isMany = element['type'] === 'multi_external_select';
  const chosen = (): readonly Fields[] => objectsOf(surface.valueIn(block, element));
  const listbox = createListbox(`${surface.name}-${textOf(block['block_id'])}-options`, (option) => {
    input.value = isMany ? '' : plainTextOf(option['text']);
    hasChoice = !isMany;
    const others = chosen().filter(({ value }) => value !== option['value']);
    surface.put(block, element, isMany ? [...others, option] : option);
    if (isMany) show();
  });
  const input = h('input', {
    ...naming,
    role: 'combobox',
    autocomplete: 'off',
    'aria-autocomplete': 'list',
    'aria-controls': listbox.list.id,
    placeholder: plainTextOf(element['placeholder']) || 'Type to search',
  });
  const held = surface.valueIn(block, element);
  let hasChoice = isFields(held);
  input.value = isFields(held) ? plainTextOf(held['text']) : '';
  input.addEventListener('input', () => {
    if (hasChoice) surface.put(block, element, null);
    hasChoice = false;
  });
  listbox.attachTo(input);
  const suggest = (query: string) => suggestOrShowError(surface, block, element, query);
  askWhileTyping(input, listbox, Number(element['min_query_length'] ?? 3), suggest);
  const { chips, show } = createChips(chosen, (others) => {
    surface.put(block, element, others);
    input.focus();
  });
  if (isMany) show();
  return h('div', { class: 'combobox' }, isMany && chips, input, listbox.list);
}

async function suggestOrShowError(
  surface: Surface,
  block: Fields,
  element: Fields,
  query: string,
): Promise<readonly Fields[] | undefined> {
  try {
    return await surface.suggest(block, element, query);
  } catch (error) {
    surface.session.showError(error);
    return undefined;
  }
}

/** The chosen options of a multi-select, each with a button to remove it. */
function createChips(
  chosen: () => readonly Fields[],
  put: (others: readonly Fields[]) => void,
): { readonly chips: HTMLElement; readonly show: () => void } {
  const chips = h('ul', { class: 'chips', 'aria-label': 'Chosen' });
  const show = (): void => fill(chips, ...chosen().map(drawChip));
  const drawChip = (option: Fields): HTMLElement => {
    const text = plainTextOf(option['text']);
    const remove = (): void => {
      put(chosen().filter(({ value }) => value !== option['value']));
      show();
    };
    return h('li', {}, text, h('button', { type: 'button', 'aria-label': `Remove ${text}`, click: remove }, '✕'));
  };
  return { chips, show };
}

/** Asks once typing pauses. Shows the answer if it is the latest and the input still has the focus. */
function askWhileTyping(
  input: HTMLInputElement,
  listbox: Listbox,
  fewest: number,
  suggest: (query: string) => Promise<readonly Fields[] | undefined>,
): void {
  let latest = 0;
  const ask = async (query: string): Promise<void> => {
    latest += 1;
    const mine = latest;
    if (query.length < fewest) return listbox.hide();
    const options = await suggest(query);
    if (options !== undefined && mine === latest && document.activeElement === input) listbox.show(options);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener('input', () => {
    // An early Enter must not choose an option that matched the previous text.
    latest += 1;
    listbox.hide();
    clearTimeout(timer);
    timer = setTimeout(() => void ask(input.value), TYPING_MS);
  });
  // An input with a choice regains the focus when its form is redrawn; that must not open its list.
  input.addEventListener('focus', () => void (input.value === '' && ask('')));
  input.addEventListener('click', () => void (input.value !== '' && ask('')));
}

import { type Fields, fieldsOf, isFields, objectsOf, optionsOf, plainTextOf, textOf } from '../slack/json-fields.ts';
import { drawCombobox } from './combobox.ts';
import { actors } from './directory.ts';
import { type Child, h } from './dom.ts';
import { textNodes } from './mrkdwn.ts';
import type { Surface } from './surface.ts';

/** Attributes that name an input to assistive technology. */
type Naming = Readonly<Record<string, string | boolean | undefined>>;

/** An input with its label above, and its hint and error below. */
export function drawInputBlock(block: Fields, surface: Surface): HTMLElement {
  const element = fieldsOf(block['element']);
  const id = `${surface.name}-${textOf(block['block_id'])}`;
  const error = surface.errorUnder(block);
  const hint = plainTextOf(block['hint']);
  const label = [plainTextOf(block['label']), block['optional'] === true && h('small', {}, ' optional')];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const naming = {
    'aria-describedby': described || undefined,
    'aria-invalid': error === undefined ? undefined : 'true',
  };
  const below = [
    hint !== '' && h('p', { class: 'hint', id: `${id}-hint` }, hint),
    error !== undefined && h('p', { class: 'error', id: `${id}-error`, role: 'alert' }, error),
  ];
  if (isGroup(element)) {
    const inputs = drawInput(block, element, surface, {});
    return h('fieldset', { class: 'field', ...naming }, h('legend', {}, ...label), inputs, ...below);
  }
  const input = drawInput(block, element, surface, { id, ...naming });
  return h('div', { class: 'field' }, h('label', { for: id }, ...label), input, ...below);
}

const isGroup = ({ type }: Fields): boolean => type === 'checkboxes' || type === 'radio_buttons';

/** Inputs that are one line of text, with their HTML type. */
const TYPED: Readonly<Record<string, string>> = {
  plain_text_input: 'text',
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'text',
  datepicker: 'date',
  timepicker: 'time',
};

/** One input with its current value. */
export function drawInput(block: Fields, element: Fields, surface: Surface, naming: Naming): Child {
  const type = textOf(element['type']);
  if (isGroup(element)) return drawChoices(block, element, surface);
  if (TYPED[type] !== undefined) return drawTyped(block, element, surface, { ...naming, type: TYPED[type] });
  if (type === 'external_select' || type === 'multi_external_select')
    return drawCombobox(block, element, surface, naming);
  if (type === 'static_select' || type === 'multi_static_select')
    return drawSelect(optionsOf(element), block, element, surface, naming);
  if (type === 'users_select') return drawPeople(block, element, surface, naming);
  return h('p', { class: 'hint' }, `(This page can't fill in a ${type}. Use the control API.)`);
}

function drawTyped(block: Fields, element: Fields, surface: Surface, attributes: Naming): Child {
  const held = surface.valueIn(block, element);
  const dispatches = block['type'] !== 'input' || block['dispatch_action'] === true;
  const many = element['multiline'] === true;
  const named = {
    ...attributes,
    placeholder: plainTextOf(element['placeholder']) || undefined,
    autocomplete: 'off',
    autofocus: element['focus_on_load'] === true,
    // An input that dispatches does so on `change`; the others keep every keystroke.
    [dispatches ? 'change' : 'input']: () => surface.put(block, element, input.value),
  };
  const input = many ? h('textarea', { ...named, type: undefined, rows: '4' }) : h('input', named);
  input.value = typeof held === 'string' ? held : '';
  return input;
}

function drawSelect(
  options: readonly Fields[],
  block: Fields,
  element: Fields,
  surface: Surface,
  naming: Naming,
): Child {
  const several = element['type'] === 'multi_static_select';
  const chosen = heldValues(surface.valueIn(block, element));
  const placeholder = plainTextOf(element['placeholder']) || 'Choose…';
  const select = h(
    'select',
    {
      ...naming,
      multiple: several,
      change: () => {
        const picked = [...select.selectedOptions].flatMap(({ value }) =>
          options.filter((option) => option['value'] === value),
        );
        surface.put(block, element, several ? picked : (picked[0] ?? null));
      },
    },
    !several && h('option', { value: '' }, placeholder),
    ...options.map((option) => {
      const value = textOf(option['value']);
      const parts = [option['text'], option['description']].map(plainTextOf);
      return h('option', { value, selected: chosen.includes(value) }, parts.filter(Boolean).join(' — '));
    }),
  );
  return select;
}

const heldValues = (held: unknown): readonly unknown[] =>
  (Array.isArray(held) ? objectsOf(held) : isFields(held) ? [held] : []).map((option) => option['value']);

function drawPeople(block: Fields, element: Fields, surface: Surface, naming: Naming): Child {
  const held = surface.valueIn(block, element);
  const select = h(
    'select',
    { ...naming, change: () => surface.put(block, element, select.value || null) },
    h('option', { value: '' }, 'Choose…'),
    ...actors(surface.session.directory).map(({ id, real_name }) =>
      h('option', { value: id, selected: id === held }, real_name),
    ),
  );
  return select;
}

function drawChoices(block: Fields, element: Fields, surface: Surface): Child {
  const several = element['type'] === 'checkboxes';
  const options = optionsOf(element);
  const chosen = heldValues(surface.valueIn(block, element));
  const { directory } = surface.session;
  const name = `${surface.name}-${textOf(block['block_id'])}-choice`;
  const boxes = options.map((option) => {
    const checked = chosen.includes(option['value']);
    return h('input', { type: several ? 'checkbox' : 'radio', name, checked, change: () => tell() });
  });
  const tell = (): void => {
    const picked = options.filter((_, index) => boxes[index]?.checked === true);
    surface.put(block, element, several ? picked : (picked[0] ?? null));
  };
  const rows = options.map((option, index) => {
    const description = option['description'];
    return h(
      'label',
      { class: 'choice' },
      boxes[index],
      h(
        'span',
        {},
        ...textNodes(option['text'], directory),
        description !== undefined && h('small', {}, ...textNodes(description, directory)),
      ),
    );
  });
  return h('div', {}, ...rows);
}

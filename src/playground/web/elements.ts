import { type Fields, optionsOf, plainTextOf, textOf } from '../slack/json-fields.ts';
import { type Child, h } from './dom.ts';
import { drawInput } from './inputs.ts';
import type { Surface } from './surface.ts';

/** An element outside of forms: a button, a menu, or an input that dispatches at once. */
export function drawElement(block: Fields, element: Fields, surface: Surface): Child {
  switch (element['type']) {
    case 'button':
    case 'workflow_button':
      return drawButton(block, element, surface);
    case 'overflow':
      return drawOverflow(block, element, surface);
    case 'image':
      return h('span', { class: 'picture' }, `🖼 ${textOf(element['alt_text'])}`);
    default:
      return drawInput(block, element, surface, { 'aria-label': plainTextOf(element['placeholder']) || 'Choose' });
  }
}

function drawButton(block: Fields, element: Fields, surface: Surface): Child {
  const { style, url, accessibility_label: spoken } = element;
  const attributes = {
    type: 'button',
    class: textOf(style),
    'aria-label': textOf(spoken) || undefined,
    click: () => {
      if (typeof url === 'string' && /^https?:/i.test(url)) window.open(url, '_blank', 'noopener');
      surface.press(block, element);
    },
  };
  return h('button', attributes, plainTextOf(element['text']));
}

function drawOverflow(block: Fields, element: Fields, surface: Surface): Child {
  const options = optionsOf(element);
  const menu = h(
    'select',
    {
      class: 'overflow',
      'aria-label': 'More',
      change: () => {
        surface.put(block, element, options[menu.selectedIndex - 1]);
        menu.selectedIndex = 0;
      },
    },
    h('option', {}, '⋯'),
    ...options.map((option) => h('option', {}, plainTextOf(option['text']))),
  );
  return menu;
}

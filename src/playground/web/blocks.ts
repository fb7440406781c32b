import { type Fields, fieldsOf, listOf, objectsOf, textOf } from '../slack/json-fields.ts';
import type { Directory } from './directory.ts';
import { type Child, h } from './dom.ts';
import { drawElement } from './elements.ts';
import { drawInputBlock } from './inputs.ts';
import { textNodes } from './mrkdwn.ts';
import { richText } from './rich-text.ts';
import type { Surface } from './surface.ts';

/** Blocks, one below the other. */
export const drawBlocks = (blocks: readonly Fields[], surface: Surface): readonly Child[] =>
  blocks.map((block) => drawBlock(block, surface));

function drawBlock(block: Fields, surface: Surface): Child {
  const { directory } = surface.session;
  switch (block['type']) {
    case 'header':
      return h('h3', {}, ...textNodes(block['text'], directory));
    case 'divider':
      return h('hr');
    case 'section':
      return drawSection(block, surface);
    case 'context':
      return h(
        'div',
        { class: 'context' },
        ...objectsOf(block['elements']).map((each) => drawContext(each, directory)),
      );
    case 'actions':
    case 'context_actions':
      return h(
        'div',
        { class: 'actions' },
        ...objectsOf(block['elements']).map((each) => drawElement(block, each, surface)),
      );
    case 'input':
      return drawInputBlock(block, surface);
    case 'image':
      return image(block);
    case 'rich_text':
      return h('div', { class: 'rich' }, ...richText(block, directory));
    case 'table':
    case 'data_table':
      return drawTable(block, directory);
    case 'markdown':
      return h('div', { class: 'lines' }, textOf(block['text']));
    default:
      return drawOther(block, surface);
  }
}

function drawSection(block: Fields, surface: Surface): Child {
  const { directory } = surface.session;
  const fields = objectsOf(block['fields']).map((each) => h('div', { class: 'lines' }, ...textNodes(each, directory)));
  const accessory = block['accessory'] === undefined ? undefined : fieldsOf(block['accessory']);
  return h(
    'div',
    { class: 'section' },
    h(
      'div',
      { class: 'lines' },
      ...textNodes(block['text'], directory),
      fields.length > 0 && h('div', { class: 'columns' }, ...fields),
    ),
    accessory && drawElement(block, accessory, surface),
  );
}

const drawContext = (element: Fields, directory: Directory): Child =>
  element['type'] === 'image' ? image(element) : h('span', { class: 'lines' }, ...textNodes(element, directory));

/** A picture as its alternative text, because the page loads nothing from other servers. */
const image = (block: Fields): Child =>
  h(
    'span',
    { class: 'picture', role: 'img', 'aria-label': textOf(block['alt_text']) },
    `🖼 ${textOf(block['alt_text'])}`,
  );

/** As in Slack, only columns with `is_wrapped` break their lines, and a wide table scrolls. */
function drawTable(block: Fields, directory: Directory): Child {
  const settings = listOf(block['column_settings']).map((setting) => fieldsOf(setting));
  const [head = [], ...rows] = listOf(block['rows']).map((row) => objectsOf(row));
  const cells = (row: readonly Fields[], name: 'th' | 'td'): readonly Child[] =>
    row.map((cell, column) =>
      h(name, settings[column]?.['is_wrapped'] === true ? { class: 'wrapped' } : {}, ...drawCell(cell, directory)),
    );
  return h(
    'div',
    { class: 'scroll', tabindex: '0' },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, ...cells(head, 'th'))),
      h('tbody', {}, ...rows.map((row) => h('tr', {}, ...cells(row, 'td')))),
    ),
  );
}

function drawCell(cell: Fields, directory: Directory): readonly Child[] {
  if (cell['type'] === 'rich_text') return richText(cell, directory);
  const { text, value } = cell;
  return [textOf(text) || (typeof value === 'number' ? String(value) : '')];
}

/** Other kinds of block: title, text and actions. */
function drawOther(block: Fields, surface: Surface): Child {
  const { directory } = surface.session;
  const lines = ['title', 'subtitle', 'text', 'body']
    .map((field) => textNodes(block[field], directory))
    .filter((nodes) => nodes.some((node) => node !== ''));
  const inner = [...objectsOf(block['child_blocks']), ...objectsOf(block['elements'])];
  return h(
    'div',
    { class: `block-${textOf(block['type'])}` },
    ...lines.map((nodes) => h('div', { class: 'lines' }, ...nodes)),
    ...objectsOf(block['actions']).map((each) => drawElement(block, each, surface)),
    ...drawBlocks(inner, surface),
  );
}

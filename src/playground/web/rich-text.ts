import { type Fields, fieldsOf, objectsOf, textOf } from '../slack/json-fields.ts';
import { type Directory, nameOf } from './directory.ts';
import { type Child, h } from './dom.ts';
import { date, link, mention } from './mrkdwn.ts';

/** A rich text block: sections, lists, quotes and preformatted text. */
export const richText = (block: Fields, directory: Directory): readonly Child[] =>
  objectsOf(block['elements']).map((part) => drawPart(part, directory));

function drawPart(part: Fields, directory: Directory): Child {
  const inside = (): readonly Child[] => objectsOf(part['elements']).map((each) => drawInline(each, directory));
  switch (part['type']) {
    case 'rich_text_list':
      return drawList(part, directory);
    case 'rich_text_preformatted':
      return h('pre', { tabindex: '0' }, ...inside());
    case 'rich_text_quote':
      return h('blockquote', {}, ...inside());
    default:
      return h('div', { class: 'lines' }, ...inside());
  }
}

function drawList(part: Fields, directory: Directory): Child {
  const items = objectsOf(part['elements']).map((item) => h('li', {}, drawPart(item, directory)));
  const indent = `indent-${Math.min(Number(part['indent'] ?? 0), 4)}`;
  return part['style'] === 'ordered' ? h('ol', { class: indent }, ...items) : h('ul', { class: indent }, ...items);
}

function drawInline(element: Fields, directory: Directory): Child {
  return styled(bare(element, directory), fieldsOf(element['style']));
}

function bare(element: Fields, directory: Directory): Child {
  switch (element['type']) {
    case 'user':
      return mention(`@${nameOf.person(directory, textOf(element['user_id']))}`);
    case 'usergroup':
      return mention(`@${nameOf.group(directory, textOf(element['usergroup_id']))}`);
    case 'channel':
      return mention(`#${nameOf.channel(directory, textOf(element['channel_id']))}`);
    case 'broadcast':
      return mention(`@${textOf(element['range'])}`);
    case 'emoji':
      return emoji(element);
    case 'link':
      return link(textOf(element['url']), textOf(element['text']));
    case 'date':
      return date(Number(element['timestamp']), textOf(element['format']), textOf(element['fallback']));
    default:
      return textOf(element['text']) || textOf(element['value']);
  }
}

function emoji(element: Fields): string {
  const points = textOf(element['unicode'])
    .split('-')
    .map((hex) => Number.parseInt(hex, 16));
  return points.every(Number.isInteger) ? String.fromCodePoint(...points) : `:${textOf(element['name'])}:`;
}

function styled(child: Child, style: Fields): Child {
  let drawn = child;
  if (style['code'] === true) drawn = h('code', {}, drawn);
  if (style['strike'] === true) drawn = h('s', {}, drawn);
  if (style['italic'] === true) drawn = h('em', {}, drawn);
  if (style['bold'] === true) drawn = h('strong', {}, drawn);
  return drawn;
}

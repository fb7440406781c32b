import { type Fields, fieldsOf, listOf, objectsOf, textOf } from './json-fields.ts';
import type { Workspace } from './workspace.ts';

/** Turns ids in text into the names that a client shows. */
export type Names = {
  readonly person: (id: string) => string;
  readonly group: (id: string) => string;
  readonly channel: (id: string) => string;
};

/** The workspace's names: `@Ana`, `@leads`, `#acme-shop`; an unknown id is shown as it is. */
export const namesIn = (workspace: Workspace): Names => ({
  person: (id) => `@${workspace.people.get(id)?.display_name ?? id}`,
  group: (id) => `@${workspace.groups.get(id)?.handle ?? id}`,
  channel: (id) => `#${workspace.channels.get(id)?.name ?? id}`,
});

/** Blocks as the lines a person reads, without markup; buttons are `[Label]`. */
export const blocksText = (blocks: readonly Fields[], names: Names): string =>
  blocks
    .map((block) => blockText(block, names))
    .filter((line) => line !== '')
    .join('\n');

function blockText(block: Fields, names: Names): string {
  switch (block['type']) {
    case 'divider':
      return '---';
    case 'section':
      return sectionText(block, names);
    case 'context':
    case 'actions':
    case 'context_actions':
      return elementsText(block['elements'], names);
    case 'input':
      return inputText(block, names);
    case 'image':
      return lines(textObject(block['title'], names), textOf(block['alt_text']));
    case 'rich_text':
      return richText(block, names);
    case 'table':
    case 'data_table':
      return lines(textOf(block['caption']), ...listOf(block['rows']).map((row) => rowText(row, names)));
    case 'markdown':
      return textOf(block['text']);
    case 'card':
      return lines(
        ...['title', 'subtitle', 'body'].map((field) => textObject(block[field], names)),
        elementsText(block['actions'], names),
      );
    case 'carousel':
      return blocksText(objectsOf(block['elements']), names);
    case 'container':
      return containerText(block, names);
    default:
      return lines(textObject(block['text'], names), textObject(block['title'], names));
  }
}

const sectionText = ({ text, fields, accessory }: Fields, names: Names): string =>
  lines(
    textObject(text, names),
    ...objectsOf(fields).map((each) => textObject(each, names)),
    elementText(accessory, names),
  );

const inputText = ({ label, element, hint }: Fields, names: Names): string =>
  lines(textObject(label, names), elementText(element, names), textObject(hint, names));

const containerText = ({ title, subtitle, child_blocks: children }: Fields, names: Names): string =>
  lines(textObject(title, names), textObject(subtitle, names), blocksText(objectsOf(children), names));

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');

const rowText = (row: unknown, names: Names): string =>
  objectsOf(row)
    .map((cell) => {
      if (cell['type'] === 'rich_text') return richText(cell, names);
      return cell['type'] === 'raw_number'
        ? textOf(cell['text']) || JSON.stringify(cell['value'])
        : textOf(cell['text']);
    })
    .join(' | ');

const elementsText = (elements: unknown, names: Names): string =>
  objectsOf(elements)
    .map((each) => elementText(each, names))
    .join(' ');

function elementText(value: unknown, names: Names): string {
  const element = fieldsOf(value);
  switch (element['type']) {
    case undefined:
      return '';
    case 'plain_text':
    case 'mrkdwn':
      return textObject(element, names);
    case 'image':
      return textOf(element['alt_text']);
    case 'checkboxes':
    case 'radio_buttons':
      return objectsOf(element['options'])
        .map((option) => lines(textObject(option['text'], names), textObject(option['description'], names)))
        .join('\n');
    default: {
      const label = textObject(element['text'] ?? element['placeholder'], names);
      return label === '' ? '' : `[${label}]`;
    }
  }
}

/** A text object as a person reads it. */
export function textObject(value: unknown, names: Names): string {
  const { type, text } = fieldsOf(value);
  return type === 'mrkdwn' ? mrkdwnText(textOf(text), names) : textOf(text);
}

/** Slack's markup as a person reads it: tokens become names and labels, emphasis marks go. */
export function mrkdwnText(text: string, names: Names): string {
  const plain = withNames(text, names)
    .replaceAll(/```([\s\S]*?)```/g, '$1')
    .replaceAll(/`([^`\n]+)`/g, '$1')
    .replaceAll(/(^|[^\p{L}\p{N}*])\*(\S(?:[^*\n]*\S)?)\*(?![\p{L}\p{N}*])/gu, '$1$2')
    .replaceAll(/(^|[^\p{L}\p{N}_])_(\S(?:[^_\n]*\S)?)_(?![\p{L}\p{N}_])/gu, '$1$2')
    .replaceAll(/(^|[^\p{L}\p{N}~])~(\S(?:[^~\n]*\S)?)~(?![\p{L}\p{N}~])/gu, '$1$2');
  return unescaped(plain);
}

/** What was typed after a slash command, where marks of emphasis are characters like any. */
export const typedText = (text: string, names: Names): string => unescaped(withNames(text, names));

const withNames = (text: string, names: Names): string =>
  text.replaceAll(/<([^<>]+)>/g, (_, token: string) => tokenText(token, names));

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

function tokenText(token: string, names: Names): string {
  const [target = '', ...rest] = token.split('|');
  const label = rest.join('|');
  if (target.startsWith('@')) return names.person(target.slice(1));
  if (target.startsWith('#')) return names.channel(target.slice(1));
  if (target.startsWith('!subteam^')) return names.group(target.slice(9));
  if (target.startsWith('!date^')) return label || target;
  if (target.startsWith('!')) return `@${target.slice(1)}`;
  return label || target.replace(/^mailto:/, '');
}

function richText(block: Fields, names: Names): string {
  return objectsOf(block['elements'])
    .map((part) => partText(part, names))
    .join('\n');
}

function partText(part: Fields, names: Names): string {
  if (part['type'] !== 'rich_text_list')
    return objectsOf(part['elements'])
      .map((each) => inlineText(each, names))
      .join('');
  const indent = '  '.repeat(Number(part['indent'] ?? 0));
  const items = objectsOf(part['elements']).map((item) => partText(item, names));
  return items
    .map((item, index) => `${indent}${part['style'] === 'ordered' ? `${index + 1}.` : '•'} ${item}`)
    .join('\n');
}

function inlineText(element: Fields, names: Names): string {
  switch (element['type']) {
    case 'user':
      return names.person(textOf(element['user_id']));
    case 'usergroup':
      return names.group(textOf(element['usergroup_id']));
    case 'channel':
      return names.channel(textOf(element['channel_id']));
    case 'emoji':
      return `:${textOf(element['name'])}:`;
    case 'broadcast':
      return `@${textOf(element['range'])}`;
    case 'link':
      return textOf(element['text']) || textOf(element['url']);
    case 'date':
      return textOf(element['fallback']) || new Date(Number(element['timestamp']) * 1000).toISOString();
    case 'color':
      return textOf(element['value']);
    default:
      return textOf(element['text']);
  }
}

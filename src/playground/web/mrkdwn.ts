import { fieldsOf, textOf } from '../slack/json-fields.ts';
import { dated } from './dates.ts';
import { type Directory, nameOf } from './directory.ts';
import { type Child, h } from './dom.ts';

/** Slack's markup as nodes. Anything else becomes text, so content can never inject an element. */
export function mrkdwn(text: string, directory: Directory): readonly Child[] {
  return text.split(/```([\s\S]*?)```/).flatMap((part, index): readonly Child[] => {
    if (index % 2 === 1) return [h('pre', { tabindex: '0' }, decoded(part.replace(/^\n/, '')))];
    return part
      .split(/(?:^|\n)((?:&gt;|>)[^\n]*)/)
      .flatMap((line, at) =>
        at % 2 === 1
          ? [h('blockquote', {}, ...inline(line.replace(/^(?:&gt;|>) ?/, ''), directory))]
          : inline(line, directory),
      );
  });
}

/** A text object, plain or mrkdwn. */
export function textNodes(value: unknown, directory: Directory): readonly Child[] {
  const { type, text } = fieldsOf(value);
  return type === 'mrkdwn' ? mrkdwn(textOf(text), directory) : [textOf(text)];
}

/** The element for each mark. */
const MARKS = { '*': 'strong', _: 'em', '~': 's', '`': 'code' } as const;
const MARKED = /(?<![\p{L}\p{N}])(?:`([^`\n]+)`|([*_~])(\S(?:[^\n]*?\S)?)\2(?![\p{L}\p{N}]))/u;
const TOKEN = /<([^<>\n]+)>/;

function inline(text: string, directory: Directory): readonly Child[] {
  if (text === '') return [];
  const token = TOKEN.exec(text);
  const marked = MARKED.exec(text);
  const first = marked !== null && (token === null || marked.index < token.index) ? marked : token;
  if (first === null) return [decoded(text)];
  const before = inline(text.slice(0, first.index), directory);
  const after = inline(text.slice(first.index + first[0].length), directory);
  if (first === token) return [...before, tokenNode(first[1] ?? '', directory), ...after];
  const [, code, mark, inner = ''] = first;
  if (code !== undefined) return [...before, h('code', {}, decoded(code)), ...after];
  const name = mark === '*' || mark === '_' || mark === '~' ? MARKS[mark] : 'span';
  return [...before, h(name, {}, ...inline(inner, directory)), ...after];
}

function tokenNode(token: string, directory: Directory): Child {
  const [target = '', ...rest] = token.split('|');
  const label = decoded(rest.join('|'));
  if (target.startsWith('@')) return mention(`@${nameOf.person(directory, target.slice(1))}`);
  if (target.startsWith('#')) return mention(`#${nameOf.channel(directory, target.slice(1))}`);
  if (target.startsWith('!subteam^')) return mention(`@${nameOf.group(directory, target.slice(9))}`);
  if (target.startsWith('!date^')) return dateNode(target, label);
  if (target.startsWith('!')) return mention(`@${target.slice(1)}`);
  return link(decoded(target), label);
}

function dateNode(target: string, fallback: string): Child {
  const [, seconds = '', format = ''] = target.split('^');
  return /^\d{1,12}$/.test(seconds) ? date(Number(seconds), format, fallback) : fallback;
}

/** A date in the viewer's locale; the author's fallback text is its tooltip. */
export const date = (seconds: number, format: string, fallback: string): Child =>
  h('time', { datetime: new Date(seconds * 1000).toISOString(), title: fallback }, dated(seconds, format));

/** A mention of a person, group or channel. */
export const mention = (name: string): Child => h('span', { class: 'mention' }, name);

/** A link in a new tab. Only web and mail addresses become links. */
export function link(url: string, label: string): Child {
  const text = label || url.replace(/^mailto:/, '');
  if (!/^(https?|mailto):/i.test(url)) return text;
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, text);
}

const decoded = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

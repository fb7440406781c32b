import { fieldsOf, objectsOf, textOf } from '../slack/json-fields.ts';
import type { VisibleMessage } from '../slack/shapes.ts';
import { drawBlocks } from './blocks.ts';
import { dated, timeOf } from './dates.ts';
import { nameOf } from './directory.ts';
import { type Child, h, keyedList } from './dom.ts';
import { mrkdwn } from './mrkdwn.ts';
import type { Session } from './session.ts';
import { type Surface, surfaceAt } from './surface.ts';

/** The number of messages drawn at first. It doubles when the reader scrolls near the oldest one. */
const FIRST = 200;
const NEAR_PX = 400;

/** A list of messages. `wanted` is how many of the newest to read for the session's current place. */
type Messages = {
  readonly element: HTMLElement;
  wanted(): number;
  show(messages: readonly VisibleMessage[]): void;
  /** Scrolls to the next message, because it answers what the reader has just done. */
  readonly follow: () => void;
};

/**
 * Follows the newest message unless the reader has scrolled away; then a button leads there. Whatever else changes the
 * rows or their width, what the reader looks at stays in sight. Calls `readMore` when they near the oldest one.
 */
export function createMessages(session: Session, label: string, inThread: boolean, readMore: () => void): Messages {
  const list = h('ol');
  const show = messagesIn(list, session, inThread);
  const newer = h('button', { class: 'newer', hidden: true, click: () => anchor.toEnd() }, '↓ New messages');
  let [drawn, drawnAt] = [0, ''];
  let newest: string | undefined;
  let follows = false;
  const place = (): string => `${session.me} ${session.channel} ${inThread ? session.thread : ''}`;
  const room = createRoom(place);
  const scroll = (): void => {
    newer.hidden ||= anchor.hold() === 'end';
    if (element.scrollTop > NEAR_PX || drawn < room.wanted() || drawnAt !== place()) return;
    room.make(drawn * 2);
    readMore();
  };
  const spoken = { role: 'log', 'aria-label': label, tabindex: '0' };
  // Smooth scrolling while rows are added above can end at the top without another scroll event.
  const element = h('div', { class: 'messages', ...spoken, scroll, scrollend: scroll }, list, newer);
  const anchor = createAnchor(element, list);
  // A thread beside it makes it narrower and all rows higher; the thread's card is what was pressed.
  new ResizeObserver(() => {
    anchor.stay();
    if (!inThread) rowAt(list, session.thread)?.scrollIntoView({ block: 'nearest' });
  }).observe(element);
  return {
    element,
    wanted: room.wanted,
    follow: () => (follows = true),
    show(messages) {
      const last = messages.at(-1)?.ts;
      const isAnswer = follows && last !== newest;
      const held = drawnAt === place() && !isAnswer ? anchor.hold() : anchor.toEnd();
      follows &&= !isAnswer;
      [drawn, drawnAt] = [messages.length, place()];
      show(messages);
      anchor.stay();
      anchor.hold();
      newer.hidden = held === 'end' || (newer.hidden && last === newest);
      newest = last;
    },
  };
}

type Held = 'end' | 'row';
/** What stays in sight while rows change: the row at the top, or the end. */
type Anchor = {
  /** Remembers which. */
  hold(): Held;
  /** Scrolls back to it. */
  stay(): void;
  toEnd(): Held;
};

function createAnchor(view: HTMLElement, list: HTMLElement): Anchor {
  let held: { readonly row: Element; readonly top: number } | undefined;
  const topOf = (row: Element): number => row.getBoundingClientRect().top - view.getBoundingClientRect().top;
  const end = (): Held => {
    held = undefined;
    view.scrollTop = view.scrollHeight;
    return 'end';
  };
  return {
    hold() {
      const isAtEnd = view.scrollHeight - view.scrollTop - view.clientHeight < 80;
      const top = view.getBoundingClientRect().top;
      const row = [...list.children].find((one) => one.getBoundingClientRect().bottom > top);
      held = row && !isAtEnd ? { row, top: topOf(row) } : undefined;
      return held ? 'row' : 'end';
    },
    stay() {
      if (held === undefined) end();
      else if (held.row.isConnected) view.scrollTop += topOf(held.row) - held.top;
    },
    toEnd: end,
  };
}

const rowAt = (list: Element, ts = ''): Element | null => list.querySelector(`[data-ts="${CSS.escape(ts)}"]`);

const messagesIn = (list: Element, session: Session, inThread: boolean): ReturnType<typeof keyedList<VisibleMessage>> =>
  keyedList<VisibleMessage>(
    list,
    (message) => `${session.me} ${message.channel} ${message.ts}`,
    (message) => drawMessage(session, message, inThread),
  );

/** Room for messages, which is as at first whenever the place is another one. */
function createRoom(place: () => string): { readonly wanted: () => number; readonly make: (room: number) => void } {
  let [room, roomAt] = [FIRST, ''];
  return {
    wanted: () => {
      if (roomAt !== place()) [room, roomAt] = [FIRST, place()];
      return room;
    },
    make: (more) => (room = more),
  };
}

function drawMessage(session: Session, message: VisibleMessage, inThread: boolean): HTMLElement {
  const surface = surfaceAt(session, { channel: message.channel, ts: message.ts }, message.controls);
  const author = session.directory.people.get(message.author);
  const name = nameOf.person(session.directory, message.author);
  const seconds = Number(message.ts);
  const { replies } = message;
  return h(
    'li',
    { class: message.ephemeral ? 'message private' : 'message', 'data-ts': message.ts },
    avatar(message.author, name),
    h(
      'article',
      {},
      message.ephemeral && h('p', { class: 'hint' }, 'only you see this'),
      h(
        'header',
        {},
        h('strong', {}, name),
        author?.is_bot === true && h('span', { class: 'badge' }, 'app'),
        h('time', { title: dated(seconds, '{date_long} {time_secs}') }, timeOf(seconds * 1000)),
        message.edited && h('small', {}, '(edited)'),
      ),
      ...drawContent(message, surface),
      ...message.files.map((file) =>
        h('button', { class: 'file', click: () => session.go({ tab: 'files' }) }, `📄 ${file}`),
      ),
      !inThread &&
        !message.ephemeral &&
        h(
          'button',
          { class: 'replies', click: () => session.go({ thread: message.ts }) },
          replies === 0 ? 'Reply' : `${replies} ${replies === 1 ? 'reply' : 'replies'}`,
        ),
    ),
  );
}

function drawContent(message: VisibleMessage, surface: Surface): readonly Child[] {
  const content =
    message.blocks.length > 0
      ? drawBlocks(message.blocks, surface)
      : [h('div', { class: 'lines' }, ...mrkdwn(message.notification, surface.session.directory))];
  return [...content, ...message.attachments.map((attachment) => drawAttachment(fieldsOf(attachment), surface))];
}

function drawAttachment(attachment: ReturnType<typeof fieldsOf>, surface: Surface): Child {
  const blocks = objectsOf(attachment['blocks']);
  const text = textOf(attachment['text']) || textOf(attachment['fallback']);
  const content = blocks.length > 0 ? drawBlocks(blocks, surface) : mrkdwn(text, surface.session.directory);
  const element = h('div', { class: 'attachment' }, ...content);
  const color = textOf(attachment['color']).replace('#', '');
  if (/^[0-9a-f]{6}$/i.test(color)) element.style.borderColor = `#${color}`;
  return element;
}

/** The mark of something that the person has not seen. */
export const newDot = (): HTMLElement => h('span', { class: 'dot', title: 'new' });

/** A person's initial on a colour derived from their id. */
export function avatar(id: string, name: string): HTMLElement {
  const hue = Array.from(id).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const element = h('span', { class: 'avatar', 'aria-hidden': 'true' }, name.slice(0, 1));
  element.style.setProperty('--hue', String(hue));
  return element;
}

import type { VisibleMessage, VisibleFile, VisibleView } from '../slack/shapes.ts';
import { ask } from './api.ts';
import { drawBlocks } from './blocks.ts';
import { createComposer } from './composer.ts';
import { botOf, directMessageId, nameOf } from './directory.ts';
import { type Child, fill, h, keyedList } from './dom.ts';
import { createMessages, newDot } from './messages.ts';
import type { Session, Tab } from './session.ts';
import { surfaceAt } from './surface.ts';
import { createWelcome } from './welcome.ts';

/** A part of the page that shows the session's current place. `read` loads it, `follow` scrolls to the next message. */
export type Part = { readonly element: HTMLElement; read(): Promise<void>; readonly follow: () => void };

/** `draw` shows the head and the current tab, as far as they are known without reading. */
type Conversation = Part & { draw(): void; readonly showHome: (view: VisibleView | undefined) => void };

const TABS: Readonly<Record<Tab, string>> = { messages: 'Messages', home: 'Home', files: 'Files' };

/** The channel in the middle: its messages and the box to write in, the App Home, or its files. */
export function createConversation(session: Session, readMore: () => void): Conversation {
  const head = h('header');
  const messages = createMessages(session, 'Messages', false, readMore);
  const welcome = createWelcome(session, messages.element);
  const composer = createComposer(session, () => undefined, true);
  const closed = h('p', { class: 'closed hint' });
  const foot = h('div', {}, composer, closed);
  const home = createHome(session);
  const files = h('ul', { class: 'files', 'aria-label': 'Files' });
  const showFiles = keyedList<VisibleFile>(files, ({ id }) => id, drawFile);
  const element = h('main', {}, head, messages.element, foot, home.element, files);
  const parts = { messages: [messages.element, foot], home: [home.element], files: [files] };
  return {
    element,
    showHome: home.show,
    follow: messages.follow,
    draw() {
      drawHead(session, head);
      for (const [tab, all] of Object.entries(parts)) for (const part of all) part.hidden = tab !== session.tab;
      closed.textContent = whyClosed(session);
      composer.hidden = closed.textContent !== '';
    },
    async read() {
      const { channel, me, tab } = session;
      const query = new URLSearchParams({ channel, as: me, limit: String(messages.wanted()) }).toString();
      if (tab === 'messages') {
        const read = await ask<readonly VisibleMessage[]>(`/control/slack/messages?${query}`);
        if (channel !== session.channel || me !== session.me) return;
        messages.show(read);
        welcome(read.length === 0 && !composer.hidden);
      } else if (tab === 'files') {
        const all = await ask<readonly VisibleFile[]>(`/control/slack/files?${query}`);
        showFiles(all.filter(({ channels }) => channels.includes(channel)));
      }
    },
  };
}

/** Why nobody can write here; empty if they can. To the app nobody can: the manifest makes its messages read-only. */
function whyClosed({ channel, me, directory }: Session): string {
  if (channel === directMessageId(me)) return 'Sending messages to this app has been turned off.';
  return directory.channels.get(channel)?.archived === true ? 'This channel has been archived.' : '';
}

function drawHead(session: Session, head: HTMLElement): void {
  const direct = session.channel === directMessageId(session.me);
  const name = direct
    ? (botOf(session.directory)?.display_name ?? '')
    : `# ${nameOf.channel(session.directory, session.channel)}`;
  const tabs: readonly Tab[] = direct ? ['messages', 'home', 'files'] : ['messages', 'files'];
  fill(
    head,
    h('h1', {}, name),
    h(
      'nav',
      { 'aria-label': 'Parts of this channel' },
      ...tabs.map((tab) =>
        h(
          'button',
          { 'aria-current': tab === session.tab ? 'page' : undefined, click: () => session.go({ tab }) },
          TABS[tab],
          tab === 'messages' && session.unread.has(session.channel) && newDot(),
        ),
      ),
    ),
    h('small', {}, `as ${nameOf.person(session.directory, session.me)}`),
  );
}

/** The App Home, drawn again only if it has changed. */
function createHome(session: Session): { readonly element: HTMLElement; readonly show: Conversation['showHome'] } {
  const element = h('div', { class: 'home', role: 'region', 'aria-label': 'App Home', tabindex: '0' });
  let last: string | undefined;
  return {
    element,
    show(view) {
      const shows = JSON.stringify([session.me, view?.blocks]);
      if (shows === last) return;
      last = shows;
      fill(element, ...drawHome(session, view));
    },
  };
}

function drawHome(session: Session, view: VisibleView | undefined): readonly Child[] {
  if (view === undefined) return [h('p', { class: 'hint' }, "The app hasn't shown anything here yet.")];
  return drawBlocks(view.blocks, surfaceAt(session, { view: view.id }, view.controls));
}

const drawFile = ({ name, title, size, text }: VisibleFile): HTMLElement =>
  h(
    'li',
    {},
    h(
      'details',
      {},
      h('summary', {}, `📄 ${title || name}`, h('small', {}, ` ${size} bytes`)),
      h('pre', { tabindex: '0' }, text),
    ),
  );

/** The thread on the right, with a reply box; hidden while no thread is open. */
export function createThread(session: Session, readMore: () => void): Part {
  const messages = createMessages(session, 'Thread', true, readMore);
  const head = h(
    'header',
    {},
    h('h2', {}, 'Thread'),
    h(
      'button',
      { class: 'plain', 'aria-label': 'Close the thread', click: () => session.go({ thread: undefined }) },
      '✕',
    ),
  );
  const composer = createComposer(session, () => session.thread, false);
  const element = h(
    'section',
    {
      class: 'thread',
      'aria-label': 'Thread',
      keydown: (event) => {
        if (event instanceof KeyboardEvent && event.key === 'Escape') session.go({ thread: undefined });
      },
    },
    head,
    messages.element,
    composer,
  );
  return {
    element,
    follow: messages.follow,
    async read() {
      const { channel, thread, me } = session;
      if (thread === undefined) return;
      composer.hidden = whyClosed(session) !== '';
      const query = new URLSearchParams({ channel, thread, as: me, limit: String(messages.wanted()) }).toString();
      const read = await ask<readonly VisibleMessage[]>(`/control/slack/messages?${query}`);
      if (thread === session.thread && me === session.me) messages.show(read);
    },
  };
}

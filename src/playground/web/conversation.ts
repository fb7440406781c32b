import type { VisibleMessage, VisibleFile, VisibleView } from '../slack/shapes.ts';
import { ask } from './api.ts';
import { drawBlocks } from './blocks.ts';
import { createComposer } from './composer.ts';
import { botOf, directMessageId, nameOf } from './directory.ts';
import { type Child, fill, h, keyedList } from './dom.ts';
import { createMessages } from './messages.ts';
import type { Session, Tab } from './session.ts';
import { surfaceAt } from './surface.ts';
import { createWelcome } from './welcome.ts';

/** A part of the page that shows the session's current place. `read` loads it. */
export type Part = { readonly element: HTMLElement; read(): Promise<void> };

const TABS: Readonly<Record<Tab, string>> = { messages: 'Messages', home: 'Home', files: 'Files' };

/** The channel in the middle: its messages and the box to write in, the App Home, or its files. */
export function createConversation(
  session: Session,
  readMore: () => void,
): Part & { showHome(view: VisibleView | undefined): void } {
  const head = h('header');
  const messages = createMessages(session, 'Messages', false, readMore);
  const welcome = createWelcome(session, messages.element);
  const composer = createComposer(session, () => undefined, true);
  const home = h('div', { class: 'home', role: 'region', 'aria-label': 'App Home', tabindex: '0' });
  const files = h('ul', { class: 'files', 'aria-label': 'Files' });
  const showFiles = keyedList<VisibleFile>(files, ({ id }) => id, drawFile);
  const element = h('main', {}, head, messages.element, composer, home, files);
  let homeShows: string | undefined;
  return {
    element,
    showHome(view) {
      const shows = JSON.stringify([session.me, view?.blocks]);
      if (shows === homeShows) return;
      homeShows = shows;
      fill(home, ...drawHome(session, view));
    },
    async read() {
      const { channel, me, tab } = session;
      drawHead(session, head);
      const parts = Object.entries({ messages: messages.element, home, files });
      for (const [name, part] of parts) part.hidden = name !== tab;
      composer.hidden = tab !== 'messages' || isReadOnly(session);
      const query = new URLSearchParams({ channel, as: me, limit: String(messages.wanted()) }).toString();
      if (tab === 'messages') {
        const read = await ask<readonly VisibleMessage[]>(`/control/slack/messages?${query}`);
        if (channel !== session.channel || me !== session.me) return;
        messages.show(read);
        welcome(read.length === 0 && !isReadOnly(session));
      } else if (tab === 'files') {
        const all = await ask<readonly VisibleFile[]>(`/control/slack/files?${query}`);
        showFiles(all.filter(({ channels }) => channels.includes(channel)));
      }
    },
  };
}

/** Nobody can write in an archived channel, nor to the app: the manifest makes its messages read-only. */
const isReadOnly = ({ channel, me, directory }: Session): boolean =>
  channel === directMessageId(me) || directory.channels.get(channel)?.archived === true;

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
        ),
      ),
    ),
    h('small', {}, `as ${nameOf.person(session.directory, session.me)}`),
  );
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
    async read() {
      const { channel, thread, me } = session;
      if (thread === undefined) return;
      composer.hidden = isReadOnly(session);
      const query = new URLSearchParams({ channel, thread, as: me, limit: String(messages.wanted()) }).toString();
      const read = await ask<readonly VisibleMessage[]>(`/control/slack/messages?${query}`);
      if (thread === session.thread && me === session.me) messages.show(read);
    },
  };
}

import { ask } from './api.ts';
import { drawBlocks } from './blocks.ts';
import { createComposer } from './composer.ts';
import { botOf, directMessageId, nameOf } from './directory.ts';
import { type Child, fill, h, keyedList } from './dom.ts';
import { createMessages } from './messages.ts';
import type { Seat, Tab } from './seat.ts';
import type { Message, SharedFile, View } from './shapes.ts';
import { surfaceAt } from './surface.ts';

/** A part of the page that shows the seat's current place. `read` loads it. */
export type Part = { readonly element: HTMLElement; read(): Promise<void> };

const TABS: Readonly<Record<Tab, string>> = { messages: 'Messages', home: 'Home', files: 'Files' };

/** The channel in the middle: its messages and the box to write in, the App Home, or its files. */
export function createConversation(
  seat: Seat,
  readMore: () => void,
): Part & { showHome(view: View | undefined): void } {
  const head = h('header');
  const messages = createMessages(seat, 'Messages', false, readMore);
  const composer = createComposer(seat, () => undefined, true);
  const home = h('div', { class: 'home', role: 'region', 'aria-label': 'App Home', tabindex: '0' });
  const files = h('ul', { class: 'files', 'aria-label': 'Files' });
  const showFiles = keyedList<SharedFile>(files, ({ id }) => id, drawFile);
  const element = h('main', {}, head, messages.element, composer, home, files);
  let homeShows: string | undefined;
  return {
    element,
    showHome(view) {
      const shows = JSON.stringify([seat.me, view?.blocks]);
      if (shows === homeShows) return;
      homeShows = shows;
      fill(home, ...drawHome(seat, view));
    },
    async read() {
      const { channel, me, tab } = seat;
      drawHead(seat, head);
      messages.element.hidden = tab !== 'messages';
      composer.hidden = tab !== 'messages' || seat.directory.channels.get(channel)?.archived === true;
      home.hidden = tab !== 'home';
      files.hidden = tab !== 'files';
      const query = new URLSearchParams({ channel, as: me }).toString();
      if (tab === 'messages') {
        const read = await ask<readonly Message[]>(`/control/slack/messages?${query}&limit=${messages.wanted()}`);
        if (channel === seat.channel && me === seat.me) messages.show(read);
      } else if (tab === 'files') {
        const all = await ask<readonly SharedFile[]>(`/control/slack/files?${query}`);
        showFiles(all.filter(({ channels }) => channels.includes(channel)));
      }
    },
  };
}

function drawHead(seat: Seat, head: HTMLElement): void {
  const direct = seat.channel === directMessageId(seat.me);
  const name = direct
    ? (botOf(seat.directory)?.display_name ?? '')
    : `# ${nameOf.channel(seat.directory, seat.channel)}`;
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
          { 'aria-current': tab === seat.tab ? 'page' : undefined, click: () => seat.go({ tab }) },
          TABS[tab],
        ),
      ),
    ),
    h('small', {}, `as ${nameOf.person(seat.directory, seat.me)}`),
  );
}

function drawHome(seat: Seat, view: View | undefined): readonly Child[] {
  if (view === undefined) return [h('p', { class: 'hint' }, "The app hasn't shown anything here yet.")];
  return drawBlocks(view.blocks, surfaceAt(seat, { view: view.id }, view.controls));
}

const drawFile = ({ name, title, size, text }: SharedFile): HTMLElement =>
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
export function createThread(seat: Seat, readMore: () => void): Part {
  const messages = createMessages(seat, 'Thread', true, readMore);
  const head = h(
    'header',
    {},
    h('h2', {}, 'Thread'),
    h('button', { class: 'plain', 'aria-label': 'Close the thread', click: () => seat.go({ thread: undefined }) }, '✕'),
  );
  const element = h(
    'section',
    {
      class: 'thread',
      'aria-label': 'Thread',
      keydown: (event) => {
        if (event instanceof KeyboardEvent && event.key === 'Escape') seat.go({ thread: undefined });
      },
    },
    head,
    messages.element,
    createComposer(seat, () => seat.thread, false),
  );
  return {
    element,
    async read() {
      const { channel, thread, me } = seat;
      element.hidden = thread === undefined;
      if (thread === undefined) return;
      const query = new URLSearchParams({ channel, thread, as: me, limit: String(messages.wanted()) }).toString();
      const read = await ask<readonly Message[]>(`/control/slack/messages?${query}`);
      if (thread === seat.thread && me === seat.me) messages.show(read);
    },
  };
}

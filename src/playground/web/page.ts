import { textOf } from '../slack/json.ts';
import { createActivity } from './activity.ts';
import { ask, listen } from './api.ts';
import { agreed } from './confirm.ts';
import { createConversation, createThread } from './conversation.ts';
import { EMPTY, directMessageId, readDirectory } from './directory.ts';
import { coalesced, h } from './dom.ts';
import { createModal } from './modal.ts';
import { type Looking, arrive, fromAddress, toAddress } from './place.ts';
import type { Seat } from './seat.ts';
import type { Change, Outcome, Views } from './shapes.ts';
import { createSidebar } from './sidebar.ts';
import { createTour } from './tour.ts';

/** The page's state; the parts below read and change it. */
let directory = EMPTY;
let looking: Looking = { me: '', channel: '', thread: undefined, tab: 'messages' };
/** Channels with unread messages for the acting person. */
const unread = new Set<string>();

const line = h('p', { class: 'line', role: 'status', click: () => (line.textContent = '') });
const tell = (trouble: unknown): void => {
  line.textContent = trouble instanceof Error ? trouble.message : String(trouble);
};

const seat: Seat = {
  get me() {
    return looking.me;
  },
  get channel() {
    return looking.channel;
  },
  get thread() {
    return looking.thread;
  },
  get tab() {
    return looking.tab;
  },
  get directory() {
    return directory;
  },
  tell,
  go,
  async act(what, body, confirm) {
    if (!(await agreed(confirm, directory))) return undefined;
    try {
      const outcome = await ask<Outcome>(`/control/slack/${what}`, body);
      line.textContent = outcome.shown ?? '';
      return outcome;
    } catch (error) {
      tell(error);
      return undefined;
    }
  },
};

const conversation = createConversation(seat, () => soon.conversation());
const thread = createThread(seat, () => soon.thread());
const activity = createActivity(seat);
const nav = h('nav', { class: 'sidebar', 'aria-label': 'Workspace' });
const showSidebar = createSidebar(seat, nav);
const showModal = createModal(seat);
const tourElement = h('section', { class: 'tour', 'aria-label': 'Tour' });
const tour = createTour(seat, tourElement);
document.body.append(nav, conversation.element, thread.element, tourElement, activity.element, line, activity.opener);

const soon = {
  conversation: coalesced(() => conversation.read(), tell),
  thread: coalesced(() => thread.read(), tell),
  activity: coalesced(() => activity.read(), tell),
  problems: coalesced(() => activity.readProblems(), tell),
  faults: coalesced(() => activity.readFaults(), tell),
  views: coalesced(async () => {
    const { me } = seat;
    const { modals, home } = await ask<Views>(`/control/slack/views?as=${me}`);
    if (me !== seat.me) return;
    showModal(modals);
    conversation.showHome(home);
  }, tell),
  directory: coalesced(async () => {
    const first = directory === EMPTY;
    directory = await readDirectory();
    if (first) looking = fromAddress(directory, location.hash);
    showAll();
  }, tell),
};

function showAll(): void {
  showSidebar(unread);
  tour.draw();
  activity.showChanges();
  for (const read of [soon.conversation, soon.thread, soon.views]) read();
}

function go(to: Partial<Looking>): void {
  const before = looking;
  looking = arrive(directory, before, to);
  if (looking.me !== before.me) unread.clear();
  unread.delete(looking.channel);
  history.replaceState(null, '', toAddress(looking));
  line.textContent = '';
  showAll();
  if (looking.tab === 'home' && (before.tab !== 'home' || looking.me !== before.me)) {
    void seat.act('home', { person: looking.me });
  }
  document.querySelector<HTMLElement>(looking.thread === undefined ? 'main textarea' : '.thread textarea')?.focus();
}

function onMessage(detail: Change['detail']): void {
  const onlyFor = detail['only_for'];
  if (onlyFor !== undefined && onlyFor !== seat.me) return;
  const channel = textOf(detail['channel']);
  if (channel !== seat.channel) {
    const mine = channel === directMessageId(seat.me) || !channel.startsWith('D');
    if (mine) unread.add(channel);
    return showSidebar(unread);
  }
  soon.conversation();
  soon.thread();
}

listen({
  onOpen() {
    line.textContent = '';
    soon.directory();
    soon.activity();
    soon.problems();
  },
  onLost: () => tell("The playground isn't answering. This page reconnects by itself when it's back."),
  onDelivered: (delivered) => tour.see({ delivered: activity.addDelivered(delivered) }),
  onFaults: soon.faults,
  onChanges: (movings) => {
    activity.showChanges(movings);
    tour.see({ movings });
  },
  onHosting: (entries) => activity.add(entries),
  onBot: (bot) => activity.showBot(bot),
  onSlack({ kind, detail }) {
    if (kind === 'message') onMessage(detail);
    else if (kind === 'file') soon.conversation();
    else if (kind === 'problem') soon.problems();
    else if (kind === 'notice' && detail['person'] === seat.me) tell(textOf(detail['text']));
    else if ((kind === 'modal' || kind === 'home') && detail['person'] === seat.me) soon.views();
    else if (['person', 'group', 'channel'].includes(kind)) soon.directory();
  },
});

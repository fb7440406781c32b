import { textOf } from '../slack/json-fields.ts';
import type { VisibleViews } from '../slack/shapes.ts';
import { createActivity } from './activity.ts';
import { ask, listen } from './api.ts';
import { agreed } from './confirm.ts';
import { createConversation, createThread } from './conversation.ts';
import { EMPTY, directMessageId, readDirectory } from './directory.ts';
import { coalesced, h } from './dom.ts';
import { createModal } from './modal.ts';
import { type Place, navigate, placeFromHash, hashOf } from './navigation.ts';
import type { Session } from './session.ts';
import type { WorkspaceEvent, Outcome } from './shapes.ts';
import { createSidebar } from './sidebar.ts';
import { createTour } from './tour.ts';

/** The page's state; the parts below read and change it. */
let directory = EMPTY;
let place: Place = { me: '', channel: '', thread: undefined, tab: 'messages' };
/** Channels with unread messages for the acting person. */
const unread = new Set<string>();

const notice = h('p', { class: 'line', role: 'status', click: () => (notice.textContent = '') });
const showError = (error: unknown): void => {
  notice.textContent = error instanceof Error ? error.message : String(error);
};

const session: Session = {
  get me() {
    return place.me;
  },
  get channel() {
    return place.channel;
  },
  get thread() {
    return place.thread;
  },
  get tab() {
    return place.tab;
  },
  get directory() {
    return directory;
  },
  unread,
  showError,
  go,
  async act(action, body, confirm) {
    if (!(await agreed(confirm, directory))) return undefined;
    for (const part of [conversation, thread]) part.follow();
    try {
      const outcome = await ask<Outcome>(`/control/slack/${action}`, body);
      notice.textContent = outcome.shown ?? '';
      return outcome;
    } catch (error) {
      showError(error);
      return undefined;
    }
  },
};

const conversation = createConversation(session, () => refresh.conversation());
const thread = createThread(session, () => refresh.thread());
// Until it is known who acts, what is typed could not be sent.
conversation.element.inert = true;
const activity = createActivity(session);
const nav = h('nav', { class: 'sidebar', 'aria-label': 'Workspace' });
const showSidebar = createSidebar(session, nav);
const showModal = createModal(session);
const tourElement = h('section', { class: 'tour', 'aria-label': 'Tour' });
const tour = createTour(session, tourElement);
document.body.append(nav, conversation.element, thread.element, tourElement, activity.element, notice, activity.opener);

const refresh = {
  conversation: coalesced(() => conversation.read(), showError),
  thread: coalesced(() => thread.read(), showError),
  activity: coalesced(() => activity.read(), showError),
  problems: coalesced(() => activity.readProblems(), showError),
  faults: coalesced(() => activity.readFaults(), showError),
  views: coalesced(async () => {
    const { me } = session;
    const { modals, home } = await ask<VisibleViews>(`/control/slack/views?as=${me}`);
    if (me !== session.me) return;
    showModal(modals);
    conversation.showHome(home);
  }, showError),
  directory: coalesced(async () => {
    const first = directory === EMPTY;
    directory = await readDirectory();
    if (first) place = placeFromHash(directory, location.hash);
    conversation.element.inert = false;
    showAll();
    if (first) focus();
  }, showError),
};

function showAll(): void {
  thread.element.hidden = place.thread === undefined;
  showAround();
  tour.draw();
  activity.showChanges();
  for (const read of [refresh.conversation, refresh.thread, refresh.views]) read();
}

/** Shows what is around the messages, and where there are unread ones. */
function showAround(): void {
  showSidebar();
  conversation.draw();
}

function go(to: Partial<Place>): void {
  const before = place;
  place = navigate(directory, before, to);
  if (place.me !== before.me) unread.clear();
  if (place.tab === 'messages') unread.delete(place.channel);
  history.replaceState(null, '', hashOf(place));
  notice.textContent = '';
  showAll();
  if (place.tab === 'home' && (before.tab !== 'home' || place.me !== before.me)) {
    void session.act('home', { person: place.me });
  }
  focus('thread' in to ? before.thread : undefined);
}

/** Focuses the box to write in, or the card whose thread was closed. */
function focus(closed?: string): void {
  if (place.thread !== undefined) return thread.element.querySelector('textarea')?.focus();
  const card = closed && conversation.element.querySelector<HTMLElement>(`[data-ts="${closed}"] .replies`);
  (card || conversation.element.querySelector('textarea'))?.focus();
}

function onMessage(detail: WorkspaceEvent['detail']): void {
  const onlyFor = detail['only_for'];
  if (onlyFor !== undefined && onlyFor !== session.me) return;
  const channel = textOf(detail['channel']);
  const isMine = channel === directMessageId(session.me) || !channel.startsWith('D');
  const isInSight = channel === session.channel && session.tab === 'messages';
  if (detail['is_new'] === true && isMine && !isInSight && !unread.has(channel)) {
    unread.add(channel);
    showAround();
  }
  if (channel !== session.channel) return;
  refresh.conversation();
  refresh.thread();
}

listen({
  onOpen() {
    notice.textContent = '';
    refresh.directory();
    refresh.activity();
    refresh.problems();
  },
  onLost() {
    showError("The playground isn't answering. This page reconnects by itself when it's back.");
    activity.showBot(undefined);
  },
  onDelivered: (delivered) => tour.observe({ delivered: activity.addDelivered(delivered) }),
  onFaults: refresh.faults,
  onChanges: (changes) => {
    activity.showChanges(changes);
    tour.observe({ changes });
    // A change can mend a site, or break it.
    refresh.faults();
  },
  onPrograms: (programs) => tour.observe({ programs }),
  onHosting: (entries) => activity.add(entries),
  onBot: (bot) => activity.showBot(bot),
  onSlack({ kind, detail }) {
    if (kind === 'message') onMessage(detail);
    else if (kind === 'file') refresh.conversation();
    else if (kind === 'problem') refresh.problems();
    else if (kind === 'notice' && detail['person'] === session.me) showError(textOf(detail['text']));
    else if ((kind === 'modal' || kind === 'home') && detail['person'] === session.me) refresh.views();
    else if (['person', 'group', 'channel'].includes(kind)) refresh.directory();
  },
});

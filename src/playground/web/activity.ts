import type { Problem } from '../slack/shapes.ts';
import { ask } from './api.ts';
import { createBot } from './bot.ts';
import { createFaultSwitches } from './fault-switches.ts';
import { clockOf } from './dates.ts';
import { createDeliveries } from './deliveries.ts';
import { h, keyedList } from './dom.ts';
import { type Drawer, createDrawer } from './drawer.ts';
import { SHOWN, createJournal } from './journal.ts';
import { createBotChangeList } from './bot-changes.ts';
import type { Session } from './session.ts';
import type { BotState, Delivered, Entry, BotChange } from './shapes.ts';
import { createWrites } from './writes.ts';

/** The side pane: the bot's process, the failures to switch on, and the traffic in and out. */
export type Activity = {
  readonly element: HTMLElement;
  /** Opens the pane on a small screen. */
  readonly opener: HTMLElement;
  read(): Promise<void>;
  readProblems(): Promise<void>;
  readFaults(): Promise<void>;
  add(entries: readonly Entry[]): void;
  /** Returns everything shown, newest first. */
  addDelivered(delivered: readonly Delivered[]): readonly Delivered[];
  /** Undefined while it is unknown. */
  showBot(bot: BotState | undefined): void;
  /** Without an argument, redraws the shown ones with the names known by now. */
  showChanges(changes?: readonly BotChange[]): void;
};

/** An empty pane. */
export function createActivity(session: Session): Activity {
  const element = h('aside', { id: 'scenes', 'aria-label': 'Behind the scenes' });
  const drawer = createDrawer(element);
  const [deliveries, changes, received] = [createDeliveries(), createBotChangeList(session), createReceived(drawer)];
  const [bot, faultSwitches, problems] = [createBot(session), createFaultSwitches(session), createProblems()];
  element.append(
    h('header', {}, h('h2', {}, 'Behind the scenes'), drawer.close),
    bot.element,
    received.writes,
    faultSwitches.element,
    h(
      'div',
      { class: 'flow' },
      part('Slack delivered', deliveries.element),
      part('What became of it', changes.element),
      part('The hosting API received', received.journal),
    ),
    problems.element,
  );
  const showBot = (state: BotState | undefined): void => {
    bot.show(state);
    if (state) faultSwitches.showBot(state);
  };
  return {
    element,
    opener: drawer.opener,
    addDelivered: (delivered) => deliveries.add(delivered),
    readFaults: () => faultSwitches.read(),
    readProblems: () => problems.read(),
    showBot,
    showChanges: (all) => changes.show(all),
    add: (entries) => received.add(entries),
    async read() {
      const [state] = await Promise.all([ask<BotState>('/control/bot'), received.read(), faultSwitches.read()]);
      showBot(state);
    },
  };
}

type Received = {
  readonly writes: HTMLElement;
  readonly journal: HTMLElement;
  add(entries: readonly Entry[]): void;
  read(): Promise<void>;
};

/** What the hosting API received, counted and listed. The closed drawer shows the count. */
function createReceived(drawer: Drawer): Received {
  const [journal, writes] = [createJournal(), createWrites()];
  const show = (entries: readonly Entry[]): void => {
    journal.add(entries);
    drawer.announce(writes.short());
  };
  return {
    writes: writes.element,
    journal: journal.element,
    add(entries) {
      writes.add(entries);
      show(entries);
    },
    async read() {
      const received = await ask<readonly Entry[]>('/control/hosting/journal?limit=10000');
      // Entries pushed while this request was under way are newer than its answer.
      writes.count([...received, ...journal.entries()]);
      show(received.slice(-SHOWN));
    },
  };
}

function createProblems(): { readonly element: HTMLElement; read(): Promise<void> } {
  const element = h('ol', { class: 'problems', 'aria-label': 'What Slack complains about' });
  const show = keyedList<Problem>(element, ({ at, text }) => `${at} ${text}`, drawProblem);
  return {
    element,
    read: async () => show((await ask<readonly Problem[]>('/control/slack/problems')).slice(-20).toReversed()),
  };
}

const part = (name: string, element: HTMLElement): HTMLElement => h('section', {}, h('h2', {}, name), element);

const drawProblem = ({ at, kind, text }: Problem): HTMLElement =>
  h('li', { class: 'bad' }, `${clockOf(at)} ${kind}: ${text}`);

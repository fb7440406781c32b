import { ask } from './api.ts';
import { createBot } from './bot.ts';
import { createBreaking } from './breaking.ts';
import { clockOf } from './dates.ts';
import { createDeliveries } from './deliveries.ts';
import { h, keyedList } from './dom.ts';
import { createDrawer } from './drawer.ts';
import { SHOWN, createJournal } from './journal.ts';
import type { Seat } from './seat.ts';
import type { BotState, Delivered, Entry, Problem } from './shapes.ts';
import { createWrites } from './writes.ts';

/** The pane at the side: the bot's process, what breaks the world around it, and what goes in and out. */
export type Activity = {
  readonly element: HTMLElement;
  /** Opens the pane where the screen is small. */
  readonly opener: HTMLElement;
  read(): Promise<void>;
  readProblems(): Promise<void>;
  readFaults(): Promise<void>;
  add(entries: readonly Entry[]): void;
  addDelivered(delivered: readonly Delivered[]): void;
  showBot(bot: BotState): void;
};

/** An empty pane. */
export function createActivity(seat: Seat): Activity {
  const [deliveries, journal, writes] = [createDeliveries(), createJournal(), createWrites()];
  const [bot, breaking] = [createBot(seat), createBreaking(seat)];
  const problems = h('ol', { class: 'problems', 'aria-label': 'What Slack complains about' });
  const showProblems = keyedList<Problem>(problems, ({ at, text }) => `${at} ${text}`, drawProblem);
  const element = h('aside', { id: 'scenes', 'aria-label': 'Behind the scenes' });
  const drawer = createDrawer(element);
  element.append(
    h('header', {}, h('h2', {}, 'Behind the scenes'), drawer.close),
    bot.element,
    writes.element,
    breaking.element,
    h('div', { class: 'flow' }, part('Slack delivered', deliveries), part('The hosting API received', journal)),
    problems,
  );
  const show = (entries: readonly Entry[]): void => {
    journal.add(entries);
    drawer.tell(writes.short());
  };
  const showBot = (state: BotState): void => {
    bot.show(state);
    breaking.showBot(state);
  };
  return {
    element,
    opener: drawer.opener,
    addDelivered: (delivered) => deliveries.add(delivered),
    readFaults: () => breaking.read(),
    showBot,
    add(entries) {
      writes.add(entries);
      show(entries);
    },
    async read() {
      journal.clear();
      const [received, state] = await Promise.all([
        ask<readonly Entry[]>('/control/hosting/journal?limit=10000'),
        ask<BotState>('/control/bot'),
        breaking.read(),
      ]);
      // What was told while the answer was on its way is newer than the answer.
      writes.count([...received, ...journal.entries()]);
      show(received.slice(-SHOWN));
      showBot(state);
    },
    async readProblems() {
      const found = await ask<readonly Problem[]>('/control/slack/problems');
      showProblems(found.slice(-20).toReversed());
    },
  };
}

const part = (name: string, { element }: { readonly element: HTMLElement }): HTMLElement =>
  h('section', {}, h('h2', {}, name), element);

const drawProblem = ({ at, kind, text }: Problem): HTMLElement =>
  h('li', { class: 'bad' }, `${clockOf(at)} ${kind}: ${text}`);

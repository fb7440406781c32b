import { ask } from './api.ts';
import { timeOf } from './dates.ts';
import { fill, h, keyedList } from './dom.ts';
import type { Seat } from './seat.ts';
import type { BotState, Entry, Problem } from './shapes.ts';

const KEPT = 200;

/** The pane at the side: what the hosting API received, the bot's process, and what Slack would complain about. */
export type Activity = {
  readonly element: HTMLElement;
  read(): Promise<void>;
  add(entries: readonly Entry[]): void;
  showBot(bot: BotState): void;
};

/** An empty pane. */
export function createActivity(seat: Seat): Activity {
  const journal = h('ol', { class: 'journal', 'aria-label': 'What the hosting API received', tabindex: '0' });
  const show = keyedList<Entry>(journal, ({ seq }) => String(seq), drawEntry);
  const problems = h('ol', { class: 'problems', 'aria-label': 'What Slack complains about' });
  const showProblems = keyedList<Problem>(problems, ({ at, text }) => `${at} ${text}`, drawProblem);
  const bot = h('div', { class: 'bot', 'aria-live': 'polite' });
  let entries = new Map<number, Entry>();
  const add = (more: readonly Entry[]): void => {
    for (const entry of more) entries.set(entry.seq, entry);
    entries = new Map([...entries].sort(([one], [other]) => one - other).slice(-KEPT));
    show([...entries.values()].toReversed());
  };
  const showBot = (state: BotState): void => fill(bot, ...drawBot(seat, state));
  return {
    element: h('aside', { 'aria-label': 'Behind the scenes' }, bot, h('h2', {}, 'Hosting API'), journal, problems),
    add,
    showBot,
    async read() {
      const [received, found, state] = await Promise.all([
        ask<readonly Entry[]>('/control/hosting/journal?limit=10000'),
        ask<readonly Problem[]>('/control/slack/problems'),
        ask<BotState>('/control/bot'),
      ]);
      add(received.slice(-KEPT));
      showProblems(found.slice(-20).toReversed());
      showBot(state);
    },
  };
}

function drawEntry({ at, method, path, query, section, state, status, fault, body }: Entry): HTMLElement {
  const words = new URLSearchParams(query).toString();
  const ended = status === undefined ? (state === 'cut' ? 'cut' : '…') : String(status);
  return h(
    'li',
    { class: method === 'GET' ? 'read' : 'write' },
    h(
      'details',
      {},
      h(
        'summary',
        {},
        h('time', {}, timeOf(at, true)),
        h('strong', {}, method),
        h('span', { class: 'path' }, h('bdi', {}, path)),
        h('span', { class: (status ?? 200) < 400 ? 'status' : 'status bad' }, ended),
      ),
      h(
        'p',
        { class: 'hint' },
        [section && `section ${section}`, words, fault && `fault: ${fault}`].filter(Boolean).join(' · '),
      ),
      body !== undefined && h('pre', {}, JSON.stringify(body, undefined, 2)),
    ),
  );
}

const drawProblem = ({ at, kind, text }: Problem): HTMLElement =>
  h('li', { class: 'bad' }, `${timeOf(at, true)} ${kind}: ${text}`);

const STATES = { starting: 'is starting', ready: 'is running', exited: 'has exited' } as const;

function drawBot(seat: Seat, { state, pid, exit, log }: BotState): readonly HTMLElement[] {
  const how = exit === undefined ? '' : ` (${exit.signal ?? `exit code ${exit.code ?? 'unknown'}`})`;
  const press = (path: string, body: object) => (): void => {
    ask(`/control/bot/${path}`, body).catch((error: unknown) => seat.tell(error));
  };
  return [
    h(
      'p',
      {},
      h('span', { class: `light ${state}` }),
      `The bot ${STATES[state]}${pid === undefined ? '' : `, process ${pid}`}${how}.`,
    ),
    h(
      'div',
      { class: 'actions' },
      h('button', { click: press('restart', {}) }, state === 'exited' ? 'Start again' : 'Restart'),
      state === 'exited'
        ? h('span')
        : h('button', { class: 'danger', click: press('kill', { signal: 'SIGKILL' }) }, 'Kill'),
    ),
    h('details', {}, h('summary', {}, `Log, ${log.length} lines`), h('pre', {}, log.slice(-100).join('\n'))),
  ];
}

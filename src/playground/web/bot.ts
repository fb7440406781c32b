import { ask } from './api.ts';
import { fill, h } from './dom.ts';
import type { Session } from './session.ts';
import type { BotState } from './shapes.ts';

/** The bot's process: its state, its log and a restart button. */
export function createBot(session: Session): { readonly element: HTMLElement; show(state?: BotState): void } {
  const element = h('div', { class: 'bot', 'aria-live': 'polite' });
  return { element, show: (state) => fill(element, ...draw(session, state)) };
}

const STATES = { starting: 'is starting', ready: 'is running', exited: 'has exited' } as const;

function draw(session: Session, bot?: BotState): readonly HTMLElement[] {
  if (bot === undefined)
    return [h('p', {}, h('span', { class: 'light unknown' }), 'Whether the bot is running is unknown.')];
  const { state, pid, exit, policy, log } = bot;
  const how = exit === undefined ? '' : ` (${exit.signal ?? `exit code ${exit.code ?? 'unknown'}`})`;
  const restart = (): void => {
    ask('/control/bot/restart', {}).catch((error: unknown) => session.showError(error));
  };
  return [
    h(
      'p',
      {},
      h('span', { class: `light ${state}` }),
      `The bot ${STATES[state]}${pid === undefined ? '' : `, process ${pid}`}${how}.`,
      h('small', {}, ` Its rules are in ${policy}.`),
    ),
    h('button', { click: restart }, state === 'exited' ? 'Start again' : 'Restart'),
    drawLog(session, log),
  ];
}

/** The log as last received, read again whenever it is opened. */
function drawLog(session: Session, lastLog: readonly string[]): HTMLElement {
  const [summary, lines] = [h('summary'), h('pre')];
  const show = (log: readonly string[]): void => {
    summary.textContent = `Log, ${log.length} ${log.length === 1 ? 'line' : 'lines'}`;
    lines.textContent = log.slice(-100).join('\n');
  };
  show(lastLog);
  const details: HTMLDetailsElement = h(
    'details',
    {
      toggle: () => {
        if (!details.open) return;
        ask<BotState>('/control/bot').then(
          ({ log }) => show(log),
          (error: unknown) => session.showError(error),
        );
      },
    },
    summary,
    lines,
  );
  return details;
}

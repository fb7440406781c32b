import { ask } from './api.ts';
import { h } from './dom.ts';
import { BREAKAGES, type Breakage, type InForce, isOn, mendAll, readFaults, turnOff, turnOn } from './faults.ts';
import type { Seat } from './seat.ts';
import type { BotState } from './shapes.ts';

/** Switches failures around the bot on and off. */
export type Breaking = {
  readonly element: HTMLElement;
  /** Reads the faults in force. */
  read(): Promise<void>;
  showBot(bot: BotState): void;
};

const KILLED = { name: 'Bot killed', says: 'SIGKILL; press again to restart' };

const start = (): Promise<unknown> => ask('/control/bot/restart', {});
const kill = (): Promise<unknown> => ask('/control/bot/kill', { signal: 'SIGKILL' });

/** A button that unfolds the switches, the names of what is broken, and a button that mends it all. */
export function createBreaking(seat: Seat): Breaking {
  let inForce: InForce = { hosting: [], slack: [] };
  let isDead = false;
  const read = async (): Promise<void> => {
    inForce = await readFaults();
    draw();
  };
  const doing = (task: () => Promise<unknown>) => (): void => {
    task()
      .then(read)
      .catch((error: unknown) => seat.tell(error));
  };
  const toggles = BREAKAGES.map((breakage) => ({
    breakage,
    button: toggle(
      breakage,
      doing(() => (isOn(breakage, inForce) ? turnOff(breakage, inForce) : turnOn(breakage, inForce))),
    ),
  }));
  const killed = toggle(
    KILLED,
    doing(() => (isDead ? start() : kill())),
  );
  const mend = h('button', { click: doing(() => Promise.all([mendAll(), isDead && start()])) }, 'Mend all');
  const broken = h('span', { class: 'broken', 'aria-live': 'polite' });
  const draw = (): void => {
    for (const { breakage, button } of toggles) button.setAttribute('aria-pressed', String(isOn(breakage, inForce)));
    killed.setAttribute('aria-pressed', String(isDead));
    const words = namesOf(inForce, isDead);
    if (broken.textContent !== words) broken.textContent = words;
    mend.hidden = !isDead && inForce.hosting.length + inForce.slack.length === 0;
  };
  const of = (place: Breakage['place']): readonly HTMLElement[] =>
    toggles.filter(({ breakage }) => breakage.place === place).map(({ button }) => button);
  const panel = drawPanel(of('hosting'), [...of('slack'), killed]);
  draw();
  return {
    element: h('section', { class: 'breaking' }, h('div', { class: 'bar' }, unfolding(panel), broken, mend), panel),
    read,
    showBot(bot) {
      isDead = bot.state === 'exited';
      draw();
    },
  };
}

const namesOf = (inForce: InForce, isDead: boolean): string =>
  [...BREAKAGES.filter((breakage) => isOn(breakage, inForce)), ...(isDead ? [KILLED] : [])]
    .map(({ name }) => name)
    .join(', ');

const drawPanel = (host: readonly HTMLElement[], others: readonly HTMLElement[]): HTMLElement =>
  h(
    'div',
    { class: 'switches', id: 'switches', hidden: true },
    group('Hosting API, one at a time', host),
    group('Slack and the bot', others),
  );

function unfolding(panel: HTMLElement): HTMLElement {
  const button = h(
    'button',
    {
      'aria-expanded': 'false',
      'aria-controls': panel.id,
      click: () => {
        panel.hidden = !panel.hidden;
        button.setAttribute('aria-expanded', String(!panel.hidden));
      },
    },
    'Break it',
  );
  return button;
}

const toggle = ({ name, says }: Pick<Breakage, 'name' | 'says'>, click: () => void): HTMLButtonElement =>
  h('button', { class: 'toggle', 'aria-pressed': 'false', click }, h('strong', {}, name), ' ', h('small', {}, says));

const group = (name: string, buttons: readonly HTMLElement[]): HTMLElement =>
  h('div', { role: 'group', 'aria-label': name }, h('h2', {}, name), ...buttons);

import { ask } from './api.ts';
import { h } from './dom.ts';
import { FAILURES, type Failure, type ActiveFaults, isOn, clearAll, readFaults, turnOff, turnOn } from './faults.ts';
import type { Session } from './session.ts';
import type { BotState } from './shapes.ts';
import { createSiteBreaks } from './site-breaks.ts';

/** Buttons that switch failures around the bot on and off. */
export type FaultSwitches = {
  readonly element: HTMLElement;
  /** Reads the faults in force. */
  read(): Promise<void>;
  showBot(bot: BotState): void;
};

const KILLED = { name: 'Bot killed', says: 'SIGKILL; press again to restart' };

const start = (): Promise<unknown> => ask('/control/bot/restart', {});
const kill = (): Promise<unknown> => ask('/control/bot/kill', { signal: 'SIGKILL' });

/** A button that shows the switches, the names of the failures that are on, and a button that ends them all. */
export function createFaultSwitches(session: Session): FaultSwitches {
  let active: ActiveFaults = { hosting: [], slack: [] };
  let isKilled = false;
  const read = async (): Promise<void> => {
    [active] = await Promise.all([readFaults(), sites.read()]);
    draw();
  };
  const thenRead = (task: () => Promise<unknown>) => (): void => {
    task()
      .then(read)
      .catch((error: unknown) => session.showError(error));
  };
  const toggles = FAILURES.map((failure) => {
    const click = thenRead(() => (isOn(failure, active) ? turnOff(failure, active) : turnOn(failure, active)));
    return { failure, button: toggle(failure, click) };
  });
  const killOrStart = thenRead(() => (isKilled ? start() : kill()));
  const killed = toggle(KILLED, killOrStart);
  const sites = createSiteBreaks(thenRead);
  const endAll = h('button', { click: thenRead(() => Promise.all([clearAll(), isKilled && start()])) }, 'Mend all');
  const broken = h('span', { class: 'broken', 'aria-live': 'polite' });
  const draw = (): void => {
    for (const { failure, button } of toggles) button.setAttribute('aria-pressed', String(isOn(failure, active)));
    killed.setAttribute('aria-pressed', String(isKilled));
    const names = [namesOf(active, isKilled), sites.summary()].filter(Boolean).join('; ');
    if (broken.textContent !== names) broken.textContent = names;
    endAll.hidden = names === '' && active.hosting.length + active.slack.length === 0;
  };
  const of = (place: string) => toggles.filter(({ failure }) => failure.place === place).map(({ button }) => button);
  const panel = drawPanel(of('hosting'), [...of('slack'), killed], sites.element);
  draw();
  return {
    element: drawSection(panel, broken, endAll),
    read,
    showBot(bot) {
      isKilled = bot.state === 'exited';
      draw();
    },
  };
}

const namesOf = (active: ActiveFaults, isDead: boolean): string =>
  [...FAILURES.filter((failure) => isOn(failure, active)), ...(isDead ? [KILLED] : [])]
    .map(({ name }) => name)
    .join(', ');

const drawSection = (panel: HTMLElement, ...inBar: readonly HTMLElement[]): HTMLElement =>
  h('section', { class: 'fault-switches' }, h('div', { class: 'bar' }, disclosureButton(panel), ...inBar), panel);

const drawPanel = (host: readonly HTMLElement[], others: readonly HTMLElement[], site: HTMLElement): HTMLElement =>
  h(
    'div',
    { class: 'switches', id: 'switches', hidden: true },
    group('Hosting API, one at a time', host),
    group('Slack and the bot', others),
    site,
  );

function disclosureButton(panel: HTMLElement): HTMLElement {
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

const toggle = ({ name, says }: Pick<Failure, 'name' | 'says'>, click: () => void): HTMLButtonElement =>
  h('button', { class: 'toggle', 'aria-pressed': 'false', click }, h('strong', {}, name), ' ', h('small', {}, says));

const group = (name: string, buttons: readonly HTMLElement[]): HTMLElement =>
  h('div', { role: 'group', 'aria-label': name }, h('h2', {}, name), ...buttons);

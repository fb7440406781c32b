import { h, keyedList } from './dom.ts';
import { type Directory, nameOf } from './directory.ts';
import type { Session } from './session.ts';
import type { BotChange } from './shapes.ts';

/** The bot's changes, newest first, with state and steps. Without an argument, `show` redraws those shown. */
export type BotChangeList = { readonly element: HTMLElement; show(changes?: readonly BotChange[]): void };

/** The look of end states that went well or are unknown; all other end states look `ill`. */
const LOOKS: Readonly<Record<string, string>> = { done: 'well', happened: 'well', unknown: 'doubt' };
const ON_THE_WAY = new Set(['waiting', 'approved', 'sending', 'accepted']);

/** A change with its steps in words. */
type Drawn = Omit<BotChange, 'steps'> & {
  readonly steps: readonly { readonly says: string; readonly after: string }[];
};

/** An empty list. */
export function createBotChangeList(session: Session): BotChangeList {
  const element = h('ol', { class: 'changes', 'aria-label': 'Changes and their states', tabindex: '0' });
  const list = keyedList<Drawn>(element, ({ number }) => String(number), draw);
  let shown: readonly BotChange[] = [];
  return {
    element,
    show(changes = shown) {
      shown = changes;
      list(shown.map((change) => ({ ...change, steps: stepsOf(change, session.directory) })));
    },
  };
}

const stepsOf = ({ steps }: BotChange, directory: Directory): Drawn['steps'] =>
  steps.map(({ event, at, by }, index) => ({
    says: by === 'sitehand' ? inWords(event) : `${inWords(event)} by ${nameOf.person(directory, by)}`,
    after: index === 0 ? '' : `+${lasted(at - (steps[0]?.at ?? at))}`,
  }));

function draw({ number, command, target, state, steps }: Drawn): HTMLElement {
  const looks = LOOKS[state] ?? (ON_THE_WAY.has(state) ? 'on-the-way' : 'ill');
  return h(
    'li',
    {},
    h(
      'p',
      {},
      h('strong', {}, `#${number} ${command}`),
      h('bdi', {}, target),
      h('span', { class: `state ${looks}` }, inWords(state)),
    ),
    h(
      'p',
      { class: 'way' },
      ...steps.map(({ says, after }) => h('span', {}, says, after !== '' && h('small', {}, ` ${after}`))),
    ),
  );
}

/** The name of an event or a state for people: `did not happen`. */
const inWords = (name: string): string => name.replaceAll('_', ' ');

const lasted = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

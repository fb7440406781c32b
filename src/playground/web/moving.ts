import { h, keyedList } from './dom.ts';
import { type Directory, nameOf } from './directory.ts';
import type { Seat } from './seat.ts';
import type { Moving } from './shapes.ts';

/** The bot's changes, newest first, with state and steps. Without an argument, `show` redraws those shown. */
export type Movings = { readonly element: HTMLElement; show(movings?: readonly Moving[]): void };

/** The look of end states that went well or are unknown; all other end states look `ill`. */
const LOOKS: Readonly<Record<string, string>> = { done: 'well', happened: 'well', unknown: 'doubt' };
const ON_THE_WAY = new Set(['waiting', 'approved', 'sending', 'accepted']);

/** A change with its steps in words. */
type Drawn = Omit<Moving, 'steps'> & { readonly steps: readonly { readonly says: string; readonly after: string }[] };

/** An empty list. */
export function createMovings(seat: Seat): Movings {
  const element = h('ol', { class: 'movings', 'aria-label': 'Changes and their states', tabindex: '0' });
  const list = keyedList<Drawn>(element, ({ number }) => String(number), draw);
  let shown: readonly Moving[] = [];
  return {
    element,
    show(movings = shown) {
      shown = movings;
      list(shown.map((moving) => ({ ...moving, steps: stepsOf(moving, seat.directory) })));
    },
  };
}

const stepsOf = ({ steps }: Moving, directory: Directory): Drawn['steps'] =>
  steps.map(({ event, at, by }, index) => ({
    says: by === 'sitehand' ? inWords(event) : `${inWords(event)} by ${nameOf.person(directory, by)}`,
    after: index === 0 ? '' : lasted(at - (steps[0]?.at ?? at)),
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

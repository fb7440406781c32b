import { h, keyedList } from './dom.ts';
import { nameOf } from './directory.ts';
import type { Seat } from './seat.ts';
import type { Moving } from './shapes.ts';

/** The bot's changes, newest first, each with its state and the way it took there. */
export type Movings = { readonly element: HTMLElement; show(movings: readonly Moving[]): void };

/** How a state looks that is no step on the way: over and well, not known; the others were stopped or went wrong. */
const LOOKS: Readonly<Record<string, string>> = { done: 'well', happened: 'well', unknown: 'doubt' };
const ON_THE_WAY = new Set(['waiting', 'approved', 'sending', 'accepted']);

/** An empty list. */
export function createMovings(seat: Seat): Movings {
  const element = h('ol', { class: 'movings', 'aria-label': 'Changes and their states', tabindex: '0' });
  const list = keyedList<Moving>(
    element,
    ({ number }) => String(number),
    (moving) => draw(seat, moving),
  );
  return { element, show: list };
}

function draw(seat: Seat, { number, command, target, state, steps }: Moving): HTMLElement {
  const began = steps[0]?.at ?? 0;
  return h(
    'li',
    {},
    h(
      'p',
      {},
      h('strong', {}, `#${number} ${command}`),
      h('bdi', {}, target),
      h('span', { class: `state ${LOOKS[state] ?? (ON_THE_WAY.has(state) ? 'on-the-way' : 'ill')}` }, state),
    ),
    h(
      'p',
      { class: 'way' },
      ...steps.map(({ event, at, by }, index) =>
        h(
          'span',
          {},
          by === 'sitehand' ? event : `${event} by ${nameOf.person(seat.directory, by)}`,
          index > 0 && h('small', {}, ` ${lasted(at - began)}`),
        ),
      ),
    ),
  );
}

const lasted = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

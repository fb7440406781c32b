import { clockOf } from './dates.ts';
import { h, keyedList } from './dom.ts';
import type { Delivered } from './shapes.ts';

const KEPT = 100;
/** A later ack is marked as slow. Slack itself gives up after 3 s. */
const SLOW_MS = 1000;

/** What Slack delivered to the bot, newest first. */
export type Deliveries = { readonly element: HTMLElement; add(delivered: readonly Delivered[]): readonly Delivered[] };

/** An empty list. */
export function createDeliveries(): Deliveries {
  const element = h('ol', { class: 'deliveries', 'aria-label': 'What Slack delivered to the bot', tabindex: '0' });
  const show = keyedList<Delivered>(element, ({ number }) => String(number), draw);
  let all = new Map<number, Delivered>();
  return {
    element,
    add(delivered) {
      for (const each of delivered) all.set(each.number, each);
      all = new Map([...all].toSorted(([one], [other]) => other - one).slice(0, KEPT));
      const shown = [...all.values()];
      show(shown);
      return shown;
    },
  };
}

function draw({ at, by, did, attempt, acked, ms, failure }: Delivered): HTMLElement {
  const again = attempt === 0 ? '' : `, delivered again (${attempt})`;
  return h(
    'li',
    {},
    h('time', {}, clockOf(at)),
    h('span', { class: 'did' }, h('strong', {}, by === '' ? 'Slack' : by), ' ', h('bdi', {}, did), again),
    acked
      ? h('span', { class: ms < SLOW_MS ? 'ack' : 'ack bad', title: `acked after ${ms} ms` }, `${ms} ms`)
      : h('span', { class: 'ack bad' }, WHY[failure ?? ''] ?? failure ?? 'no ack'),
  );
}

const WHY: Readonly<Record<string, string>> = {
  not_connected: 'no bot',
  timeout: 'no ack',
  unreachable: 'no bot',
};

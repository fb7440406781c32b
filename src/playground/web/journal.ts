import { clockOf } from './dates.ts';
import { h, keyedList } from './dom.ts';
import type { Entry } from './shapes.ts';
import { isWrite } from './writes.ts';

/** The number of requests shown. */
export const SHOWN = 200;
const ENDED = new Set(['answered', 'cut']);

/** What the hosting API received, newest first. */
export type Journal = {
  readonly element: HTMLElement;
  add(entries: readonly Entry[]): void;
  /** The shown entries, oldest first. */
  entries(): readonly Entry[];
};

/** An empty list. */
export function createJournal(): Journal {
  const element = h('ol', { class: 'journal', 'aria-label': 'What the hosting API received', tabindex: '0' });
  const show = keyedList<Entry>(element, ({ seq }) => String(seq), draw);
  let all = new Map<number, Entry>();
  return {
    element,
    add(entries) {
      for (const entry of entries) {
        const known = all.get(entry.seq);
        // A read entry can be older than one pushed meanwhile.
        if (known === undefined || !ENDED.has(known.state)) all.set(entry.seq, entry);
      }
      all = new Map([...all].sort(([one], [other]) => one - other).slice(-SHOWN));
      show([...all.values()].toReversed());
    },
    entries: () => [...all.values()],
  };
}

function draw(entry: Entry): HTMLElement {
  const { at, method, path, query, section, state, status, fault, body } = entry;
  const queryText = new URLSearchParams(query).toString();
  const ended = status === undefined ? (state === 'cut' ? 'cut' : '…') : String(status);
  const isWell = state !== 'cut' && (status ?? 200) < 400;
  return h(
    'li',
    { class: isWrite(entry) ? 'write' : 'read' },
    h(
      'details',
      {},
      h(
        'summary',
        {},
        h('time', {}, clockOf(at)),
        h('strong', {}, method),
        h('span', { class: 'path' }, h('bdi', {}, path)),
        h('span', { class: isWell ? 'status' : 'status bad' }, ended),
      ),
      h(
        'p',
        { class: 'hint' },
        [section && `section ${section}`, queryText, fault && `fault: ${fault}`].filter(Boolean).join(' · '),
      ),
      body !== undefined && h('pre', {}, JSON.stringify(body, undefined, 2)),
    ),
  );
}

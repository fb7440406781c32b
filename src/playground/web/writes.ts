import { clockOf } from './dates.ts';
import { fill, h } from './dom.ts';
import type { Entry } from './shapes.ts';

/** The number of writes the hosting API received, in words. */
export type Writes = {
  readonly element: HTMLElement;
  /** The same in two words, for small screens. */
  short(): string;
  /** Starts again from these entries, oldest first. */
  count(entries: readonly Entry[]): void;
  /** Counts entries not counted yet, oldest first. */
  add(entries: readonly Entry[]): void;
};

/** Whether a request changes something. */
export const isWrite = ({ method }: Entry): boolean => method !== 'GET';

/** No writes yet. */
export function createWrites(): Writes {
  const element = h('p', { class: 'writes', 'aria-live': 'polite' });
  let counted = 0;
  let number = 0;
  let last: Entry | undefined;
  const amount = (): string => (number === 0 ? 'no write' : number === 1 ? '1 write' : `${number} writes`);
  const add = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.seq <= counted) continue;
      counted = entry.seq;
      if (!isWrite(entry)) continue;
      number += 1;
      last = entry;
    }
    const at = last && `The last: ${last.method} ${last.path} at ${clockOf(last.at)}.`;
    const sentence = `The hosting API has received ${amount()}.`;
    if (element.firstChild?.textContent === sentence) return;
    fill(element, h('strong', {}, sentence), at !== undefined && h('span', {}, at));
  };
  return {
    element,
    short: amount,
    add,
    count(entries) {
      [counted, number, last] = [0, 0, undefined];
      add(entries);
    },
  };
}

import { clockOf } from './dates.ts';
import { fill, h } from './dom.ts';
import type { Entry } from './shapes.ts';

/** How often the hosting API was written to, in words. */
export type Writes = {
  readonly element: HTMLElement;
  /** The same in two words, for where there is little room. */
  short(): string;
  /** Begins anew with everything there is, oldest first. */
  count(entries: readonly Entry[]): void;
  /** Counts what was not counted yet; oldest first. */
  add(entries: readonly Entry[]): void;
};

/** Whether a request is to change something. */
export const isWrite = ({ method }: Entry): boolean => method !== 'GET';

/** No writes yet. */
export function createWrites(): Writes {
  const element = h('p', { class: 'writes', 'aria-live': 'polite' });
  let counted = 0;
  let number = 0;
  let last: Entry | undefined;
  const words = (): string => (number === 0 ? 'no write' : number === 1 ? '1 write' : `${number} writes`);
  const add = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.seq <= counted) continue;
      counted = entry.seq;
      if (!isWrite(entry)) continue;
      number += 1;
      last = entry;
    }
    const at = last && `The last: ${last.method} ${last.path} at ${clockOf(last.at)}.`;
    const said = `The hosting API has received ${words()}.`;
    if (element.firstChild?.textContent === said) return;
    fill(element, h('strong', {}, said), at !== undefined && h('span', {}, at));
  };
  return {
    element,
    short: words,
    add,
    count(entries) {
      [counted, number, last] = [0, 0, undefined];
      add(entries);
    },
  };
}

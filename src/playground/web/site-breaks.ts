import { ask } from './api.ts';
import { h } from './dom.ts';

/** An environment's pages: what is broken, and whether its next push will break it. */
type SiteState = {
  readonly name: string;
  readonly url: string;
  readonly broken: readonly string[];
  readonly next_push_breaks: boolean;
};

/** A control that breaks and mends the pages of an environment. */
export type SiteBreaks = {
  readonly element: HTMLElement;
  /** Reads what is broken. */
  read(): Promise<void>;
  /** What is broken, in a few words; empty if nothing is. */
  summary(): string;
};

const BREAKS: readonly (readonly [name: string, says: string])[] = [
  ['error', '500 to every visitor'],
  ['database', 'a database error page with status 200'],
  ['empty', 'an empty page with status 200'],
  ['slow', '5 s before each page'],
  ['past-cache', '500 past the cache, cached pages are fine'],
  ['push', 'its next push breaks it'],
];

/** Two lists to choose from, and a button each to break and to mend. `onClick` runs a task and then reads again. */
export function createSiteBreaks(onClick: (task: () => Promise<unknown>) => () => void): SiteBreaks {
  let states: readonly SiteState[] = [];
  const environment = h('select', { 'aria-label': 'Environment' });
  const what = h(
    'select',
    { 'aria-label': 'What happens to it' },
    ...BREAKS.map(([name, says]) => h('option', { value: name }, says)),
  );
  const link = h('a', { target: '_blank', rel: 'noreferrer' }, 'Look at it');
  const showLink = (): void => {
    link.href = states.find(({ name }) => name === environment.value)?.url ?? '';
  };
  environment.addEventListener('change', showLink);
  const chosen = (): { environment: string } => ({ environment: environment.value });
  const breakIt = onClick(() => ask('/control/site/break', { ...chosen(), break: what.value }));
  const mendIt = onClick(() => ask('/control/site/mend', chosen()));
  return {
    element: h(
      'div',
      { role: 'group', 'aria-label': 'A site', class: 'site' },
      h('h2', {}, 'A site'),
      environment,
      what,
      h('button', { click: breakIt }, 'Break this site'),
      h('button', { click: mendIt }, 'Mend it'),
      link,
    ),
    async read() {
      states = await ask<readonly SiteState[]>('/control/site/environments');
      const names = states.map(({ name }) => name);
      const present = [...environment.options].map(({ value }) => value);
      if (names.join() === present.join()) return;
      const { value } = environment;
      environment.replaceChildren(...names.map((name) => h('option', { value: name, selected: name === value }, name)));
      showLink();
    },
    summary: () => summaryOf(states),
  };
}

const summaryOf = (states: readonly SiteState[]): string =>
  states
    .filter(({ broken, next_push_breaks: soon }) => broken.length > 0 || soon)
    .map(({ name, broken, next_push_breaks: soon }) => `${name}: ${[...broken, ...(soon ? ['push'] : [])].join(', ')}`)
    .join('; ');

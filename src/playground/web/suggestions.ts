import { type Fields, textOf } from '../slack/json-fields.ts';
import { ask } from './api.ts';
import { type Command, type Completion, type Vocabulary, type Named, complete } from './completion.ts';
import { type Directory, actors } from './directory.ts';
import { fill, h } from './dom.ts';
import { type Listbox, createListbox } from './listbox.ts';
import type { Session } from './session.ts';

/** The part of the hosting stand-in's state that commands can name. */
type World = {
  readonly sites: readonly {
    readonly name: string;
    readonly displayName: string;
    readonly environments: readonly { readonly name: string; readonly hostname: string }[];
  }[];
  readonly domains: readonly { readonly name: string }[];
};

/** Suggestions above a box. `hide` closes them until the next keystroke. */
export type Suggestions = { readonly element: HTMLElement; hide(): void };

/** Suggestions for a box. A chosen one is written into it, and `onChosen` is called. */
export function createSuggestions(session: Session, box: HTMLTextAreaElement, onChosen: () => void): Suggestions {
  const listbox = createListbox('command-options', choose, () => /^\/site\s[^]*\S$/.test(box.value));
  const usage = h('p', { class: 'usage', id: 'command-usage' });
  // Dragging the list's scroll bar must not take the focus from the box.
  const stay = (event: Event): void => event.preventDefault();
  const note = h('p', { class: 'hint' }, "The playground completes this; Slack doesn't.");
  const element = h('div', { class: 'completion', hidden: true, mousedown: stay }, listbox.list, usage, note);
  const known = knownWhileTyped(session);
  let wanted = false;
  const hide = (): void => {
    wanted = false;
    element.hidden = true;
    listbox.hide();
  };
  const suggest = async (): Promise<void> => {
    wanted = true;
    const all = await known(box.value.startsWith('/'));
    const isAtEnd = box.selectionStart === box.value.length;
    if (!wanted || document.activeElement !== box) return;
    const completion = all === undefined || !isAtEnd ? { suggestions: [], usage: [] } : complete(box.value, all);
    show(completion, element, usage, listbox);
  };
  function choose(option: Fields): void {
    box.value = textOf(option['value']);
    onChosen();
    void suggest();
  }
  box.addEventListener('input', () => void suggest());
  box.addEventListener('blur', hide);
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || element.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    hide();
  });
  listbox.attachTo(box);
  linkBox(box, listbox.list, usage);
  return { element, hide };
}

function show(completion: Completion, element: HTMLElement, usage: HTMLElement, listbox: Listbox): void {
  fill(usage, ...completion.usage.flatMap(({ text, now }) => [h(now ? 'mark' : 'span', {}, text), ' ']));
  if (completion.suggestions.length > 0) listbox.show(completion.suggestions.map(asOption));
  else listbox.hide();
  usage.hidden = completion.usage.length === 0;
  element.hidden = usage.hidden && completion.suggestions.length === 0;
}

/** Links a box to its list and its description for assistive technology. */
function linkBox(box: HTMLElement, list: HTMLElement, description: HTMLElement): void {
  box.setAttribute('aria-autocomplete', 'list');
  box.setAttribute('aria-haspopup', 'listbox');
  box.setAttribute('aria-controls', list.id);
  box.setAttribute('aria-describedby', description.id);
}

/** Reads the commands and names once for each command typed; undefined while none is being typed. */
function knownWhileTyped(session: Session): (isCommand: boolean) => Promise<Vocabulary | undefined> {
  let known: Promise<Vocabulary | undefined> | undefined;
  const read = async (): Promise<Vocabulary | undefined> => {
    try {
      const [commands, world] = await Promise.all([
        ask<readonly Command[]>('/commands'),
        ask<World>('/control/hosting/state'),
      ]);
      return { commands, names: namesIn(world, session.directory) };
    } catch (error) {
      session.showError(error);
      return undefined;
    }
  };
  return async (isCommand) => {
    known = isCommand ? (known ?? read()) : undefined;
    return known;
  };
}

const namesIn = ({ sites, domains }: World, directory: Directory): Readonly<Record<string, readonly Named[]>> => ({
  'site/environment': sites.flatMap((site) =>
    site.environments.map(({ name, hostname }) => ({ name: `${site.name}/${name}`, note: hostname })),
  ),
  site: sites.map(({ name, displayName }) => ({ name, note: displayName })),
  domain: domains.map(({ name }) => ({ name })),
  '@person': actors(directory).map(({ name, real_name }) => ({ name: `@${name}`, note: real_name })),
});

const asOption = ({ shown, note, line }: Completion['suggestions'][number]): Fields => ({
  text: { text: shown },
  description: { text: note },
  value: line,
});

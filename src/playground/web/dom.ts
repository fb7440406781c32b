/** An attribute: text, present or absent, or a listener for the event of that name. */
type Attribute = string | boolean | undefined | ((event: Event) => void);
/** A child of an element. Text is never parsed as HTML; `false` and undefined are left out. */
export type Child = Node | string | false | undefined;

/** An element with attributes, listeners and children. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(attribute, value);
    else if (typeof value === 'string') element.setAttribute(attribute, value);
    else if (value === true) element.setAttribute(attribute, '');
  }
  element.append(...present(children));
  return element;
}

/** Replaces an element's children. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...present(children));
}

const present = (children: readonly Child[]): readonly (Node | string)[] =>
  children.filter((child) => child !== undefined && child !== false);

/** A list that redraws only rows whose content changed, so that focus and typed text stay. */
export function keyedList<Item>(
  list: Element,
  keyOf: (item: Item) => string,
  draw: (item: Item) => HTMLElement,
): (items: readonly Item[]) => void {
  let rows = new Map<string, { readonly shows: string; readonly element: HTMLElement }>();
  return (items) => {
    const next: typeof rows = new Map();
    for (const item of items) {
      const key = keyOf(item);
      const shows = JSON.stringify(item);
      const old = rows.get(key);
      next.set(key, old?.shows === shows ? old : { shows, element: draw(item) });
    }
    for (const [key, { element }] of rows) if (next.get(key)?.element !== element) element.remove();
    let before: ChildNode | null = list.firstChild;
    for (const { element } of next.values()) {
      if (element === before) before = before.nextSibling;
      else list.insertBefore(element, before);
    }
    rows = next;
  };
}

/** Runs `task` soon, once for many calls, and again if called while it runs. Never runs it twice at a time. */
export function coalesced(task: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let state: 'idle' | 'running' | 'again' = 'idle';
  const run = async (): Promise<void> => {
    do {
      state = 'running';
      await Promise.resolve();
      await task().catch(onError);
    } while (again());
    state = 'idle';
  };
  const again = (): boolean => state === 'again';
  return () => {
    if (state === 'idle') void run();
    else state = 'again';
  };
}

import { type Fields, textOf } from '../slack/json-fields.ts';
import type { VisibleControl } from '../slack/shapes.ts';
import { ask } from './api.ts';
import type { Session } from './session.ts';

/** A message or view with blocks to press and fill in. */
export type Surface = {
  readonly session: Session;
  /** Prefix of its inputs' ids, unique on the page. */
  readonly name: string;
  /** An input's value: text, an id, an option, a list of options, or null. */
  valueIn(block: Fields, element: Fields): unknown;
  errorUnder(block: Fields): string | undefined;
  press(block: Fields, element: Fields): void;
  put(block: Fields, element: Fields, value: unknown): void;
  suggest(block: Fields, element: Fields, query: string): Promise<readonly Fields[]>;
};

/** A place as the control API names it. */
type Place = { readonly channel: string; readonly ts: string } | { readonly view: string };

/** Values of a form that are not submitted yet, by block id. */
export type Draft = Map<string, unknown>;

/** The surface of a message or view. A form's inputs write to `draft`, at most one entry per block. */
export function surfaceAt(
  session: Session,
  place: Place,
  controls: readonly VisibleControl[],
  draft: Draft = new Map(),
): Surface {
  const which = (block: Fields, element: Fields): object => ({
    ...place,
    person: session.me,
    block_id: block['block_id'],
    action_id: element['action_id'],
  });
  return {
    session,
    name: 'view' in place ? place.view : `${place.channel}-${place.ts}`,
    valueIn(block, element) {
      const id = textOf(block['block_id']);
      return draft.has(id) ? draft.get(id) : controlIn(controls, block, element)?.value;
    },
    errorUnder: (block) => controlIn(controls, block)?.error,
    press: (block, element) =>
      void session.act('click', { ...which(block, element), ...valueOf(element) }, element['confirm']),
    put(block, element, value) {
      const inForm = block['type'] === 'input';
      if (inForm) draft.set(textOf(block['block_id']), value);
      const silent = inForm && block['dispatch_action'] !== true;
      if (!silent) void session.act('pick', { ...which(block, element), said: value ?? null }, element['confirm']);
    },
    async suggest(block, element, query) {
      const { options } = await ask<{ options: readonly Fields[] }>('/control/slack/suggest', {
        ...which(block, element),
        query,
      });
      return options;
    },
  };
}

const controlIn = (controls: readonly VisibleControl[], block: Fields, element?: Fields): VisibleControl | undefined =>
  controls.find(
    ({ block_id, action_id }) =>
      block_id === block['block_id'] && (element === undefined || action_id === element['action_id']),
  );

const valueOf = ({ value }: Fields): object => (typeof value === 'string' ? { value } : {});

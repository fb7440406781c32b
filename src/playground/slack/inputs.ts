import { elementsOf } from './block-kit/check.ts';
import { type Fields, fieldsOf, plainTextOf, textOf } from './json-fields.ts';
import { Impossible } from './refused.ts';
import type { Values } from './shapes.ts';

type ValueField = {
  readonly key: string;
  readonly initial: string;
  readonly of: 'text' | 'option' | 'id';
  readonly many: boolean;
};

const valueField = (of: ValueField['of'], key: string, initial: string): ValueField => ({
  key,
  initial,
  of,
  many: key.endsWith('s'),
});
const typed = valueField('text', 'value', 'initial_value');
const oneOption = valueField('option', 'selected_option', 'initial_option');
const someOptions = valueField('option', 'selected_options', 'initial_options');

/** The field that holds each input's value, and the field with its initial value. */
const INPUTS: Readonly<Record<string, ValueField>> = {
  plain_text_input: typed,
  email_text_input: typed,
  url_text_input: typed,
  number_input: typed,
  rich_text_input: valueField('text', 'rich_text_value', 'initial_value'),
  datepicker: valueField('text', 'selected_date', 'initial_date'),
  timepicker: valueField('text', 'selected_time', 'initial_time'),
  datetimepicker: valueField('text', 'selected_date_time', 'initial_date_time'),
  static_select: oneOption,
  external_select: oneOption,
  radio_buttons: oneOption,
  overflow: oneOption,
  checkboxes: someOptions,
  multi_static_select: someOptions,
  multi_external_select: someOptions,
  users_select: valueField('id', 'selected_user', 'initial_user'),
  multi_users_select: valueField('id', 'selected_users', 'initial_users'),
  conversations_select: valueField('id', 'selected_conversation', 'initial_conversation'),
  multi_conversations_select: valueField('id', 'selected_conversations', 'initial_conversations'),
  channels_select: valueField('id', 'selected_channel', 'initial_channel'),
  multi_channels_select: valueField('id', 'selected_channels', 'initial_channels'),
};

/** A value to put into an input: text, an id, or an option (by value, label or whole), or a list of those. */
export type InputValue = string | number | null | Fields | readonly (string | Fields)[];

const valueFieldOf = (element: Fields): ValueField | undefined => INPUTS[textOf(element['type'])];

/** Whether an element keeps a value; buttons do not. */
export const isInput = (element: Fields): boolean => valueFieldOf(element) !== undefined;

function initialValue(element: Fields): Fields {
  const held = valueFieldOf(element);
  if (held === undefined) return {};
  return { type: element['type'], [held.key]: element[held.initial] ?? (held.many ? [] : null) };
}

/** The values of blocks' inputs: the previous ones if block, action and type match, else the initial ones. */
export function valuesOf(blocks: readonly Fields[], before: Values = new Map()): Values {
  const values = new Map<string, Map<string, Fields>>();
  for (const block of blocks) {
    for (const element of elementsOf(block).filter((each) => isInput(each) && each['type'] !== 'overflow')) {
      const blockId = textOf(block['block_id']);
      const actionId = textOf(element['action_id']);
      const old = before.get(blockId)?.get(actionId);
      const held = old?.['type'] === element['type'] ? old : undefined;
      const inBlock = values.get(blockId) ?? new Map<string, Fields>();
      values.set(blockId, inBlock.set(actionId, held ?? initialValue(element)));
    }
  }
  return values;
}

/** Values with one replaced. */
export function withValue(values: Values, blockId: string, actionId: string, value: Fields): Values {
  const inBlock = new Map(values.get(blockId));
  return new Map(values).set(blockId, inBlock.set(actionId, value));
}

/** Values as payloads carry them. */
export const stateOf = (values: Values): Fields => ({
  values: Object.fromEntries([...values].map(([block, inBlock]) => [block, Object.fromEntries(inBlock)])),
});

/** An element's value after a person put `value` into it. `offered` are the options to choose from. */
export function chosen(element: Fields, value: InputValue, offered: readonly Fields[]): Fields {
  const held = valueFieldOf(element);
  const type = element['type'];
  if (held === undefined) throw new Impossible(`nothing can be put into a ${textOf(type)}`);
  if (held.of === 'option') return { type, [held.key]: chosenOptions(held, value, offered) };
  if (held.many) return { type, [held.key]: Array.isArray(value) ? value : [value] };
  return { type, [held.key]: value === '' ? null : value };
}

function chosenOptions(held: ValueField, value: InputValue, offered: readonly Fields[]): unknown {
  const find = (wanted: unknown): Fields => {
    const match =
      offered.find((option) => option['value'] === wanted) ??
      offered.find((option) => option['value'] === fieldsOf(wanted)['value']) ??
      offered.find((option) => plainTextOf(option['text']) === wanted);
    if (match !== undefined) return match;
    throw new Impossible(
      `${JSON.stringify(wanted)} is not offered; there is ${offered.map(label).join(', ') || 'nothing'}`,
    );
  };
  if (held.many) return (Array.isArray(value) ? value : value === null ? [] : [value]).map(find);
  return value === null ? null : find(value);
}

const label = (option: Fields): string => JSON.stringify(plainTextOf(option['text']));

/** Whether a value is empty: nothing typed, nothing chosen. */
export function isEmpty(value: Fields | undefined): boolean {
  return Object.entries(value ?? {}).every(
    ([key, held]) => key === 'type' || held === null || held === '' || (Array.isArray(held) && held.length === 0),
  );
}

import { plainText } from '../../block-kit/text.ts';
import type { InputBlock, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { isName } from '../../commands/kit/action.ts';
import { isYes, type Field, type Fields, type PlainField } from '../../commands/kit/fields.ts';
import { attempt } from '../../base/errors.ts';
import type { Given } from '../../language/bind-arguments.ts';
import { namesMany } from '../../language/many-environments.ts';
import { refuseKeys, takesTokens } from '../../language/pasted-credentials.ts';
import { refuseHidden } from '../../language/tokenize.ts';
import { matchesInWords, maxReasonLength } from '../../access/reason.ts';
import type { NeededReason } from '../../policy/rules.ts';
import { plain, say } from '../../words/text.ts';
import { toldApart } from '../../words/similar-names.ts';

/** Turns fields into modal inputs, and filled-in inputs back into words. */

/** A field in a form. */
export type FormField = {
  readonly name: string;
  readonly field: Field;
  /** Its words so far. */
  readonly given: readonly string[];
  /** The host's choices and the id of the kept list. Option values are indexes into that list. */
  readonly choices?: { readonly id: string; readonly words: readonly string[] } | undefined;
  /** Other fields depend on it, so Slack reports each change of it. */
  readonly reportsChanges?: boolean;
  /** It must be filled in: an earlier choice was dropped, and an empty field would now mean more than before. */
  readonly required?: boolean;
  /** Shown instead of its hint. */
  readonly note?: string | undefined;
};

type NameOf = (id: string) => string | undefined;
type Element = InputBlock['element'];

const limits = {
  label: 150,
  hint: 150,
  reasonHint: 600,
  option: 75,
  input: 3_000,
  options: 100,
  chosen: 50,
  checkboxes: 10,
} as const;
const reasonField = 'reason';
const typedField = 'typed_name';
const leaveOutField = 'leave-out';
/** The one field of a checklist. Its words are positions, because only offered items can be ticked. */
export const checklistField = 'checklist';

/** The block id of a field. A new list gives a new id, so Slack does not keep an old choice in it. */
export const blockIdOf = (field: string, choices?: { readonly id: string }): string =>
  choices ? `field:${field}:${choices.id}` : `field:${field}`;

/** The input block of a field. */
export function inputOf(formField: FormField, names: NameOf): InputBlock {
  const { name, field, reportsChanges, note = field.hint } = formField;
  const choices = usableChoices(formField);
  return {
    type: 'input',
    block_id: blockIdOf(name, choices),
    optional: !formField.required && (field.optional || (field.kind === 'plain' && field.absent !== undefined)),
    label: plainText(field.label, limits.label),
    ...(note && { hint: plainText(note, limits.hint) }),
    ...(reportsChanges && { dispatch_action: true }),
    element: elementOf({ ...formField, choices }, names),
  };
}

/** The choices of a field, unless more are chosen than a select can hold. Target names are searched by typing instead. */
const usableChoices = ({ field, given, choices }: FormField): FormField['choices'] =>
  !isName(field) && choices && choices.words.length > 0 && given.length <= limits.chosen ? choices : undefined;

function elementOf({ name, field, given, choices }: FormField, names: NameOf): Element {
  const [first] = given;
  if (isName(field))
    // A search takes one name.
    return field.after === undefined && !namesMany(given)
      ? nameSelectOf(name, field.shown, first, names)
      : typedElementOf(name, { example: field.shown, many: false }, given.join(' '));
  if (choices) return selectOf(name, field.many, field.shown, given, choices.words);
  if (typeof field.absent === 'boolean') {
    const option = optionOf('yes', 'Yes');
    const initial = first !== undefined && isYes(first) ? { initial_options: [option] } : {};
    return { type: 'checkboxes', action_id: name, options: [option], ...initial };
  }
  if (field.choices) return choiceOf(name, field.choices, attempt(() => field.show(field.read(given))) ?? given);
  if (field.takes === 'a person') {
    // Slack refuses a form with an invalid user id.
    const person = /^@?([UW][A-Z\d]{2,20})$/.exec(first ?? '')?.[1];
    return { type: 'users_select', action_id: name, ...(person !== undefined && { initial_user: person }) };
  }
  return typedElementOf(name, field, given.join(field.many ? '\n' : ' '));
}

/** `chosen`: as it is read, because a choice may have more names than the select shows. */
function choiceOf(name: string, choices: readonly string[], [chosen]: readonly string[]): Element {
  const options = choices.slice(0, limits.options).map((choice) => optionOf(choice, choice));
  const initial = options.find(({ value }) => value?.toLowerCase() === chosen?.toLowerCase());
  return { type: 'static_select', action_id: name, options, ...(initial && { initial_option: initial }) };
}

/** A search among all names. */
function nameSelectOf(name: string, shown: string, word: string | undefined, names: NameOf): Element {
  const chosen = word === undefined || word.length > limits.option ? undefined : names(word);
  const initial = chosen !== undefined && word !== undefined ? { initial_option: optionOf(word, chosen) } : {};
  return { type: 'external_select', ...searchable(name, shown), ...initial };
}

/** The element of a field that is typed: a number or a text. */
function typedElementOf(
  name: string,
  { between, example, many }: Pick<PlainField<unknown>, 'between' | 'example' | 'many'>,
  text: string,
): Element {
  const placeholder = example === undefined ? {} : { placeholder: plainText(example, limits.label) };
  if (between) {
    const [from, to] = between;
    const bounds = { is_decimal_allowed: false, min_value: String(from), max_value: String(to) };
    const number = /^#?(\d{1,15})$/.exec(text)?.[1];
    const filled = number === undefined ? {} : { initial_value: String(Number(number)) };
    return { type: 'number_input', action_id: name, ...bounds, ...filled, ...placeholder };
  }
  // A text that is too long is dropped, not cut: the beginning of an address is a different address.
  const initial = text !== '' && text.length <= limits.input ? { initial_value: text } : {};
  const shape = { multiline: many, max_length: limits.input };
  return { type: 'plain_text_input', action_id: name, ...shape, ...initial, ...placeholder };
}

const searchable = (name: string, shown: string) => ({
  action_id: name,
  min_query_length: 0,
  placeholder: plainText(shown, limits.label),
});

function selectOf(
  name: string,
  isMany: boolean,
  shown: string,
  given: readonly string[],
  words: readonly string[],
): Element {
  const chosen = given.flatMap((word) => (words.includes(word) ? [choiceAt(words, words.indexOf(word))] : []));
  const element = searchable(name, shown);
  if (isMany) {
    return { type: 'multi_external_select', ...element, ...(chosen.length > 0 && { initial_options: chosen }) };
  }
  return { type: 'external_select', ...element, ...(chosen[0] && { initial_option: chosen[0] }) };
}

/** A choice by its index, as an option. If a word is too long, its middle is cut: the end says more. */
export function choiceAt(words: readonly string[], at: number): PlainTextOption {
  return optionOf(String(at), endsOf(words[at] ?? ''));
}

const endsOf = (word: string): string =>
  (word.length > limits.option ? `${word.slice(0, 24)}…${word.slice(-50)}` : word).toWellFormed();

/** The confirmation input: the name of what would be overwritten or deleted. */
export const typedInput = (label: string): InputBlock =>
  inputBlock(typedField, label, { type: 'plain_text_input', action_id: typedField, max_length: limits.input });

/** The environments of a batch that its requester leaves out. One group of a select holds at most 100 options. */
export function leaveOutInput(
  all: readonly { readonly id: string; readonly name: string; readonly live: boolean }[],
): InputBlock {
  const nameOf = toldApart(all);
  const groups = [
    { label: 'Live', of: all.filter(({ live }) => live) },
    { label: 'Not live', of: all.filter(({ live }) => !live) },
  ];
  const option_groups = groups.flatMap(({ label, of }) =>
    Array.from({ length: Math.ceil(of.length / limits.options) }, (_, page) => ({
      label: plainText(label, limits.option),
      options: of.slice(page * limits.options, (page + 1) * limits.options).map((env) => optionOf(env.id, nameOf(env))),
    })),
  );
  const placeholder = plainText('None', limits.label);
  const element: Element = { type: 'multi_static_select', action_id: leaveOutField, option_groups, placeholder };
  return { ...inputBlock(leaveOutField, 'Leave out', element), optional: true };
}

/** Checkboxes, all ticked. Slack allows ten in one group, and can require a tick only within one group. */
export function checkboxInputs(
  label: string,
  items: readonly { readonly at: number; readonly word: string; readonly says: string }[],
): readonly InputBlock[] {
  const max = limits.checkboxes;
  const isOne = items.length <= max;
  return Array.from({ length: Math.ceil(items.length / max) }, (_, page): InputBlock => {
    const from = page * max;
    const options = items.slice(from, from + max).map(({ at, word, says }) => ({
      ...optionOf(String(at), endsOf(word)),
      description: plainText(says, limits.option),
    }));
    const which = isOne ? label : `${label} ${from + 1}–${from + options.length} of ${items.length}`;
    const element: Element = { type: 'checkboxes', action_id: checklistField, options, initial_options: options };
    return { ...inputBlock(`${checklistField}:${page}`, which, element), optional: !isOne };
  });
}

/** `needed`: what the rules want of the reason. */
export function reasonInput(
  reason: string | undefined,
  needed: NeededReason = 'optional',
  label = 'Reason',
): InputBlock {
  const initial = reason === undefined ? {} : { initial_value: reason.slice(0, maxReasonLength) };
  const shape = { action_id: reasonField, max_length: maxReasonLength, ...initial };
  const input = inputBlock(reasonField, label, { type: 'plain_text_input', ...shape });
  if (typeof needed === 'string') return { ...input, optional: needed !== 'required' };
  const wanted = plainText(plain(say`It needs ${matchesInWords(needed)}.`), limits.reasonHint);
  return { ...input, optional: false, hint: wanted };
}

/** The input block of a field whose list is always the same. */
export const inputBlock = (field: string, label: string, element: Element): InputBlock => ({
  type: 'input',
  block_id: blockIdOf(field),
  label: plainText(label, limits.label),
  element,
});

/** An option of a select: Slack shows `text` and returns `value`. */
export const optionOf = (value: string, text: string): PlainTextOption => ({
  text: plainText(text, limits.option),
  value,
});

const selected = z.object({ value: z.string() });
const inputState = z.object({
  value: z.string().nullish(),
  selected_user: z.string().nullish(),
  selected_option: selected.nullish(),
  selected_options: z.array(selected).nullish(),
});
const state = z.record(z.string(), z.record(z.string(), inputState));

/** What was filled in. */
type Filled = {
  readonly given: Given;
  readonly reason: string | undefined;
  /** The name that was typed to confirm. */
  readonly typed: string | undefined;
  /** Ids of environments to leave out of a batch. */
  readonly leaveOut: readonly string[];
};

/**
 * Reads a view's state into words by field. `choices` are the lists it offered, `command` the fields of its command.
 * Throws `Refusal` for hidden characters and credentials.
 */
export function readInputs(
  values: unknown,
  choices: ReadonlyMap<string, readonly string[]> = new Map(),
  command: Fields = {},
): Filled {
  const given: Record<string, readonly string[]> = {};
  for (const [block, inputs] of Object.entries(state.parse(values))) {
    for (const [name, input] of Object.entries(inputs)) {
      const entered = wordsIn(input, block === blockIdOf(name) ? undefined : choices.get(name));
      for (const word of entered) refuseKeys(word, { field: name, mayHoldTokens: takesTokens(command[name]) });
      for (const word of entered) refuseHidden(word.replaceAll(/[\r\n]+/g, ' '), name);
      // A long checklist has several blocks.
      if (entered.length > 0) given[name] = [...(given[name] ?? []), ...entered];
    }
  }
  const { [reasonField]: reason, [typedField]: typed, [leaveOutField]: leaveOut = [], ...fields } = given;
  return { given: fields, reason: reason?.[0], typed: typed?.[0], leaveOut };
}

/** What was typed or chosen. `list`: the choices, if the input has their indexes. */
function wordsIn(input: z.infer<typeof inputState>, list: readonly string[] | undefined): readonly string[] {
  const picked = [input.selected_option, ...(input.selected_options ?? [])].map((option) => option?.value);
  const chosenWords = list ? picked.map((at) => at && list[Number(at)]) : picked;
  return [input.value, input.selected_user && `@${input.selected_user}`, ...chosenWords]
    .filter((word) => typeof word === 'string')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** The block id of a field in a view's state; undefined if it has none. */
export const blockIdIn = (values: unknown, field: string): string | undefined =>
  Object.entries(z.record(z.string(), z.record(z.string(), z.unknown())).catch({}).parse(values)).find(([, inputs]) =>
    Object.hasOwn(inputs, field),
  )?.[0];

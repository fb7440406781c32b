import type { InputBlock, KnownBlock, ModalView, Option } from '@slack/types';
import { z } from 'zod';
import { isName } from '../commands/action.ts';
import { isYes, type Field } from '../commands/fields.ts';
import type { Given, Wish } from '../pipeline/parse.ts';
import { refuseHidden } from '../pipeline/words.ts';
import { factLines } from '../pipeline/render.ts';
import { cardOf, type Frozen } from '../pipeline/freeze.ts';
import { nameToType } from '../pipeline/submit.ts';
import { inline, say, type Text } from '../text.ts';
import { plainText, richText } from './blocks.ts';

/** A command's fields as a modal, and a modal's state as words again. */

/** What a form carries of where it came from; believed no further than words somebody typed. */
export type Origin = {
  readonly channel: string;
  readonly thread?: string | undefined;
};
const origin = z.object({ channel: z.string(), thread: z.string().optional() });
const memo = z.object({
  origin,
  path: z.string().optional(),
  /** The words of a review form, and the fingerprint of what it showed. */
  words: z.array(z.string()).optional(),
  stored: z.string().optional(),
  shown: z.string().optional(),
  /** What a decision button said, for the form that asks for its reason. */
  decision: z.string().optional(),
});
/** What a form remembers in `private_metadata`. */
export type Memo = z.infer<typeof memo>;

const limits = { title: 24, memo: 3_000, label: 150, hint: 150, option: 75, input: 3_000, reason: 500 } as const;
const reasonField = 'reason';
const typedField = 'typed-name';

/** The memo of a view, or undefined where it is none of ours. */
export function memoOf(metadata: string): Memo | undefined {
  try {
    return memo.parse(JSON.parse(metadata));
  } catch {
    return undefined;
  }
}

/** The form of a command, filled in with what was said; `says` stands above it. */
export function formView(
  wish: Pick<Wish, 'path' | 'command' | 'given' | 'reason'>,
  from: Origin,
  names: (id: string) => string | undefined,
  says?: Text,
): ModalView {
  const { path, command, given } = wish;
  const fields = Object.entries(command.fields).map(([name, field]) => inputOf(name, field, given[name] ?? [], names));
  const blocks: KnownBlock[] = [
    ...(says ? [richText([says])] : [richText([inline(`${command.summary}.`)])]),
    ...fields,
  ];
  if (command.shape === 'action') blocks.push(reasonInput(wish.reason));
  return modal('form', command.button, { origin: from, path }, blocks, command.button);
}

/** What will happen, in the words of the card; its submit button does it, or asks for approval. */
export function reviewView(frozen: Frozen, memo: Memo, notice?: Text): ModalView {
  const card = cardOf(frozen);
  const { approval } = frozen.permit;
  const name = nameToType(frozen.action, frozen.target);
  const blocks: KnownBlock[] = [
    ...(notice ? [richText([notice])] : []),
    richText([say`**${card.title}**`, ...(card.warning ? [card.warning] : [])]),
    ...(card.facts.length > 0 ? [richText([factLines(card.facts)])] : []),
    ...(approval === 'none' ? [] : [richText([say`Nothing is sent before it is approved.`])]),
    reasonInput(frozen.wish.reason, approval !== 'none' && approval.reason === 'required'),
    ...(name === undefined ? [] : [typedInput(`Type ${name} to confirm`)]),
  ];
  const submit = approval === 'none' ? frozen.action.button : 'Ask for approval';
  return modal('review', frozen.action.button, { ...memo, shown: frozen.fingerprint }, blocks, submit);
}

/** Asks why a change is declined. */
export const declineView = (number: number, memo: Memo): ModalView =>
  modal('decline', `Decline #${number}`, memo, [reasonInput(undefined, true)], 'Decline');

/** A view without a submit button: loading, an error that ends it, or what came of it. */
export const noticeView = (title: string, text: Text): ModalView => ({
  type: 'modal',
  callback_id: 'notice',
  title: plainText(title, limits.title),
  close: plainText('Close', limits.title),
  blocks: [richText([text])],
});

/** The list of commands, for somebody who typed none. */
export function pickerView(
  commands: readonly { readonly path: string; readonly summary: string }[],
  from: Origin,
): ModalView {
  const options = commands
    .slice(0, 100)
    .map(({ path, summary }) => ({ ...optionOf(path, path), description: plainText(summary, limits.option) }));
  return {
    type: 'modal',
    callback_id: 'picker',
    private_metadata: JSON.stringify({ origin: from }),
    title: plainText('What shall be done?', limits.title),
    submit: plainText('Next', limits.title),
    close: plainText('Cancel', limits.title),
    blocks: [
      {
        type: 'input',
        block_id: blockOf('command'),
        label: plainText('Command', limits.label),
        element: { type: 'static_select', action_id: 'command', options },
      },
    ],
  };
}

const state = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      value: z.string().nullish(),
      selected_option: z.object({ value: z.string() }).nullish(),
      selected_options: z.array(z.object({ value: z.string() })).nullish(),
    }),
  ),
);

/** The words in a submitted view's state, by field; throws `Refusal` for characters that cannot be seen. */
export function saidIn(values: unknown): {
  readonly given: Given;
  readonly reason: string | undefined;
  /** The name that was typed to confirm. */
  readonly typed: string | undefined;
} {
  const given: Record<string, readonly string[]> = {};
  for (const block of Object.values(state.parse(values))) {
    for (const [name, input] of Object.entries(block)) {
      const words = [
        input.value,
        input.selected_option?.value,
        ...(input.selected_options ?? []).map((option) => option.value),
      ];
      const said = words
        .filter((word) => typeof word === 'string')
        .map((word) => word.trim())
        .filter((word) => word !== '');
      for (const word of said) refuseHidden(word.replaceAll(/[\r\n]+/g, ' '), name);
      if (said.length > 0) given[name] = said;
    }
  }
  const { [reasonField]: reason, [typedField]: typed, ...fields } = given;
  return { given: fields, reason: reason?.[0], typed: typed?.[0] };
}

/** The block of a field: where Slack shows an error about it. */
export const blockOf = (field: string): string => `field:${field}`;

type Kind = 'form' | 'review' | 'decline';

function modal(kind: Kind, title: string, memo: Memo, blocks: KnownBlock[], submit: string): ModalView {
  const metadata = JSON.stringify(memo);
  if (metadata.length > limits.memo) throw new RangeError('the memo of a form is too long');
  return {
    type: 'modal',
    callback_id: kind,
    private_metadata: metadata,
    title: plainText(title, limits.title),
    submit: plainText(submit, limits.title),
    close: plainText('Cancel', limits.title),
    blocks,
  };
}

function inputOf(
  name: string,
  field: Field,
  given: readonly string[],
  names: (id: string) => string | undefined,
): InputBlock {
  const optional = field.optional || (field.kind === 'plain' && field.absent !== undefined);
  return {
    type: 'input',
    block_id: blockOf(name),
    optional,
    label: plainText(field.label, limits.label),
    ...(field.hint && { hint: plainText(field.hint, limits.hint) }),
    element: elementOf(name, field, given, names),
  };
}

function elementOf(
  name: string,
  field: Field,
  given: readonly string[],
  names: (id: string) => string | undefined,
): InputBlock['element'] {
  const [first] = given;
  if (isName(field)) {
    const chosen = first === undefined || first.length > limits.option ? undefined : names(first);
    const initial = chosen !== undefined && first !== undefined ? { initial_option: optionOf(first, chosen) } : {};
    return {
      type: 'external_select',
      action_id: name,
      min_query_length: 0,
      placeholder: plainText(field.shown, 150),
      ...initial,
    };
  }
  if (typeof field.absent === 'boolean') {
    const option = optionOf('yes', field.label);
    return {
      type: 'checkboxes',
      action_id: name,
      options: [option],
      ...(first !== undefined && isYes(first) && { initial_options: [option] }),
    };
  }
  if (field.choices) {
    const options = field.choices.map((choice) => optionOf(choice, choice));
    const initial = options.find((option) => option.value === first?.toLowerCase());
    return { type: 'static_select', action_id: name, options, ...(initial && { initial_option: initial }) };
  }
  const text = given.join(field.many ? '\n' : ' ');
  return {
    type: 'plain_text_input',
    action_id: name,
    multiline: field.many,
    max_length: limits.input,
    // Too long a text is left out rather than cut: the beginning of an address is another address.
    ...(text !== '' && text.length <= limits.input && { initial_value: text }),
  };
}

/** The last thing that is asked: the name of what would be overwritten or deleted. */
const typedInput = (label: string): InputBlock => ({
  type: 'input',
  block_id: blockOf(typedField),
  label: plainText(label, limits.label),
  element: { type: 'plain_text_input', action_id: typedField, max_length: limits.input },
});

const reasonInput = (reason: string | undefined, isRequired = false): InputBlock => ({
  type: 'input',
  block_id: blockOf(reasonField),
  optional: !isRequired,
  label: plainText('Reason', limits.label),
  element: {
    type: 'plain_text_input',
    action_id: reasonField,
    max_length: limits.reason,
    ...(reason !== undefined && { initial_value: reason.slice(0, limits.reason) }),
  },
});

/** An option of a select: Slack shows `text` and gives back `value`. */
export const optionOf = (value: string, text: string): Option & { text: { type: 'plain_text'; text: string } } => ({
  text: plainText(text, limits.option),
  value,
});

import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { everythingLabel, factLines } from '../../pipeline/changes/card.ts';
import { cardOf, type Frozen } from '../../pipeline/changes/freeze.ts';
import { nameToType } from '../../pipeline/changes/confirmation.ts';
import { inline, say, type Text } from '../../text.ts';
import { buttonRow, plainText, richText, type Drawn } from '../draw/blocks.ts';
import { takesTokens } from '../../pipeline/language/pasted-tokens.ts';
import { holdsKey } from '../../secret.ts';
import { blockOf, inputOf, optionOf, reasonInput, typedInput, type Asked } from './inputs.ts';

/** The views that Sitehand shows: a command's form, its review, the picker. */

/** What a form carries of where it came from; believed no further than words somebody typed. */
export type Origin = {
  readonly channel: string;
  readonly thread?: string | undefined;
};
const origin = z.object({ channel: z.string(), thread: z.string().optional() });
const memo = z.object({
  origin,
  path: z.string().optional(),
  /** Where the choices of its fields are kept, and of what they are the choices. */
  choices: z.record(z.string(), z.object({ id: z.string(), of: z.string() })).optional(),
  /** The words of a review form, and the fingerprint of what it showed. */
  words: z.array(z.string()).optional(),
  stored: z.string().optional(),
  shown: z.string().optional(),
  /** What a decision button said, for the form that asks for its reason. */
  decision: z.string().optional(),
});
/** What a form remembers in `private_metadata`. */
export type Memo = z.infer<typeof memo>;

const limits = { title: 24, memo: 3_000, label: 150, option: 75 } as const;

/** The memo of a view, or undefined where it is none of ours. */
export function memoOf(metadata: string): Memo | undefined {
  try {
    return memo.parse(JSON.parse(metadata));
  } catch {
    return undefined;
  }
}

/** A form as it is drawn: what is asked, and whatever has to be said above it. */
export type Unfolded = {
  readonly fields: readonly Asked[];
  readonly choices?: Memo['choices'];
  readonly says?: Text | undefined;
};

/** The form of a command, filled in with what was said. */
export function formView(
  { path, command, reason }: Pick<ParsedCommand, 'path' | 'command' | 'reason'>,
  from: Origin,
  names: (id: string) => string | undefined,
  { fields, choices, says = inline(`${command.summary}.`) }: Unfolded,
): ModalView {
  const blocks: KnownBlock[] = [richText([says]), ...fields.map((asked) => inputOf(asked, names))];
  if (command.shape === 'action') blocks.push(reasonInput(reason));
  return modal('form', command.button, { origin: from, path, ...(choices && { choices }) }, blocks, command.button);
}

/** What will happen, in the words of the card; its submit button does it, or asks for approval. */
export function reviewView(frozen: Frozen, memo: Memo, notice?: Text): ModalView {
  const card = cardOf(frozen);
  const { approval } = frozen.permit;
  const name = nameToType(frozen.action, frozen.target);
  const blocks: KnownBlock[] = [
    ...(notice ? [richText([notice])] : []),
    ...(showsToken(frozen) ? [richText([readable])] : []),
    richText([say`**${card.title}**`, ...(card.warning ? [card.warning] : [])]),
    ...(card.facts.length > 0 ? [richText([factLines(card.facts)])] : []),
    ...buttonRow([{ label: everythingLabel, press: { kind: 'call', page: 1, of: undefined } }]),
    ...(approval === 'none' ? [] : [richText([say`Nothing is sent before it is approved.`])]),
    reasonInput(frozen.parsed.reason, approval !== 'none' && approval.reason === 'required'),
    ...(name === undefined ? [] : [typedInput(`Type ${name} to confirm`)]),
  ];
  const submit = approval === 'none' ? frozen.action.button : 'Ask for approval';
  return modal('review', frozen.action.button, { ...memo, shown: frozen.fingerprint }, blocks, submit);
}

const readable = say`⚠️ **There is what looks like the token of a service in this.** Everybody in the channel can read it on the card, and it is kept there.`;

/** Whether a field that takes what looks like a service's token has one. */
const showsToken = ({ action, input }: Frozen): boolean =>
  Object.entries(action.fields).some(
    ([name, field]) =>
      takesTokens(field) && [input[name]].flat().some((said) => typeof said === 'string' && holdsKey(said)),
  );

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

/** Everything that will be sent, a page of it. With a memo it is of the form beneath, whose words the memo holds. */
export const callView = ({ blocks }: Drawn, memo?: Memo): ModalView => ({
  type: 'modal',
  callback_id: 'call',
  title: plainText(callTitle, limits.title),
  close: plainText('Close', limits.title),
  ...(memo && { private_metadata: JSON.stringify(memo) }),
  blocks,
});
export const callTitle = 'What will be sent';

/** The list of commands, for somebody who typed none. */
export function pickerView(
  commands: readonly { readonly path: string; readonly summary: string }[],
  from: Origin,
): ModalView {
  const options = commands
    .slice(0, 100)
    .map(({ path, summary }) => ({ ...optionOf(path, path), description: plainText(summary, limits.option) }));
  const input: KnownBlock = {
    type: 'input',
    block_id: blockOf('command'),
    label: plainText('Command', limits.label),
    element: { type: 'static_select', action_id: 'command', options },
  };
  return modal('picker', 'What shall be done?', { origin: from }, [input], 'Next');
}

type Kind = 'form' | 'review' | 'decline' | 'picker';

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

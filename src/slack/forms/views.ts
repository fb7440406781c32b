import { plainText } from '../../block-kit/text.ts';
import type { KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { attempt } from '../../base/errors.ts';
import type { ParsedCommand } from '../../language/bind-arguments.ts';
import { windowOf } from '../../language/schedule.ts';
import { factLines } from '../../change/card.ts';
import { everythingButton } from '../../change/buttons.ts';
import { environmentsIn } from '../../send/pin-batch.ts';
import { pinnedCardOf, type Pinned } from '../../change/pin.ts';
import type { CommandHelp } from '../../talk/help-page.ts';
import type { ShownChecklist } from '../../talk/checklist.ts';
import type { BrokenGlass } from '../../access/authorization.ts';
import { glassMark, skippedInWords } from '../../access/break-glass.ts';
import { nameToType, shownOf } from '../../change/confirmation.ts';
import type { NeededReason } from '../../policy/rules.ts';
import { joined, inline, say, type Text } from '../../words/text.ts';
import { buttonRow, richText, type Drawn } from '../../block-kit/blocks.ts';
import { takesTokens } from '../../language/pasted-credentials.ts';
import { holdsKey } from '../../base/secret.ts';
import {
  checkboxInputs,
  inputBlock,
  inputOf,
  leaveOutInput,
  optionOf,
  reasonInput,
  typedInput,
  type FormField,
} from './inputs.ts';

/** Sitehand's views: forms, reviews, notices, pages of a call, and the list of commands. */

/** Where a form came from. It comes back from Slack, so trust it no more than typed words. */
export type Origin = z.infer<typeof origin>;
const origin = z.object({
  channel: z.string(),
  thread: z.string().optional(),
  cardsIn: z.string().optional(),
});
const memo = z.object({
  origin,
  path: z.string().optional(),
  /** For each field, the id of its kept choices, and a hash of the answers that they were read for. */
  choices: z.record(z.string(), z.object({ id: z.string(), of: z.string() })).optional(),
  /** How the command was typed: as a dry run, to be queued if a lock is in the way, or as an emergency. */
  dryRun: z.boolean().optional(),
  queue: z.boolean().optional(),
  breakGlass: z.boolean().optional(),
  /** When it is to be sent, epoch ms. */
  when: z.object({ at: z.number(), until: z.number() }).optional(),
  /** The arguments of a review form (or the id of the kept ones), and the fingerprint of what it showed. */
  args: z.array(z.string()).optional(),
  stored: z.string().optional(),
  shown: z.string().optional(),
  /** The value of the decision button, for the form that asks for its reason or note. */
  decision: z.string().optional(),
  /** The kept page, and the index of the offer whose checklist the form shows. */
  offer: z.object({ page: z.string(), at: z.number() }).optional(),
});
/** What a form remembers in `private_metadata`. */
export type Memo = z.infer<typeof memo>;

const limits = { title: 24, memo: 3_000, option: 75 } as const;

/** Reads the memo of a view; undefined if it is not one of ours. */
export const memoOf = (metadata: string): Memo | undefined => attempt(() => memo.parse(JSON.parse(metadata)));

/** The contents of a form: its fields, and the text above them. */
export type FormContents = {
  readonly fields: readonly FormField[];
  readonly choices?: Memo['choices'];
  readonly says?: Text | undefined;
};

/** The form of a command, filled in so far. */
export function formView(
  {
    path,
    command,
    reason,
    dryRun,
    queue,
    breakGlass,
    ...timing
  }: Pick<ParsedCommand, 'path' | 'command' | 'reason'> & TypedOptions,
  from: Origin,
  names: (id: string) => string | undefined,
  { fields, choices, says = inline(`${command.summary}.`) }: FormContents,
): ModalView {
  const emergency = breakGlass
    ? [richText([say`${glassMark} **Break-glass: this skips approval and any freeze.**`])]
    : [];
  const blocks: KnownBlock[] = [...emergency, richText([says]), ...fields.map((field) => inputOf(field, names))];
  if (command.shape === 'action') blocks.push(reasonInput(reason, breakGlass ? 'required' : undefined));
  const memo: Memo = { origin: from, path, choices, dryRun, queue, breakGlass, when: windowOf(timing) };
  return modal('form', command.button, memo, blocks, dryRun ? 'Dry run' : command.button);
}

/** Typed options that have no field in a form. */
type TypedOptions = {
  readonly [K in 'dryRun' | 'queue' | 'breakGlass' | 'when']?: ParsedCommand[K] | undefined;
};
export const typedOptions = ({ dryRun = false, queue = false, breakGlass, when }: TypedOptions) => ({
  dryRun,
  queue,
  breakGlass,
  when,
});

/** What a review says besides. `aside`: how its approval can be skipped, or who is told that it is. */
type Around = { readonly notice?: Text; readonly aside?: Text | undefined };

/** The review: what will happen, in the words of the card. Its submit button does it or asks for approval. */
export function reviewView(pinned: Pinned, memo: Memo, { notice = [], aside }: Around = {}): ModalView {
  const card = pinnedCardOf(pinned);
  const facts = [...card.facts, ...(pinned.leftOut ?? [])];
  const name = nameToType(pinned.action, pinned.target);
  const { above = [], below = [], reason, submit } = approvalIn(pinned, aside);
  const blocks: KnownBlock[] = [
    ...asBlock(above),
    ...asBlock(notice),
    ...(showsToken(pinned) ? [richText([tokenWarning])] : []),
    richText([say`**${card.title}**`, ...(card.warning ? [card.warning] : [])]),
    ...(facts.length > 0 ? [richText([factLines(facts)])] : []),
    ...buttonRow([everythingButton(undefined)]),
    ...asBlock(below),
    ...(pinned.items ? [leaveOutInput(environmentsIn(pinned.items))] : []),
    reasonInput(pinned.parsed.reason, reason),
    ...(name === undefined ? [] : [typedInput(`Type ${name} to confirm`)]),
  ];
  return modal('review', pinned.action.button, { ...memo, shown: shownOf(pinned) }, blocks, submit);
}

const asBlock = (text: Text): KnownBlock[] => (text.length > 0 ? [richText([text])] : []);

type ApprovalWords = {
  readonly above?: Text;
  readonly below?: Text;
  readonly reason: NeededReason;
  readonly submit: string;
};

/** What a review says of the approval that its change needs or skips. */
function approvalIn({ authorization, action }: Pinned, aside: Text | undefined): ApprovalWords {
  const { approval, breakGlass: skips } = authorization;
  if (approval === 'none') return { reason: 'optional', submit: action.button };
  const { reason } = approval;
  if (skips) return { above: joined([glassWarning(skips), aside]), reason, submit: 'Break the glass' };
  return {
    below: joined([say`Nothing is sent until it is approved.`, aside]),
    reason,
    submit: 'Ask for approval',
  };
}

const glassWarning = (skips: BrokenGlass): Text =>
  say`${glassMark} **Break-glass: this is sent ${skippedInWords(skips)}.** It can be stopped for ten seconds.`;

const tokenWarning = say`⚠️ **This contains what looks like a service token.** Everybody in the channel can read it on the card, and it stays there.`;

/** Whether a field that may hold a service token does hold one. */
const showsToken = ({ action, input }: Pinned): boolean =>
  Object.entries(action.fields).some(
    ([name, field]) =>
      takesTokens(field) && [input[name]].flat().some((value) => typeof value === 'string' && holdsKey(value)),
  );

/** The form that asks why a change is declined. */
export const declineView = (number: number, memo: Memo): ModalView =>
  modal('decline', `Decline #${number}`, memo, [reasonInput(undefined, 'required')], 'Decline');

/** The form that asks what is to be said of a change that was sent by break-glass. `says`: what is reviewed. */
export const postReviewView = (number: number, says: Text, memo: Memo): ModalView =>
  modal(
    'reviewed',
    `Review #${number}`,
    memo,
    [richText([says]), reasonInput(undefined, 'required', 'What do you think of it?')],
    'Save',
  );

/** The form that asks for a note with an approval. `says`: what is approved. */
export const approveView = (number: number, says: Text, memo: Memo): ModalView =>
  modal(
    'approve',
    `Approve #${number}`,
    memo,
    [richText([says]), reasonInput(undefined, 'optional', 'Note')],
    'Approve',
  );

/** The form that asks which of these environments a batch leaves out before it goes on. */
export const goOnView = (number: number, left: Parameters<typeof leaveOutInput>[0], memo: Memo): ModalView =>
  modal('go_on', `Go on with #${number}`, memo, [leaveOutInput(left)], 'Go on');

/** The form to untick part of an offer before the review. */
export function checklistView(
  { command, label, says, facts, items, environments }: ShownChecklist,
  memo: Memo,
): ModalView {
  const blocks = [
    richText([says]),
    richText([factLines(facts)]),
    ...checkboxInputs(label, items),
    leaveOutInput(environments),
  ];
  return modal('checklist', command.button, memo, blocks, 'Next');
}

/** Loading, an error, or a result. */
export const noticeView = (title: string, text: Text): ModalView => closable('notice', title, [richText([text])]);

/** A page of *Everything that will be sent*. With a memo it belongs to the form below it, whose arguments the memo has. */
export const callView = ({ blocks }: Drawn, memo?: Memo): ModalView => ({
  ...closable('call', callTitle, blocks),
  ...(memo && { private_metadata: JSON.stringify(memo) }),
});
export const callTitle = 'What will be sent';

type Choice = Pick<CommandHelp, 'path' | 'summary'>;
/** What is chosen to see all commands. No command is called that. */
export const moreCommands = 'more';

/** The commands used most, shown for a line without a command. `more`: there are others. */
export const pickerView = (commands: readonly Choice[], more: boolean, from: Origin): ModalView =>
  pickerOf('radio_buttons', [...commands.map(choiceOf), ...(more ? [moreChoice] : [])], from);

/** All commands. */
export const allCommandsView = (commands: readonly Choice[], from: Origin): ModalView =>
  pickerOf('static_select', commands.slice(0, 100).map(choiceOf), from);

const choiceOf = ({ path, summary }: Choice): PlainTextOption => ({
  ...optionOf(path, path),
  description: plainText(summary, limits.option),
});
const moreChoice = {
  ...optionOf(moreCommands, 'More…'),
  description: plainText('Everything you can run', limits.option),
};

function pickerOf(type: 'radio_buttons' | 'static_select', options: PlainTextOption[], from: Origin): ModalView {
  const input = inputBlock('command', 'Command', { type, action_id: 'command', options });
  return modal('picker', 'What do you want to do?', { origin: from }, [input], 'Next');
}

/** A view without a submit button. */
const closable = (kind: 'notice' | 'call', title: string, blocks: KnownBlock[]): ModalView => ({
  type: 'modal',
  callback_id: kind,
  title: plainText(title, limits.title),
  close: plainText('Close', limits.title),
  blocks,
});

type SubmittedKind = 'form' | 'review' | 'checklist' | 'approve' | 'decline' | 'reviewed' | 'go_on' | 'picker';

function modal(kind: SubmittedKind, title: string, memo: Memo, blocks: KnownBlock[], submit: string): ModalView {
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

import type { ActionsBlock, Button as SlackButton, ContextBlock, KnownBlock, RichTextBlock } from '@slack/types';
import { counted, type PageOffer } from '../commands/kit/page.ts';
import type { Refusal } from '../base/errors.ts';
import { type Card, type Note } from '../change/card.ts';
import { everythingLabel, type Button, type Press } from '../change/buttons.ts';
import { amount, hiddenIn, inShort, joined, plain, say, type Drawable, type Text } from '../words/text.ts';
import { buttonValue } from './button-value.ts';
import {
  charactersIn,
  cut,
  fitting,
  jsonLength,
  shortened,
  widthOf,
  type Short,
  mrkdwnLine,
  sectionOf,
  visible,
  plainText,
} from './text.ts';

/** A message for Slack: its blocks, and the line for notifications and surfaces without blocks. */
export type Drawn = { readonly text: string; readonly blocks: KnownBlock[] };

/** Slack's limits, with a margin where they are undocumented. */
export const limits = {
  text: 3_000,
  /** At worst, escaping makes a line five times as long. */
  line: 600,
  context: 2_000,
  contextElements: 10,
  buttonText: 75,
  buttonValue: 2_000,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  buttons: 20,
  blocks: 45,
  characters: 11_500,
} as const;

/** Draws a change's card. What does not fit is counted on the card, and again before an approval. */
export function drawCard(card: Card): Drawn {
  const { head, blocks, hidden } = partsOf(card);
  return bounded(head, blocks, card.buttons, hidden);
}

/** What a card does not show, in a sentence; empty if it shows everything. */
export function notShownOn(card: Card): string {
  const { blocks, hidden } = partsOf(card);
  const { left } = fittingBeside(blocks, buttonRow(card.buttons, hidden));
  return notShown({ ...hidden, characters: hidden.characters + left });
}

function partsOf(card: Card): { readonly head: Text; readonly blocks: readonly KnownBlock[]; readonly hidden: Hidden } {
  const head = say`${card.mark} ${card.headline}`;
  const parts = [
    shortened(joined([head, ...card.lines], '\n'), limits.text),
    shortened(card.warning ?? [], limits.text),
    fitted(card.facts.map(([label, value]) => say`**${label}**  ${value}`)),
  ];
  const lists = hiddenIn([...(card.warning ?? []), ...card.facts.flatMap(([, value]) => value)]);
  const characters = parts.reduce((sum, { left }) => sum + left, lists.characters);
  const blocks = parts.flatMap(({ text }) => (text.length > 0 ? [richText([text])] : []));
  return { head, blocks, hidden: { items: lists.items, characters } };
}

/** One fact per line. If they don't all fit, each is shortened, so that the last one still shows. */
function fitted(facts: readonly Text[]): Short {
  for (const limit of [1_700, 700, 350, 180]) {
    const lines = facts.map((fact) => shortened(fact, limit));
    const text = lines.flatMap((line, index) => (index === 0 ? line.text : [{ text: '\n' }, ...line.text]));
    if (widthOf(text) <= limits.text) return { text, left: lines.reduce((sum, { left }) => sum + left, 0) };
  }
  return shortened(joined(facts, '\n'), limits.text);
}

/** A reply or a notice. */
export const drawNote = (note: Note): Drawn => bounded(note.text, [richText([note.text])], note.buttons ?? []);

/** A refusal: what was wrong, what to do next, and possible corrections as buttons. */
export function drawRefusal({ says, hint, offers }: Pick<Refusal, 'says' | 'hint' | 'offers'>): Drawn {
  const text = joined([says, hint]);
  const buttons = offers.map((offer) => offerButton(offer));
  return bounded(text, [richText([text])], buttons);
}

/** The texts as lines below each other. */
export const richText = (lines: readonly Text[]): RichTextBlock => ({
  type: 'rich_text',
  elements: [sectionOf(shortened(joined(lines, '\n'), limits.text).text)],
});

export const preformatted = (text: string): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: text || ' ' }] }],
});

/** What Slack could read as markup in words: styles, emoji, links, mentions. */
const mayBeMarkup = /[*_~`<>&@#|]|:\S|\S\.\S|\/\//;
const isWords = (span: Drawable): boolean => 'text' in span;

/**
 * Small print: plain text, except that times and names, which Slack has to draw, are markup. Words share an element with
 * these only if nothing in them could be markup.
 */
export function context(text: Text): ContextBlock {
  const spans = inShort(text);
  const runs = runsOf(spans);
  const isHarmless = runs.every((run) => !run.every(isWords) || !mayBeMarkup.test(plain(run)));
  const pieces = isHarmless && !spans.every(isWords) ? [spans] : runs;
  const elements = pieces.map((piece) =>
    piece.every(isWords)
      ? plainText(plain(piece), limits.context)
      : { type: 'mrkdwn' as const, text: mrkdwnLine(piece) },
  );
  const fits = elements.length <= limits.contextElements && elements.every(({ text }) => text.length <= limits.context);
  return { type: 'context', elements: fits ? elements : [plainText(plain(text), limits.context)] };
}

/** Spans in runs of words, and of times and names. */
function runsOf(spans: readonly Drawable[]): readonly (readonly Drawable[])[] {
  const runs: Drawable[][] = [];
  for (const [at, span] of spans.entries()) {
    const before = spans[at - 1];
    if (before && isWords(before) === isWords(span)) runs.at(-1)?.push(span);
    else runs.push([span]);
  }
  return runs;
}

export function buttonRow(buttons: readonly Button[], hidden: Hidden = nothing): ActionsBlock[] {
  const elements = buttons.flatMap((button, index) => drawButton(button, index, hidden) ?? []);
  return elements.length === 0 ? [] : [{ type: 'actions', elements: elements.slice(0, limits.buttons) }];
}

/** The button of an offer. A checklist needs a kept page; without one, the whole offer is reviewed at once. */
export function offerButton({ label, args, opens, checklist }: PageOffer, at = 0, keptAs?: string): Button {
  return {
    label: opens === undefined ? label : `${label}…`,
    press: checklist && keptAs !== undefined ? { kind: 'checklist', id: keptAs, at } : { kind: opens ?? 'run', args },
  };
}

/**
 * Drops a button whose value is too long; callers store long arguments and use their id. If the label can't show its
 * text in full, a press opens the form, which shows it, instead of running the command.
 */
function drawButton(button: Button, index: number, hidden: Hidden): SlackButton | undefined {
  const { label, style, confirm } = button;
  const isCut = visible(label).length > limits.buttonText;
  const press: Press = isCut && button.press.kind === 'run' ? { ...button.press, kind: 'form' } : button.press;
  const value = buttonValue(press);
  if (value.length > limits.buttonValue) return undefined;
  const rest = notShown(hidden);
  const unseen = rest && press.kind === 'decision' && press.verdict === 'approve' ? `\n${rest}` : '';
  return {
    type: 'button',
    action_id: `${press.kind}:${index}`,
    text: plainText(label, limits.buttonText),
    value,
    ...(style && { style }),
    ...(confirm && {
      confirm: {
        title: plainText(confirm.title, limits.confirmTitle),
        text: plainText(
          cut(visible(plain(confirm.says)), limits.confirmText - unseen.length) + unseen,
          limits.confirmText,
        ),
        confirm: plainText(confirm.yes, limits.confirmButton),
        deny: plainText('Go back', limits.confirmButton),
      },
    }),
  };
}

/** How much of a change its card does not show. */
type Hidden = { readonly items: number; readonly characters: number };
export const nothing: Hidden = { items: 0, characters: 0 };

/** The end of the question before an approval: what the card doesn't show. Empty if the card shows everything. */
function notShown({ items, characters }: Hidden): string {
  const parts = [items > 0 && counted(items, 'item'), characters > 0 && counted(characters, 'character')];
  if (items + characters === 0) return '';
  const verb = items + characters === 1 ? 'is' : 'are';
  return `${parts.filter(Boolean).join(' and ')} ${verb} not shown here: open “${everythingLabel}”.`;
}

/** Keeps a message within Slack's limits. The rest is cut from the end and counted; footer and buttons always stay. */
export function bounded(
  line: Text,
  blocks: readonly KnownBlock[],
  buttons: readonly Button[],
  hidden: Hidden = nothing,
  footer: readonly KnownBlock[] = [],
): Drawn {
  const { kept, left } = fittingBeside(blocks, [...footer, ...buttonRow(buttons, hidden)]);
  const row = buttonRow(buttons, { ...hidden, characters: hidden.characters + left });
  const restNote = left > 0 ? [context(say`The rest is too long for a message: ${amount(left)} more characters.`)] : [];
  return {
    text: mrkdwnLine(shortened(line, limits.line).text) || ' ',
    blocks: [...kept, ...restNote, ...footer, ...row],
  };
}

/** The first blocks that fit beside `others`, and how many characters the remaining blocks have. */
function fittingBeside(blocks: readonly KnownBlock[], others: readonly KnownBlock[]) {
  const kept = fitting(blocks.slice(0, limits.blocks), limits.characters - jsonLength(others), jsonLength);
  return { kept, left: charactersIn(blocks.slice(kept.length)) };
}

import type {
  ActionsBlock,
  Button as SlackButton,
  ContextBlock,
  KnownBlock,
  RichTextBlock,
  TableBlock,
} from '@slack/types';
import type { Page, Part } from '../commands/page.ts';
import type { Offer, Refusal } from '../errors.ts';
import { join } from '../pipeline/words.ts';
import type { Button, Card, Note, Press } from '../pipeline/render.ts';
import { inline, joined, plain, say, type Span, type Text } from '../text.ts';
import { lineOf, sectionOf, visible } from './escape.ts';

/** What is sent to Slack: blocks, and the line that notifications and plain surfaces show. */
export type Drawn = { readonly text: string; readonly blocks: KnownBlock[] };

/** Slack's limits, with room to spare where they are not documented. */
const limits = {
  text: 3_000,
  codeLine: 2_900,
  /** Escaped, it is five times as long at worst. */
  line: 600,
  context: 2_000,
  buttonText: 75,
  buttonValue: 2_000,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  buttons: 20,
  blocks: 45,
  characters: 11_500,
  rows: 30,
  table: 8_000,
  cell: 400,
} as const;

/** A change's card. */
export function drawCard(card: Card): Drawn {
  const head = say`${card.mark} ${card.headline}`;
  const facts = joined(
    card.facts.map(([label, value]) => say`**${label}**  ${value}`),
    '\n',
  );
  const blocks = [
    richText([head, ...card.lines]),
    ...(card.warning ? [richText([card.warning])] : []),
    ...(facts.length > 0 ? [richText([facts])] : []),
  ];
  return bounded(head, blocks, card.buttons);
}

/** A reply or a notice. */
export const drawNote = (note: Note): Drawn => bounded(note.text, [richText([note.text])], note.buttons ?? []);

/** A refusal: what was wrong, what to do next, and what may have been meant, as buttons. */
export function drawRefusal({ says, hint, offers }: Pick<Refusal, 'says' | 'hint' | 'offers'>): Drawn {
  const text = joined([says, hint]);
  return bounded(text, [richText([text])], offers.map(offerButton));
}

/** How a page is kept, for the buttons that speak of it. */
export type KeptAs = { readonly id: string; readonly shareable: boolean };

/** Whether a page may have further pages, and so has to be kept. */
export const isLong = ({ parts }: Page): boolean =>
  parts.some((part) =>
    part.kind === 'table' ? part.rows.length > 20 : part.kind === 'code' && part.text.length > limits.text / 2,
  );

/** A page of an answer, from row `from` on; without `kept` it has no Share and no Next page. */
export function drawPage(page: Page, kept: KeptAs | undefined, from = 0): Drawn {
  const blocks: KnownBlock[] = [richText([page.title])];
  let next: number | undefined;
  for (const part of page.parts) {
    const drawn = drawPart(part, from);
    next ??= drawn.next;
    blocks.push(drawn.block);
  }
  const rest = next === undefined || kept ? undefined : 'the rest is too much to be kept: ask for less of it';
  const inFile = page.file ? 'all of it is in a file in our direct messages' : undefined;
  const source = joined([page.source, inFile, rest], '; ');
  if (source.length > 0) blocks.push(context(source));
  const buttons: Button[] = (page.offers ?? []).map(offerButton);
  if (kept && next !== undefined)
    buttons.push({ label: 'Next page', press: { kind: 'page', id: kept.id, from: next } });
  if (kept?.shareable) buttons.push({ label: 'Share', press: { kind: 'share', id: kept.id } });
  return bounded(page.title, blocks, buttons);
}

function drawPart(part: Part, from: number): { block: KnownBlock; next: number | undefined } {
  if (part.kind === 'text') return { block: richText([part.text]), next: undefined };
  if (part.kind === 'code') return drawCode(part.text, from);
  const rows: TableBlock['rows'] = [part.columns.map((column) => cellOf(inline(column)))];
  let size = 0;
  for (const row of part.rows.slice(from, from + limits.rows)) {
    const cells = row.map(cellOf);
    size += JSON.stringify(cells).length;
    if (size > limits.table) break;
    rows.push(cells);
  }
  const next = from + Math.max(rows.length - 1, 1);
  return { block: { type: 'table', rows }, next: next < part.rows.length ? next : undefined };
}

/** Lines that fit a message from line `from` on; a longer one is cut. */
function drawCode(text: string, from: number): { block: KnownBlock; next: number | undefined } {
  const lines = text.split('\n');
  let size = 0;
  let next = from;
  for (const line of lines.slice(from)) {
    size += Math.min(visible(line).length, limits.codeLine) + 1;
    if (size > limits.text && next > from) break;
    next += 1;
  }
  const shown = lines.slice(from, next).map((line) => cut(visible(line), limits.codeLine));
  return { block: preformatted(shown.join('\n')), next: next < lines.length ? next : undefined };
}

/** A cell weighs little as plain text; only what Slack has to draw becomes rich. */
function cellOf(text: Text): TableBlock['rows'][number][number] {
  const short = shortened(text, limits.cell);
  if (short.every((span) => 'text' in span && span.style === undefined))
    return { type: 'raw_text', text: plain(short) || ' ' };
  return { type: 'rich_text', elements: [sectionOf(short)] };
}

/** Lines of text, one below the other. */
export const richText = (lines: readonly Text[]): RichTextBlock => ({
  type: 'rich_text',
  elements: [sectionOf(shortened(joined(lines, '\n'), limits.text))],
});

const preformatted = (text: string): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: text || ' ' }] }],
});

/** Small print: plain, unless there is a time or a name in it that Slack has to draw. */
function context(text: Text): ContextBlock {
  const line = lineOf(text);
  const isPlain = text.every((span) => 'text' in span) || line.length > limits.context;
  return {
    type: 'context',
    elements: [isPlain ? plainText(plain(text), limits.context) : { type: 'mrkdwn', text: line }],
  };
}

function buttonRow(buttons: readonly Button[]): ActionsBlock[] {
  const elements = buttons.map(drawButton).filter((button) => button !== undefined);
  return elements.length === 0 ? [] : [{ type: 'actions', elements: elements.slice(0, limits.buttons) }];
}

const offerButton = ({ label, words }: Offer): Button => ({
  label,
  press: { kind: label.endsWith('…') ? 'form' : 'words', words },
});

/** A button whose words do not fit is left out: whoever offers such words stores them and names the row. */
function drawButton({ label, press, style, confirm }: Button, index: number): SlackButton | undefined {
  const value = valueOf(press);
  if (value.length > limits.buttonValue) return undefined;
  return {
    type: 'button',
    action_id: `${press.kind}:${index}`,
    text: plainText(label, limits.buttonText),
    value,
    ...(style && { style }),
    ...(confirm && {
      confirm: {
        title: plainText(confirm.title, limits.confirmTitle),
        text: plainText(plain(confirm.says), limits.confirmText),
        confirm: plainText(confirm.yes, limits.confirmButton),
        deny: plainText('Go back', limits.confirmButton),
      },
    }),
  };
}

function valueOf(press: Press): string {
  switch (press.kind) {
    case 'words':
    case 'form':
    case 'review':
      return join(press.words);
    case 'undo':
      return `${press.installation} ${press.number}`;
    case 'share':
      return press.id;
    case 'page':
      return `${press.from} ${press.id}`;
    case 'decision':
      return `${press.installation} ${press.number} ${press.version} ${press.verdict}`;
  }
}

export const plainText = (text: string, limit: number): { type: 'plain_text'; text: string; emoji: false } => ({
  type: 'plain_text',
  text: cut(visible(text), limit) || ' ',
  emoji: false,
});

/** Under Slack's limits in any case: what does not fit is left out from the end, and said; buttons always stay. */
function bounded(line: Text, blocks: readonly KnownBlock[], buttons: readonly Button[]): Drawn {
  const row = buttonRow(buttons);
  const kept: KnownBlock[] = [];
  let size = JSON.stringify(row).length;
  for (const block of blocks) {
    size += JSON.stringify(block).length;
    if (size > limits.characters || kept.length === limits.blocks) {
      kept.push(context(say`The rest is too long for a message.`));
      break;
    }
    kept.push(block);
  }
  return { text: lineOf(shortened(line, limits.line)) || ' ', blocks: [...kept, ...row] };
}

/** Text of at most so many characters as they are drawn, times and mentions apart. */
function shortened(text: Text, limit: number): Text {
  const short: Span[] = [];
  let left = limit;
  for (const span of text) {
    if (left <= 0) break;
    const text = 'text' in span ? cut(visible(span.text), left) : '';
    short.push('text' in span ? { ...span, text } : span);
    left -= text.length || 1;
  }
  return short;
}

/** At most so many characters; no half of a pair is left at the end. */
const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

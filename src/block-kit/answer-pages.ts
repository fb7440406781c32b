import type { KnownBlock, TableBlock } from '@slack/types';
import type { Page, PagePart } from '../commands/kit/page.ts';
import type { Button } from '../change/buttons.ts';
import { inline, inShort, joined, plain, type Text } from '../words/text.ts';
import {
  bounded,
  buttonRow,
  context,
  limits,
  nothing,
  offerButton,
  preformatted,
  richText,
  type Drawn,
} from './blocks.ts';
import { cut, fitting, jsonLength, sectionOf, shortened, visible, widthOf } from './text.ts';

/** Answers of reports and builtins, in pages that fit a message: each has as many rows as fit, and the buttons of these. */

const codeLine = 2_900;
const maxRows = 30;
const maxCell = 400;
/** A key in a DNS record has about 400. */
const maxEntry = 1_000;
/** If a cell is longer, its column is told to wrap: Slack doesn't wrap by itself. */
const unbroken = 40;
/** In characters of JSON: the rows of a table, and what is around the rows of any part, and for each column. */
const maxTable = 8_000;
const frame = 150;
const columnFrame = 22;
/** How many buttons about changes are on one page: a message has 20 buttons. */
const maxDecisions = 10;

/** The id of a kept page, for its buttons. */
type KeptAs = { readonly id: string; readonly shareable: boolean };
type As = KeptAs | 'shared' | undefined;

/** Whether a page needs *Next page*, and so has to be kept. */
export const isLong = (page: Page): boolean => layOut(page, undefined, 0).next !== undefined;

/** A page of an answer, from row `from` on. Only a kept one has *Share* and *Next page*; `shared`: it is for others. */
export function drawPage(page: Page, as: As, from = 0): Drawn {
  const { blocks, footer, buttons } = layOut(page, as, from);
  return bounded(page.title, blocks, buttons, nothing, footer);
}

/** The parts, with the rows that fit beside everything else; `next`: the first row that is left out. */
function layOut(page: Page, as: As, from: number) {
  const around = (next: number | undefined) => {
    const source = sourceOf(page, next !== undefined, as);
    const footer = plain(source).trim() === '' ? [] : [context(source)];
    return { footer, buttons: pageButtons(page, as, from, next) };
  };
  const most = around(Number.MAX_SAFE_INTEGER);
  const title = richText([page.title]);
  const fixed = page.parts.flatMap((part) => (part.kind === 'text' ? [richText([part.text])] : []));
  let room = limits.characters - jsonLength([title, ...fixed, ...most.footer, ...buttonRow(most.buttons)]);
  const all: number[] = [];
  const blocks = page.parts.map((part) => {
    if (part.kind === 'text') return richText([part.text]);
    const { block, next } = drawRows(part, from, room - frame);
    room -= jsonLength(block);
    if (next !== undefined) all.push(next);
    return block;
  });
  const next = all.length > 0 ? Math.min(...all) : undefined;
  return { blocks: [title, ...blocks], next, ...around(next) };
}

/** `next`: the first row that this page does not show; undefined: it shows the last one. */
function pageButtons(page: Page, as: As, from: number, next: number | undefined): readonly Button[] {
  const kept = as === 'shared' ? undefined : as;
  const isShown = ({ row = from }: { readonly row?: number }): boolean => row >= from && row < (next ?? Infinity);
  const decisions = (page.decisions ?? []).filter(isShown).slice(0, maxDecisions);
  return [
    ...(page.offers ?? []).map((offer, at) => offerButton(offer, at, kept?.id)),
    ...decisions.map(({ label, verdict, installation, number, version }): Button => ({
      label,
      press: { kind: 'decision', verdict, installation, number, version },
    })),
    ...(kept && next !== undefined
      ? [{ label: 'Next page', press: { kind: 'page', id: kept.id, from: next } } as const]
      : []),
    ...(kept && page.sheet ? [{ label: 'File', press: { kind: 'file', id: kept.id } } as const] : []),
    ...(kept?.shareable ? [{ label: 'Share', press: { kind: 'share', id: kept.id } } as const] : []),
  ];
}

function sourceOf({ source, file }: Page, isCut: boolean, as: As): Text {
  const inFile = file ? 'the whole answer is in a file in our direct messages' : undefined;
  const rest = as === 'shared' ? 'there is more in the answer itself' : 'the rest is too long to keep: ask for less';
  return joined([source, inFile, isCut && typeof as !== 'object' ? rest : undefined], '; ');
}

type Rows = { readonly block: KnownBlock; readonly next: number | undefined };

/** The rows from `from` on that fit, and at least one. A longer one is cut. `room`: in characters of JSON. */
function drawRows(part: Exclude<PagePart, { readonly kind: 'text' }>, from: number, room: number): Rows {
  if (part.kind === 'code') {
    const lines = part.text.split('\n');
    const some = lines.slice(from, from + limits.text).map((line) => cut(visible(line), codeLine));
    const inWidth = fitting(some, limits.text, (line) => line.length + 1);
    const shown = fittingOrFirst(inWidth, room, jsonLength);
    return { block: preformatted(shown.join('\n')), next: after(from, shown, lines) };
  }
  if (part.kind === 'list') {
    const some = part.entries.slice(from, from + maxRows).map((entry) => shortened(entry, maxEntry).text);
    const inWidth = fitting(some, limits.text, (entry) => widthOf(entry) + 1);
    const shown = fittingOrFirst(inWidth, room, (entry) => jsonLength(sectionOf(entry)));
    return { block: richText(shown), next: after(from, shown, part.entries) };
  }
  const header = part.columns.map((column) => cellOf(inline(column)));
  const some = part.rows.slice(from, from + maxRows).map((row) => row.map(cellOf));
  const inTable = room - part.columns.length * columnFrame - jsonLength(header);
  const shown = fittingOrFirst(some, Math.min(inTable, maxTable), jsonLength);
  const isLong = (cell: Text = []): boolean => widthOf(inShort(cell)) > unbroken;
  const block: TableBlock = {
    type: 'table',
    rows: [header, ...shown],
    column_settings: part.columns.map((_, column) => ({
      is_wrapped: part.rows.slice(from, from + shown.length).some((row) => isLong(row[column])),
    })),
  };
  return { block, next: after(from, shown, part.rows) };
}

const fittingOrFirst = <T>(rows: readonly T[], room: number, sizeOf: (row: T) => number): readonly T[] =>
  rows.slice(0, Math.max(1, fitting(rows, room, sizeOf).length));

/** The row after those that are shown, if there is one. */
const after = (from: number, shown: readonly unknown[], all: readonly unknown[]): number | undefined =>
  from + shown.length < all.length ? from + shown.length : undefined;

/** Plain text is smaller, so only cells with styles, times or mentions become rich text. */
function cellOf(text: Text): TableBlock['rows'][number][number] {
  const { text: short } = shortened(text, maxCell);
  if (short.every((span) => 'text' in span && span.style === undefined && span.url === undefined))
    return { type: 'raw_text', text: plain(short) || ' ' };
  return { type: 'rich_text', elements: [sectionOf(short)] };
}

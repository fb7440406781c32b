import type { KnownBlock } from '@slack/types';
import type { CallDetails, DetailLine } from '../change/call-details.ts';
import { approveWithNote, type Button, type Press } from '../change/buttons.ts';
import { say } from '../words/text.ts';
import { buttonRow, preformatted, richText, type Drawn } from './blocks.ts';
import { mrkdwnLine, sectionOf } from './text.ts';

/** *Everything that will be sent*, in pages that fit a modal, or a message if modals can't be opened. */

/** In characters of JSON, as Slack counts. A message takes about 12,000, a modal far more. */
const perPage = { message: 8_000, modal: 16_000 } as const;
const perBlock = 2_500;
/** The JSON around the text of a block. */
const frame = 120;

/** The saved change that the pages are about; undefined for a form that was not submitted yet. */
type CallOf = Extract<Press, { kind: 'call' }>['of'];

export type Surface = keyof typeof perPage;

type LineGroup = { readonly lines: readonly DetailLine[]; readonly weight: number };

/** Splits the details into pages, always in the same way, and draws the page with this number, or the nearest. */
export function drawCallPage(
  { title, lines, requestAt, waiting }: CallDetails,
  { of, surface, page: number }: { readonly of: CallOf; readonly surface: Surface; readonly page: number },
): Drawn {
  const pages = pagesOf(lines, perPage[surface]);
  const count = pages.length;
  const request = lines[requestAt];
  const requestOn = pages.findIndex((one) => request !== undefined && one.includes(request)) + 1;
  const go = (label: string, to: number): Button => ({ label, press: { kind: 'call', page: to, of } });
  const page = Math.min(Math.max(1, number), count);
  const buttons = [
    ...(page > 1 ? [go('Previous', page - 1)] : []),
    ...(page < count ? [go('Next', page + 1)] : []),
    ...(page > 2 ? [go('First', 1)] : []),
    ...(page < count - 1 ? [go('Last', count)] : []),
    ...(page < requestOn ? [go('The request', requestOn)] : []),
    ...(waiting && surface === 'modal' ? [approveWithNote(waiting)] : []),
  ];
  const place = say`Page ${page} of ${count}`;
  const blocks = groupsOf(pages[page - 1] ?? []).map(blockOf);
  return { text: mrkdwnLine(place), blocks: [richText([title, place]), ...blocks, ...buttonRow(buttons)] };
}

function pagesOf(lines: readonly DetailLine[], maxWeight: number): readonly (readonly DetailLine[])[] {
  const pages: DetailLine[][] = [];
  let room = 0;
  for (const { lines: some, weight } of groupsOf(lines)) {
    if (weight > room) {
      pages.push([]);
      room = maxWeight;
    }
    pages.at(-1)?.push(...some);
    room -= weight;
  }
  return pages;
}

/** Groups lines into blocks of one kind and of limited size. */
function groupsOf(lines: readonly DetailLine[]): readonly LineGroup[] {
  const groups: { lines: DetailLine[]; weight: number }[] = [];
  for (const line of lines) {
    const weight = weightOf(line);
    const last = groups.at(-1);
    if (last?.lines[0]?.kind === line.kind && last.weight + weight <= perBlock) {
      last.lines.push(line);
      last.weight += weight;
    } else groups.push({ lines: [line], weight: weight + frame });
  }
  return groups;
}

const weightOf = (line: DetailLine): number =>
  JSON.stringify(line.kind === 'exact' ? line.text : sectionOf(line.text)).length + 2;

function blockOf({ lines }: LineGroup): KnownBlock {
  const [first] = lines;
  if (first?.kind === 'exact')
    return preformatted(lines.flatMap((line) => (line.kind === 'exact' ? line.text : [])).join('\n'));
  return richText(lines.flatMap((line) => (line.kind === 'text' ? [line.text] : [])));
}

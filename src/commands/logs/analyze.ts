import { type Page, counted, type PagePart, readAt, paragraph } from '../kit/page.ts';
import { newestOf, readLines, type Line, type LineWithRequest, withRequest } from './lines.ts';
import { selectLines, type SelectedLines, logEntriesOf, isError } from './entries.ts';
import { ledUp, activityOf, busiestMinute, type Stretch } from './activity.ts';
import {
  type LogQuery,
  type SentSince,
  ifUtc,
  type SentChange,
  type LogsInput,
  type TimeSpan,
} from '../kit/log-query.ts';
import { setImmediate } from 'node:timers/promises';
import type { Offer } from '../../base/errors.ts';
import { amount, joined, say, time, type Text } from '../../words/text.ts';
import { accessSection, cacheSection } from './access.ts';
import { errorSection } from './groups.ts';
import { levelOf } from './levels.ts';
import { cutTo, type Section, mapInChunks } from './section.ts';
import { aroundOffer, offersInstead, argsFor, isNarrowed } from './suggestions.ts';
import { hourMs } from '../../words/duration.ts';

/** Masks and reads the lines and builds the page. Lines with times are shown together with changes sent at that time. */
export async function analyze(query: LogQuery, alias: (address: string) => string, recall: SentSince): Promise<Page> {
  const { text, asked, wanted, most, span, now } = query;
  const raw = newestOf(text, wanted);
  const all = await readLines(raw, { alias, now });
  const selected = selectLines(all, raw, { span, search: asked.search, isFull: all.length === wanted, most });
  const stretch = stretchOf(selected.lines, { isCut: selected.isCut, span, now });
  const happened = stretch ? await recall(stretch.from - ledUp) : [];
  return logPage({ ...selected, sent: all.length, span, now, stretch, asked, happened });
}

/** The lines of a log that were read, and the context to show with them. */
type LogReading = SelectedLines & {
  readonly asked: LogsInput;
  /** How many lines the host sent. */
  readonly sent: number;
  readonly span: TimeSpan;
  /** The drawn span; undefined if no line has a time. */
  readonly stretch: Stretch | undefined;
  /** Changes sent for the environment, oldest first. */
  readonly happened: readonly SentChange[];
  readonly now: number;
};

const newestShown = 3;
const lineCharacters = 160;
const fileCharacters = 8_000_000;
/** If some lines are older than this, times are shown with their day: at 3 a.m., 10:03 PM could be tonight or yesterday. */
const recent = 3 * hourMs;
/** In a shorter span, zooming in on the busiest minute would show nothing new. */
const wide = 8 * 60_000;

/** The drawn span: first to last line, extended to the requested span if all of that was read; undefined without times. */
function stretchOf(
  lines: readonly Line[],
  { isCut, span, now }: Pick<LogReading, 'isCut' | 'span' | 'now'>,
): Stretch | undefined {
  let [first, last] = [Infinity, -Infinity];
  for (const { at } of lines) {
    if (at === undefined) continue;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  if (first > last) return undefined;
  const from = isCut ? first : Math.min(span.from ?? first, first);
  const end = span.to === undefined ? (span.from === undefined ? last : now) : Math.min(span.to, now);
  return { from, to: Math.max(last, end) };
}

/** The overview of a log: volume over time, a breakdown, the newest lines, and buttons for a closer look. */
async function logPage(reading: LogReading): Promise<Page> {
  const { asked, lines, stretch } = reading;
  const all = await withRequests(reading);
  const failures = errorsIn(all, asked.log);
  const seen = asked.errors ? failures : all;
  const shown = asked.errors ? seen.map(({ line }) => line) : lines;
  if (shown.length === 0) return emptyPage(reading);
  const as = stretch && stretch.from > reading.now - recent ? 'time' : 'date';
  const section = await sectionOf(seen, asked, as);
  await setImmediate();
  const times = shown.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const busiest = busiestMinute(times);
  const activity = activityIn(reading, { times, busiest }, section, as);
  const newest = newestEntries(shown);
  const isAll = newest.length === shown.length && newest.every(({ text }) => text.length <= lineCharacters);
  return {
    title: titleOf(reading, shown, section.groups, stretch && say`${time(stretch.from, as)}–${time(stretch.to, as)}`),
    parts: [
      ...(reading.timeless === lines.length ? timelessNote(reading) : []),
      ...(activity?.volume ?? []),
      ...[...section.parts, activity?.changes ?? []].filter((part) => part.length > 0).map((part) => paragraph(part)),
      { kind: 'code', text: newest.map(({ text }) => cutTo(text, lineCharacters)).join('\n') },
    ],
    source: sourceOf(reading, isAll ? undefined : shown.length),
    offers: closerLooks(reading, { failures: failures.length, isAll, busiest }),
    ...(asked.full && { file: fileOf(asked, shown) }),
  };
}

/** The lines with their requests; an error log has none. */
const withRequests = async ({ asked, lines }: LogReading): Promise<readonly LineWithRequest[]> =>
  asked.log === 'error'
    ? lines.map((line) => ({ line, request: undefined }))
    : mapInChunks(lines, (chunk) => chunk.map(withRequest));

/** Volume over time, and our own changes in it; undefined if no line has a time. */
function activityIn(
  { asked, stretch, happened, isCut, span, timeless }: LogReading,
  { times, busiest }: { readonly times: readonly number[]; readonly busiest: ReturnType<typeof busiestMinute> },
  { firsts }: Section,
  as: 'time' | 'date',
): ReturnType<typeof activityOf> | undefined {
  if (stretch === undefined || busiest === undefined) return undefined;
  const before = happened.filter(({ at }) => at <= stretch.to);
  const isSome = timeless > 0 || asked.search !== undefined;
  const leavesOut = isCut || span.from !== undefined ? 'older lines' : isSome ? 'some lines' : undefined;
  return activityOf({ times, stretch, busiest, happened: before, firsts, leavesOut, as });
}

/** Buttons for a closer look. `failures`: how many lines are errors. `isAll`: the page shows every line. */
function closerLooks(
  { asked, lines, stretch }: LogReading,
  { failures, isAll, busiest }: { failures: number; isAll: boolean; busiest: ReturnType<typeof busiestMinute> },
): readonly Offer[] {
  const isMixed = failures > 0 && failures < lines.length;
  const isLong = stretch !== undefined && stretch.to - stretch.from > wide;
  const offers: Offer[] = [];
  if (!asked.errors && isMixed)
    offers.push({ label: 'Errors only', args: argsFor(asked, { errors: true, full: false }) });
  if (isLong && busiest && busiest.count > 1) offers.push(aroundOffer(asked, busiest.at));
  if (!isAll && !asked.full) offers.push({ label: 'Full log', args: argsFor(asked, { full: true }) });
  return offers;
}

/** The source of the page. `listed`: how many lines there are, if the page shows only the newest of them. */
const sourceOf = (reading: LogReading, listed?: number): Text =>
  joined(
    [
      listed === undefined ? [] : say`the newest of ${counted(listed, 'line')} are at the end`,
      readAt(reading.now),
      masked,
      ...leftOutNotes(reading),
      reading.newestIfUtc === undefined ? [] : say`no others${ifUtc(reading.newestIfUtc)}`,
    ],
    '; ',
  );
const masked = 'known secrets and e-mail addresses are masked, and visitors show as aliases';

/** Shown if no line has a time, because then nothing shows whether the lines are from the span that was asked for. */
const timelessNote = ({ lines, isCut, span: { from, to } }: LogReading): readonly PagePart[] =>
  from === undefined && to === undefined
    ? []
    : [
        paragraph(
          say`**These lines have no times that can be true, so I could not cut them to the span you asked for.** These are ${isCut ? 'the newest' : 'all'} ${counted(lines.length, 'line')} that the host sent.`,
        ),
      ];

/** Which lines were left out, and which may be outside the span. */
function leftOutNotes({ lines, asked, outside, unlike, timeless }: LogReading): readonly string[] {
  const leftOut = (left: number, which: string): string =>
    `${counted(left, 'line')} ${which} ${left === 1 ? 'is' : 'are'} left out`;
  return [
    ...(outside > 0 ? [leftOut(outside, 'outside this span')] : []),
    ...(unlike > 0 ? [leftOut(unlike, `without “${cutTo(asked.search ?? '', 80)}”`)] : []),
    ...(timeless > 0 && timeless < lines.length
      ? [`${counted(timeless, 'line')} ${timeless === 1 ? 'has' : 'have'} no time that can be true`]
      : []),
  ];
}

/** The newest lines. For a stack trace, the line to which it belongs. */
function newestEntries(lines: readonly Line[]): readonly Line[] {
  const heads = lines.filter(({ continues }) => !continues);
  return (lines.length <= newestShown || heads.length === 0 ? lines : heads).slice(-newestShown);
}

/** The lines of errors, or of failed requests. */
function errorsIn(lines: readonly LineWithRequest[], log: LogsInput['log']): readonly LineWithRequest[] {
  if (log !== 'error') return lines.filter(({ request }) => (request?.status ?? 0) >= 400);
  const errors = logEntriesOf(lines.map(({ line }) => line)).filter(isError);
  return errors.flatMap((entry) => entry.lines).map((line) => ({ line, request: undefined }));
}

async function sectionOf(
  lines: readonly LineWithRequest[],
  { log, errors }: LogsInput,
  as: 'time' | 'date',
): Promise<Section> {
  if (log === 'access') return accessSection(lines);
  if (log === 'cache') return cacheSection(lines);
  const read = lines.map(({ line }) => line);
  return errorSection(read, { as, errors });
}

function titleOf(
  { asked, lines, isCut }: LogReading,
  shown: readonly Line[],
  groups: Section['groups'],
  when?: Text,
): Text {
  const all = `${isCut ? 'the newest ' : ''}${counted(lines.length, 'line')}`;
  const counts = [shown.length === lines.length ? all : `${amount(shown.length)} of ${all}`];
  if (groups !== undefined) {
    // A line may have several messages, and a message several lines.
    if (groups.messages !== shown.length) counts.push(counted(groups.messages, 'message'));
    counts.push(counted(groups.kinds, 'kind'));
  }
  return joined(
    [
      headOf(asked),
      when,
      asked.errors ? 'errors only' : undefined,
      asked.search === undefined ? undefined : say`with “${cutTo(asked.search, 80)}”`,
      counts.join(', '),
    ],
    ' · ',
  );
}

const headOf = ({ env, log }: LogsInput): Text => say`**${env.name} · ${log} log**`;

function emptyPage(reading: LogReading): Page {
  const { asked, lines } = reading;
  const more = asked.errors && lines.length > 0 ? 'all lines, or ' : isNarrowed(asked) ? 'its newest lines, or ' : '';
  return {
    title: headOf(asked),
    parts: [paragraph(say`${nothingFoundText(reading)} Read ${more}another log.`)],
    source: joined([readAt(reading.now), ...leftOutNotes(reading)], '; '),
    offers: offersInstead(asked),
  };
}

/** Whether each entry says how grave it is. */
const isEachLeveled = (lines: readonly Line[]): boolean =>
  logEntriesOf(lines).every(({ messages }) => messages.every((message) => levelOf(message) === 'lesser'));

/** What was not found, and in which lines. Says nothing about lines that the host did not send. */
function nothingFoundText(reading: LogReading): Text {
  const {
    asked: { search },
    span,
    lines,
    sent,
    isCut,
    oldest,
    outside,
    newestIfUtc,
  } = reading;
  const newest = say`newest ${counted(sent, 'line')} of this log`;
  if (outside === sent && isCut && oldest !== undefined)
    return say`The ${newest} only go back to ${time(oldest, 'date')}, which is after the span you asked for. I can't read older ones.`;
  const about = joined([
    lines.length === 0 ? 'No line in' : isEachLeveled(lines) ? 'No error in' : 'No line that says it is an error in',
    lines.length > 0 ? counted(lines.length, 'line') : isCut ? say`the ${newest}` : 'this log',
    span.from === undefined ? undefined : say`since ${time(span.from, 'date')}`,
    span.to === undefined ? undefined : say`until ${time(span.to, 'date')}`,
    search === undefined ? undefined : say`with “${cutTo(search, 80)}”`,
  ]);
  return say`${about}${ifUtc(newestIfUtc)}.`;
}

function fileOf({ env, log }: LogsInput, lines: readonly Line[]): { readonly name: string; readonly content: string } {
  const text = lines.map((line) => line.text).join('\n');
  const content =
    text.length <= fileCharacters ? text : `(older lines left out)\n${text.slice(text.length - fileCharacters)}`;
  return { name: `${env.name.replace('/', '-')}-${log}.log`, content };
}

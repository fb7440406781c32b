import { spokenDuration, dayMs } from '../words/duration.ts';
import type { Environment } from '../hosting/contract/target.ts';
import {
  actor,
  amount,
  bold,
  code,
  inline,
  joined,
  plain,
  say,
  time,
  typed,
  type Text,
  codeOf,
  inShort,
  unseen,
  through,
} from '../words/text.ts';
import { ifUtc } from '../commands/kit/log-query.ts';
import { whyMissing } from '../commands/kit/site-status.ts';
import { counted, listOr, paragraph, type Page } from '../commands/kit/page.ts';
import { type TimeLine, type TimeLineEntry, type NamedActor, timeLineFor } from './time-line.ts';
import { sinceArg, startOf } from '../commands/kit/values/times.ts';
import { masker } from '../commands/logs/masking.ts';
import type { changesExport } from '../commands/builtin/changes/export.ts';
import type { Input } from '../commands/kit/fields.ts';
import { refuseUnlessShown } from '../access/sight.ts';
import { writeDown, type Asking } from '../decide/admin-actions.ts';
import type { Person } from '../access/access-check.ts';
import type { PipelineContext } from './context.ts';

/** What happened to an environment, as a page, and as a Markdown file: a start for a post-mortem. */

/** What happened to an environment, oldest first. */
export function timeLinePage(env: Environment, line: TimeLine): Page {
  const { entries, since, more } = line;
  return {
    title: say`**Time line of ${env.name}** · since ${time(since, 'date')}`,
    parts: [
      paragraph(logInWords(line), more ? leftOut : undefined),
      ...listOr(say`I see no change, lock or pause since then.`, entries.map(entryInWords)),
    ],
    source: say`changes to ${domainsInWords(line)} of its site are in it${wholeStory(entries)}`,
    offers: [
      { label: 'Export', args: ['changes', 'export', env.id, sinceArg(since)] },
      ...(line.log.kind === 'not allowed'
        ? []
        : [{ label: 'Error log', args: ['logs', env.id, 'error', sinceArg(since)] }]),
    ],
  };
}

/** How to read more about the newest change. */
function wholeStory(entries: readonly TimeLineEntry[]): Text {
  const newest = entries.findLast((entry) => entry.kind === 'change');
  return newest ? say`; ${typed(`change ${newest.number}`)} shows the whole story of #${newest.number}` : [];
}

/** Shown if older entries are missing. */
export const leftOut = say`There was more: the oldest changes, locks or pauses, or steps of changes, are left out.`;

/** The domains whose changes are included; follows *changes to*. */
const domainsInWords = ({ domains: { all, read } }: TimeLine): string =>
  read < all ? `${read} of the ${all} domains` : 'the domains';

/** What is known about the error log, and what isn't. */
function logInWords({ log, entries }: TimeLine): Text {
  if (log.kind !== 'found') return say`**Error log:** ${whyMissing(log).says} Its peaks are missing here.`;
  const { lines, readFrom, timeless: untimed, errors, newestIfUtc } = log.found;
  const peaks = entries.filter(({ kind }) => kind === 'peak').length;
  const unread =
    readFrom === undefined
      ? undefined
      : say`I could only read its newest ${counted(lines, 'line')}, back to ${time(readFrom, 'date')}: earlier peaks are missing here.`;
  const timeless =
    untimed === 0
      ? undefined
      : say`${counted(untimed, 'line')} ${untimed === 1 ? 'has' : 'have'} no time that can be true and can't be placed.`;
  const found = peaks === 0 ? 'no ten minutes stand out' : counted(peaks, 'peak');
  return joined([say`Error log: ${counted(errors, 'error')}, ${found}${ifUtc(newestIfUtc)}.`, unread, timeless]);
}

function entryInWords(entry: TimeLineEntry): Text {
  const at = time(entry.at, 'date');
  if (entry.kind === 'peak') {
    const { count, from, to, says } = entry;
    return say`📈 ${at} · ${bold(`${amount(count)} errors`)} in ${spokenDuration(to - from)}, mostly “${says}”`;
  }
  if (entry.kind === 'lock') {
    const terms = lockTerms(entry);
    return say`• ${at} · ${drawn(entry.who)} ${entry.says}${terms.length === 0 ? '' : say`: ${terms}`}`;
  }
  const { mark, number, title, reason, requester, handedOnBy, approvers, outcome } = entry;
  const handed = handedOnBy && say`, handed on by ${drawn(handedOnBy)}`;
  const approved = approvers.length === 0 ? '' : say`, approved by ${joined(approvers.map(drawn), ', ')}`;
  const why = reason && say` (“${reason}”)`;
  return say`${mark} ${at} · ${code(`#${number}`)} ${title}${why} · ${drawn(requester)}${handed}${approved} · ${outcome}`;
}

const drawn = ({ id, caller }: NamedActor): Text => through(caller, actor(id));

const lockTerms = ({ reason, until }: Extract<TimeLineEntry, { kind: 'lock' }>): Text =>
  joined(
    [
      reason === undefined ? undefined : say`“${reason}”`,
      until === undefined ? undefined : say`until ${time(until, 'date')}`,
    ],
    ', ',
  );

/**
 * Text for a Markdown file. No part of it can become a link, an image, HTML, a list or a heading, but for the links that
 * the policy makes of reasons.
 */

const maxLength = 1_000;
const hidden = new RegExp(unseen, 'gv');

/** One line, with credentials and e-mail addresses masked and hidden characters shown as codes. */
function tidy(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\t\n\r\u2028\u2029]+/g, ' ')
    .replaceAll(hidden, (character) => `⟨${codeOf(character)}⟩`);
  return masker((address) => address)(line.slice(0, maxLength));
}

/** Our words, names and titles, unchanged but without a meaning in Markdown. */
export function escapeMarkdown(text: string): string {
  return (
    tidy(text)
      .replaceAll(/[\\`*_{}[\]<>#|~!&$()]/g, '\\$&')
      // Addresses that become links without markup.
      .replaceAll(/:(?=\/\/)|(?<=\bwww)\.|@/gi, '\\$&')
  );
}

/** Typed text or text from a log, as code: it has no meaning in Markdown and mentions nobody. */
export function codeSpan(text: string): string {
  const shown = tidy(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const room = /^[` ]|[` ]$/.test(shown) || shown === '' ? ' ' : '';
  return `${fence}${room}${shown}${room}${fence}`;
}

/** A moment in epoch milliseconds: `2026-11-23 15:40:12 UTC`. */
export const utc = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A text of ours; `nameOf` gives the name for an id. */
function textToMarkdown(text: Text, nameOf: (id: string) => string): string {
  return inShort(text)
    .map((span) => {
      if ('at' in span) return utc(span.at);
      if ('person' in span) return escapeMarkdown(nameOf(span.person));
      if ('userGroup' in span) return escapeMarkdown(span.userGroup);
      if ('channel' in span) return escapeMarkdown(span.channel);
      // Our text may begin or end with a space, which bold does not allow.
      return span.style === 'code' ? codeSpan(span.text) : escapeMarkdown(span.text);
    })
    .join('');
}

/** The activity of an environment as a Markdown file: a start for a post-mortem. */

const maxCharacters = 1_000_000;

const defaultSince = { ago: 2 * dayMs };

/** The export is audited. */
export async function changesExportPage(
  context: PipelineContext,
  asking: Asking,
  { env, since = defaultSince }: Input<typeof changesExport.fields>,
): Promise<Page> {
  const from = startOf(since, Date.now(), asking.person.zone, '2d');
  const { file, line } = timeLineFile(env, await timeLineFor(context, asking, env, from), asking.person);
  const { entries, withoutChanges, more } = line;
  // Before it is written: the rules may have changed while it was read.
  refuseUnlessShown(context, asking.person, asking.sight.shown());
  await writeDown(context, asking, { event: 'changes_export', about: [env], since: from, entries: entries.length });
  return {
    title: say`**Time line of ${env.name} as a file** · ${counted(entries.length, 'entry', 'entries')} since ${time(from, 'date')}`,
    parts: [
      paragraph(
        say`It has what you can see, oldest first, in Markdown and with times in UTC. The audit trail records this export.`,
        withoutChanges && say`**Changes:** ${withoutChanges}`,
        logInWords(line),
        more ? leftOut : undefined,
      ),
    ],
    file,
  };
}

/** The file, and the entries that fit: the newest. */
export function timeLineFile(env: Environment, line: TimeLine, by: Person) {
  const nameOf = namesIn(line, by);
  const drawn: string[] = [];
  let characters = 0;
  for (const entry of line.entries.toReversed()) {
    const text = entryIn(entry, nameOf);
    characters += text.length;
    if (characters > maxCharacters) break;
    drawn.push(text);
  }
  const entries = drawn.length === 0 ? [] : line.entries.slice(-drawn.length);
  const shown = { ...line, entries, more: line.more || entries.length < line.entries.length };
  const { withoutChanges: hidden } = line;
  const none = say`I saw no ${hidden ? 'lock' : 'change, lock'} or pause in that time.`;
  const content = [
    `# Time line of ${escapeMarkdown(env.name)}`,
    `From ${utc(line.since)} to ${utc(line.until)}, exported by ${escapeMarkdown(nameOf(by.id))}. Changes to ${domainsInWords(line)} of its site are in it.`,
    'Only what the exporting person may read is in it. Known shapes of credentials and e-mail addresses are masked.',
    textToMarkdown(logInWords(shown), nameOf),
    ...(hidden ? [textToMarkdown(say`**Changes:** ${hidden}`, nameOf)] : []),
    ...(shown.more ? [textToMarkdown(leftOut, nameOf)] : []),
    '## What happened',
    entries.length === 0 ? textToMarkdown(none, nameOf) : drawn.toReversed().join('\n'),
  ].join('\n\n');
  const day = new Date(line.until).toISOString().slice(0, 10);
  const name = `time-line-${env.name.replaceAll(/[^\w.-]+/g, '-')}-${day}.md`;
  return { file: { name, content: `${content}\n` }, line: shown };
}

function entryIn(entry: TimeLineEntry, nameOf: (id: string) => string): string {
  const at = `* **${utc(entry.at)}**`;
  const whoIs = ({ id, caller }: NamedActor): string =>
    `${caller === undefined ? '' : `${codeSpan(caller)} for `}${escapeMarkdown(nameOf(id))}`;
  if (entry.kind === 'peak')
    return `${at} Error log: ${amount(entry.count)} errors until ${utc(entry.to)}, mostly ${codeSpan(entry.says)}`;
  if (entry.kind === 'lock') {
    const until = entry.until === undefined ? '' : `, until ${utc(entry.until)}`;
    return `${at} ${whoIs(entry.who)} ${escapeMarkdown(entry.says)}${until}${because(entry.reason)}`;
  }
  const { number, title, mark, requester, handedOnBy, approvers, outcome, site, tookMs, moments, moreMoments } = entry;
  const handed = handedOnBy === undefined ? '' : `, handed on by ${whoIs(handedOnBy)}`;
  const approved = approvers.length === 0 ? '' : `; approved by ${approvers.map(whoIs).join(', ')}`;
  const took = tookMs === undefined ? '' : ` It took ${spokenDuration(tookMs)}.`;
  return [
    `${at} ${mark} **\\#${number} ${escapeMarkdown(title)}**`,
    `  * Asked by ${whoIs(requester)}${handed}${because(entry.reason)}${approved}`,
    `  * ${textToMarkdown(outcome, nameOf)}${took}`,
    ...(site === undefined ? [] : [`  * The site ${textToMarkdown(site, nameOf)}.`]),
    ...moments.map((one) => `  * ${utc(one.at)} ${whoIs(one.who)}: ${escapeMarkdown(one.says)}`),
    ...(moreMoments > 0 ? [`  * … and ${amount(moreMoments)} more.`] : []),
  ].join('\n');
}

/** A reason as it was typed, and the addresses of its links behind it. */
function because(given: Text | string | undefined): string {
  const reason = inline(given);
  if (reason.length === 0) return '';
  const urls = reason.flatMap((span) => ('text' in span && span.url !== undefined ? [` <${tidy(span.url)}>`] : []));
  return `: ${codeSpan(plain(reason))}${urls.join('')}`;
}

/** Names by id, as far as the entries have them: `Ana (U01ANA)`. */
function namesIn({ entries }: TimeLine, by: Person): (id: string) => string {
  const names = new Map([[by.id, by.name]]);
  const add = ({ id, name }: NamedActor): void => void (name !== undefined && names.set(id, name));
  for (const entry of entries) {
    if (entry.kind === 'lock') add(entry.who);
    if (entry.kind !== 'change') continue;
    const { requester, handedOnBy = requester, approvers, moments } = entry;
    for (const who of [handedOnBy, requester, ...approvers, ...moments.map((one) => one.who)]) add(who);
  }
  return (id) => {
    if (id === 'sitehand') return 'Sitehand';
    const name = names.get(id);
    return name === undefined ? id : `${name} (${id})`;
  };
}

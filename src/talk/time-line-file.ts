import type { changesExport } from '../commands/builtin/changes/export.ts';
import type { Input } from '../commands/kit/fields.ts';
import { counted, paragraph, type Page } from '../commands/kit/page.ts';
import { startOf } from '../commands/kit/values/times.ts';
import { refuseUnlessShown } from '../access/sight.ts';
import { writeDown, type Asking } from '../decide/admin-actions.ts';
import { dayMs, spokenDuration } from '../words/duration.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { amount, say, time } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import type { PipelineContext } from './context.ts';
import { codeSpan, escapeMarkdown, textToMarkdown, utc } from './markdown.ts';
import { timeLineFor, type NamedActor, type TimeLine, type TimeLineEntry } from './time-line.ts';
import { domainsInWords, leftOut, logInWords } from './time-line-page.ts';

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
  const whoIs = ({ id }: NamedActor): string => escapeMarkdown(nameOf(id));
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

const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${codeSpan(reason)}`);

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

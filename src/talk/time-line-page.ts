import { spokenDuration } from '../words/duration.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { actor, amount, bold, code, joined, say, time, typed, type Text } from '../words/text.ts';
import { ifUtc } from '../commands/kit/log-query.ts';
import { whyMissing } from '../commands/kit/site-status.ts';
import { counted, listOr, paragraph, type Page } from '../commands/kit/page.ts';
import type { TimeLine, TimeLineEntry, NamedActor } from './time-line.ts';
import { sinceArg } from '../commands/kit/values/times.ts';

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
export const domainsInWords = ({ domains: { all, read } }: TimeLine): string =>
  read < all ? `${read} of the ${all} domains` : 'the domains';

/** What is known about the error log, and what isn't. */
export function logInWords({ log, entries }: TimeLine): Text {
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
    return say`• ${at} · ${actor(entry.who.id)} ${entry.says}${terms.length === 0 ? '' : say`: ${terms}`}`;
  }
  const { mark, number, title, reason, requester, handedOnBy, approvers, outcome } = entry;
  const handed = handedOnBy && say`, handed on by ${drawn(handedOnBy)}`;
  const approved = approvers.length === 0 ? '' : say`, approved by ${joined(approvers.map(drawn), ', ')}`;
  const why = reason === undefined ? '' : ` (“${reason}”)`;
  return say`${mark} ${at} · ${code(`#${number}`)} ${title}${why} · ${drawn(requester)}${handed}${approved} · ${outcome}`;
}

const drawn = ({ id }: NamedActor): Text => [actor(id)];

const lockTerms = ({ reason, until }: Extract<TimeLineEntry, { kind: 'lock' }>): Text =>
  joined(
    [
      reason === undefined ? undefined : say`“${reason}”`,
      until === undefined ? undefined : say`until ${time(until, 'date')}`,
    ],
    ', ',
  );

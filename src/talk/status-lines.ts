import { actor, amount, bold, code, joined, mention, say, time, typed, type Text, through } from '../words/text.ts';
import { addressesInShort } from '../commands/allowlist/listing.ts';
import { cutTo } from '../commands/logs/section.ts';
import type { Pause } from '../storage/kv.ts';
import type { TimerLine } from '../waiting/timer-list.ts';
import type { ListedChange } from './changes-pages.ts';
import { heldBy } from './lock-pages.ts';
import { ifUtc } from '../commands/kit/log-query.ts';
import { age, counted, isAhead } from '../commands/kit/page.ts';
import {
  whyMissing,
  type LoudestError,
  type NewestBackup,
  type StatusLine,
  type StatusPart,
  type StatusText,
} from '../commands/kit/site-status.ts';
import type { Pauses } from '../decide/admin-actions.ts';
import type { FirstReading, SiteStatus, SiteWork } from './site-status.ts';
import { impressionIn, impressionOf, slownessIn, type Look, type SiteReading } from '../site-check/reading.ts';
import { asWhom, certificateIn, isOnlyCached, seconds } from '../commands/check.ts';
import { isOldBackup } from '../commands/backups/newest.ts';

const maxOpen = 3;
const maxTimed = 2;
/** Longer texts would push the buttons off a phone's screen. */
const titleCharacters = 64;
const reasonCharacters = 40;
const maxAddresses = 1;
const errorCharacters = 90;
/** So many lines that don't say what they are need a look. */
const manyWithoutLevel = 5;

const maxLooks = 2;
const follows = "Verdict within 25 s, unless I'm restarted.";

/** The site, its errors and its backup, and what else is not as usual; the most helpful first. */
export function linesOf(status: SiteStatus, now: number): readonly StatusLine[] {
  /** `tell`: undefined is as usual. */
  const line = <T>(
    label: string,
    part: StatusPart<T>,
    tell: (found: T) => StatusText | undefined,
  ): readonly StatusLine[] => {
    const text = part.kind === 'found' ? tell(part.found) : whyMissing(part);
    return text === undefined ? [] : [{ label, ...text }];
  };
  return [
    { label: 'Site', ...siteText(status.site) },
    ...line('Errors of the last hour', status.errors, errorsText),
    ...status.freezes.map((says) => ({ label: 'Freeze', mark: '⚠️' as const, says })),
    ...line('Lock and open changes', status.work, workText),
    ...line('Last changes', status.changes, changesText),
    ...line('Newest backup', status.backup, (backup) => backupText(backup, now)),
    ...line('Timed access', status.access, accessText),
    ...line('Sending', status.pauses, pausesText),
  ];
}

function siteText(part: StatusPart<FirstReading>): StatusText {
  if (part.kind === 'late')
    return { mark: '❔', says: say`unknown: one reading had not ended after ${part.afterMs / 1_000} s. ${follows}` };
  if (part.kind !== 'found') return whyMissing(part);
  const { found } = part;
  if (found.kind === 'cannot be checked')
    return { mark: '❔', says: say`can't be checked: ${found.why}. I didn't contact it.` };
  const { reading, instead } = found;
  const there = instead && say`Asked ${code(instead)} instead of the site.`;
  const { mark, says } = readingText(reading);
  return { mark, says: joined([says, there]) };
}

function readingText(reading: SiteReading): StatusText {
  const { looks, missing } = reading;
  const rest = looks.length - maxLooks;
  const details = [
    ...missing.slice(0, 1).map((one) => say`“${one.text.slice(0, 60)}” is missing ${asWhom(one)}`),
    ...looks.slice(0, maxLooks).map(lookText),
    ...(rest > 0 ? [say`${counted(rest, 'more answer')}`] : []),
  ];
  const all = say`${joined(details, ', ')}.`;
  const cached = isOnlyCached(looks) && say`Visitors still get pages, but past the cache the site fails.`;
  switch (impressionIn(reading)) {
    case 'well': {
      const isSlow = slownessIn([reading]) !== undefined;
      const how = isSlow ? say`**answers, but slowly**, in one reading` : say`answers well in one reading`;
      return { mark: isSlow ? '⚠️' : '✅', says: joined([say`${how}: ${all}`, certificateIn(looks)]) };
    }
    case 'bad':
      return {
        mark: '⚠️',
        says: joined([say`**answers badly** in one reading: ${all}`, cached || undefined, follows]),
      };
    case 'unknown':
      return { mark: '❔', says: say`unknown by one reading: ${all}` };
    case 'cannot be checked':
      return { mark: '❔', says: say`can't be checked: ${all}` };
  }
}

function lookText(look: Look): Text {
  if (look.kind === 'not checked') return say`not asked, because ${look.why}`;
  if (look.kind === 'no answer') return say`no answer ${asWhom(look)}: it ${look.why}`;
  const status = impressionOf(look) === 'bad' ? bold(String(look.status)) : String(look.status);
  const but = look.trouble ?? look.unread;
  return say`${status} in ${seconds(look.ms)} ${asWhom(look)}${but ? ` (${but})` : ''}`;
}

function errorsText(found: LoudestError): StatusText {
  const { errors, kinds, possible, withoutLevel, others, loudest, cut: left, isTimeless, newestIfUtc } = found;
  const where = whichLines(found);
  // Many plugins write lines without a level. A few of them are just a fact, many could be an outage.
  const isUnclear = possible > 0 || withoutLevel >= manyWithoutLevel;
  if (loudest === undefined || (errors === 0 && !isUnclear)) {
    const mark = left || isTimeless || newestIfUtc !== undefined ? '❔' : withoutLevel > 0 ? '•' : '✅';
    return { mark, says: say`${noErrorText(found)}${ifUtc(newestIfUtc)}.${where}` };
  }
  const more = newestIfUtc === undefined ? '' : say` No others${ifUtc(newestIfUtc)}.`;
  const { says, count, last } = loudest;
  const mark = last === undefined ? '❔' : '⚠️';
  const when = last === undefined ? '' : say`, last ${time(last)}`;
  const most = say`most frequent, ${bold(`${amount(count)}×`)}${when}: “${cutTo(says, errorCharacters)}”.`;
  if (errors === 0) {
    const beside = others === 0 ? '' : ` Beside them, ${lesserText(others)}.`;
    return { mark, says: say`${noErrorText({ ...found, others: 0 })}; ${most}${beside}${where}${more}` };
  }
  const rest =
    errors > count ? ` ${counted(errors - count, 'more error')} of ${counted(kinds - 1, 'other kind')}.` : '';
  return { mark, says: say`${most}${rest}${where}${more}` };
}

const whichLines = ({ cut: left, isTimeless, timelessErrors }: LoudestError): Text =>
  joined(
    [
      left &&
        say` Only the newest lines were read${left.since === undefined ? '' : say`, back to ${time(left.since)}`}.`,
      isTimeless ? ` ${timelessText(timelessErrors)} be of another hour.` : undefined,
    ],
    '',
  );

const timelessText = (errors: number): string =>
  errors === 0
    ? 'Some lines have no time that can be true, so they may'
    : counted(
        errors,
        'error has no time that can be true, so it may',
        'errors have no time that can be true, so they may',
      );

function noErrorText({ others, possible, withoutLevel, timelessErrors, newestIfUtc }: LoudestError): string {
  const unclear = [
    possible > 0 ? `${counted(possible, 'message')} could be` : '',
    withoutLevel > 0 ? counted(withoutLevel, "line doesn't say what it is", "lines don't say what they are") : '',
  ].filter((part) => part !== '');
  const said =
    unclear.length === 0
      ? newestIfUtc === undefined
        ? 'no error'
        : 'none'
      : `no line ${timelessErrors > 0 ? 'with a time ' : ''}says that it is an error, but ${unclear.join(', and ')}`;
  return others === 0 ? said : `${said}; ${lesserText(others)}`;
}

const lesserText = (others: number): string => counted(others, 'warning or notice', 'warnings and notices');

function workText(work: SiteWork): StatusText | undefined {
  const { lock, open, hidden, queued, more } = work;
  const locked =
    lock && say`${heldBy({ ...lock.info, why: shortened(lock.info.why) })}, since ${time(lock.since, 'date')}.`;
  const isIdle = open.length + hidden === 0 && !more;
  if (isIdle && queued === 0 && lock === undefined) return undefined;
  const isUnclear = open.some(({ state }) => state.includes('unknown'));
  return {
    mark: lock !== undefined || isUnclear ? '⚠️' : '•',
    says: isIdle ? joined([locked, idleText(queued)]) : joined([locked, listed(openTexts(work))], ''),
  };
}

const idleText = (queued: number): Text =>
  queued === 0 ? say`Nothing is waiting or running.` : say`No change is open, but ${inQueue(queued)}.`;
const inQueue = (queued: number): Text => say`${typed('queue')} has ${counted(queued, 'request')}`;

function changesText({
  lines,
  more,
}: {
  readonly lines: readonly ListedChange[];
  readonly more: boolean;
}): StatusText | undefined {
  if (lines.length > 0) return { mark: '•', says: listed(lines.map(changeText)) };
  return more ? { mark: '•', says: say`none that you can see among the newest ones.` } : undefined;
}

/** The newest open changes, and what else waits. */
function openTexts({ open, hidden, queued, more }: SiteWork): readonly Text[] {
  const shown = open.slice(0, maxOpen).map(changeText);
  const rest = open.length - shown.length;
  const notes = joined(
    [
      rest > 0
        ? othersText(rest, more)
        : more
          ? rest + shown.length > 0
            ? 'there may be more'
            : 'there may be open changes'
          : undefined,
      hidden > 0 ? hiddenText(hidden, shown.length === 0) : undefined,
      queued > 0 ? inQueue(queued) : undefined,
    ],
    ', ',
  );
  return notes.length === 0 ? shown : [...shown, notes];
}

const hiddenText = (hidden: number, isAll: boolean): string =>
  `${isAll ? counted(hidden, 'open change') : `and ${hidden}`} that you can't see`;

const othersText = (rest: number, more: boolean): string =>
  more ? `and ${amount(rest)} or more others` : `and ${counted(rest, 'other')}`;

const shortened = (why: string): string => cutTo(why, reasonCharacters);

const changeText = ({ number, state, title, requester, caller, beside, at, sentAt }: ListedChange): Text =>
  joined(
    [
      say`${state}: ${cutTo(title, titleCharacters)} ${code(`#${number}`)}, asked by ${through(caller, mention(requester))}${sentAt === undefined ? '' : ', sent'} ${time(sentAt ?? at, 'date')}`,
      beside,
    ],
    ' · ',
  );

const listed = (lines: readonly Text[]): Text => joined(['', ...lines.map((line) => say`\n   ${line}`)], '');

function backupText(backup: NewestBackup, now: number): StatusText {
  if (backup === null)
    return { mark: '⚠️', says: say`**the host lists none.** Without one, what is overwritten or deleted is lost.` };
  const kind = backup.type || 'of unknown kind';
  if (backup.at === undefined) return { mark: '❔', says: say`${kind}; the host doesn't say how old it is.` };
  return {
    mark: isAhead(backup.at, now) ? '❔' : isOldBackup(backup.at, now) ? '⚠️' : '✅',
    says: say`${kind}, ${age(now - backup.at)} (${time(backup.at, 'date')}).`,
  };
}

function accessText({
  lines,
  more,
}: {
  readonly lines: readonly TimerLine[];
  readonly more: boolean;
}): StatusText | undefined {
  if (lines.length === 0)
    return more ? { mark: '•', says: say`none that you can see among the next to end.` } : undefined;
  const shown = lines
    .slice(0, maxTimed)
    .map(({ addresses, endsAt, requester, change, standing }) =>
      joined([
        say`${addressesInShort(addresses, maxAddresses)} until ${time(endsAt, 'date')} ${code(`#${change}`)}, ${mention(requester)}.`,
        standing,
      ]),
    );
  const rest = lines.length - shown.length;
  const others = rest > 0 ? [say`${othersText(rest, more)}`] : more ? [say`there may be more`] : [];
  return {
    mark: lines.some(({ standing }) => standing !== undefined) ? '⚠️' : '•',
    says: listed([...shown, ...others]),
  };
}

function pausesText({ all, callers }: Pauses): StatusText | undefined {
  if (!all && !callers) return undefined;
  const before = all?.earlier && say`, and before that by ${actor(all.earlier.by)}`;
  const says = [all && pauseText('paused', all, before), callers && pauseText('programs paused', callers)];
  return { mark: '⚠️', says: joined(says) };
}

function pauseText(what: string, { by, at, why }: Pause, before?: Text): Text {
  const because = why === undefined ? '' : say` (“${shortened(why)}”)`;
  return say`**${what}** by ${actor(by)} since ${time(at, 'date')}${because}${before}.`;
}

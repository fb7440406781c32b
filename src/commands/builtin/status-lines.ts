import { amount, bold, code, inline, joined, person, actor, say, time, type Text } from '../../text.ts';
import { spoken } from '../allowlist/listing.ts';
import { cut } from '../logs/section.ts';
import type { ChangeLine, Pause, TimerLine } from '../kit/change-lines.ts';
import { heldBy } from '../kit/lock-info.ts';
import { siteTold } from './status-site.ts';
import { notFound, type StatusLine, type Told } from './status-told.ts';
import { age, counted } from '../kit/page.ts';
import type { LoudestError, NewestBackup, SiteStatus, SiteWork, StatusPart } from '../kit/site-status.ts';

const dayMs = 86_400_000;
const maxOpen = 3;
const maxTimed = 2;
/** Longer texts would push the buttons off a phone's screen. */
const titleCharacters = 48;
const reasonCharacters = 40;
const maxAddresses = 1;
const errorCharacters = 90;

/** Every part, in the order in which they help. */
export function linesOf(status: SiteStatus, now: number): readonly StatusLine[] {
  const line = <T>(label: string, part: StatusPart<T>, tell: (found: T) => Told): StatusLine => ({
    label,
    ...(part.kind === 'found' ? tell(part.found) : notFound(part)),
  });
  return [
    { label: 'Site', ...siteTold(status.site) },
    line('Errors of the last hour', status.errors, errorsTold),
    line('Lock and open changes', status.work, workTold),
    line('Last changes', status.changes, ({ lines, more }) => ({
      mark: '•',
      says:
        lines.length > 0
          ? listed(lines.map(changeTold))
          : more
            ? say`none that you can see among the newest ones.`
            : say`none that you can see.`,
    })),
    line('Newest backup', status.backup, (backup) => backupTold(backup, now)),
    line('Timed access', status.access, accessTold),
    line('Sending', status.pause, pauseTold),
  ];
}

function errorsTold({ errors, others, loudest, cut: left, isTimeless }: LoudestError): Told {
  const where = left
    ? left.since === undefined
      ? say` Only the newest lines were read, and they have no times.`
      : say` Only the newest lines were read, back to ${time(left.since)}.`
    : isTimeless
      ? say` Some lines have no time and may be older.`
      : [];
  if (loudest === undefined) {
    const rest =
      others === 0 ? 'no error.' : `no error; ${counted(others, 'warning or notice', 'warnings and notices')}.`;
    return { mark: left || isTimeless ? '❔' : '✅', says: joined([rest, where], '') };
  }
  const { says, count, last } = loudest;
  const when = last === undefined ? '' : say`, last ${time(last)}`;
  const rest = errors > count ? ` ${counted(errors - count, 'other error')}.` : '';
  return {
    mark: '⚠️',
    says: say`loudest, ${bold(`${amount(count)}×`)}${when}: “${cut(says, errorCharacters)}”.${rest}${where}`,
  };
}

function workTold({ lock, open, hidden, more }: SiteWork): Told {
  const locked =
    lock && say`${heldBy({ ...lock.hold, why: shortened(lock.hold.why) })}, since ${time(lock.since, 'date')}.`;
  const shown = open.slice(0, maxOpen).map(changeTold);
  const rest = open.length - shown.length;
  const notes = [
    rest > 0 ? `and ${rest}${more ? ' or more' : ''} others` : more ? 'there may be more' : '',
    hidden > 0 ? `and ${hidden} that you can't see` : '',
  ].filter((note) => note !== '');
  const isIdle = open.length + hidden === 0;
  const isUnclear = open.some(({ state }) => state.includes('unknown'));
  const all = notes.length === 0 ? shown : [...shown, inline(notes.join(', '))];
  return {
    mark: lock !== undefined || isUnclear ? '⚠️' : isIdle ? '✅' : '•',
    says: isIdle
      ? joined([locked ?? 'not locked.', 'Nothing is waiting or running.'])
      : joined([locked ?? say`not locked.`, listed(all)], ''),
  };
}

const shortened = (why: string): string => cut(why, reasonCharacters);

const changeTold = ({ number, state, title, requester, at, sentAt }: ChangeLine): Text =>
  say`${state}: ${cut(title, titleCharacters)} ${code(`#${number}`)}, ${person(requester)}, ${sentAt === undefined ? 'asked' : 'sent'} ${time(sentAt ?? at, 'date')}`;

const listed = (lines: readonly Text[]): Text => joined(['', ...lines.map((line) => say`\n   ${line}`)], '');

function backupTold(backup: NewestBackup, now: number): Told {
  if (backup === null) return { mark: '⚠️', says: say`**there is none.** What is overwritten or deleted is lost.` };
  const kind = backup.type || 'of unknown kind';
  if (backup.at === undefined) return { mark: '❔', says: say`${kind}; the host doesn't say how old it is.` };
  return {
    mark: now - backup.at > dayMs ? '⚠️' : '✅',
    says: say`${kind}, ${age(now - backup.at)} (${time(backup.at, 'date')}).`,
  };
}

function accessTold({ lines, more }: { readonly lines: readonly TimerLine[]; readonly more: boolean }): Told {
  if (lines.length === 0) {
    return { mark: '•', says: more ? say`none that you can see among the next to end.` : say`none that you can see.` };
  }
  const shown = lines
    .slice(0, maxTimed)
    .map(({ addresses, endsAt, requester, change, standing }) =>
      joined([
        say`${spoken(addresses, maxAddresses)} until ${time(endsAt, 'date')} ${code(`#${change}`)}, ${person(requester)}.`,
        standing,
      ]),
    );
  const rest = lines.length - shown.length;
  const others = rest > 0 || more ? [say`and ${rest > 0 ? amount(rest) : ''}${more ? ' or more' : ''} others`] : [];
  return {
    mark: lines.some(({ standing }) => standing !== undefined) ? '⚠️' : '•',
    says: listed([...shown, ...others]),
  };
}

function pauseTold(pause: Pause | undefined): Told {
  if (pause === undefined) return { mark: '✅', says: inline('not paused.') };
  const why = pause.why === undefined ? '' : say` (“${shortened(pause.why)}”)`;
  const earlier = pause.earlier && say`, and before that by ${actor(pause.earlier.by)}`;
  return { mark: '⚠️', says: say`**paused** by ${actor(pause.by)} since ${time(pause.at, 'date')}${why}${earlier}.` };
}

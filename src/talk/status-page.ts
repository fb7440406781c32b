import { freezeLines, freezesAt } from '../access/freeze-words.ts';
import { mayRunOn } from '../access/may-run.ts';
import { Refusal, type Args, type Offer } from '../base/errors.ts';
import { checkPage, isOnlyCached } from '../commands/check.ts';
import type { BuiltinAnswer } from '../commands/kit/builtin.ts';
import { paragraph, age, counted, isAhead, type Page } from '../commands/kit/page.ts';
import { type StatusLine, whyMissing, type NewestBackup, type StatusPart } from '../commands/kit/site-status.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { bindingFor } from '../decide/channel-binding.ts';
import type { Environment, Environments } from '../hosting/contract/target.ts';
import { impressionIn, slownessIn } from '../site-check/reading.ts';
import { joined, sample, say, time, type Text, code, withoutQuotes, type Inline } from '../words/text.ts';
import type { PipelineContext } from './context.ts';
import { namesFor } from './environments-page.ts';
import { statusOf, type SiteStatus, briefStatusOf, type BriefStatus, type SiteWork } from './site-status.ts';
import { linesOf } from './status-lines.ts';
import { manyPage, type Ranked } from '../commands/many-environments.ts';
import { isOldBackup } from '../commands/backups/newest.ts';

/** The status of one environment, or a line for each of many, whose sites and logs are not read. */

const maxChoices = 5;
const maxOffers = 6;

export async function statusPage(
  context: PipelineContext,
  asking: Asking,
  { env }: { readonly env: Environment | Environments | undefined },
): Promise<BuiltinAnswer> {
  if (env === undefined) return choose(context, asking);
  if (env.kind === 'environments') return statusOfMany(context, asking, env);
  const now = Date.now();
  const found = await statusOf(context, asking, env);
  const { verdict } = found;
  const lines = linesOf(found, now);
  return {
    title: titleOf(env, lines),
    parts: [paragraph(...lines.map(({ mark, label, says }) => say`${mark} **${label}:** ${says}`))],
    source: say`read ${time(now, 'date')}, each part by itself; what is as usual is left out; for you alone`,
    offers: offersFor(found, env, (path) => mayRunOn(context.policy(), asking.person, path, env) === 'yes'),
    ...(verdict && { later: async () => checkPage(env, await verdict()) }),
  };
}

/** The title of a status. Parts that are unknown or hidden from this person are neither well nor bad. */
function titleOf({ name }: Environment, lines: readonly StatusLine[]): Text {
  const of = (mark: StatusLine['mark']): number => lines.filter((line) => line.mark === mark).length;
  const [bad, unknown, hidden] = [of('⚠️'), of('❔'), of('🚫')];
  const needLook = bad === 0 ? 'nothing needs a look' : `${bad} ${bad === 1 ? 'part needs' : 'parts need'} a look`;
  const unclear = [
    unknown > 0 ? `${unknown} ${unknown === 1 ? 'is' : 'are'} unknown` : '',
    hidden > 0 ? `${hidden} you may not see` : '',
  ].filter((part) => part !== '');
  const rest = unclear.length === 0 ? '' : `${bad === 0 ? ' in what I could read' : ''}; ${unclear.join(', ')}`;
  return say`${bad > 0 ? '⚠️' : unclear.length > 0 ? '❔' : '✅'} **${name}** · ${needLook}${rest}`;
}

/** What is known of a site that commands can help with. `around`: the change that is open, or the last one. */
function signsIn({ site, errors, backup, work, changes, pauses, access }: SiteStatus) {
  const reading = site.kind === 'found' && site.found.kind === 'read' ? site.found.reading : undefined;
  const [newest] = work.kind === 'found' ? work.found.open : [];
  const [last] = changes.kind === 'found' ? changes.found.lines : [];
  return {
    isWell: reading && impressionIn(reading) === 'well' && slownessIn([reading]) === undefined,
    // Without its cache, everybody would get the error.
    needsCache: reading && isOnlyCached(reading.looks),
    hasErrors: errors.kind === 'found' && errors.found.errors > 0,
    isPaused: pauses.kind === 'found' && pauses.found.all,
    isRecent: backup.kind === 'found' && backup.found !== null,
    isTimed: access.kind === 'found' && access.found.lines.length > 0,
    holder: work.kind === 'found' ? work.found.lock?.info.by : undefined,
    around: newest ?? last,
  };
}

/** What helps next, most urgent first; only commands that the rules certainly let this person run. */
function offersFor(found: SiteStatus, env: Environment, may: (path: string) => boolean): readonly Offer[] {
  const { isWell, needsCache, hasErrors, isPaused, isRecent, isTimed, holder, around } = signsIn(found);
  const offer = (path: string, label: string, words: readonly string[] = [env.id]): readonly Offer[] =>
    may(path) ? [{ label, args: [...path.split(' '), ...words] }] : [];
  // A person's lock keeps all changes away. Behind a change, a request can queue.
  const isHeld = holder !== undefined && 'person' in holder;
  // A wrong press is easy on a phone, so a change always opens a form first.
  const form = (...of: Parameters<typeof offer>): readonly Offer[] =>
    offer(...of).map((one) => ({ ...one, opens: 'form' }));
  const backups = offer('backups list', 'Backups');
  return [
    ...offer('logs', 'Error log', [env.id, 'error', '--since=1h', ...(hasErrors ? ['--errors'] : [])]),
    ...(isWell ? [] : offer('check', 'Check the site')),
    ...(isPaused || isHeld || needsCache ? [] : form('cache clear', 'Clear the cache')),
    ...(isPaused ? form('resume', 'Resume', []) : []),
    ...(isHeld ? form('unlock', 'Unlock') : []),
    ...(isRecent ? [] : backups),
    ...(around ? offer('change', `Change #${around.number}`, [String(around.number)]) : []),
    ...offer('changes', 'Changes'),
    ...(isTimed ? offer('timers', 'Timed access') : []),
    ...(holder ? [] : form('lock', 'Lock')),
    ...(isRecent ? backups : []),
  ].slice(0, maxOffers);
}

/** Without a target: the channel's site, if it has one environment or one live environment; otherwise the choices. */
async function choose(context: PipelineContext, asking: Asking): Promise<{ readonly instead: Args }> {
  const { policy, recent } = context;
  const { person } = asking;
  const bound = await bindingFor(context, asking).bound();
  const { environments: listed, trouble } = namesFor(context, asking);
  const environments = listed.filter((env) => mayRunOn(policy(), person, 'status', env) === 'yes');
  const ofSite = environments.filter(({ site }) => bound !== undefined && (site?.id ?? site?.name) === bound.site);
  const live = ofSite.filter((one) => one.live);
  const [only, ...others] = live.length > 0 ? live : ofSite;
  if (only && others.length === 0) return { instead: ['status', only.id] };
  const choices = bound
    ? ofSite
    : (await recent.of(person.id)).flatMap((used) => environments.find(({ id }) => id === used) ?? []);
  const why =
    bound === undefined
      ? say`Which environment?`
      : ofSite.length === 0
        ? say`This channel is bound to ${bound.name}, but I can't find an environment of it among those you can see.`
        : say`This channel is bound to ${bound.name}. Which of its environments?`;
  throw new Refusal(joined([why, trouble, 'Nothing was read.']), {
    hint: say`Name it, as in ${sample('status acme-shop/live')}.`,
    offers: [
      ...choices.slice(0, maxChoices).map(({ id, name }) => ({ label: name, args: ['status', id] })),
      { label: 'Choose an environment', args: ['status'], opens: 'form' },
    ],
  });
}

/** What is at hand of many environments, a line each. Their sites and logs are not read, so none is called well. */

async function statusOfMany(context: PipelineContext, asking: Asking, of: Environments): Promise<Page> {
  const now = Date.now();
  const each = await briefStatusOf(context, asking, of.all);
  const seen = each.flatMap(({ env, part }) => (part.kind === 'found' ? [env] : []));
  const freezes = freezesAt(context.policy(), seen, await context.database.now());
  const backups = each.flatMap(({ part }) => (part.kind === 'found' ? [part.found.backup] : []));
  return manyPage({
    title: say`**Locks, open changes and backups**`,
    of,
    each,
    isRead: backups.some(({ kind }) => kind === 'found'),
    tell: (brief) => briefText(brief, now),
    none: [],
    note: joined(
      [
        freezeLines(freezes),
        joined([
          say`**I didn't read their sites and logs,** so • means only that I found nothing in the rest. The worst come first. For one in full, type ${sample('status site/environment')}.`,
          whyUnread(backups),
        ]),
      ],
      '\n',
    ),
    isPartial: true,
    offer: (env, shown) =>
      mayRunOn(context.policy(), asking.person, 'status', env) === 'yes'
        ? { label: `Status of ${shown}`, args: ['status', env.id] }
        : undefined,
    now,
  });
}

/** Why backups could not be read: the most frequent reason, with the number of environments. */
function whyUnread(backups: readonly BriefStatus['backup'][]): Text | undefined {
  const whys = backups.flatMap((read) =>
    read.kind === 'failed' || read.kind === 'late' ? [whyMissing(read).says] : [],
  );
  const [alike = []] = [...Map.groupBy(whys, withoutQuotes).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return alike[0] && say`Of ${counted(alike.length, 'environment')} the newest backup is ${alike[0]}`;
}

/** A part of a line. The worst part decides the mark and the place of the line. */
type Part = Omit<Ranked, 'says'> & { readonly says: Inline };
const part = (mark: Part['mark'], rank: number, says: Inline): Part => ({ mark, rank, says });

function briefText({ work, backup }: BriefStatus, now: number): Ranked {
  const parts = [...workText(work), backupText(backup, now)];
  const [worst] = parts.toSorted((one, other) => one.rank - other.rank);
  const { mark, rank } = worst ?? { mark: '✅', rank: 0 };
  return {
    mark,
    rank,
    says: joined(
      parts.map(({ says }) => says),
      ', ',
    ),
  };
}

function workText({ lock, open, hidden, queued, more }: SiteWork): readonly Part[] {
  const unclear = open.filter(({ state }) => state.includes('unknown'));
  const others = open.length - unclear.length;
  return [
    ...unclear.map(({ number }) => part('⚠️', 0, say`**outcome of ${code(`#${number}`)} unknown**`)),
    ...(lock ? [part('⚠️', 1, say`**locked**`)] : []),
    ...(others > 0 ? [part('✅', 6, `${counted(others, 'change')}${more ? ' or more' : ''} waiting or running`)] : []),
    // Its outcome may be unknown.
    ...(hidden > 0 ? [part('❔', 4, `${counted(hidden, 'open change')} that you can't see`)] : []),
    ...(others + hidden === 0 && more ? [part('❔', 4, 'there may be open changes')] : []),
    ...(queued > 0 ? [part('✅', 6, `${counted(queued, 'request')} in the queue`)] : []),
  ];
}

function backupText(read: StatusPart<NewestBackup>, now: number): Part {
  if (read.kind === 'not allowed' || read.kind === 'rights unknown')
    return part('❔', 5, 'you may not see its backups');
  if (read.kind !== 'found') return part('❔', 4, 'newest backup unknown');
  const backup = read.found;
  if (backup === null) return part('⚠️', 2, say`**no backup listed**`);
  if (backup.at === undefined) return part('❔', 4, 'age of the newest backup unknown');
  if (isAhead(backup.at, now)) return part('❔', 4, 'newest backup dated in the future');
  const isOld = isOldBackup(backup.at, now);
  const says = `newest backup ${age(now - backup.at)}`;
  return isOld ? part('⚠️', 3, says) : part('✅', 7, says);
}

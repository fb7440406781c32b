import { Refusal, type Args, type Offer } from '../../base/errors.ts';
import type { Environment, Environments } from '../../hosting/contract/target.ts';
import { impressionIn, slownessIn } from '../../site-check/reading.ts';
import { joined, sample, say, time, type Text } from '../../words/text.ts';
import { builtin, type QueryService } from '../kit/builtin.ts';
import { environments, type NameField } from '../kit/fields.ts';
import { paragraph } from '../kit/page.ts';
import type { SiteStatus } from '../kit/site-status.ts';
import { checkPage, isOnlyCached } from '../check.ts';
import { statusOfMany } from './status-many.ts';
import { linesOf } from './status-lines.ts';
import type { StatusLine } from './status-line.ts';

const maxChoices = 5;
const maxOffers = 6;

const env: NameField<Environment | Environments, true> = { ...environments(), optional: true };

export const status = builtin({
  summary: 'Show how a site is doing and what helps',
  button: 'Show status',
  also: `
    health, healthy, uptime, how is, how doing, how look, how running, state, broken, is broken, is up, up, up
    again, is alive, alive, not working, what wrong, something wrong, problem, trouble, incident, fire, slow, why
    slow, is ok, is fine, everything ok, overview, ping, what happening, info, error page, white screen, white
    page, blank page, look at, check health, <environment>, <host>, how go, probe fail, health check fail`,
  right: 'read',
  shows: ['check', 'logs', 'changes', 'backups list', 'timers', 'environments'],
  examples: ['acme-shop/live', 'acme-*/live'],
  fields: { env },
  answer: async ({ input: { env }, queryService }) => {
    if (env === undefined) return choose(queryService);
    if (env.kind === 'environments') return statusOfMany(env, queryService);
    const found = await queryService.status(env);
    const { verdict } = found;
    const lines = linesOf(found, queryService.now);
    return {
      title: titleOf(env, lines),
      parts: [paragraph(...lines.map(({ mark, label, says }) => say`${mark} **${label}:** ${says}`))],
      source: say`read ${time(queryService.now, 'date')}, each part by itself; what is as usual is left out; for you alone`,
      offers: offersFor(found, env, queryService),
      ...(verdict && { later: async () => checkPage(env, await verdict()) }),
    };
  },
});

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
function signsIn({ site, errors, backup, work, changes, pause, access }: SiteStatus) {
  const reading = site.kind === 'found' && site.found.kind === 'read' ? site.found.reading : undefined;
  const [newest] = work.kind === 'found' ? work.found.open : [];
  const [last] = changes.kind === 'found' ? changes.found.lines : [];
  return {
    isWell: reading && impressionIn(reading) === 'well' && slownessIn([reading]) === undefined,
    // Without its cache, everybody would get the error.
    needsCache: reading && isOnlyCached(reading.looks),
    hasErrors: errors.kind === 'found' && errors.found.errors > 0,
    isPaused: pause.kind === 'found' && pause.found,
    isRecent: backup.kind === 'found' && backup.found !== null,
    isTimed: access.kind === 'found' && access.found.lines.length > 0,
    holder: work.kind === 'found' ? work.found.lock?.info.by : undefined,
    around: newest ?? last,
  };
}

/** What helps next, most urgent first; only commands that the rules certainly let this person run. */
function offersFor(found: SiteStatus, env: Environment, queryService: QueryService): readonly Offer[] {
  const { isWell, needsCache, hasErrors, isPaused, isRecent, isTimed, holder, around } = signsIn(found);
  const offer = (path: string, label: string, words: readonly string[] = [env.id]): readonly Offer[] =>
    queryService.mayRunOn(path, env) ? [{ label, args: [...path.split(' '), ...words] }] : [];
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
async function choose(queryService: QueryService): Promise<{ readonly instead: Args }> {
  const bound = await queryService.bound();
  const { environments: listed, trouble } = queryService.names();
  const environments = listed.filter((env) => queryService.mayRunOn('status', env));
  const ofSite = environments.filter(({ site }) => bound !== undefined && (site?.id ?? site?.name) === bound.site);
  const live = ofSite.filter((one) => one.live);
  const [only, ...others] = live.length > 0 ? live : ofSite;
  if (only && others.length === 0) return { instead: ['status', only.id] };
  const offered = new Set(environments.map(({ id }) => id));
  const choices = bound ? ofSite : (await queryService.recent()).filter(({ id }) => offered.has(id));
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

import { mayRunOn } from '../access/may-run.ts';
import { Refusal, type Args, type Offer } from '../base/errors.ts';
import { checkPage, isOnlyCached } from '../commands/check.ts';
import type { BuiltinAnswer } from '../commands/kit/builtin.ts';
import { paragraph } from '../commands/kit/page.ts';
import type { StatusLine } from '../commands/kit/site-status.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { bindingFor } from '../decide/channel-binding.ts';
import type { Environment, Environments } from '../hosting/contract/target.ts';
import { impressionIn, slownessIn } from '../site-check/reading.ts';
import { joined, sample, say, time, type Text } from '../words/text.ts';
import type { PipelineContext } from './context.ts';
import { namesFor } from './environments-page.ts';
import { statusOf, type SiteStatus } from './site-status.ts';
import { linesOf } from './status-lines.ts';
import { statusOfMany } from './status-many.ts';

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

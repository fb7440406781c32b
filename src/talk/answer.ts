import { accountOf } from './speaker.ts';
import type { AnyBuiltin, BuiltinAnswer } from '../commands/kit/builtin.ts';
import type { Page } from '../commands/kit/page.ts';
import type { AnyReport, ReportContext, SeenRows } from '../commands/kit/report.ts';
import type { Authorized } from '../access/access-check.ts';
import { listedAs } from '../access/visibility.ts';
import { createSight, refuseUnlessShown, type Sight } from '../access/sight.ts';
import type { Args } from '../base/errors.ts';
import { answerBuiltin } from './builtin-pages.ts';
import { sentTo } from './changes-pages.ts';
import { atOnce, eachFor, withheldText } from './each-environment.ts';
import { asRefusal } from '../hosting/host-trouble.ts';
import { siteCheckFor } from '../send/check-plan.ts';
import { sourcesOf, timedOn } from '../change/read-sources.ts';
import { NotAdmitted } from '../base/semaphore.ts';
import { everything } from '../language/many-environments.ts';
import { areEnvironments, canonicalArgs } from '../language/resolve.ts';
import { writeDown, type Actor, type Asking } from '../decide/admin-actions.ts';
import type { PipelineContext } from './context.ts';
import { offeringSourced } from './typed-offers.ts';
import { commandAt } from '../commands/index.ts';
import type { Domain, Environment } from '../hosting/contract/target.ts';
import type { AccessContext } from '../access/context.ts';

/** An answer, and what it has shown so far: a second answer that follows later adds to it. */
export type Answer = { readonly kind: 'show'; readonly page: Page; readonly shown: Sight['shown'] };

/** Runs a report or a built-in. A built-in may name another command to run instead. Throws `Refusal`. */
export async function answerOf(
  context: PipelineContext,
  authorized: Authorized,
  command: AnyReport | AnyBuiltin,
  actor: Omit<Asking, 'sight'>,
): Promise<Answer | { readonly kind: 'instead'; readonly args: Args }> {
  const now = Date.now();
  const { person } = actor;
  const sight = createSight(context, person, authorized.parsed.path);
  for (const target of [authorized.target, ...authorized.alsoReads])
    if (target) sight.may(authorized.parsed.path, target);
  const { shown } = sight;
  // The rules may have changed while it was read.
  const checked = (page: Page): Page => {
    refuseUnlessShown(context, person, shown());
    const { later } = page;
    const whole = offeringSourced(page, context.policy(), person);
    return later ? { ...whole, later: async () => checked(await later()) } : whole;
  };
  if (command.shape === 'builtin') {
    if (command.freshens) await context.freshenNames();
    const { each, notAllowed = [] } = authorized;
    sight.note(notAllowed);
    const asking = { ...actor, ...(each && { each, notAllowed }), sight };
    const made = Promise.resolve(answerBuiltin(authorized.parsed.path, context, asking, authorized.input));
    const isManyRead = each === undefined && Object.values(authorized.input).some(areEnvironments);
    const answer = await (isManyRead ? atOnce(made.then(asPage)) : made);
    return 'instead' in answer
      ? { kind: 'instead', args: answer.instead }
      : { kind: 'show', page: checked(answer), shown };
  }
  if (command.noted !== undefined) await recordRequest(context, authorized, actor, command.noted);
  const { path } = authorized.parsed;
  const surroundings = { ...surroundingsFor(context, { person, sight }, path), now };
  const page = command.show({ input: authorized.input, ...surroundings }).catch((error: unknown) => {
    throw error instanceof NotAdmitted ? error : asRefusal(error, canonicalArgs(authorized));
  });
  return { kind: 'show', page: checked(await (authorized.target === undefined ? atOnce(page) : page)), shown };
}

/** What a report works with. */
const surroundingsFor = (
  context: PipelineContext,
  { person, sight }: Pick<Asking, 'person' | 'sight'>,
  path: string,
): Omit<ReportContext, 'now'> => ({
  ...sourcesOf(context, accountOf(person)),
  read: (call) => context.read(call, accountOf(person)),
  timed: async (env) => (sight.may('timers', env) === 'yes' ? timedOn(context, env) : []),
  zone: person.zone,
  alias: context.alias,
  analyzeLog: context.logs.analyze,
  siteCheck: siteCheckFor(context, accountOf(person)),
  sentChanges: (env, since) => sentTo(context, sight.reader('changes'), env, since),
  seen: seenRows(context, sight, path),
  withheld: (other, env) => withheldText(sight, other, env),
  each: eachFor(context, person, sight),
  everything: () => everything(context.names(person)),
});

function asPage(answer: BuiltinAnswer): Page {
  if ('instead' in answer) throw new Error('a report over many environments names another command');
  return answer;
}

/** Writes the request to the audit trail. If that fails, nothing is shown. */
function recordRequest(context: PipelineContext, authorized: Authorized, actor: Actor, event: string): Promise<void> {
  const { target } = authorized;
  const entry = { event, about: target ? [target] : ('company' as const), args: canonicalArgs(authorized).join(' ') };
  return writeDown(context, actor, entry);
}

/** Which rows of the company's lists one person may be shown by the command `path`, with all that it shows of others. */
function seenRows({ names }: AccessContext, sight: Sight, path: string): SeenRows {
  const all = names(undefined);
  const domains = Map.groupBy(all.domains, ({ name }) => name.toLowerCase());
  const paths = [path, ...(commandAt(path).shows ?? [])];
  const isSeen = (target: Environment | Domain): boolean => paths.every((one) => sight.may(one, target) === 'yes');
  const unlisted = (id: string): Environment => ({ kind: 'environment', id, name: '', live: true, site: undefined });
  return {
    environment: (id = '') => {
      const env = unlisted(id);
      const listed = listedAs(all, env);
      return isSeen(listed?.kind === 'environment' ? listed : env);
    },
    domain: ({ id = '', name = '' }) => {
      const same = domains.get(name.toLowerCase()) ?? [];
      const known = same.find((one) => one.id === id) ?? (same.length === 1 ? same[0] : undefined);
      return isSeen(known ?? { kind: 'domain', id, name, site: undefined });
    },
  };
}

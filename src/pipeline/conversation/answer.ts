import type { AnyBuiltin, BuiltinAnswer } from '../../commands/kit/builtin.ts';
import type { AnyReport, ReportContext } from '../../commands/kit/report.ts';
import type { Authorized } from '../access/access-check.ts';
import { sentTo } from './change-history.ts';
import { atOnce, eachFor } from './each-environment.ts';
import { queryServiceFor } from './query-service.ts';
import { asRefusal } from '../changes/host-trouble.ts';
import { siteCheckFor } from '../changes/check-plan.ts';
import { sourcesOf } from '../changes/read-sources.ts';
import { NotAdmitted } from '../../semaphore.ts';
import { everything } from '../language/many-environments.ts';
import { areEnvironments, canonicalArgs } from '../language/resolve.ts';
import { writeDown, type Actor } from '../steps/admin-actions.ts';
import type { PipelineContext } from './context.ts';

/**
 * Runs a report or a built-in, typed in `channel` (undefined: not in a channel). A built-in may name another command to
 * run instead. Throws `Refusal`.
 */
export async function answerOf(
  context: PipelineContext,
  authorized: Authorized,
  command: AnyReport | AnyBuiltin,
  actor: Actor,
  channel: string | undefined,
): Promise<BuiltinAnswer> {
  const now = Date.now();
  const { person } = actor;
  if (command.shape === 'builtin') {
    if (command.freshens) await context.freshenNames();
    const queryService = queryServiceFor(context, actor, channel, now);
    const answer = command.answer({ input: authorized.input, queryService });
    return Object.values(authorized.input).some(areEnvironments) ? atOnce(Promise.resolve(answer)) : answer;
  }
  if (command.noted !== undefined) await recordRequest(context, authorized, actor, command.noted);
  const surroundings: ReportContext = {
    ...sourcesOf(context, person.id),
    now,
    zone: person.zone,
    alias: context.alias,
    analyzeLog: context.logs.analyze,
    siteCheck: siteCheckFor(context, person.id),
    sentChanges: (env, since) => sentTo(context, person, env, since),
    each: eachFor(context, person),
    everything: () => everything(context.names(person)),
  };
  const page = command.show({ input: authorized.input, ...surroundings }).catch((error: unknown) => {
    throw error instanceof NotAdmitted ? error : asRefusal(error, canonicalArgs(authorized));
  });
  return authorized.target === undefined ? atOnce(page) : page;
}

/** Writes the request to the audit trail. If that fails, nothing is shown. */
function recordRequest(context: PipelineContext, authorized: Authorized, actor: Actor, event: string): Promise<void> {
  const target = authorized.target?.kind === 'environment' ? { target: authorized.target } : {};
  const entry = { event, ...target, args: canonicalArgs(authorized).join(' ') };
  return writeDown(context, actor, entry);
}

import { accountOf } from './speaker.ts';
import type { Page } from '../commands/kit/page.ts';
import type { EnvironmentResult, EnvironmentRead, ReportContext } from '../commands/kit/report.ts';
import { whyMissing, type StatusPart } from '../commands/kit/site-status.ts';
import { HostTrouble } from '../hosting/client.ts';
import type { HostReader } from '../hosting/contract/call.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { canonicalId } from '../policy/memberships.ts';
import { createSemaphore, type Semaphore } from '../base/semaphore.ts';
import { say, type Text } from '../words/text.ts';
import { startDeadline, TooLate, within } from '../base/time-limit.ts';
import type { Person } from '../access/access-check.ts';
import type { Sight } from '../access/sight.ts';
import { troubleText, whyUnread } from '../hosting/host-trouble.ts';
import type { PipelineContext } from './context.ts';

/** Reports over many environments: only a few reads at a time, so that nobody else has to wait for them. */

/** How many of these reports run at once, in all replicas together. */
const maxReports = 2;
/** How many reads of one report run at once. */
const atATime = 2;
/** The time for reads shared by all environments, for one environment, and for the whole report. */
const firstMs = 20_000;
const partMs = 5_000;
const allMs = 60_000;
/** If the answer takes longer, the person is told at once that it comes later. */
const patienceMs = 2_000;

/** Turns of reports over many environments; those without one wait. `share`: this process's share of a limit. */
export const createManyTurns = (share: (whole: number) => number): Semaphore =>
  createSemaphore(() => ({ most: share(maxReports), maxEach: 1, waiting: 20, waitingEach: 3, waitMs: 60_000 }));

/** Reads a few environments at a time, as this person. Only rejects with `NotAdmitted`: a failed read becomes a part. */
export const eachFor =
  (context: PipelineContext, person: Person, sight: Sight): ReportContext['each'] =>
  async <T>(of: EnvironmentRead<T>) => {
    const account = canonicalId(context.policy(), accountOf(person));
    // Each is named, also those that are not read.
    sight.note(of.all);
    return context.manyTurns(async () => {
      using late = startDeadline(allMs);
      const read = partsOf(context, { person, sight }, of, late.signal);
      const found: EnvironmentResult<T>[] = [];
      const left = of.all.values();
      const next = async () => {
        for (const env of left) {
          found.push({ env, part: await read(env) });
        }
      };
      await Promise.all(Array.from({ length: atATime }, next));
      return found;
    }, account);
  };

/** Reads one environment, if the person may. Never rejects, and ends in time. */
function partsOf<T>(
  context: PipelineContext,
  { person, sight }: { readonly person: Person; readonly sight: Sight },
  { paths, first, work }: EnvironmentRead<T>,
  ending: AbortSignal,
) {
  const partOf = readingUntil(ending, context, person);
  let begun: Promise<StatusPart<void>> | undefined;
  return async (env: Environment): Promise<StatusPart<T>> => {
    for (const path of paths) {
      const withheld = withheldPart(sight, path, env);
      if (withheld) return withheld;
    }
    begun ??= first && partOf(firstMs, first);
    const shared = await begun;
    return shared === undefined || shared.kind === 'found' ? partOf(partMs, (read) => work(env, read)) : shared;
  };
}

type Withheld = Extract<StatusPart<never>, { readonly path: string }>;

/** The part shown if the person may not, or perhaps may not, run the command for it; undefined: they may. */
export function withheldPart(sight: Sight, path: string, env: Environment): Withheld | undefined {
  const may = sight.may(path, env);
  if (may === 'yes') return undefined;
  return may === 'no' ? { kind: 'not allowed', path } : { kind: 'rights unknown', path, userGroups: may };
}

/** The same as a sentence without a subject: *not shown: …*. */
export function withheldText(sight: Sight, path: string, env: Environment): Text | undefined {
  const part = withheldPart(sight, path, env);
  return part && whyMissing(part).says;
}

/** The part for a failed read, as `whyUnread`. */
export const failedPart = (...failed: Parameters<typeof whyUnread>): StatusPart<never> => ({
  kind: 'failed',
  why: whyUnread(...failed),
});

/** Reads one part within its time. Never rejects. */
function readingUntil(ending: AbortSignal, context: PipelineContext, person: Person) {
  // Use an account of its own, so that the person's other requests don't wait for this one.
  const account = `${canonicalId(context.policy(), accountOf(person))} many`;
  let throttled: Text | undefined;
  return async <T>(ms: number, work: (read: HostReader) => Promise<T>): Promise<StatusPart<T>> => {
    if (ending.aborted) return { kind: 'late', afterMs: allMs };
    if (throttled) return { kind: 'failed', why: say`${throttled} So I stopped asking it.` };
    const otherwise = (error: unknown): StatusPart<never> => {
      if (ending.aborted) return { kind: 'late', afterMs: allMs };
      // Further reads would use up the rest of the host's rate limit for everybody.
      if (error instanceof HostTrouble && (error.kind === 'throttled' || error.kind === 'no room'))
        throttled ??= troubleText(error);
      return failedPart(context, 'reading many environments', error);
    };
    const signals = (late: AbortSignal): AbortSignal => AbortSignal.any([ending, late]);
    return partWithin(ms, (late) => work((call) => context.read(call, account, signals(late))), otherwise);
  };
}

/** A read that is cut off ends at once, and says what the host answered until then. */
const cutMs = 100;

/** The result if it comes within `ms`; then, or at the end, `late` aborts. `otherwise`: the part if it fails. */
export async function partWithin<T>(
  ms: number,
  find: (late: AbortSignal) => Promise<T>,
  otherwise: (error: unknown) => StatusPart<never>,
): Promise<StatusPart<T>> {
  const late = new AbortController();
  const finding = Promise.try(find, late.signal);
  try {
    return { kind: 'found', found: await within(ms, finding) };
  } catch (error) {
    if (!(error instanceof TooLate)) return otherwise(error);
    late.abort();
    const cut: unknown = await within(cutMs, finding).catch((end: unknown) => end);
    return cut instanceof HostTrouble && cut.status !== undefined ? otherwise(cut) : { kind: 'late', afterMs: ms };
  } finally {
    late.abort();
  }
}

/** The answer if it comes soon, otherwise a note that it comes later. */
export async function atOnce(answer: Promise<Page>): Promise<Page> {
  try {
    return await within(patienceMs, answer);
  } catch (error) {
    if (!(error instanceof TooLate)) throw error;
    return {
      title: say`**I'm reading many environments,** a few at a time. The answer follows within two minutes.`,
      parts: [],
      later: () => answer,
    };
  }
}

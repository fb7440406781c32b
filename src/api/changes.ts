import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Refusal } from '../base/errors.ts';
import { findChange, listChanges, isBatch, changesInBatch, type Change } from '../storage/changes.ts';
import { linesOfChanges } from '../storage/audit.ts';
import { listVotes } from '../storage/votes.ts';
import { readerOf } from '../access/visibility.ts';
import { decide } from '../decide/decide.ts';
import { identifySender } from '../talk/speaker.ts';
import type { PipelineContext } from '../talk/context.ts';
import { changeAnswer, eventAnswer } from './answers.ts';
import { authenticate, type Authenticated } from './authenticate.ts';
import { problem, ProblemError } from './problem.ts';
import type { ChangeAnswer } from './schemas.ts';
import type { EventHub } from './events.ts';
import type { Places } from './request-limits.ts';

/** The changes of a caller over HTTP: how they are, what comes of them, and taking them back. */

export type Env = { Variables: { caller: Authenticated; request: string } };

export type ApiOptions = {
  readonly context: PipelineContext;
  readonly events: EventHub;
  readonly places: Places;
  /** As `places`, for streams, which outlast their request. */
  readonly streams: Places;
  /** The values of `Host` that are this interface; undefined: any, because its address is not known. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly onFault: (request: string, error: unknown) => void;
};

/** A silent connection is closed after ten seconds, so a comment is sent this often. */
const keepAliveMs = 5_000;

export const callerOf = (context: PipelineContext, c: Context<Env>): ReturnType<typeof authenticate> =>
  authenticate(context.policy(), c.req.header('authorization'), () => context.database.now());

/** Who asks: the person of the caller, through it. */
export const askingPerson = (
  context: PipelineContext,
  { caller, calling }: Authenticated,
): ReturnType<typeof identifySender> =>
  identifySender(context, { person: caller.for, team: undefined, caller: calling });

export const tooMany = (what: string): ProblemError =>
  problem(429, `Too many ${what}. Nothing was done.`, {}, { 'retry-after': '5' });

export async function answerFor({ database: { db } }: PipelineContext, change: Change): Promise<ChangeAnswer> {
  const begun = isBatch(change) ? await changesInBatch(db, change.number) : [];
  return changeAnswer(change, await listVotes(db, change.number), begun);
}

/** How many changes a list has. */
const maxListed = 50;

/** Its own, the newest first, without those that a batch has begun. */
export async function listOwn(context: PipelineContext, c: Context<Env>): Promise<Response> {
  const person = await askingPerson(context, c.get('caller'));
  const before = Number(c.req.query('before') ?? Number.NaN);
  const found = await listChanges(context.database.db, {
    caller: c.get('caller').caller.name,
    isOwn: true,
    ...(c.req.query('open') === 'true' && { isOpen: true }),
    ...(Number.isSafeInteger(before) && { beforeNumber: before }),
    limit: maxListed + 1,
  });
  const listed = found.slice(0, maxListed);
  const readable = listed.filter(readerOf(context, person));
  const changes = await Promise.all(readable.map((change) => answerFor(context, change)));
  return c.json({ changes, next: found.length > maxListed ? (listed.at(-1)?.number ?? null) : null });
}

const absent = problem(404, 'There is no such change of yours.');

/** The change, if this caller asked for it and both may still read it. Not its own and absent are the same. */
export async function ownChange(context: PipelineContext, c: Context<Env>) {
  const number = Number(/^\d{1,9}$/.exec(c.req.param('number') ?? '')?.[0] ?? Number.NaN);
  const change = Number.isNaN(number) ? undefined : await findChange(context.database.db, number);
  if (change?.caller !== c.get('caller').caller.name) throw absent;
  return { change, answer: await readableAnswer(context, c, change) };
}

export async function readableAnswer(context: PipelineContext, c: Context<Env>, change: Change): Promise<ChangeAnswer> {
  const person = await askingPerson(context, c.get('caller'));
  if (!readerOf(context, person)(change)) throw absent;
  return answerFor(context, change);
}

/** How many events are read at once. */
const maxEvents = 1_000;

export async function eventsOf(options: ApiOptions, c: Context<Env>): Promise<Response> {
  const { context, events, streams } = options;
  const { change, answer: now } = await ownChange(context, c);
  const after = Number(/^\d{1,15}$/.exec(c.req.header('last-event-id') ?? c.req.query('after') ?? '')?.[0] ?? 0);
  const newer = (from: number) =>
    linesOfChanges(context.database.db, [change.number], { after: from, limit: maxEvents });
  // Nobody would read, or end, the stream of a HEAD.
  if (c.req.method !== 'GET' || !c.req.header('accept')?.includes('text/event-stream'))
    return c.json({ events: (await newer(after)).map((line) => eventAnswer(line, now)) });
  const end = streams.begin(c.get('caller').caller.name);
  if (!end) throw tooMany('streams of this caller are open');
  return streamSSE(c, async (stream) => {
    let last = after;
    const waiting = events.follow(change.number);
    stream.onAbort(waiting.end);
    try {
      for (;;) {
        // Asked again before every event: a key, a right or a person may be gone.
        const found = await callerOf(context, c);
        if (found?.caller.name !== c.get('caller').caller.name) return;
        const { answer } = await ownChange(context, c);
        for (const line of await newer(last)) {
          last = line.seq;
          const data = JSON.stringify(eventAnswer(line, answer));
          await stream.writeSSE({ id: String(line.seq), event: line.event, data });
        }
        if (answer.settled) return;
        const isNews = await waiting.next(keepAliveMs);
        if (isNews === undefined) return;
        if (!isNews) await stream.write(': still here\n\n');
      }
    } catch (error) {
      // Also a right that is gone ends it.
      if (!(error instanceof ProblemError || error instanceof Refusal)) options.onFault(c.get('request'), error);
    } finally {
      waiting.end();
      end();
    }
  });
}

/** Takes it back. Once it is cancelled, by whomever, that is the answer: an earlier one may have been lost. */
export async function cancel(context: PipelineContext, c: Context<Env>): Promise<Response> {
  const { change } = await ownChange(context, c);
  const { caller, calling } = c.get('caller');
  const { number, version } = change;
  const shown = { installation: context.database.installation, number, version };
  const by = { person: caller.for, team: undefined, caller: calling, inbox: undefined };
  const failed = await decide(context, { ...shown, ...by, verdict: 'cancel' }).catch((error: unknown) => ({ error }));
  const now = await ownChange(context, c);
  if (failed && now.change.state !== 'cancelled') throw failed.error;
  return c.json(now.answer);
}

import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import { Refusal } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
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
import type { Answering } from './untaken.ts';

/** The changes of a caller over HTTP: how they are, what comes of them, and taking them back. */

export type Env = {
  Variables: { caller: Authenticated; request: string; isStream?: true };
  /** `lines`: of the requests that an agent's request makes here, instead of in the log. */
  Bindings: { answering?: Answering; lines?: RequestLine[] };
};

/** What the log says of a request. */
export type RequestLine = {
  readonly request: string;
  readonly caller: string | undefined;
  readonly method: string;
  readonly what: string;
  readonly status: number;
  readonly ms: number;
};

export type ApiOptions = {
  readonly context: PipelineContext;
  readonly events: EventHub;
  readonly places: Places;
  /** As `places`, for streams, which outlast their request. */
  readonly streams: Places;
  /** The values of `Host` that are this interface. */
  readonly hosts: ReadonlySet<string>;
  readonly log: Pick<Logger, 'debug' | 'info' | 'error'>;
};

/** Of a request that this process asks itself, there may be none. */
export const bindingsOf = ({ env }: { readonly env: Env['Bindings'] | undefined }): Env['Bindings'] => env ?? {};
/** How it is answered; undefined: it is asked in this process. */
export const answeringOf = (c: { readonly env: Env['Bindings'] | undefined }): Answering | undefined =>
  bindingsOf(c).answering;

/** What the log says of a fault of ours. */
export const requestFailed = 'a request of a program failed';

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
  const found = await listChanges(context.database.db, {
    caller: c.get('caller').caller.name,
    isOwn: true,
    ...(isOpenAsked(c) && { isOpen: true }),
    beforeNumber: integerIn(c.req.query('before'), 'before'),
    limit: maxListed + 1,
  });
  const listed = found.slice(0, maxListed);
  const readable = listed.filter(readerOf(context, person));
  const changes = await Promise.all(readable.map((change) => answerFor(context, change)));
  return c.json({ changes, next: found.length > maxListed ? (listed.at(-1)?.number ?? null) : null });
}

/** Throws what is answered with 400 for anything but a whole number. */
function integerIn(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw problem(400, `${name} has to be a whole number. Nothing was read.`);
  return Number(text);
}

function isOpenAsked(c: Context<Env>): boolean {
  const asked = c.req.query('open') ?? 'false';
  if (!['true', 'false'].includes(asked)) throw problem(400, 'open has to be true or false. Nothing was read.');
  return asked === 'true';
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
  const { context, streams } = options;
  const { change, answer } = await ownChange(context, c);
  const after = integerIn(c.req.header('last-event-id') ?? c.req.query('after'), 'after') ?? 0;
  // Nobody would read, or end, the stream of a HEAD.
  if (c.req.method !== 'GET' || !c.req.header('accept')?.includes('text/event-stream')) {
    const lines = await linesOfChanges(context.database.db, [change.number], { after, limit: maxEvents });
    const next = lines.length < maxEvents ? null : (lines.at(-1)?.seq ?? null);
    return c.json({ events: lines.map((line) => eventAnswer(line, answer)), next });
  }
  const end = streams.begin(c.get('caller').caller.name);
  if (!end) throw tooMany('streams of this caller are open');
  c.set('isStream', true);
  return streamSSE(c, async (stream) => {
    const news = options.events.follow(change.number);
    stream.onAbort(news.end);
    try {
      await tell(context, c, stream, news, after);
    } catch (error) {
      // Also a right that is gone ends it.
      if (!(error instanceof ProblemError || error instanceof Refusal))
        options.log.error({ err: error, request: c.get('request') }, requestFailed);
    } finally {
      news.end();
      end();
    }
  });
}

/** Tells events until the change is settled, the reader has gone, or a key, a right or a person is gone. */
async function tell(
  context: PipelineContext,
  c: Context<Env>,
  stream: SSEStreamingApi,
  news: ReturnType<EventHub['follow']>,
  after: number,
): Promise<void> {
  const { name } = c.get('caller').caller;
  for (let last = after; ;) {
    // Asked again before every event.
    if ((await callerOf(context, c))?.caller.name !== name) return;
    const { change, answer } = await ownChange(context, c);
    const [line] = await linesOfChanges(context.database.db, [change.number], { after: last, limit: 1 });
    if (line) {
      last = line.seq;
      await stream.writeSSE({ id: String(last), event: line.event, data: JSON.stringify(eventAnswer(line, answer)) });
      continue;
    }
    if (answer.settled) return;
    const isNews = await news.next(keepAliveMs);
    if (isNews === undefined) return;
    if (!isNews) await stream.write(': still here\n\n');
  }
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

import { createHash, randomBytes } from 'node:crypto';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { attempt, Refusal } from '../base/errors.ts';
import { NotAdmitted } from '../base/semaphore.ts';
import { findOfCaller, type Change } from '../storage/changes.ts';
import { authorizationOf } from '../access/authorization.ts';
import { commandsFor } from '../talk/help-page.ts';
import type { PipelineContext } from '../talk/context.ts';
import { pageAnswer } from './answers.ts';
import { askAs } from './ask.ts';
import type { Authenticated } from './authenticate.ts';
import {
  answerFor,
  answeringOf,
  bindingsOf,
  callerOf,
  cancel,
  eventsOf,
  listOwn,
  ownChange,
  readableAnswer,
  askingPerson,
  requestFailed,
  tooMany,
  type ApiOptions,
  type Env,
  type RequestLine,
} from './changes.ts';
import { openApi } from './openapi.ts';
import { problem, ProblemError, refused } from './problem.ts';
import { fieldsSchema, idempotencyKey, saySchema, type AskBody, type Problem } from './schemas.ts';

/** The HTTP interface: its routes, and what each answers. */

const maxBody = 64 * 1024;

export function createApi(options: ApiOptions): Hono<Env> {
  const { context } = options;
  const limited = bodyLimit({ maxSize: maxBody, onError: tooLarge });
  const app = new Hono<Env>();
  app.use(async (c, proceed) => {
    c.set('request', `a-${randomBytes(5).toString('hex')}`);
    c.header('x-request-id', c.get('request'));
    c.header('cache-control', 'no-store');
    const since = performance.now();
    await proceed();
    logRequest(options, c, since);
  });
  app.use(async (c, proceed) => {
    refuseForeign(options, c);
    await proceed();
  });
  app.onError((error, c) => answerProblem(options, c, error));
  app.notFound((c) => answerProblem(options, c, problem(404, 'There is nothing at this address.')));
  app.get('/openapi.json', (c) => c.json(openApi()));
  app.use('/v1/*', authenticating(options));
  app.get('/v1/commands', async (c) => c.json({ commands: await commandsOf(context, c.get('caller')) }));
  app.post('/v1/requests', limited, (c) => askIn(options, c));
  app.get('/v1/changes', (c) => listOwn(context, c));
  app.get('/v1/changes/:number', async (c) => c.json((await ownChange(context, c)).answer));
  app.get('/v1/changes/:number/events', (c) => eventsOf(options, c));
  app.post('/v1/changes/:number/cancel', limited, (c) => cancel(context, c));
  app.post('/mcp', limited, (c) => agents(options, app, c));
  refuseOtherMethods(app);
  return app;
}

/** The longest path that is logged. */
const maxPath = 100;

/** One line for each request of a caller. */
function logRequest(options: ApiOptions, c: Context<Env>, since: number): void {
  const caller = 'caller' in c.var ? c.var.caller.caller.name : undefined;
  const what = c.req.path.slice(0, maxPath);
  const ms = Math.round(performance.now() - since);
  const line = { request: c.get('request'), caller, method: c.req.method, what, status: c.res.status, ms };
  const { lines } = bindingsOf(c);
  if (lines) lines.push(line);
  else logLine(options, line);
}

/** What anybody can cause without a key is logged at `debug` only. */
const logLine = ({ log }: ApiOptions, line: RequestLine): void =>
  log[line.caller === undefined ? 'debug' : 'info'](line, 'answered a program');

/** Answers 405 at each address with a route, for the methods that have none. */
function refuseOtherMethods(app: Hono<Env>): void {
  const routes = app.routes.filter(({ method }) => method !== 'ALL');
  for (const [path, found] of Map.groupBy(routes, (route) => route.path)) {
    const allow = [...new Set(found.map(({ method }) => method))].join(', ');
    app.all(path, () => {
      throw problem(405, `This answers ${allow} only. Nothing was done.`, {}, { allow });
    });
  }
}

/** The Model Context Protocol, without sessions and subscriptions: each request stands for itself. */
async function agents(options: ApiOptions, app: Hono<Env>, c: Context<Env>): Promise<Response> {
  const { commandsFrom, createMcpServer } = await import('./mcp.ts');
  const { createMcpHandler } = await import('./protocol.ts');
  const [host = '', authorization] = [c.req.header('host'), c.req.header('authorization')];
  const own = { host, ...(authorization !== undefined && { authorization }) };
  const asking = (init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { ...Object.fromEntries(new Headers(init.headers)), ...own },
  });
  const lines: RequestLine[] = [];
  // The first only reads what the agent may use, at each of its requests.
  const told = (): void => lines.slice(lines.length > 1 ? 1 : 0).forEach((line) => logLine(options, line));
  void Promise.resolve(answeringOf(c)?.taken).then(told);
  // What tools are answered is in memory until the agent has taken it.
  const client = async (path: string, init?: RequestInit): Promise<Response> =>
    app.request(path, asking(init), { ...c.env, lines });
  // This asks with the key, which nothing else checks here.
  const allowed = await app.request('/v1/commands', asking(), { lines });
  if (!allowed.ok) return allowed;
  const commands = await commandsFrom(allowed);
  const handler = createMcpHandler(() => createMcpServer(client, commands), { maxSubscriptions: 0 });
  return handler.fetch(c.req.raw);
}

const authenticating =
  ({ context, places }: ApiOptions): MiddlewareHandler<Env> =>
  async (c, proceed) => {
    const found = await callerOf(context, c);
    if (!found) {
      const needed =
        c.req.header('authorization') === undefined
          ? 'This needs the key of a caller: Authorization: Bearer shk_…. Nothing was done.'
          : 'This key is not in the policy, or no longer. Nothing was done.';
      throw problem(401, needed, {}, { 'www-authenticate': 'Bearer' });
    }
    c.set('caller', { ...found, calling: { ...found.calling, as: c.get('request') } });
    const end = places.begin(found.caller.name);
    if (!end) throw tooMany('requests of this caller are under way');
    const answering = answeringOf(c);
    answering?.wait();
    try {
      await proceed();
    } finally {
      // A stream has a place of its own.
      void Promise.resolve(c.get('isStream') ? undefined : answering?.taken).then(end);
    }
  };

const tooLarge = (): never => {
  throw problem(413, `A body has at most ${maxBody / 1024} KiB. Nothing was done.`);
};

/** A page in somebody's browser must reach nothing: it sends an `Origin`, and may name another host. */
function refuseForeign({ hosts }: ApiOptions, c: Context<Env>): void {
  const name = (c.req.header('host') ?? '').toLowerCase().replace(/:\d*$/, '');
  if (c.req.header('origin') !== undefined) throw problem(403, 'Browsers may not use this. Nothing was done.');
  if (!hosts.has(name)) throw problem(421, 'This is not the address of this interface.');
}

/** What is answered with what it is; undefined: a fault of ours. */
export function problemOf(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  if (error instanceof NotAdmitted) return tooMany('reports are under way');
  return error instanceof Refusal ? refused(error) : undefined;
}

function answerProblem({ log }: Pick<ApiOptions, 'log'>, c: Context<Env>, error: unknown): Response {
  const request = c.get('request');
  const known = problemOf(error);
  if (!known) log.error({ err: error, request }, requestFailed);
  const { problem: says, headers } =
    known ??
    problem(500, `Something went wrong on my side. If it matters whether anything was done, look. (${request})`);
  const body = JSON.stringify({ ...says, request } satisfies Problem);
  const all = {
    ...headers,
    'content-type': 'application/problem+json',
    'x-request-id': request,
    'cache-control': 'no-store',
  };
  return new Response(body, { status: says.status, headers: all });
}

async function commandsOf(context: PipelineContext, authenticated: Authenticated) {
  const person = await askingPerson(context, authenticated);
  return commandsFor(context.policy(), person).flatMap(({ path, isAction, summary, examples, words, mayRun }) => {
    if (!mayRun) return [];
    const options = words.map(([typed, means]) => ({ typed, means }));
    return [{ command: path, kind: isAction ? 'action' : 'report', summary, examples, options }];
  });
}

async function askIn({ context }: ApiOptions, c: Context<Env>): Promise<Response> {
  const { caller, calling } = c.get('caller');
  const text = await textOf(c);
  const read = bodyIn(text);
  const id = c.req.header('idempotency-key');
  if (id !== undefined && !idempotencyKey.safeParse(id).success)
    throw problem(
      400,
      'Idempotency-Key has 8 to 200 printable characters, and is no key of a caller. Nothing was done.',
    );
  const body = createHash('sha256').update(text).digest('hex');
  const request = id === undefined ? undefined : { id, body };
  const before = request && (await findOfCaller(context.database.db, caller.name, request.id));
  if (before) return same(context, c, before, body);
  const asked = await askAs(context, { caller, calling: { ...calling, ...(request && { request }) } }, read);
  if (asked.kind === 'page') return c.json(pageAnswer(asked.command, asked.page));
  if (asked.kind === 'asked before') return same(context, c, asked.change, body);
  c.header('location', `/v1/changes/${asked.change.number}`);
  return c.json(await answerFor(context, asked.change), 202);
}

/** The same request again: the same change, if both may still read it. */
async function same(context: PipelineContext, c: Context<Env>, change: Change, body: string): Promise<Response> {
  const answer = await readableAnswer(context, c, change);
  if (authorizationOf(change).calling?.request?.body === body) return c.json(answer, 200);
  throw problem(409, `This Idempotency-Key has asked for something else, #${change.number}. Nothing was done.`, {
    type: '#asked-before',
    change: change.number,
  });
}

async function textOf(c: Context<Env>): Promise<string> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    throw problem(415, 'The body has to be JSON, with content-type: application/json. Nothing was done.');
  return c.req.text().catch(() => {
    throw problem(400, 'The body did not arrive whole. Nothing was done.');
  });
}

/** Throws what names the first field that is wrong. */
function bodyIn(text: string): AskBody {
  const json = attempt((): unknown => JSON.parse(text));
  if (json === undefined) throw problem(400, 'The body is not JSON. Nothing was done.');
  const isByFields = typeof json === 'object' && json !== null && 'command' in json;
  const read = (isByFields ? fieldsSchema : saySchema).safeParse(json);
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: 'Invalid' }] = read.error.issues;
  throw problem(422, `${path.join('.') || 'The body'}: ${message}. Nothing was done.`);
}

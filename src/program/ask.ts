import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { environmentOr, type EnvironmentVariables } from '../base/config.ts';
import { attempt, errorMessage } from '../base/errors.ts';
import { approvalIn, askFor, clientFor, problemLines, problemIn, type ApiClient } from '../api/client.ts';
import {
  changeSchema,
  eventSchema,
  pageSchema,
  problemSchema,
  type ChangeAnswer,
  type Problem,
} from '../api/schemas.ts';
import { parseDuration } from '../words/duration.ts';
import { out, type Out } from './output.ts';

/** `sitehand ask`: a terminal or a pipeline asks a running bot, and waits for what people decide. */

/** How it ended. */
export const askCodes = {
  done: 0,
  wrong: 2,
  declined: 3,
  failed: 4,
  unknown: 5,
  waiting: 6,
  unreachable: 7,
  interrupted: 130,
  terminated: 143,
} as const;

const codeOf: Readonly<Partial<Record<ChangeAnswer['state'], number>>> = {
  done: askCodes.done,
  happened: askCodes.done,
  // The host took it; whether it worked cannot be verified from here.
  accepted: askCodes.done,
  declined: askCodes.declined,
  expired: askCodes.declined,
  cancelled: askCodes.declined,
  invalidated: askCodes.declined,
  superseded: askCodes.declined,
  rejected: askCodes.failed,
  failed: askCodes.failed,
  did_not_happen: askCodes.failed,
  ended: askCodes.failed,
};

const usage = `sitehand ask LINE [--reason TEXT] [--typed-name NAME] [--wait] [--timeout 30m] [--key ID] [--json]

  LINE               as people type it: "push acme-shop/staging acme-shop/live --files"
  --reason TEXT      why; it stands on the card
  --typed-name NAME  the name of the target, where people have to type it
  --wait             until it is over; the exit code says how
  --timeout 30m      how long to wait at most (default: 1h)
  --key ID           the Idempotency-Key (default: a new one): the same one asks once
  --json             one line of JSON for each answer and event

SITEHAND_URL is the address of the interface, SITEHAND_CALLER_KEY the key of a caller.
Exit codes: 0 done, 2 refused, 3 declined or not sent, 4 failed or rejected, 5 unknown, 6 still waiting, 7 not reached.
`;

const options = {
  reason: { type: 'string' },
  'typed-name': { type: 'string' },
  wait: { type: 'boolean' },
  timeout: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Runs the command. Resolves with the exit code; never rejects. */
export async function ask(words: readonly string[], given?: EnvironmentVariables, to: Out = out): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    if (values.help) return said(to.write, usage, askCodes.done);
    const forMs = parseDuration(values.timeout ?? '1h');
    if (positionals.length !== 1 || forMs === undefined) return said(to.complain, usage, askCodes.wrong);
    const client = clientFor(environmentOr(given));
    const body = {
      say: positionals[0],
      ...(values.reason !== undefined && { reason: values.reason }),
      ...(values['typed-name'] !== undefined && { typed_name: values['typed-name'] }),
    };
    const printed = printerFor(to, values.json === true);
    return await run(client, printed, { body, key: values.key ?? randomUUID(), wait: values.wait === true, forMs });
  } catch (error) {
    return said(to.complain, `${errorMessage(error)}\n\n${usage}`, askCodes.wrong);
  }
}

const said = (write: (text: string) => unknown, text: string, code: number): number => {
  write(text);
  return code;
};

type Printer = ReturnType<typeof printerFor>;

function printerFor({ write, complain, isTerminal = false }: Out, isJson: boolean) {
  const spinner = isTerminal && !isJson ? createSpinner(write) : undefined;
  const line = (json: unknown, text: string): void => {
    spinner?.stop();
    write(isJson ? `${JSON.stringify(json)}\n` : `${forTerminal(text)}\n`);
  };
  let last = '';
  return {
    page: (page: z.output<typeof pageSchema>): void => line(page, page.text),
    card: (change: ChangeAnswer): void => {
      const facts = change.facts.map(([label, value]) => `  ${label}: ${value}`);
      const warning = change.warning?.split('\n').map((line) => `  ${line}`) ?? [];
      const approval = approvalIn(change);
      const needs = approval === undefined ? [] : [`  Approval: ${approval}`];
      last = stateOf(change);
      line(change, [`#${change.number} ${change.title}`, ...warning, ...facts, ...needs, last].join('\n'));
    },
    step: (event: z.output<typeof eventSchema>): void => {
      const now = stateOf(event.change);
      const over = endOf(event.change) === undefined ? [] : (event.change.items ?? []);
      const each = over.map(({ target, standing, says }) => `\n  ${target}: ${standing}. ${says}`.trimEnd());
      if (now !== last || isJson) line(event, `${now}${each.join('')}`);
      last = now;
    },
    waits: (): void => spinner?.start(),
    waitsNoMore: (): void => spinner?.stop(),
    complain: (text: string): void => {
      spinner?.stop();
      complain(`${forTerminal(text)}\n`);
    },
  };
}

const stateOf = ({ number, state, says }: ChangeAnswer): string => `#${number} ${state}: ${says}`;

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/** A moving mark on the last line, while it waits. */
function createSpinner(write: Out['write']) {
  let timer: NodeJS.Timeout | undefined;
  let at = 0;
  const draw = (): void => void write(`\r${frames[at++ % frames.length]} `);
  return {
    start: (): void => {
      draw();
      timer ??= setInterval(draw, frameMs).unref();
    },
    stop: (): void => {
      if (timer !== undefined) write('\r\u001b[K');
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Logs, names and pages come from outside: control characters could drive the terminal, and others reorder a line. */
const forTerminal = (text: string): string =>
  text.replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);

/** What a request is answered with. */
const answerSchema = z.union([problemSchema, pageSchema, changeSchema]);

/** The answer; of a proxy, or one that broke off, what came instead. */
function answerIn(status: number, text: string): z.output<typeof answerSchema> | string {
  const read = answerSchema.safeParse(attempt((): unknown => JSON.parse(text)));
  return read.success ? read.data : `the answer, ${status}, is none of Sitehand's interface for programs`;
}

type Asking = { readonly body: object; readonly key: string; readonly wait: boolean; readonly forMs: number };

/** A person's Ctrl-C, and a job that is cancelled. */
const signals = ['SIGINT', 'SIGTERM'] as const;
/** As far as a timer reaches. */
const longestMs = 2 ** 31 - 1;

async function run(client: ApiClient, print: Printer, asking: Asking): Promise<number> {
  let number: number | undefined;
  const goesOn = (): string =>
    number === undefined
      ? `It may have been asked. --key ${asking.key} asks for the same again.`
      : `#${number} can still be approved and sent. --key ${asking.key} asks after it; POST /v1/changes/${number}/cancel takes it back, or Cancel in Slack.`;
  const onSignal = (signal: NodeJS.Signals): never => {
    print.complain(goesOn());
    process.exit(signal === 'SIGINT' ? askCodes.interrupted : askCodes.terminated);
  };
  for (const signal of signals) process.once(signal, onSignal);
  const until = AbortSignal.timeout(Math.min(asking.forMs, longestMs));
  try {
    const came = await askOnce(client, print, asking, until);
    if (typeof came === 'number') return came;
    ({ number } = came);
    if (!asking.wait) return askCodes.done;
    const ended = await follow(client, print, came, until);
    if (ended !== undefined) return ended;
    print.complain(`I wait no longer. ${goesOn()}`);
    return askCodes.waiting;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    print.waitsNoMore();
  }
}

/** Resolves with the change, once its card is printed; or with the exit code. */
async function askOnce(
  client: ApiClient,
  print: Printer,
  { body, key }: Asking,
  signal: AbortSignal,
): Promise<ChangeAnswer | number> {
  const answered = await askFor((path, init) => client(path, { ...init, signal }), body, key)
    .then(async (response) => answerIn(response.status, await response.text()))
    .catch((error: unknown) => errorMessage(error));
  // A proxy may answer in its place, an answer may break off, and a fault says nothing about what was done.
  if (typeof answered === 'string' || ('status' in answered && answered.status === 500)) {
    const says = typeof answered === 'string' ? answered : answered.detail;
    print.complain(
      `Sitehand did not answer: ${says}. If it was asked all the same, --key ${key} asks for the same again.`,
    );
    return askCodes.unreachable;
  }
  if ('status' in answered) return refusedBy(answered, print);
  if (answered.kind === 'change') {
    print.card(answered);
    return answered;
  }
  print.page(answered);
  return askCodes.done;
}

function refusedBy(problem: Problem, print: Printer): number {
  print.complain(
    [`${problem.detail} (${problem.request})`, ...problemLines(problem).map((one) => `  ${one}`)].join('\n'),
  );
  return askCodes.wrong;
}

/** The pause before a stream that broke is taken up again. */
const againMs = 1_000;

/** Prints each step. Resolves with the exit code; undefined: the time is over. */
async function follow(
  client: ApiClient,
  print: Printer,
  { number }: ChangeAnswer,
  until: AbortSignal,
): Promise<number | undefined> {
  print.waits();
  for (let last = 0; !until.aborted; await new Promise((resolve) => setTimeout(resolve, againMs))) {
    const ended = await readEvents(client, print, number, last, until, (event) => {
      last = event.id;
      print.step(event);
      print.waits();
    }).catch((error: unknown) => error);
    if (typeof ended === 'number') return ended;
  }
  return undefined;
}

/** Resolves with the exit code once the change is over; undefined: the stream broke. */
async function readEvents(
  client: ApiClient,
  print: Printer,
  number: number,
  after: number,
  signal: AbortSignal,
  onEvent: (event: z.output<typeof eventSchema>) => void,
): Promise<number | undefined> {
  const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
  const response = await client(`/v1/changes/${number}/events`, { headers, signal });
  // The key or a right is gone, so what becomes of it cannot be read any more.
  if (response.status >= 400 && response.status < 500 && response.status !== 429) {
    print.complain((await problemIn(response)).detail);
    return askCodes.unknown;
  }
  if (!response.ok || response.body === null) return undefined;
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) {
    const event = eventSchema.parse(JSON.parse(data));
    onEvent(event);
    const code = endOf(event.change);
    if (code !== undefined) return code;
  }
  const now = changeSchema.parse(await (await client(`/v1/changes/${number}`, { signal })).json());
  return endOf(now);
}

/** The exit code, once it is over or nobody knows whether it happened. */
const endOf = ({ settled, state }: ChangeAnswer): number | undefined =>
  settled || state === 'unknown' ? (codeOf[state] ?? askCodes.unknown) : undefined;

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { environmentOr, type EnvironmentVariables } from '../base/config.ts';
import { errorMessage } from '../base/errors.ts';
import { approvalIn, askFor, cameOf, clientFor, problemLines, type ApiClient } from '../api/client.ts';
import { answerSchema, changeSchema, eventSchema, type ChangeAnswer, type PageAnswer } from '../api/schemas.ts';
import { parseDuration } from '../words/duration.ts';
import { stateLabel } from '../words/states.ts';
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
  // Nothing more of a batch is sent, unless somebody lets it go on.
  stopped: askCodes.failed,
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
Exit codes: 0 done, 2 refused, 3 declined or not sent, 4 failed or rejected, 5 unknown, 6 not over yet, 7 not reached.
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
    page: (page: PageAnswer): void => line(page, page.text),
    card: (change: ChangeAnswer): void => {
      const facts = change.facts.map(([label, value]) => `  ${label}: ${value}`);
      const warning = change.warning?.split('\n').map((line) => `  ${line}`) ?? [];
      const approval = approvalIn(change);
      const needs = approval === undefined ? [] : [`  Approval: ${approval}`];
      last = stateOf(change);
      line(change, [`#${change.number} ${change.title}`, ...warning, ...facts, ...needs, last].join('\n'));
    },
    step: (event: z.output<typeof eventSchema>): void => {
      const over = endOf(event.change) === undefined ? [] : (event.change.items ?? []);
      const each = over.map(({ target, standing, says }) => `  ${target}: ${standing}. ${says}`.trimEnd());
      const now = [stateOf(event.change), ...each].join('\n');
      if (now !== last || isJson) line(event, now);
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

type Asking = { readonly body: object; readonly key: string; readonly wait: boolean; readonly forMs: number };

/** A person's Ctrl-C, and a job that is cancelled. */
const signals = ['SIGINT', 'SIGTERM'] as const;
/** As far as a timer reaches. */
const longestMs = 2 ** 31 - 1;

async function run(client: ApiClient, print: Printer, asking: Asking): Promise<number> {
  let change: ChangeAnswer | undefined;
  const onSignal = (signal: NodeJS.Signals): never => {
    print.complain(goesOn(change, asking.key));
    process.exit(signal === 'SIGINT' ? askCodes.interrupted : askCodes.terminated);
  };
  for (const signal of signals) process.once(signal, onSignal);
  const until = AbortSignal.timeout(Math.min(asking.forMs, longestMs));
  try {
    const came = await askOnce(client, print, asking, until);
    if (typeof came === 'number') return came;
    change = came;
    if (!asking.wait) return askCodes.done;
    const ended = await follow(client, print, came, until, (now) => (change = now));
    if (ended !== undefined) return ended;
    print.complain(`I wait no longer. ${goesOn(change, asking.key)}`);
    return askCodes.waiting;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    print.waitsNoMore();
  }
}

/** What can become of it without the one who waited, by the last that was heard of it. */
function goesOn(change: ChangeAnswer | undefined, key: string): string {
  if (change === undefined) return `It may have been asked. --key ${key} asks for the same again.`;
  const { number, state } = change;
  const heard = `#${number} was ${stateLabel(state)} when I last heard of it`;
  if (state === 'waiting' || state === 'approved')
    return `${heard}, and can still be sent. --key ${key} asks after it; POST /v1/changes/${number}/cancel takes it back, or Cancel in Slack.`;
  const rest = state === 'running' ? ' Stop in Slack keeps it from beginning more.' : '';
  return `${heard}: it may be at the host already, and cannot be taken back. --key ${key} asks after it.${rest}`;
}

/** Resolves with the change, once its card is printed; or with the exit code. */
async function askOnce(
  client: ApiClient,
  print: Printer,
  { body, key }: Asking,
  signal: AbortSignal,
): Promise<ChangeAnswer | number> {
  const asks = () => askFor((path, init) => client(path, { ...init, signal }), body, key);
  let came = await cameOf(asks(), answerSchema);
  while (came.kind === 'refused' && came.againMs !== undefined && !signal.aborted) {
    print.waits();
    await wait(came.againMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) came = await cameOf(asks(), answerSchema);
  }
  if (came.kind === 'unknown') {
    print.complain(
      `Sitehand did not answer: ${came.why}. If it was asked all the same, --key ${key} asks for the same again.`,
    );
    return askCodes.unreachable;
  }
  if (came.kind === 'refused') return said(print.complain, problemLines(came.problem).join('\n'), askCodes.wrong);
  if (came.answer.kind === 'page') {
    print.page(came.answer);
    return askCodes.done;
  }
  print.card(came.answer);
  return came.answer;
}

/** The pause before a stream that broke is taken up again. */
const againMs = 1_000;

/** Prints each step. Resolves with the exit code; undefined: the time is over. */
async function follow(
  client: ApiClient,
  print: Printer,
  { number }: ChangeAnswer,
  until: AbortSignal,
  onNews: (change: ChangeAnswer) => void,
): Promise<number | undefined> {
  print.waits();
  for (let last = 0; !until.aborted; await new Promise((resolve) => setTimeout(resolve, againMs))) {
    const ended = await readEvents(client, print, number, last, until, (event) => {
      last = event.id;
      onNews(event.change);
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
  if (!response.ok || response.body === null) {
    const came = await cameOf(response, z.never());
    // The key or a right is gone, so what becomes of it cannot be read any more.
    const isGone = came.kind === 'refused' && came.againMs === undefined && response.status < 500;
    return isGone ? said(print.complain, problemLines(came.problem).join('\n'), askCodes.unknown) : undefined;
  }
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

/** The exit code, once it is over, or goes on only if people say so: of a batch, that of the worst of it. */
function endOf({ settled, state, items }: ChangeAnswer): number | undefined {
  const has = (wanted: string): boolean => items?.some(({ standing }) => standing === wanted) ?? false;
  const isHeld = state === 'unknown' || (state === 'stopped' && !has('under way'));
  if (!settled && !isHeld) return undefined;
  return has('unknown') ? askCodes.unknown : (codeOf[state] ?? askCodes.unknown);
}

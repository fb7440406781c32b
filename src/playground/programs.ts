import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { sitehand } from './beside.ts';
import { spawnBot } from './bot-process.ts';
import { controlWith } from './control-answer.ts';
import { playgroundKey } from './environment.ts';
import type { Control } from './http.ts';
import { parseJson } from './slack/json-fields.ts';
import type { ProgramRuns } from './web/shapes.ts';

/** Two programs that ask the bot with the key of `deploy-bot`: a pipeline at a terminal, and an agent with its tools. */
export type Programs = {
  /** `POST /run` with `{ program }` starts it, unless it runs already. */
  readonly control: Control;
  /** What each has printed since it was last started. */
  current(): ProgramRuns;
  close(): Promise<void>;
};

const push = 'push acme-shop/staging acme-shop/live --files';
const pipeline = ['ask', push, '--typed-name', 'acme-shop/live', '--reason', 'release 43', '--wait'];
/** The tools that the agent uses, and how many lines of each answer are shown. */
const steps = [
  ['logs', { words: 'acme-shop/live' }, 2],
  ['propose', { say: 'cache clear acme-shop/live', reason: 'its log is full of errors of old pages' }, 1],
] as const;

const maxLines = 100;
const pollMs = 1_000;

type Ask = {
  /** Where programs ask. */
  readonly url: string;
  /** An empty folder: no `.env` is read. */
  readonly folder: string;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
};

/** Each resolves with its exit code. */
const programs = { pipeline: runPipeline, agent: runAgent };
const named = z.object({ program: z.enum(['pipeline', 'agent']) });

export function createPrograms(at: Pick<Ask, 'url' | 'folder'>, onChanged: () => void): Programs {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let runs: ProgramRuns = {};
  async function run(program: keyof typeof programs): Promise<void> {
    let lines: readonly string[] = [];
    const show = (code?: number): void => {
      runs = { ...runs, [program]: { lines, ...(code !== undefined && { code }) } };
      onChanged();
    };
    const print = (line: string): void => {
      lines = [...lines, line].slice(-maxLines);
      show();
    };
    const code = await programs[program]({ ...at, print, signal: closing.signal }).catch((error: unknown) => {
      print(String(error));
      return 1;
    });
    show(code);
  }
  const handlers = {
    'POST /run': ({ body }: { readonly body: unknown }) => {
      const { program } = named.parse(body);
      const isRunning = runs[program] !== undefined && runs[program].code === undefined;
      if (isRunning) return {};
      const ended = run(program).finally(() => running.delete(ended));
      running.add(ended);
      return {};
    },
  };
  return {
    control: controlWith(handlers, undefined),
    current: () => runs,
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

async function runPipeline({ url, folder, print, signal }: Ask): Promise<number> {
  print(`$ sitehand ${pipeline.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`);
  const environment = { SITEHAND_URL: url, SITEHAND_CALLER_KEY: playgroundKey };
  const child = spawnBot({ words: [...sitehand, ...pipeline], folder, environment }, print);
  const end = (): void => child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  process.once('exit', end);
  const { code } = await child.exited;
  signal.removeEventListener('abort', end);
  process.off('exit', end);
  return code ?? 1;
}

/** An agent that does as it was told: it reads, proposes, and looks again until people have decided. */
async function runAgent(asking: Ask): Promise<number> {
  let told = '';
  for (const [tool, input, lines] of steps) {
    asking.print(`→ ${tool} ${JSON.stringify(input)}`);
    told = await use(asking, tool, tool === 'propose' ? { ...input, request_id: randomUUID() } : input);
    for (const line of told.split('\n').slice(0, lines)) asking.print(`← ${line}`);
  }
  const [proposed = ''] = told.split('\n');
  const number = Number(/^#(\d+) is /.exec(proposed)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return 1;
  asking.print(`→ change ${JSON.stringify({ number })}`);
  for (let shown = proposed; ; await wait(pollMs, undefined, { signal: asking.signal })) {
    const now = await use(asking, 'change', { number });
    const [first = ''] = now.split('\n');
    if (first !== shown) asking.print(`← ${first}`);
    shown = first;
    if (now.includes('"settled":true') || first.includes(' is unknown')) return 0;
  }
}

const replySchema = z.object({ result: z.object({ content: z.array(z.object({ text: z.string() })) }) });

/** What a tool answers. Throws if the bot refuses the key, or is not reached. */
async function use({ url, signal }: Ask, name: string, input: object): Promise<string> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${playgroundKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
    signal,
  });
  const answer = await response.text();
  // JSON, or an event stream with one event.
  const read = replySchema.safeParse(parseJson(/^data: (.*)$/m.exec(answer)?.[1] ?? answer));
  if (!read.success) throw new Error(answer);
  return read.data.result.content.map(({ text }) => text).join('\n');
}

import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { startHosting } from '../../src/playground/hosting/server.ts';
import { startSlack } from '../../src/playground/slack/server.ts';
import { suggestionFigures } from './suggestions.ts';

/**
 * First figures, Sitehand beside a bare Bolt app in one run, both over signed HTTP: start to ready, idle memory, and
 * time to ack with arrivals spread as independent people would spread them. Only the ratios travel between machines.
 */

const root = path.resolve(import.meta.dirname, '../..');
const secret = 'bench';
const seconds = Number(process.argv[2] ?? 5);
const perSecond = 40;
const agent = new Agent({ connections: 32 });

type Figures = { readonly startMs: number; readonly idleMb: number; readonly ack: readonly number[] };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function run(file: string, environment: Record<string, string>): ChildProcess {
  const args = ['--import', './src/node-version.js', file];
  return spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH: process.env['PATH'], ...environment },
  });
}

/** Asks until something answers: what it answers does not matter. */
async function answering(url: string): Promise<void> {
  for (;;) {
    const answered = await request(url, { dispatcher: agent }).then(
      async ({ body, statusCode }) => (await body.dump(), statusCode !== 503),
      () => false,
    );
    if (answered) return;
    await wait(5);
  }
}

async function command(port: number, text: string): Promise<number> {
  const body = new URLSearchParams({
    command: '/site',
    text,
    user_id: 'U01ANA',
    user_name: 'ana',
    team_id: 'T0SITEHAND',
    channel_id: 'C0ACME',
    channel_name: 'acme-shop',
    trigger_id: randomUUID(),
    api_app_id: 'A0SITEHAND',
  }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signature,
  };
  const began = performance.now();
  const answer = await request(`http://127.0.0.1:${port}/slack/events`, {
    method: 'POST',
    headers,
    body,
    dispatcher: agent,
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  return performance.now() - began;
}

/** Arrivals of a Poisson process: no bursts of a timer, no rhythm. */
async function load(port: number, text: string): Promise<readonly number[]> {
  const acks: Promise<number>[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    acks.push(command(port, text));
    await wait((-Math.log(1 - Math.random()) / perSecond) * 1_000);
  }
  return Promise.all(acks);
}

async function measure(
  file: string,
  text: string,
  ready: string,
  environment: Record<string, string>,
): Promise<Figures> {
  const port = await freePort();
  const began = performance.now();
  const child = run(file, { ...environment, PORT: String(port), HOST: '127.0.0.1' });
  await answering(`http://127.0.0.1:${port}${ready}`);
  const startMs = performance.now() - began;
  await wait(1_500);
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  await command(port, text);
  const ack = await load(port, text);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { startMs, idleMb: Number(resident) / 1024, ack };
}

const quantile = (of: readonly number[], at: number): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length * at)] ?? Number.NaN;

const hosting = await startHosting();
const slack = await startSlack({
  tokens: { bot: 'xoxb-bench', app: 'xapp-bench', signingSecret: secret },
  delivery: { kind: 'http' },
});
const folder = mkdtempSync(path.join(os.tmpdir(), 'sitehand-bench-'));
const sitehand = {
  SLACK_BOT_TOKEN: slack.tokens.bot,
  SLACK_SIGNING_SECRET: secret,
  SLACK_API_URL: slack.apiUrl,
  HOSTING_API_URL: hosting.url,
  HOSTING_API_KEY: hosting.key,
  HOSTING_COMPANY_ID: hosting.companyId,
  POLICY_FILE: 'src/playground/policy.yml',
  LOG_LEVEL: 'error',
};
const bare = await measure('test/bench/bare.ts', 'help', '/', {});
const report = await measure('src/main.ts', 'whoami', '/readyz', {
  ...sitehand,
  DATABASE_URL: `sqlite:${folder}/report.db`,
});
const action = await measure('src/main.ts', 'cache clear acme-shop/live', '/readyz', {
  ...sitehand,
  DATABASE_URL: `sqlite:${folder}/action.db`,
});
rmSync(folder, { recursive: true });
await Promise.all([slack.close(), hosting.close(), agent.close()]);

const row = (name: string, { startMs, idleMb, ack }: Figures): string =>
  [
    name.padEnd(26),
    `${startMs.toFixed(0)} ms`,
    `${idleMb.toFixed(0)} MB`,
    `${quantile(ack, 0.5).toFixed(2)} ms`,
    `${quantile(ack, 0.99).toFixed(2)} ms`,
    String(ack.length),
  ]
    .map((cell) => cell.padStart(10))
    .join('');
process.stdout.write(
  `${['', 'ready', 'idle', 'ack p50', 'ack p99', 'acks'].map((cell, index) => (index === 0 ? ''.padEnd(26) : cell.padStart(10))).join('')}\n`,
);
process.stdout.write(
  `${row('bare Bolt', bare)}\n${row('Sitehand, a desk command', report)}\n${row('Sitehand, an action', action)}\n`,
);
process.stdout.write(`\n${suggestionFigures()}`);

import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { sitehand } from '../../src/playground/beside.ts';
import { fieldsOf } from '../../src/playground/slack/json-fields.ts';

const program = fileURLToPath(new URL('../browser/tiny-bot.ts', import.meta.url));
/** For tests in which the bot's behaviour does not matter. */
const noBot = 'test/browser/no-such-bot.ts';

type Answer = {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

/** Starts a request as any program on the machine could. */
function begin(url: string, headers: Record<string, string> = {}, body?: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }, resolve);
  sent.once('error', reject);
  sent.end(body);
  return promise;
}

async function call(...asked: Parameters<typeof begin>): Promise<Answer> {
  const answer = await begin(...asked);
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += String(part);
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** Whether a process runs; a zombie does not. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

const leftovers = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('sitehand-playground-'));

describe('a playground', () => {
  let playground: Playground;
  const bot = new EventEmitter();
  beforeAll(async () => {
    playground = await startPlayground({ program, onLine: (line) => bot.emit('line', line) });
  });
  afterAll(() => playground.close());

  it('runs the bot between both stand-ins', async () => {
    expect(playground.bot.state()).toMatchObject({ state: 'ready', exit: undefined });
    const outcome = await playground.slack.command('U01ANA', 'C0ACME', '/site private');
    expect(outcome.acked).toBe(true);
  });

  it('gives the bot only its own variables', async () => {
    process.env['SITEHAND_LEAK'] = 'leaked';
    await playground.bot.restart();
    const printed = once(bot, 'line');
    await playground.slack.command('U01ANA', 'C0ACME', '/site environment');
    const line = String((await printed).at(0));
    delete process.env['SITEHAND_LEAK'];
    expect(line).toMatch(/^ENVIRONMENT /);
    const seen: unknown = JSON.parse(line.replace('ENVIRONMENT ', ''));
    expect(seen).toMatchObject({
      SLACK_API_URL: playground.slack.apiUrl,
      HOSTING_API_URL: playground.hosting.url,
      HOSTING_COMPANY_ID: playground.hosting.companyId,
      CHECK_CONNECT_TO: playground.site.connectTo,
      LOG_LEVEL: 'warn',
      PORT: '0',
    });
    const expected =
      /^(SLACK_|HOSTING_|CHECK_CONNECT_TO$|POLICY_FILE$|DATABASE_URL$|PORT$|API_PORT$|LOG_LEVEL$|PATH$|HOME$|TZ$|LANG$|NODE_COMPILE_CACHE$)/;
    expect(Object.keys(fieldsOf(seen)).filter((name) => !expected.test(name))).toEqual([]);
  });

  it('stays up when the bot is killed, and starts it again', async () => {
    const before = playground.bot.pid;
    const { exited } = playground.bot;
    playground.bot.kill('SIGKILL');
    expect(await exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(playground.bot.state().state).toBe('exited');
    expect((await call(playground.url)).status).toBe(200);
    await Promise.all([playground.bot.restart(), playground.bot.restart()]);
    expect(playground.bot.state().state).toBe('ready');
    expect(playground.bot.pid).not.toBe(before);
    expect((await playground.slack.command('U01ANA', 'C0ACME', '/site private')).acked).toBe(true);
  });

  it('shows the exit code of a bot that ends by itself', async () => {
    const { exited } = playground.bot;
    await playground.slack.command('U01ANA', 'C0ACME', '/site crash');
    expect(await exited).toEqual({ code: 7, signal: null });
    const restarted = await call(`${playground.url}/control/bot/restart`, {}, '{}');
    expect(JSON.parse(restarted.text)).toMatchObject({ state: 'ready' });
  });

  it.each([
    ['a name that leads here', { host: 'evil.example' }, 403],
    ['a name that begins like this one', { host: 'localhost.evil.example' }, 403],
    ['the other name of loopback', { host: 'LOCALHOST:80' }, 200],
    ['a web page elsewhere', { origin: 'https://evil.example' }, 403],
    ['a page on another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a link from elsewhere', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a program on this machine', {}, 200],
  ])('answers %s with the right status', async (_who, headers, status) => {
    const said = JSON.stringify({ person: 'U01ANA', channel: 'C0ACME', text: 'hello' });
    const answer = await call(`${playground.url}/control/slack/say`, headers, said);
    expect(answer.status).toBe(status);
  });

  it('restricts the page by headers, and allows no other origin', async () => {
    const { headers } = await call(playground.url);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    ['/web/page.ts', 200, 'text/javascript'],
    ['/slack/json-fields.ts', 200, 'text/javascript'],
    ['/web/page.css', 200, 'text/css'],
    ['/web/nothing.ts', 404, 'application/json'],
    ['/web/../main.ts', 404, 'application/json'],
    ['/web/%2e%2e/main.ts', 404, 'application/json'],
    ['/slack/server.ts', 404, 'application/json'],
    ['/web/tsconfig.json', 404, 'application/json'],
  ])('serves %s with %i', async (path, status, type) => {
    const answer = await call(`${playground.url}${path}`);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toContain(type);
    expect(answer.text).not.toMatch(/^import type/m);
  });

  it.each([
    ['no JSON', '/control/slack/say', '{', 400],
    ['too much', '/control/slack/say', JSON.stringify({ text: 'x'.repeat(300_000) }), 413],
    ['no such path', '/control/slack/nothing', '{}', 404],
    ['no such part', '/control/weather', '{}', 404],
    ['an impossible act', '/control/slack/say', '{"person":"U01ANA"}', 400],
    ['no such signal', '/control/bot/kill', '{"signal":"SIGWRONG"}', 400],
  ])('refuses %s with a sentence', async (_what, path, body, status) => {
    const answer = await call(`${playground.url}${path}`, {}, body);
    expect(answer.status).toBe(status);
    expect(fieldsOf(JSON.parse(answer.text))['error']).toMatch(/\w+ \w+/);
  });

  it('streams events', async () => {
    const answer = await begin(`${playground.url}/events`);
    let streamed = '';
    const { promise, resolve } = Promise.withResolvers<void>();
    answer.on('data', (part: Buffer) => {
      streamed += part.toString();
      if (/event: slack\n.*"message"/.test(streamed) && /event: hosting\n.*"answered"/.test(streamed)) resolve();
    });
    await fetch(`${playground.hosting.url}/domains/`, {
      headers: { authorization: `Bearer ${playground.hosting.key}` },
    });
    await playground.slack.say('U01ANA', 'C0ACME', 'one\n\nevent: forged');
    await promise;
    answer.destroy();
    expect(streamed).not.toMatch(/^event: forged/m);
  });

  it('serves events to at most 50 pages, and to new ones when others have left', async () => {
    const readers = await Promise.all(Array.from({ length: 50 }, () => begin(`${playground.url}/events`)));
    expect(readers.map(({ statusCode }) => statusCode)).toEqual(readers.map(() => 200));
    expect((await call(`${playground.url}/events`)).status).toBe(503);
    for (const reader of readers) reader.destroy();
    await expect.poll(() => begin(`${playground.url}/events`).then((it) => it.destroy().statusCode)).toBe(200);
  });
});

describe('other ways to start', () => {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  it('reaches the bot by signed HTTP', async () => {
    const playground = await startPlayground({ program, http: true });
    open.push(() => playground.close());
    expect(playground.bot.state().state).toBe('ready');
    expect((await playground.slack.command('U01ANA', 'C0ACME', '/site private')).acked).toBe(true);
  });

  it('serves its page even if the bot does not start', async () => {
    const playground = await startPlayground({ program: noBot });
    open.push(() => playground.close());
    expect(playground.bot.state()).toMatchObject({ state: 'exited', exit: { code: 1 } });
    expect((await call(`${playground.url}/control/bot`)).text).toContain('no-such-bot');
  });

  it('refuses a taken port and leaves nothing behind', async () => {
    // Other tests open and close theirs meanwhile.
    const apart = await mkdtemp(join(tmpdir(), 'apart-'));
    vi.stubEnv('TMPDIR', apart);
    const first = await startPlayground({ program: noBot });
    open.push(
      () => first.close(),
      () => (vi.unstubAllEnvs(), rm(apart, { recursive: true })),
    );
    const before = await leftovers();
    await expect(startPlayground({ program: noBot, port: Number(new URL(first.url).port) })).rejects.toThrow(
      'EADDRINUSE',
    );
    expect(new Set(await leftovers())).toEqual(new Set(before));
  });

  it('keeps a named folder', async () => {
    const keep = await mkdtemp(join(tmpdir(), 'kept-'));
    open.push(() => rm(keep, { recursive: true }));
    const playground = await startPlayground({ program: noBot, keep });
    await playground.close();
    expect(await readdir(keep)).toEqual([]);
  });
});

describe('npm run playground', () => {
  const running = new Set<ChildProcess>();
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
  });

  function run(...words: readonly string[]): ChildProcess & { printed(): string } {
    const child = spawn(process.execPath, [...sitehand, 'playground', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let text = '';
    for (const output of [child.stdout, child.stderr]) output.on('data', (part: Buffer) => (text += part.toString()));
    return Object.assign(child, { printed: () => text });
  }

  async function printed(child: ReturnType<typeof run>, wanted: RegExp): Promise<string> {
    while (!wanted.test(child.printed())) {
      if (child.exitCode !== null || child.stdout === null || child.stderr === null) break;
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')]);
    }
    expect(child.printed()).toMatch(wanted);
    return child.printed();
  }

  async function pidOf(address: string): Promise<number> {
    const state: unknown = JSON.parse((await call(`${address}control/bot`)).text);
    const pid: unknown = fieldsOf(state)['pid'];
    if (typeof pid !== 'number') throw new Error('there is no bot');
    return pid;
  }

  it.each([
    [['--colour'], /Unknown option '--colour'/],
    [['--port', 'many'], /--port takes a number from 0 to 65535/],
    [['now'], /Unexpected argument 'now'/],
  ])('refuses %j with a sentence', async (words, sentence) => {
    const child = run(...words);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(child.printed()).toMatch(sentence);
    expect(child.printed().trim().split('\n')).toHaveLength(1);
  });

  it('prints its address, and what a program needs, when the bot is connected, and ends with it on Ctrl-C', async () => {
    const child = run('--port', '0');
    const text = await printed(child, /Ctrl-C/);
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [];
    expect(text.match(/https?:/g)).toHaveLength(2);
    expect((await call(address)).text).toContain('Sitehand playground');
    const [, api = '', key = ''] = /SITEHAND_URL=(\S+) SITEHAND_CALLER_KEY=(\S+)/.exec(text) ?? [];
    const commands = await fetch(`${api}/v1/commands`, { headers: { authorization: `Bearer ${key}` } });
    expect(await commands.text()).toContain('cache clear');
    const pid = await pidOf(address);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(await isAlive(pid)).toBe(false);
  });

  it('ends at once at the second Ctrl-C, together with the bot', async () => {
    const child = run('--port', '0');
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(await printed(child, /Ctrl-C/)) ?? [];
    const pid = await pidOf(address);
    process.kill(pid, 'SIGSTOP');
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([1, null]);
    // The bot was killed, but only its parent process is notified of its end.
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { newKey } from '../../src/api/authenticate.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { median, quantile, spreadOf, type Figure, type Scale } from './figures.ts';
import type { Load } from './load.ts';
import type { Program } from './program.ts';
import { startSitehand } from './start-both.ts';
import type { World } from './world.ts';

/** Programs that ask over HTTP: how long until the answer, beside a command's ack, and what their streams hold. */

const perSecond = 25;
const streams = 1_000;
/** Each caller may have five changes waiting, and these ask for nothing else. */
const perCaller = 5;
const callers = Array.from({ length: 150 }, (_, at) => ({ name: `bot-${at}`, ...newKey() }));
const named = callers.map(({ name }) => `"caller:${name}"`).join(', ');
const policy = `
version: 1
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI] }
callers:
${callers.map(({ name, hash }) => `  ${name}: { keys: ["${hash}"], for: U01ANA, operators: [U02BEN], channel: C0ACME, expires: 2099-01-01 }`).join('\n')}
rules:
  - { allow: [read, routine], to: [developers, leads] }
  - { allow: [read], to: [${named}] }
  - { allow: [routine], to: [${named}], approval: { by: [leads] } }
channels: { ops: C0OPS }
`;
const asks = 'cache clear acme-shop/staging';
/** A change that is saved before its ack, as the others are, and refused after it. */
const command = 'cache clear nosuch-site/live';

export async function measurePrograms(scale: Scale, world: World, load: Load): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-bench-'));
  const [file, port] = [join(folder, 'policy.yml'), await freePort()];
  await writeFile(file, policy);
  const environment = { ...world.environment, POLICY_FILE: file, API_PORT: String(port) };
  const sitehand = await startSitehand({ ...world, environment }, { probe: true });
  const agent = new Agent({ connections: streams + 64, pipelining: 1 });
  try {
    const ask = createAsking(agent, `http://127.0.0.1:${port}`);
    const answered = await answers(scale, load, sitehand, ask.change);
    return [...answered, ...(await memoryOfStreams(sitehand, ask.stream))];
  } finally {
    await agent.destroy();
    await sitehand.stop();
    await rm(folder, { recursive: true });
  }
}

function createAsking(dispatcher: Agent, url: string) {
  let asked = 0;
  const saved: { readonly number: number; readonly authorization: string }[] = [];
  return {
    /** Asks for a change with the next caller; resolves with the ms until the answer. */
    change: async (): Promise<number> => {
      const at = asked++;
      const authorization = `Bearer ${callers[Math.floor(at / perCaller) % callers.length]?.key}`;
      const began = performance.now();
      const answer = await request(`${url}/v1/requests`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': `measured-${at}` },
        body: JSON.stringify({ say: asks }),
        dispatcher,
      });
      const body: unknown = await answer.body.json();
      const ms = performance.now() - began;
      if (answer.statusCode !== 202) throw new Error(`a request was answered with ${answer.statusCode}`);
      saved.push({ ...z.object({ number: z.int() }).parse(body), authorization });
      return ms;
    },
    /** Opens a stream about one of the changes; resolves with what closes it, once its first event has come. */
    stream: async (at: number): Promise<() => void> => {
      const { number, authorization = '' } = saved[at % saved.length] ?? {};
      const headers = { authorization, accept: 'text/event-stream' };
      const { statusCode, body } = await request(`${url}/v1/changes/${number}/events`, { headers, dispatcher });
      if (statusCode !== 200) throw new Error(`a stream was answered with ${statusCode}`);
      body.on('error', () => undefined);
      await new Promise((resolve) => body.once('data', resolve));
      return () => body.destroy();
    },
  };
}

async function answers(
  { quick }: Scale,
  load: Load,
  sitehand: Program,
  ask: () => Promise<number>,
): Promise<readonly Figure[]> {
  const [acks, programs]: [(readonly number[])[], (readonly number[])[]] = [[], []];
  await Promise.all(Array.from({ length: 20 }, ask));
  for (let round = 0; round < (quick ? 3 : 5); round += 1) {
    acks.push(await load.arrivals(sitehand.url, command, perSecond, 2));
    const began = performance.now();
    const asked: Promise<number>[] = [];
    for (let at = 0; at < 2 * perSecond; at += 1) {
      await wait(Math.max(0, began + (at * 1_000) / perSecond - performance.now()));
      asked.push(ask());
    }
    programs.push(await Promise.all(asked));
  }
  return ([0.5, 0.99] as const).map((share) => {
    const at = (rounds: readonly (readonly number[])[]): readonly number[] => rounds.map((one) => quantile(one, share));
    const [ack, program] = [at(acks), at(programs)];
    return {
      what: `a program's request, saved and answered, p${share * 100}: more than the ack of a command`,
      measured: median(program) - median(ack),
      unit: 'ms',
      limit: undefined,
      spread: spreadOf(program.map((ms, round) => ms - (ack[round] ?? Number.NaN))),
      raw: { ack, program },
    };
  });
}

async function memoryOfStreams(
  sitehand: Program,
  open: (at: number) => Promise<() => void>,
): Promise<readonly Figure[]> {
  const before = await sitehand.holds();
  const close: (() => void)[] = [];
  for (let at = 0; at < streams; at += 50)
    close.push(...(await Promise.all(Array.from({ length: 50 }, (_, more) => open(at + more)))));
  const during = await sitehand.holds();
  for (const one of close) one();
  let after = await sitehand.holds();
  // A closed connection is noticed a moment later.
  for (let look = 0; look < 40 && after.resources > before.resources + 10; look += 1) {
    await wait(250);
    after = await sitehand.holds();
  }
  const figure = (what: string, held: number, limit: number): Figure => ({
    what,
    measured: (held - before.heap) / 1e6,
    unit: 'MB',
    limit,
    raw: { before: before.heap, during: during.heap, after: after.heap },
  });
  return [
    figure(`heap of ${streams} waiting streams`, during.heap, 40),
    figure('heap left of them when they are closed', after.heap, 2),
  ];
}

import { createLogReader, type LogReader } from '../../src/commands/logs/run-analysis.ts';
import { logs } from '../../src/commands/logs.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { logText } from '../../src/playground/hosting/logs/stream.ts';
import { seedWorld } from '../../src/playground/hosting/seed/seed.ts';
import { noCertificate, reportDefaults } from '../fixtures.ts';
import { quantile, spreadOf, tableOf, type Figure, type Scale } from './figures.ts';

/** The cost of a log report: from the host's text to the page, as the command does it, without network and Slack. */

const count = 20_000;
const now = Date.UTC(2026, 10, 21, 14, 5);
const env: Environment = {
  kind: 'environment',
  id: '00000000-0000-4000-8000-000000000001',
  name: 'acme-shop/live',
  live: true,
  site: { id: undefined, name: 'acme-shop' },
};

/** The newest lines of the stand-in's access log of a live environment. */
function accessLog(): string {
  const own = seedWorld('bench', now)
    .sites.flatMap(({ environments }) => environments)
    .find(({ name }) => name === 'live');
  const text = own === undefined ? '' : logText(own, 'access', 'bench', { lines: count, now });
  const got = text.split('\n').length - 1;
  if (got !== count) throw new Error(`the stand-in wrote ${got} lines, not ${count}`);
  return text;
}

const shown = ({ analyze }: LogReader, text: string): Promise<Page> =>
  logs.show({
    input: {
      env,
      log: 'access',
      lines: count,
      since: undefined,
      until: undefined,
      search: undefined,
      errors: false,
      full: false,
    },
    read: async (call) => call.reply.parse({ environment: { container_info: { logs: text } } }),
    company: { kind: 'company', id: 'c', name: 'Acme' },
    certificate: noCertificate,
    ...reportDefaults,
    now,
    zone: 'Europe/Berlin',
    analyzeLog: analyze,
  });

/** Milliseconds of CPU time: of this thread, and of all threads. */
async function spent(work: () => Promise<unknown>): Promise<{ readonly here: number; readonly all: number }> {
  const [here, all] = [process.threadCpuUsage(), process.cpuUsage()];
  await work();
  const sum = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;
  return { here: sum(process.threadCpuUsage(here)), all: sum(process.cpuUsage(all)) };
}

/** The longest time, in milliseconds, that the event loop was blocked meanwhile. */
async function maxBlockLength(work: () => Promise<unknown>): Promise<number> {
  let [last, longest, over] = [performance.now(), 0, false];
  const probe = (): void => {
    const at = performance.now();
    longest = Math.max(longest, at - last);
    last = at;
    if (!over) setImmediate(probe);
  };
  setImmediate(probe);
  await work();
  over = true;
  return Math.max(longest, performance.now() - last);
}

/** The log report over 20,000 access lines: its work in this thread and in others, and how long it blocks at most. */
export async function measureLogReport({ quick }: Scale): Promise<readonly Figure[]> {
  const rounds = quick ? 3 : 40;
  const text = accessLog();
  const reader = createLogReader('k');
  for (let round = 0; round < 8; round += 1) await shown(reader, text);
  const [here, all, blocks]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    // A fresh copy, as it comes off the wire: the engine knows nothing about it yet.
    const fresh = Buffer.from(text).toString();
    const work = await spent(() => shown(reader, fresh));
    here.push(work.here);
    all.push(work.all);
    const another = Buffer.from(text).toString();
    blocks.push(await maxBlockLength(() => shown(reader, another)));
  }
  await reader.close();
  const figure = (what: string, of: readonly number[], limit?: number): Figure => ({
    what,
    measured: quantile(of, 0.5),
    unit: 'ms',
    limit,
    spread: spreadOf(of),
    raw: { rounds: of },
  });
  return [
    figure('log report over 20,000 access lines, work where commands are acked', here, 25),
    figure('log report over 20,000 access lines, work in all', all),
    figure('log report over 20,000 access lines, longest block', blocks, 20),
  ];
}

if (import.meta.main)
  process.stdout.write(`${tableOf(await measureLogReport({ quick: process.argv.includes('--quick') }))}\n`);

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { burst } from '../burst.ts';
import { openScenario } from './scenario.ts';
import { threeSeconds } from './three-seconds.ts';

/** What somebody without a key can make the bot hold: bursts of requests that nobody waits for. */

const connections = 400;
/** Four that wait, and what is parsed together with the fifth. */
const maxParsedEach = 9;

/** How many requests to this path are made into objects in this process from now on. */
function countParsed(path: string): () => number {
  let parsed = 0;
  const count = (message: unknown): void => {
    const request: unknown = typeof message === 'object' && message !== null && Reflect.get(message, 'request');
    if (request instanceof IncomingMessage && request.url === path) parsed += 1;
  };
  subscribe('http.server.request.start', count);
  onTestFinished(() => void unsubscribe('http.server.request.start', count));
  return () => parsed;
}

test.each([
  ['PORT in HTTP mode', '/readyz', 'http'],
  ['PORT in HTTP mode, at an unknown path', '/unknown', 'http'],
  ['the health port of Socket Mode', '/healthz', 'socket'],
  ['METRICS_PORT', '/metrics', 'metrics'],
] as const)(
  'on %s, a burst of four hundred connections costs a few requests each, and others are acked',
  async (_, path, on) => {
    const metricsPort = await freePort();
    const scenario = await openScenario({
      slack: { delivery: { kind: on === 'http' ? 'http' : 'socket' } },
      environment: { METRICS_PORT: String(metricsPort) },
    });
    onTestFinished(() => scenario.close());
    const port = on === 'metrics' ? metricsPort : scenario.port();
    const parsed = countParsed(path);
    const inTime = threeSeconds();
    const bursting = burst(port, { connections, path });
    const said = scenario.person('ana').says('/site whoami');
    expect(await bursting).toBeGreaterThan(connections * 1_000);
    // The Slack of the test doesn't try again what the full port of HTTP mode did not take.
    if (on !== 'http') inTime((await said).outcome);
    await said;
    inTime((await scenario.person('ben').says('/site whoami')).outcome);
    expect(parsed()).toBeGreaterThan(0);
    expect(parsed()).toBeLessThanOrEqual(connections * maxParsedEach);
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(path === '/unknown' ? 404 : 200);
  },
);

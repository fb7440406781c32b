import { randomFrom } from '../random.ts';
import type { Environment, LogLine } from '../resources.ts';
import type { EntryContext } from './entry-context.ts';
import { webPath, webTime } from './sample-values.ts';

/** One page look-up in the cache (found, not found, or never cached) with its duration in seconds. */
export function cacheEntry({ hostname, at, incident, random }: EntryContext): string[] {
  const path = webPath(random);
  const isPersonal = /^\/(checkout|cart|my-account|wp-login|wp-json)/.test(path);
  const answer = isPersonal ? 'BYPASS' : random.chance(incident ? 0.3 : 0.82) ? 'HIT' : 'MISS';
  const status = incident && answer !== 'HIT' && random.chance(0.4) ? 502 : 200;
  const seconds = answer === 'HIT' ? random.next() * 0.006 + 0.001 : random.next() ** 2 * 2.5 + 0.08;
  return [`[${webTime(at)}] ${answer} ${hostname} "GET ${path} HTTP/2.0" ${status} ${seconds.toFixed(3)}`];
}

/** The cache log right after a clear at `at`: forty pages, all of them misses. */
export function missBurst({ id, hostname }: Environment, seed: string, at: number): Environment['written'] {
  const random = randomFrom(`${seed} ${id} cleared ${at}`);
  const line = (text: string): LogLine & { kind: 'service-cache-perf' } => ({ kind: 'service-cache-perf', at, text });
  const misses = Array.from({ length: 40 }, () => {
    const seconds = (random.next() * 2 + 0.1).toFixed(3);
    return line(`[${webTime(at)}] MISS ${hostname} "GET ${webPath(random)} HTTP/2.0" 200 ${seconds}`);
  });
  return [line(`[${webTime(at)}] PURGE ${hostname} "PURGE /* HTTP/1.1" 200 0.012`), ...misses];
}

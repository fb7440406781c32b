import type { Random } from '../random.ts';
import type { EntryContext } from './entry-context.ts';
import { userAgent, visitor, webPath, webTime } from './sample-values.ts';

/** One request in the combined format, with its duration in seconds at the end. */
export function accessEntry({ hostname, at, incident, random }: EntryContext): string[] {
  const path = webPath(random);
  const status = statusOf(path, incident, random);
  const method = path === '/checkout/' || path === '/wp-login.php' ? random.pick(['GET', 'POST']) : 'GET';
  const size = status === 304 ? 0 : random.integer(180, 90_000);
  const referrer = random.chance(0.5) ? `https://${hostname}/` : '-';
  const request = `"${method} ${path}${token(path, random)} HTTP/2.0" ${status} ${size} "${referrer}" "${userAgent(random)}"`;
  return [`${visitor(random)} - - [${webTime(at)}] ${request} ${seconds(path, status, random)}`];
}

function statusOf(path: string, incident: boolean, random: Random): number {
  if (incident && random.chance(0.45)) return random.pick([500, 502, 502, 504]);
  if (path === '/wp-login.php') return random.pick([200, 302, 403, 403]);
  const share = random.next();
  if (share < 0.84) return 200;
  if (share < 0.9) return random.pick([301, 302]);
  if (share < 0.94) return 304;
  return share < 0.995 ? 404 : 500;
}

/** Some clients put a key into an address. */
function token(path: string, random: Random): string {
  if (!path.startsWith('/wp-json') || !random.chance(0.2)) return '';
  return `?api_key=${random.letters(32, '0123456789abcdef')}`;
}

function seconds(path: string, status: number, random: Random): string {
  if (status === 504) return '60.001';
  const slow = status >= 500 || path === '/checkout/' || path.startsWith('/?s=');
  return (random.next() ** 3 * (slow ? 9 : 0.7) + 0.004).toFixed(3);
}

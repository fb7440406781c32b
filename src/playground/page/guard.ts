import type { IncomingHttpHeaders } from 'node:http';

/** Headers of every answer: scripts, styles and connections only from this server, and no framing. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const LOOPBACK = /^(127\.0\.0\.1|localhost)(:\d{1,5})?$/i;

/**
 * Why a request is refused, or undefined. Another web page could reach this server through its reader's browser: by a
 * name that resolves to loopback (so Host must be loopback), or by a form or fetch (so Origin must be this server).
 */
export function refusalOf({ host = '', origin, 'sec-fetch-site': site }: IncomingHttpHeaders): string | undefined {
  if (!LOOPBACK.test(host)) return 'this server answers at 127.0.0.1 and localhost only';
  const foreign = origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`;
  if (foreign || site === 'cross-site' || site === 'same-site') return 'other web pages cannot drive the playground';
  return undefined;
}

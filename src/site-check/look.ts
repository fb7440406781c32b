import { randomUUID } from 'node:crypto';
import { connectFor, BlockedHop, type Destination, type Resolve } from './connect.ts';
import { siteFailureOf, slowness } from './failure.ts';
import { hopTo } from './hop.ts';
import { titleIn, troubleIn } from './page-content.ts';
import type { Answered, PageRequest, Look } from './reading.ts';
import { requestOn, type PageResponse, type Body } from './request.ts';
import { dayMs, hourMs } from '../words/duration.ts';
import { startDeadline } from '../base/time-limit.ts';

/** How requests reach a site. */
export type Reach = {
  readonly resolve: Resolve;
  /** Where every request goes instead. */
  readonly instead: Destination | undefined;
  /** `openedAt`: when a connection last opened, in milliseconds of `performance.now`. Looks write it. */
  readonly wayOut: { openedAt?: number };
};

/** A look with the body it saw, if that could be read. */
export type LookWithBody = { readonly look: Look; readonly body?: Body | undefined };

const maxRedirects = 5;
/** How long one look may take with its redirects, in milliseconds. */
const lookMs = 7_000;
/** How long an opened connection proves that no firewall on our own side blocks them. */
const openMs = 24 * hourMs;

/**
 * The progress of a look. `askedAt`: when the request was sent on the open connection, in milliseconds of
 * `performance.now`; undefined while it connects. `answeredMs`: how long the answers before took. `movedTo`: another
 * name, after redirects.
 */
type Progress = { askedAt?: number | undefined; answeredMs: number; redirects: number; movedTo?: string | undefined };

/** Reads one page with GET, following redirects by hand. Never rejects. `signal` ends it early. */
export async function lookAtPage(asked: PageRequest, reach: Reach, signal: AbortSignal): Promise<LookWithBody> {
  const began = performance.now();
  using late = startDeadline(lookMs);
  const progress: Progress = { answeredMs: 0, redirects: 0 };
  try {
    return await follow(asked, reach, AbortSignal.any([signal, late.signal]), began, progress);
  } catch (error) {
    const { askedAt, answeredMs, redirects, movedTo } = progress;
    if (error instanceof BlockedHop) {
      const why = redirects === 0 ? error.message : `it redirects to where I don't go: ${error.message}`;
      return { look: { ...asked, kind: 'not checked', why } };
    }
    const now = performance.now();
    const { why, isOfSite } =
      signal.aborted || late.signal.aborted
        ? slowness(now - began, answeredMs + (askedAt === undefined ? 0 : now - askedAt))
        : siteFailureOf(error, askedAt === undefined ? 'connecting' : 'answering', isOpen(reach, now));
    const whose = movedTo === undefined ? why : `redirects to ${movedTo}, which ${why}`;
    return { look: { ...asked, kind: 'no answer', why: whose, isOfSite } };
  }
}

const isOpen = ({ wayOut: { openedAt = -Infinity } }: Reach, now: number): boolean => now - openedAt < openMs;

async function follow(
  asked: PageRequest,
  { resolve, instead, wayOut }: Reach,
  signal: AbortSignal,
  began: number,
  progress: Progress,
): Promise<LookWithBody> {
  let address = firstAddress(asked);
  let certificateUntil: number | undefined;
  const firstName = URL.parse(address)?.hostname;
  for (; ; progress.redirects += 1) {
    const hop = hopTo(address);
    if (typeof hop === 'string') throw new BlockedHop(hop);
    progress.askedAt = undefined;
    progress.movedTo = hop.name === firstName ? undefined : hop.name;
    const socket = await connectFor(hop, resolve, instead, signal);
    const askedAt = performance.now();
    wayOut.openedAt = askedAt;
    progress.askedAt = askedAt;
    const answer = await requestOn(socket, hop, headersFor(asked));
    progress.answeredMs += performance.now() - askedAt;
    certificateUntil = earlier(certificateUntil, answer.certificateUntil);
    const next = redirectOf(answer, address);
    if (next === undefined) {
      const look = answered(asked, { address, answer, certificateUntil }, began);
      return { look, body: answer.body };
    }
    if (progress.redirects === maxRedirects) {
      const why = `redirects more than ${maxRedirects} times`;
      return { look: { ...asked, kind: 'no answer', why, isOfSite: true } };
    }
    address = next;
  }
}

/** To get past the cache, adds a query that no cache has seen. */
function firstAddress({ address, as }: PageRequest): string {
  const url = URL.parse(address);
  if (url === null || as === 'visitor') return address;
  url.searchParams.set('sitehand-check', randomUUID());
  return url.href;
}

/** Headers without cookies or credentials. */
const headersFor = ({ as }: PageRequest): Readonly<Record<string, string>> => ({
  'user-agent': 'Sitehand/1.0 (site check for the owners of this site)',
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  ...(as === 'past the cache' && { 'cache-control': 'no-cache', pragma: 'no-cache' }),
});

/** Where an answer redirects to; undefined if it doesn't. */
function redirectOf({ status, header }: PageResponse, address: string): string | undefined {
  const bytes = [301, 302, 303, 307, 308].includes(status) ? header('location') : undefined;
  // Node gives each byte as a character; browsers read the header as UTF-8.
  const to = bytes && Buffer.from(bytes, 'latin1').toString('utf8');
  // An unreadable address is refused as a hop.
  return to === undefined ? undefined : (URL.parse(to, address)?.href ?? to);
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

type End = { readonly address: string; readonly answer: PageResponse; readonly certificateUntil: number | undefined };

function answered(asked: PageRequest, { address, answer, certificateUntil }: End, began: number): Answered {
  const { status, body, headersAt } = answer;
  return {
    ...asked,
    kind: 'answered',
    status,
    firstByteMs: headersAt - began,
    ms: performance.now() - began,
    finalAddress: address.replace(/[?#].*$/s, '').slice(0, maxAddress),
    title: body && titleIn(body),
    trouble: body && troubleIn(body),
    unread: body || status > 299 ? undefined : 'compressed in a way I did not ask for',
    cache: cacheIn(answer),
    certificateDays: certificateUntil === undefined ? undefined : Math.floor((certificateUntil - Date.now()) / dayMs),
  };
}

const maxAddress = 200;
/** Headers in which caches say whether they had the page. */
const cacheHeaders = ['cf-cache-status', 'x-kinsta-cache', 'x-cache-status', 'x-cache', 'x-proxy-cache'];

function cacheIn({ header }: PageResponse): string | undefined {
  const said = cacheHeaders.flatMap((name) => header(name)?.slice(0, 40) ?? [])[0];
  const age = header('age');
  return said ?? (age !== undefined && /^\d{1,9}$/.test(age) && age !== '0' ? `${age} s old` : undefined);
}

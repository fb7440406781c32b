import { randomUUID } from 'node:crypto';
import {
  connectFor,
  BlockedHop,
  type Destination,
  type Resolve,
  NotResolved,
  isNoSuchAddress,
  hopTo,
} from './connect.ts';
import { titleIn, troubleIn } from './page-content.ts';
import type { Answered, PageRequest, Look } from './reading.ts';
import { requestOn, type PageResponse, type Body } from './request.ts';
import { dayMs, hourMs } from '../words/duration.ts';
import { startDeadline } from '../base/time-limit.ts';
import { AnswerTooLong } from '../base/connections.ts';
import { errorCode } from '../base/errors.ts';

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

/** Why there was no answer, in words that follow the name of a site. `isOfSite`: whether the site itself caused that. */
type SiteFailure = { readonly why: string; readonly isOfSite: boolean };

/** What a look was doing when it failed. */
type Phase = 'connecting' | 'answering';

const bySite = (why: string): SiteFailure => ({ why, isOfSite: true });
/** The network in between, or Sitehand itself, may be the cause. */
const unsure = (why: string): SiteFailure => ({ why, isOfSite: false });
const closed = bySite('closed the connection before it had answered');
const noWay = unsure('could not be reached, perhaps because of my own network');
const oddIssuer = unsure('has a certificate from an authority that I do not know');

const byCode: ReadonlyMap<string, SiteFailure> = new Map([
  ['ECONNRESET', closed],
  ['EPIPE', closed],
  ['ETIMEDOUT', noWay],
  ['EHOSTUNREACH', noWay],
  ['ENETUNREACH', noWay],
  ['CERT_HAS_EXPIRED', bySite('has a certificate that has expired')],
  ['ERR_TLS_CERT_ALTNAME_INVALID', bySite('has a certificate for other names')],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', oddIssuer],
  ['SELF_SIGNED_CERT_IN_CHAIN', oddIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', oddIssuer],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', oddIssuer],
  ['HPE_HEADER_OVERFLOW', unsure('answered with more headers than I read')],
  ['PACKED_TOO_LONG', unsure('answered with more than I read')],
]);

/** A site that has had this long to answer and didn't is slow itself. */
const patienceMs = 5_000;

/** The failure of a look that was ended after `ms`. Name lookups and new connections may be slow on our own side. */
export const slowness = (ms: number, answeringMs: number): SiteFailure => ({
  why: `had not answered after ${(ms / 1_000).toFixed(1)} s`,
  isOfSite: answeringMs >= patienceMs,
});

/** `isWayOpen`: connections from here worked lately, so the site itself refused this one. */
function siteFailureOf(error: unknown, phase: Phase, isWayOpen: boolean): SiteFailure {
  if (error instanceof NotResolved)
    return unsure(isNoSuchAddress(error.cause) ? 'has no address in DNS' : 'could not be looked up in DNS');
  if (error instanceof AnswerTooLong) return unsure(error.message);
  const code = errorCode(error);
  if (phase === 'connecting' && /^(ECONNREFUSED|ECONNRESET|EPIPE)$/.test(code))
    return isWayOpen ? bySite('refused the connection') : unsure('refused the connection, or my own network did');
  const known = byCode.get(code);
  if (known) return known;
  // No browser shows an answer that doesn't begin as HTTP. Otherwise browsers tolerate more than Node does.
  if (code === 'HPE_INVALID_CONSTANT') return bySite('did not answer in HTTP');
  if (code.startsWith('HPE_')) return unsure(`answered in HTTP that I cannot read (${code})`);
  if (code.startsWith('Z_')) return bySite('sent a badly compressed answer');
  if (/^(ERR_SSL_|EPROTO)/.test(code)) return bySite(`could not agree on a secure connection (${code})`);
  return unsure(`could not be read${code && ` (${code})`}`);
}

import { AnswerTooLong } from '../sockets/answer-bounds.ts';
import { errorCode } from '../base/errors.ts';
import { NotResolved, isNoSuchAddress } from './connect.ts';

/** Why there was no answer, in words that follow the name of a site. `isOfSite`: whether the site itself caused that. */
export type SiteFailure = { readonly why: string; readonly isOfSite: boolean };

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
export function siteFailureOf(error: unknown, phase: Phase, isWayOpen: boolean): SiteFailure {
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

import { authorizationOf } from './authorization.ts';
import type { Authorized } from './access-check.ts';
import { Refusal } from '../base/errors.ts';
import { scrub } from '../base/secret.ts';
import { findMatch, maxSearched } from '../policy/reason-match.ts';
import type { NeededReason, ReasonMatch } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { code, either, inline, link, say, type Text } from '../words/text.ts';

/** The reason of a change: what the rules want of it, and how it reads. */

/** The most characters of a reason, or of a note with a decision. */
export const maxReasonLength = 500;

/** A reason as it is stored: it is public, so pasted keys are removed. */
export const storedReason = ({ reason }: { readonly reason: string | undefined }): string | null =>
  reason === undefined ? null : scrub(reason);

/** What the rules want: *a reason*, or what has to be in it; undefined: nothing. */
export function neededInWords(needed: NeededReason): Text | undefined {
  if (typeof needed === 'string') return needed === 'required' ? inline('a reason') : undefined;
  return say`a reason with ${matchesInWords(needed)}`;
}

export const matchesInWords = (matches: readonly ReasonMatch[]): Text =>
  say`a match of ${either(
    [...new Set(matches.map(({ match }) => match))].map((one) => code(one)),
    'and',
  )}`;

/** Why the reason does not do for the rules; undefined: it does, or they need none. */
export function reasonProblem({ authorization: { approval }, parsed }: Authorized): Refusal | undefined {
  const reason = storedReason(parsed);
  if (parsed.breakGlass)
    return reason === null
      ? new Refusal(say`${code('--break-glass')} needs a reason. Nothing was done.`, { field: 'reason' })
      : undefined;
  const needed = approval === 'none' ? 'optional' : approval.reason;
  const wanted = neededInWords(needed);
  if (wanted === undefined) return undefined;
  if (reason === null)
    return new Refusal(say`The rules want ${wanted} for this. Nothing was done.`, { field: 'reason' });
  const missing = typeof needed === 'string' ? [] : needed.filter(({ match }) => !findMatch(match, reason));
  if (missing.length === 0) return undefined;
  const where = reason.length > maxSearched ? `the first ${maxSearched} characters of the reason` : 'the reason';
  return new Refusal(say`The rules want ${matchesInWords(missing)} in ${where}. Nothing was done.`, {
    hint: 'Add it to the reason, and ask again.',
    field: 'reason',
  });
}

/** The reason of a stored change, with the links that were found when it was asked for. Undefined: it has none. */
export function reasonText(change: Pick<Change, 'reason' | 'authorization'>): Text | undefined {
  const { reason } = change;
  if (reason === null) return undefined;
  const { links = [] } = authorizationOf(change);
  const parts = links.map(({ from, to, url }, index) => {
    const before = reason.slice(links[index - 1]?.to ?? 0, from);
    return say`${before}${link(reason.slice(from, to), url)}`;
  });
  return say`${parts.flat()}${reason.slice(links.at(-1)?.to ?? 0)}`;
}

import type { RE2JS } from 're2js';
import { errorMessage } from '../base/errors.ts';
import { beginning } from '../words/text.ts';
import type { NeededReason, ReasonMatch } from './rules.ts';

/**
 * What the rules look for in a reason. The expressions are run in linear time, by an engine without backtracking, and
 * read the beginning of a reason alone.
 */

/** How many characters of a reason are searched. */
export const maxSearched = 200;
export const maxMatchLength = 200;
export const maxLinkLength = 300;
const maxUrlLength = 2_000;

let engine: typeof RE2JS | undefined;
/** Loads the engine. Before that, nothing here can be called but for a file that has no `match`. */
export async function loadMatcher(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS;
}

function compiled(match: string): RE2JS {
  if (engine === undefined) throw new Error('the engine of regular expressions is not loaded');
  return engine.compile(match);
}

/** What a match found: where, counted in characters, and the text of the whole and of each group. */
type Found = { readonly at: number; readonly groups: readonly [whole: string, ...rest: readonly string[]] };

/** The first place where it is found in a reason. */
export function findMatch(match: string, reason: string): Found | undefined {
  const matcher = compiled(match).matcher(beginning(reason, maxSearched));
  if (!matcher.find()) return undefined;
  const rest = Array.from({ length: matcher.groupCount() }, (_, group) => matcher.group(group + 1) ?? '');
  return { at: matcher.start(), groups: [matcher.group() ?? '', ...rest] };
}

/** What is wrong with an expression; undefined if nothing is. */
export function wrongMatch(match: string): string | undefined {
  try {
    return findMatch(match, '') ? 'it is found in every reason, even in an empty one' : undefined;
  } catch (error) {
    if (engine === undefined) throw error;
    return errorMessage(error).replace('error parsing regexp: ', '');
  }
}

const placeholder = /\$(\d?)/g;
/** No user name, and nothing that Slack or Markdown could read as the end of the address. */
const linkShape = /^https:\/\/[a-z0-9.-]+(:\d{1,5})?\/[!#-;=?-{}~]*$/;

/** What is wrong with the link of this expression, which itself is right; undefined if nothing is. */
export function wrongLink({ match, link = '' }: ReasonMatch): string | undefined {
  const [, host = ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(link) ?? [];
  if (host.includes('$')) return 'the host cannot depend on the reason; use $0 to $9 after the / that follows it';
  if (!linkShape.test(link)) return 'it takes https://, a host and a path, like "https://tracker.example/browse/$0"';
  const groups = compiled(match).groupCount();
  for (const [written, group] of link.matchAll(placeholder)) {
    if (group === '') return 'a $ is followed by one digit, $0 to $9; write %24 for the sign itself';
    if (Number(group) > groups) return `${written} is not there: the last group is $${groups}`;
  }
  const sample = addressOf(
    link,
    Array.from({ length: groups + 1 }, () => '0'),
  );
  return sample === undefined ? 'browsers would read it as another address' : undefined;
}

/**
 * The link with the groups in it, percent-encoded. Undefined if it is too long, or if a browser would read it as another
 * address: what was typed may be `..`.
 */
export function addressOf(link: string, groups: readonly string[]): string | undefined {
  const url = link.replaceAll(placeholder, (_, group) => encoded(groups[Number(group)] ?? ''));
  return url.length <= maxUrlLength && URL.parse(url)?.href === url ? url : undefined;
}

/** Also encodes what a browser would, in a query, and what ends a link in Markdown. */
const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A part of a reason that is a link: its characters from `from` up to `to`. */
export type ReasonLink = { readonly from: number; readonly to: number; readonly url: string };

/** The links in a reason, in order; of two that overlap, the first. */
export function linksIn(needed: NeededReason, reason: string): readonly ReasonLink[] {
  const matches = typeof needed === 'string' ? [] : needed;
  const all = matches.flatMap(({ match, link }): readonly ReasonLink[] => {
    const found = link === undefined ? undefined : findMatch(match, reason);
    const url = found && addressOf(link ?? '', found.groups);
    return url === undefined || found === undefined
      ? []
      : [{ from: found.at, to: found.at + found.groups[0].length, url }];
  });
  const links: ReasonLink[] = [];
  for (const link of all.toSorted((one, other) => one.from - other.from))
    if (link.to > link.from && link.from >= (links.at(-1)?.to ?? 0)) links.push(link);
  return links;
}

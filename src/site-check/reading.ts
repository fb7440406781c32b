/** Readings of a site, and what they prove. Pure. */

/** The first address of a request, and how it was made: as visitors make it, or so that no cache answers it. */
export type PageRequest = { readonly address: string; readonly as: 'visitor' | 'past the cache' };

/** An answer after redirects. Times are milliseconds from the first request. */
export type Answered = PageRequest & {
  readonly kind: 'answered';
  readonly status: number;
  readonly firstByteMs: number;
  readonly ms: number;
  /** Where the redirects led, without a query. The site chooses this text, like the title. */
  readonly finalAddress: string;
  readonly title: string | undefined;
  /** Why an answered page is not a real page: it is empty, or shows an error. */
  readonly trouble: string | undefined;
  /** Why an answered page was not read, or not far enough. */
  readonly unread?: string | undefined;
  /** What a cache said about itself, such as `HIT`. */
  readonly cache: string | undefined;
  /** Full days until the first of the certificates seen on the way expires. */
  readonly certificateDays: number | undefined;
};

export type Unanswered = PageRequest & {
  readonly kind: 'no answer';
  readonly why: string;
  /** Whether the site itself is known to be the cause. If not, the network in between may be. */
  readonly isOfSite: boolean;
};

/** The request, or one that it was redirected to, is not allowed, so it wasn't made. */
export type NotChecked = PageRequest & { readonly kind: 'not checked'; readonly why: string };

export type Look = Answered | Unanswered | NotChecked;

/** One reading of a site: each page, once as a visitor and once past the cache. */
export type SiteReading = {
  /** When it began, in epoch milliseconds. */
  readonly at: number;
  readonly looks: readonly Look[];
  readonly missing: readonly MissingText[];
};

/** An expected text that is on none of the pages, and how they were requested. */
type MissingText = Pick<PageRequest, 'as'> & { readonly text: string };

/** What one reading looks like. It proves nothing by itself. */
export type Impression = 'well' | 'bad' | 'unknown' | 'cannot be checked';

/** What all readings together say. */
export type Verdict =
  /** There is only one reading; `looks` is the impression of it. */
  | { readonly kind: 'one reading'; readonly looks: Impression }
  | {
      readonly kind: 'well' | 'bad' | 'unsteady' | 'unknown' | 'cannot be checked';
      readonly bad: number;
      readonly of: number;
    };

/** A site is called bad after this many readings, all of them bad, over this time in milliseconds. */
export const readingsForBad = 3;
const leastSpanMs = 15_000;

/** What a look shows. A refusal (401, 403, 429 …) may be meant for Sitehand alone, so it is unknown. */
export function impressionOf(look: Look): Impression {
  if (look.kind === 'not checked') return 'cannot be checked';
  if (look.kind === 'no answer') return look.isOfSite ? 'bad' : 'unknown';
  const { status, trouble, unread } = look;
  if (status >= 500 || status === 404 || status === 410) return 'bad';
  if (status < 200 || status > 299) return 'unknown';
  if (trouble !== undefined) return 'bad';
  return unread === undefined ? 'well' : 'unknown';
}

/** An answer that takes this long is called slow. Slow alone is not bad. */
const slowMs = 3_000;

/** A certificate that is valid for fewer days than this needs a look. That alone is not bad either. */
export const fewCertificateDays = 14;

/** The slowest answer of these readings, and in how many of them an answer was slow; undefined if none was. */
export function slownessIn(
  readings: readonly SiteReading[],
): { readonly look: Answered; readonly of: number } | undefined {
  const slow = readings.map(({ looks }) => looks.filter((look) => look.kind === 'answered' && look.ms >= slowMs));
  const [look] = slow.flat().toSorted((one, other) => msOf(other) - msOf(one));
  return look?.kind === 'answered' ? { look, of: slow.filter(({ length }) => length > 0).length } : undefined;
}
const msOf = (look: Look): number => (look.kind === 'answered' ? look.ms : 0);

export function impressionIn({ looks, missing }: SiteReading): Impression {
  const all = looks.map(impressionOf);
  if (all.includes('bad') || missing.length > 0) return 'bad';
  if (all.every((one) => one === 'cannot be checked')) return 'cannot be checked';
  return all.every((one) => one === 'well') ? 'well' : 'unknown';
}

/** The reading that says most: the last bad one, else the last. */
export const mostTellingOf = (readings: readonly SiteReading[]): SiteReading | undefined =>
  readings.findLast((reading) => impressionIn(reading) === 'bad') ?? readings.at(-1);

/** What these readings, oldest first, say together. Never *bad* from fewer than three, or from a moment. */
export function verdictOf(readings: readonly SiteReading[]): Verdict {
  const all = readings.map(impressionIn);
  const [first] = all;
  if (first === undefined) return { kind: 'unknown', bad: 0, of: 0 };
  if (all.length === 1) return { kind: 'one reading', looks: first };
  const bad = all.filter((one) => one === 'bad').length;
  return { kind: togetherOf(readings, all, bad), bad, of: all.length };
}

function togetherOf(
  readings: readonly SiteReading[],
  all: readonly Impression[],
  bad: number,
): Exclude<Verdict['kind'], 'one reading'> {
  const [first] = all;
  const isSame = all.every((one) => one === first);
  if (isSame && first !== undefined && first !== 'bad') return first;
  if (bad > 0 && all.includes('well')) return 'unsteady';
  const span = (readings.at(-1)?.at ?? 0) - (readings[0]?.at ?? 0);
  return isSame && bad >= readingsForBad && span >= leastSpanMs ? 'bad' : 'unknown';
}

import { setTimeout as pause } from 'node:timers/promises';
import { createJustBegun } from '../base/caches.ts';
import { createSemaphore } from '../base/semaphore.ts';
import { resolveInDns, type Destination, type Resolve } from './connect.ts';
import { finderIn } from './page-content.ts';
import { lookAtPage, type Reach, type LookWithBody } from './look.ts';
import { startDeadline } from '../base/time-limit.ts';
import { readingsForBad, type Answered, type PageRequest, type Look, type SiteReading } from './reading.ts';

/** The pages of a site, and the texts that must each be on at least one of them. */
export type Pages = { readonly addresses: readonly string[]; readonly must: readonly string[] };

type ReadingLimits = {
  /** The reading ends after this time with what it has; 10 s by default. A look takes 7 s at most. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** The Slack user id of the person it is for: people share the connections fairly. */
  readonly onBehalfOf?: string | undefined;
  /** Whether it may share the answers of another such reading that began up to a second earlier. */
  readonly mayShare?: boolean;
};

/** Readings of one site, oldest first. `cut`: why there are fewer than three. */
export type Series = {
  readonly readings: readonly SiteReading[];
  readonly cut?: 'busy' | 'stopping' | 'late' | undefined;
};

/** Checks sites directly. Only with GET, and only at public addresses. */
export type SiteCheck = {
  /** Makes one reading. Never rejects: what could not be read says why. */
  readonly read: (pages: Pages, limits?: ReadingLimits) => Promise<SiteReading>;
  /** Makes two more readings after `first`, eight seconds from start to start. Never rejects. */
  readonly readOn: (pages: Pages, first: SiteReading, limits?: ReadingLimits) => Promise<Series>;
  /** Where every reading goes instead of the site, as `host:port`. */
  readonly instead: string | undefined;
  /** Ends what is running. */
  readonly close: () => void;
};

export type SiteCheckOptions = {
  readonly resolve?: Resolve;
  /** Where every request goes instead of the site, without encryption. */
  readonly instead?: Destination | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** From the start of one reading to the start of the next, in milliseconds. */
  readonly everyMs?: number;
  /** Maps an account to its person. */
  readonly behind?: (account: string) => string;
};

/** Longer than one look may take. */
const defaultDeadlineMs = 10_000;
/** How many requests run at once: an answer takes about 2 MB while it is read. */
const places = { most: 16, maxEach: 8, waiting: 400, waitingEach: 60, waitMs: defaultDeadlineMs };
/** How many looks with their pages, of about 1 MB each, are kept for a second. */
const maxShared = 64;

/** Three readings of a site that hangs end 23 s after the first began: `status` promises a verdict within 25 s. */
const defaultEveryMs = 8_000;

/** How many series of readings run at once. None waits, because a late verdict is about another moment. */
const seriesPlaces = { most: 100, maxEach: 4, waiting: 0, waitMs: 0 };

/** Opens no connection yet. */
export function createSiteCheck(options: SiteCheckOptions): SiteCheck {
  const { resolve = resolveInDns, instead, now, everyMs = defaultEveryMs, behind } = options;
  const look = createLooks({ resolve, instead, wayOut: {} }, behind);
  const series = createSemaphore(seriesPlaces, behind);
  const closing = new AbortController();

  async function read(
    pages: Pages,
    { deadlineMs = defaultDeadlineMs, signal, ...sharing }: ReadingLimits = {},
  ): Promise<SiteReading> {
    const at = now();
    using late = startDeadline(deadlineMs);
    const ends = [closing.signal, late.signal, ...(signal ? [signal] : [])];
    const end = AbortSignal.any(ends);
    const all = pages.addresses.flatMap((address): PageRequest[] => [
      { address, as: 'visitor' },
      { address, as: 'past the cache' },
    ]);
    const seen = await Promise.all(all.map((asked) => look(asked, end, sharing)));
    return { at, ...judged(seen, pages.must) };
  }

  const readOn: SiteCheck['readOn'] = async (pages, first, limits = {}) => {
    const end = AbortSignal.any([closing.signal, ...(limits.signal ? [limits.signal] : [])]);
    const more = () => readTwiceMore(first, { now, everyMs, read: () => read(pages, limits), end });
    const readings = await series(more, limits.onBehalfOf).catch(() => [first]);
    const why = closing.signal.aborted ? 'stopping' : end.aborted ? 'late' : 'busy';
    return { readings, cut: readings.length < readingsForBad ? why : undefined };
  };

  return { read, readOn, instead: instead && `${instead.host}:${instead.port}`, close: () => closing.abort() };
}

/** Makes looks in turns, each until `end`. They never reject. */
function createLooks(reach: Reach, behind?: (account: string) => string) {
  const turn = createSemaphore(places, behind);
  const justBegun = createJustBegun<LookWithBody>(maxShared);
  return (
    asked: PageRequest,
    end: AbortSignal,
    { onBehalfOf, mayShare }: Pick<ReadingLimits, 'onBehalfOf' | 'mayShare'>,
  ): Promise<LookWithBody> => {
    const key = `${asked.as} ${asked.address}`;
    const shared = (): Promise<LookWithBody> | undefined => (mayShare ? justBegun.find(key) : undefined);
    let isOwn = false;
    // Share only looks that have begun, so that nobody waits for another person's turn.
    const begin = async (): Promise<{ readonly seen: Promise<LookWithBody> }> => {
      end.throwIfAborted();
      const other = shared();
      if (other) return { seen: other };
      isOwn = true;
      const own = lookAtPage(asked, reach, end);
      if (mayShare) justBegun.keep(key, own);
      await own;
      return { seen: own };
    };
    const looking = shared() ?? turn(begin, onBehalfOf).then(({ seen }) => seen);
    // A look that has begun ends by itself and returns what it saw.
    const waited = new Promise<never>((_, reject) => {
      end.addEventListener('abort', () => isOwn || reject(new Error('no turn')), { once: true });
    });
    return Promise.race([looking, waited]).catch((): LookWithBody => ({ look: notReached(asked) }));
  };
}

/** Makes two more readings after `first`, with a fixed time between their starts. */
async function readTwiceMore(
  first: SiteReading,
  {
    now,
    everyMs,
    read,
    end,
  }: { now: () => number; everyMs: number; read: () => Promise<SiteReading>; end: AbortSignal },
): Promise<readonly SiteReading[]> {
  const readings = [first];
  // Only the age of the first reading uses the wall clock. If that clock jumps, one pause is too long or too short.
  const began = performance.now() - Math.min(Math.max(0, now() - first.at), everyMs);
  while (readings.length < readingsForBad) {
    const waitMs = began + readings.length * everyMs - performance.now();
    await pause(Math.max(0, waitMs), undefined, { signal: end }).catch(() => undefined);
    if (end.aborted) break;
    readings.push(await read());
  }
  return readings;
}

/** A look that got no turn, or was ended before its turn. */
const notReached = (asked: PageRequest): Look => ({
  ...asked,
  kind: 'no answer',
  why: 'was not asked in time: I was busy or stopping',
  isOfSite: false,
});

/** Which texts are on none of the pages, as visitors get them or past the cache. Unread pages leave that open. */
function judged(seen: readonly LookWithBody[], must: readonly string[]): Pick<SiteReading, 'looks' | 'missing'> {
  const absent = (['visitor', 'past the cache'] as const).flatMap((as) => {
    const isOn = seen.flatMap(({ look, body }) => (look.as === as && body ? [finderIn(body)] : []));
    return must.filter((text) => !isOn.some((find) => find(text))).map((text) => ({ text, as }));
  });
  const looks = seen.map(({ look, body }): Look => {
    const open = absent.find(({ as }) => as === look.as);
    if (open === undefined || body === undefined || body.isWhole || !isPage(look)) return look;
    return { ...look, unread: `too long to look for “${open.text}” in all of it` };
  });
  const isRead = (as: PageRequest['as']): boolean =>
    looks.every((look) => look.as !== as || (isPage(look) && look.unread === undefined));
  return { looks, missing: absent.filter(({ as }) => isRead(as)) };
}

const isPage = (look: Look): look is Answered => look.kind === 'answered' && look.status >= 200 && look.status < 300;

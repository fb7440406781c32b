import type { Page } from '../page.ts';
import type { Happened } from '../report.ts';
import { lineReader, newestOf } from './lines.ts';
import type { Asked } from './offers.ts';
import { pageOf, stretchOf } from './page.ts';
import { inPieces } from './pieces.ts';
import { beginningOf, keptOf, type Span } from './span.ts';
import { ledUp } from './timeline.ts';

/** A log as it came, and what was asked of it: plain data, which can be handed to another thread. */
export type Look = {
  readonly text: string;
  readonly asked: Asked;
  /** How many lines the host was asked for: where it sent as many, it may have more. */
  readonly wanted: number;
  /** Lines that are shown at most. */
  readonly most: number;
  readonly span: Span;
  readonly now: number;
  /** An IANA name. */
  readonly zone: string;
};

/** What was sent for the environment since then (epoch ms), oldest first. */
export type Recall = (since: number) => Promise<readonly Happened[]>;

const dayMs = 86_400_000;
/** No log goes further back. */
const oldestDays = 400;

/** Reads the lines, masked, and draws what they show; where they have times, beside what was sent meanwhile. */
export async function lookAt(look: Look, alias: (address: string) => string, recall: Recall): Promise<Page> {
  const { text, asked, wanted, most, span, now, zone } = look;
  const raw = newestOf(text, wanted);
  const all = await inPieces(raw, lineReader(alias, { from: now - oldestDays * dayMs, to: now + dayMs }));
  const kept = keptOf(all, raw, { span, search: asked.search });
  const goesBack = kept.oldest !== undefined && kept.oldest < beginningOf(span);
  const isCut = (all.length === wanted && !goesBack) || kept.lines.length > most;
  const seen = { ...kept, lines: kept.lines.slice(-most), sent: all.length, isCut, span, now };
  const stretch = stretchOf(seen);
  const happened = stretch ? await recall(stretch.from - ledUp) : [];
  return pageOf({ ...seen, asked, happened, zone });
}

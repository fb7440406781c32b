import type { Page } from '../page.ts';
import type { Happened } from '../report.ts';
import { lineReader, newestOf } from './lines.ts';
import type { Asked } from './offers.ts';
import { pageOf, stretchOf } from './page.ts';
import { inPieces } from './pieces.ts';
import { ledUp } from './timeline.ts';

/** A log as it came, and what was asked of it: plain data, which can be handed to another thread. */
export type Look = {
  readonly text: string;
  readonly asked: Asked;
  /** Lines at most; where there are as many, the host may have more. */
  readonly most: number;
  /** What was asked for; epoch milliseconds. */
  readonly range: { readonly from?: number | undefined; readonly to?: number | undefined };
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
  const { text, asked, most, range, now, zone } = look;
  const from = (range.from ?? now - oldestDays * dayMs) - dayMs;
  const lines = await inPieces(newestOf(text, most), lineReader(alias, { from, to: now + dayMs }));
  const seen = { lines, isCut: lines.length === most, range, now };
  const stretch = stretchOf(seen);
  const happened = stretch ? await recall(stretch.from - ledUp) : [];
  return pageOf({ ...seen, asked, happened, zone });
}

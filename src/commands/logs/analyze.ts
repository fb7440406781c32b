import type { Page } from '../kit/page.ts';
import { newestOf, readLines } from './lines.ts';
import { logPage, stretchOf } from './page.ts';
import { selectLines } from './select-lines.ts';
import { ledUp } from './activity.ts';
import type { LogQuery, SentSince } from '../kit/log-query.ts';

/** Masks and reads the lines and builds the page. Lines with times are shown together with changes sent at that time. */
export async function analyze(query: LogQuery, alias: (address: string) => string, recall: SentSince): Promise<Page> {
  const { text, asked, wanted, most, span, now } = query;
  const raw = newestOf(text, wanted);
  const all = await readLines(raw, { alias, now });
  const selected = selectLines(all, raw, { span, search: asked.search, isFull: all.length === wanted, most });
  const stretch = stretchOf(selected.lines, { isCut: selected.isCut, span, now });
  const happened = stretch ? await recall(stretch.from - ledUp) : [];
  return logPage({ ...selected, sent: all.length, span, now, stretch, asked, happened });
}

import { code, joined, say, type Text } from '../../words/text.ts';
import type { PauseResult } from '../kit/builtin.ts';

/** The changes that a pause holds back, one per line, and how many more; empty if there are none. */
export function listHeld({ held, named }: Pick<PauseResult, 'held' | 'named'>): Text {
  if (held === 0) return [];
  const more = held - named.length;
  const lines = named.map(({ number, title }) => say`• ${code(`#${number}`)} ${title}`);
  const rest = named.length === 0 ? `• ${more} that you can't see` : `• and ${more} more`;
  return joined([...lines, more > 0 ? rest : undefined], '\n');
}

import { code, joined, say, type Text } from '../../text.ts';
import type { Paused } from '../kit/builtin.ts';

/** What a pause holds back, a line each, and how many more; nothing where it holds nothing. */
export function listHeld({ held, named }: Pick<Paused, 'held' | 'named'>): Text {
  if (held === 0) return [];
  const more = held - named.length;
  const lines = named.map(({ number, title }) => say`• ${code(`#${number}`)} ${title}`);
  const rest = named.length === 0 ? `• ${more} that you may not read` : `• and ${more} more`;
  return joined([...lines, more > 0 ? rest : undefined], '\n');
}

import { randomFrom } from '../../src/playground/hosting/random.ts';
import { cacheClear } from './cache-clear.ts';
import type { Life } from './life.ts';
import type { Row, Story } from './story.ts';

/** Everything that the bot is killed in. */
export const stories: readonly Story[] = [cacheClear];

/** A house sees so many deaths, one after the other. */
const deaths = 5;

/** Lives in which every row that is meant has its turn once, mixed by the seed. */
export const lives = (seed: string, isMeant: (row: Row) => boolean = () => true): readonly Life[] =>
  stories.flatMap((story) => {
    const random = randomFrom(`${seed} ${story.name}`);
    const mixed = story.rows
      .filter(isMeant)
      .map((row) => ({ row, turn: random.next() }))
      .sort((one, other) => one.turn - other.turn);
    const count = Math.ceil(mixed.length / deaths);
    return Array.from({ length: count }, (_, life) => ({
      story,
      rows: mixed.filter((_, at) => at % count === life).map(({ row }) => row),
      seed: `${seed} · ${story.name} · ${life + 1}`,
    }));
  });

/** What a quick proof looks at: each point once on SQLite; on PostgreSQL a write not begun, and one not answered. */
export const isQuick = {
  SQLite: ({ name }: Row): boolean => !/: the first reply|posted: the card|(posting|noted): the last reply/.test(name),
  PostgreSQL: ({ name }: Row): boolean => ['sending saved', 'answered'].includes(name),
} as const;

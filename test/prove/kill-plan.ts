import { randomFrom } from '../../src/playground/hosting/random.ts';
import { breakGlass } from './break-glass.ts';
import { cacheClear } from './cache-clear.ts';
import type { KillRun } from './kill-and-restart.ts';
import { approvePush, askPush } from './push.ts';
import type { Proof } from './replicas.ts';
import type { Row, Story } from './kill-story.ts';

/** The stories in which the bot is killed. */
export const stories: readonly Story[] = [cacheClear, askPush, approvePush, breakGlass];

/** The number of deaths per scenario. */
const killsPerScenario = 5;

/** Selects deaths. */
type RowFilter = (row: Row, story: Story) => boolean;

/** Lives in which every selected row has one turn, shuffled by the seed. */
export const killPlan = (seed: string, isSelected: RowFilter = () => true): readonly KillRun[] =>
  stories.flatMap((story) => {
    const random = randomFrom(`${seed} ${story.name}`);
    const mixed = story.rows
      .filter((row) => isSelected(row, story))
      .map((row) => ({ row, turn: random.next() }))
      .sort((one, other) => one.turn - other.turn);
    const count = Math.ceil(mixed.length / killsPerScenario);
    return Array.from({ length: count }, (_, life) => ({
      story,
      rows: mixed.filter((_, at) => at % count === life).map(({ row }) => row),
      seed: `${seed} · ${story.name} · ${life + 1}`,
    }));
  });

const quick = new Set(['click saved', 'received', 'posted: the last word']);

/** What `--quick` runs: an approval, killed where most is at stake, and one proof of two replicas on PostgreSQL. */
export const isQuick = {
  row: ({ name }: Row, story: Story): boolean =>
    story === approvePush ? quick.has(name) : name === story.rows.at(-1)?.name,
  proof: ({ name }: Proof): boolean => name.startsWith('asleep after it saved sending'),
} as const;

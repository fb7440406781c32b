import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** One line of a change's trail; `at` in epoch milliseconds, `by` an id of Slack or `sitehand`. */
export type Step = { readonly event: string; readonly at: number; readonly by: string };

/** A change of the bot as its database has it: the state it is in, and how it came there, oldest first. */
export type Moving = {
  readonly number: number;
  readonly command: string;
  readonly target: string;
  readonly state: string;
  readonly steps: readonly Step[];
};

/** The bot's newest changes, read beside it. */
export type Watch = { current(): readonly Moving[]; close(): void };

/** How many changes are read, and how often, in ms, it is looked whether anything was written. */
const NEWEST = 30;
const LOOK_MS = 200;

/**
 * Follows the changes in the database file of a bot, which need not be there yet; `onMoved` hears that `current` is
 * another. A file that is no database of Sitehand's has no changes.
 */
export function watchChanges(file: string, onMoved: () => void): Watch {
  let database: DatabaseSync | undefined;
  let written: unknown;
  let moving: readonly Moving[] = [];
  const look = (): void => {
    if (database === undefined && !existsSync(file)) return;
    try {
      database ??= new DatabaseSync(file, { readOnly: true });
      const version = database.prepare('pragma data_version').get()?.['data_version'];
      if (version === written) return;
      const found = read(database);
      written = version;
      if (JSON.stringify(found) === JSON.stringify(moving)) return;
      moving = found;
      onMoved();
    } catch {
      // The bot has not made its tables yet, or has the file to itself for the moment: the next look tells.
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    current: () => moving,
    close() {
      clearInterval(timer);
      database?.close();
    },
  };
}

function read(database: DatabaseSync): readonly Moving[] {
  const steps = database.prepare('select event, at, actor from audit where change = ? order by seq');
  return database
    .prepare(`select number, command, target_name, state from changes order by number desc limit ${NEWEST}`)
    .all()
    .map(({ number, command, target_name: target, state }) => ({
      number: Number(number),
      command: String(command),
      target: String(target),
      state: String(state),
      steps: steps
        .all(Number(number))
        .map(({ event, at, actor }) => ({ event: String(event), at: Number(at), by: String(actor) })),
    }));
}

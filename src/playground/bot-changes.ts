import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { BotChange } from './web/shapes.ts';

/** The bot's newest changes, read from its database while it runs. */
export type ChangeWatcher = { current(): readonly BotChange[]; close(): void };

/** How many changes are read, and how often (ms) the file is polled. */
const NEWEST = 30;
const POLL_MS = 200;

/**
 * Follows the changes in a bot's database file, which need not exist yet. `onMoved` is called when `current` differs.
 * A file that is not a Sitehand database has no changes.
 */
export function watchChanges(file: string, onMoved: () => void): ChangeWatcher {
  let database: DatabaseSync | undefined;
  let lastVersion: unknown;
  let known: readonly BotChange[] = [];
  const poll = (): void => {
    if (database === undefined && !existsSync(file)) return;
    try {
      database ??= new DatabaseSync(file, { readOnly: true });
      const version = database.prepare('pragma data_version').get()?.['data_version'];
      if (version === lastVersion) return;
      const found = read(database);
      lastVersion = version;
      if (JSON.stringify(found) === JSON.stringify(known)) return;
      known = found;
      onMoved();
    } catch {
      // The bot hasn't made its tables yet, or has locked the file. The next poll tries again.
    }
  };
  const timer = setInterval(poll, POLL_MS);
  return {
    current: () => known,
    close() {
      clearInterval(timer);
      database?.close();
    },
  };
}

function read(database: DatabaseSync): readonly BotChange[] {
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

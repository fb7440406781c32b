import { listChanges } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { BoundedMap } from '../base/bounded-map.ts';

/** The targets each person used last; offered first when they search for a name. */
export type Recent = {
  /** Ids of targets, newest first. If nothing is remembered, they are read from the person's changes. */
  readonly of: (person: string) => Promise<readonly string[]>;
  readonly note: (person: string, target: string) => void;
};

const maxTargets = 8;
const maxPeople = 1_000;

/** Keeps the targets in memory, for the last thousand people. */
export function createRecent({ db }: Database): Recent {
  const known = new BoundedMap<string, readonly string[]>(maxPeople);
  const keep = (person: string, targets: readonly string[]): readonly string[] => {
    const kept = [...new Set(targets)].slice(0, maxTargets);
    known.set(person, kept);
    return kept;
  };
  const of = async (person: string): Promise<readonly string[]> => {
    const remembered = known.get(person);
    if (remembered) return remembered;
    const changes = await listChanges(db, { requesters: [person], limit: 4 * maxTargets });
    return keep(person, [...(known.get(person) ?? []), ...changes.map(({ target }) => target.replace(/^[^:]*:/, ''))]);
  };
  return {
    of,
    note: (person, target) => {
      of(person).then(
        // Keeps targets that were noted while the query ran.
        (before) => keep(person, [target, ...(known.get(person) ?? before)]),
        () => keep(person, [target, ...(known.get(person) ?? [])]),
      );
    },
  };
}

import type { Company } from '../hosting/contract/target.ts';
import type { Policy } from '../policy/rules.ts';
import type { KnownNames } from '../language/resolve.ts';
import type { Person } from './access-check.ts';

/** What this room works with. `wiring.ts` builds `PipelineContext` once; the context of each room is a part of it. */
export type AccessContext = {
  readonly policy: () => Policy;
  readonly company: () => Company;
  /** The names that a person may read; undefined: all names. */
  readonly names: (person: Person | undefined) => KnownNames;
  /**
   * Asks who a person is and in which of these user groups, perhaps from a cache. `team`: where a request came from,
   * which can only make them a stranger. Undefined: no answer.
   */
  readonly personOf: (id: string, groups: readonly string[], team?: string) => Promise<Person | undefined>;
  /** User ids in a user group; undefined: no answer. */
  readonly membersOf: (group: string) => Promise<readonly string[] | undefined>;
};

import type { Company } from '../../hosting/contract/target.ts';
import type { Policy } from '../../policy/rules.ts';
import type { Database } from '../../storage/database.ts';
import type { KnownNames } from '../language/resolve.ts';
import type { Person } from './access-check.ts';

/**
 * Asks who a person is and in which of these user groups. `team`: where a request came from, used only to recognise
 * people of another workspace. Undefined: no answer.
 */
type AskPerson = (id: string, groups: readonly string[], team?: string) => Promise<Person | undefined>;

/** What this folder works with. `wiring.ts` builds it once, as a part of `PipelineContext`. */
export type AccessContext = {
  readonly database: Database;
  readonly policy: () => Policy;
  readonly company: () => Company;
  /** The names that a person may read; undefined: all names. */
  readonly names: (person: Person | undefined) => KnownNames;
  /** May be cached. */
  readonly personOf: AskPerson;
  /** As `personOf`, but groups may be some minutes old: for what is only shown or suggested. */
  readonly glanceAt: AskPerson;
  /** User ids in a user group; undefined: no answer. */
  readonly membersOf: (group: string) => Promise<readonly string[] | undefined>;
};

/** What is needed to find the people who may approve or run something. */
export type LookupContext = Pick<AccessContext, 'policy' | 'company' | 'personOf' | 'membersOf'>;

import type { LookSources } from '../commands/kit/sources.ts';
import type { Target } from '../hosting/contract/target.ts';
import type { Listing } from '../hosting/names.ts';
import type { Presence } from '../hosting/presence.ts';
import type { SiteCheck } from '../site-check/site-check.ts';
import type { Database } from '../storage/database.ts';
import type { Person } from '../access/access-check.ts';
import type { AccessContext } from '../access/context.ts';
import type { ChangeStore } from './change-store.ts';

/** What this room needs beyond the context of the access room. */
export type ChangeContext = AccessContext &
  Pick<LookSources, 'read' | 'certificate' | 'leastTtl' | 'imagesOff'> & {
    readonly database: Database;
    readonly changeStore: ChangeStore;
    readonly listing: () => Listing;
    /** Whether replicas go by different rules, so that nothing that needs an approval may be decided or sent. */
    readonly rulesDiffer: () => boolean;
    readonly siteCheck: SiteCheck;
    /**
     * Asks Slack now. With `how` the answer may be older: `fresh` allows groups of some seconds ago, `recent` also
     * the account of some seconds ago. Undefined: no answer.
     */
    readonly whoIs: (
      id: string,
      groups: readonly string[],
      team?: string,
      how?: 'fresh' | 'recent',
    ) => Promise<Person | undefined>;
    /**
     * Lists the sites again unless that was just done, and waits at most `withinMs`. Never rejects. Resolves with the
     * time (epoch ms) since which listings count as fresh.
     */
    readonly freshenNames: (withinMs?: number) => Promise<number>;
    /** Whether the host still has a target, by its listings since `since` (epoch ms). */
    readonly presenceOf: (target: Target, since: number) => Presence;
  };

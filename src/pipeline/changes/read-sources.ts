import type { LookSources, Sources } from '../../commands/kit/sources.ts';
import type { Company } from '../../hosting/contract/target.ts';
import type { Database } from '../../storage/database.ts';
import { openTimers } from '../../storage/timers.ts';
import { parseStored } from '../../storage/parse-json.ts';

/** What reads of the host need; `wiring.ts` provides it. */
export type ReadDeps = Pick<Sources, 'read' | 'certificate' | 'leastTtl'> & {
  readonly company: () => Company;
  readonly database: Database;
};

/** The sources for one look. `onBehalfOf` is a Slack user id; undefined: a change that is under way. */
export const sourcesOf = (
  { read, certificate, leastTtl, company, database }: ReadDeps,
  onBehalfOf?: string,
): LookSources => ({
  read: (call) => read(call, onBehalfOf),
  certificate,
  leastTtl,
  company: company(),
  timed: async ({ id }) => {
    const open = await openTimers(database.db, `environment:${id}`);
    return open.flatMap(({ addresses, ends_at: until }) =>
      parseStored<readonly string[]>(addresses).map((address) => ({ address, until })),
    );
  },
});

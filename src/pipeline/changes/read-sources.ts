import type { LookSources } from '../../commands/kit/sources.ts';
import { openTimers } from '../../storage/timers.ts';
import { parseStored } from '../../storage/parse-json.ts';
import type { ChangesContext } from './context.ts';

/** The sources for one look. `onBehalfOf`: see `HostReader`. */
export const sourcesOf = (
  { read, certificate, leastTtl, company, database }: ChangesContext,
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

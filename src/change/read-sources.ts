import { parseStored } from '../storage/parse-json.ts';
import type { LookSources, Timed } from '../commands/kit/sources.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { openTimers } from '../storage/timers.ts';
import type { ChangeContext } from './context.ts';

/** The sources for one look at what a change is about. `onBehalfOf`: see `HostReader`. */
export const sourcesOf = (
  { read, certificate, leastTtl, imagesOff, company, database }: ChangeContext,
  onBehalfOf?: string,
): LookSources => ({
  read: (call) => read({ ...call, isForChange: true }, onBehalfOf),
  certificate,
  leastTtl,
  imagesOff,
  company: company(),
  timed: (env) => timedOn({ database }, env),
});

/** The addresses with timed access on the SSH allowlist of an environment. */
export async function timedOn(
  { database }: Pick<ChangeContext, 'database'>,
  { id }: Environment,
): Promise<readonly Timed[]> {
  const open = await openTimers(database.db, `environment:${id}`);
  return open.flatMap(({ addresses, ends_at: until }) =>
    parseStored<readonly string[]>(addresses).map((address) => ({ address, until })),
  );
}
